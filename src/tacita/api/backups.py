"""Backups of opened data sets, while they are asked, and the way back: `back_up`, `restore`."""

from __future__ import annotations

from tacita.queries.backup import BackedUp, back_up, restore

__all__ = ["BackedUp", "back_up", "restore"]
