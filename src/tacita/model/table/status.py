"""What happens to a cell."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """The state of a cell in a pattern of suppression; the numbers are stored in arrays of int8."""

    PUBLISHED = 0
    PRIMARY = 1
    """Suppressed because it is sensitive itself."""
    SECONDARY = 2
    """Suppressed so that a sensitive cell cannot be recalculated."""
    FORCED = 3
    """Suppressed because the user said so; it needs no protection of its own."""
    KEPT = 4
    """Published because the user said so, or because it is known anyway; it may not be suppressed."""


WITHHELD = (Status.PRIMARY, Status.SECONDARY, Status.FORCED)
"""The states of cells that are not published, for whatever reason."""
