"""When intervals must be there: whatever is not finished then is refused, since half a protection is none."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tacita.errors import UsageError

GRACE = 10.0
"""Seconds that what cannot be left out has at least, whatever the user says."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The end of the time of a table, and of the search for narrower intervals, which has a part of it."""

    table: str
    seconds: float
    _start: float = field(default_factory=time.monotonic)

    @property
    def search_end(self) -> float:
        """The moment when the search for narrower intervals ends with what it has."""
        return self._start + 0.6 * max(self.seconds, 0.0)

    def check(self) -> None:
        """Raise if the time is up."""
        if time.monotonic() - self._start >= max(self.seconds, GRACE):
            raise UsageError(
                "the time was up before intervals that protect from everybody were found",
                where=f"table '{self.table}'",
                do="give more time with --time, or use --method suppression; nothing was written",
            )
