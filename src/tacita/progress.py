"""Progress as events: whoever works reports, whoever talks to a person decides how to show it.

The rooms below the command line never print. They take a `Progress` and call it; the default is silence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One report: what is being done, how much of it is done, and how much there is (None: not known)."""

    doing: str
    done: float = 0
    total: float | None = None


Progress = Callable[[Step], None]


def silent(_: Step) -> None:
    """Report to nobody."""
