"""What searches share: the work that they may do, what they find, and how they name what they left out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.discovery.masks import Masks, Places
from tacita.progress import Progress, Step, silent

SLICE = 40_000_000
"""Steps after which a compiled loop returns, so that Python hears an interrupt: some tenths of a second."""
MOST_CANDIDATES = 200_000
"""Dependencies that a search keeps at a time, and those that a level of a search looks at."""
MOST_WORK = 4_000_000_000
"""Values that a search looks at: about half a minute."""


@dataclass(slots=True)
class Effort:
    """The work that a search may do, the work that it did, and whom it reports to. Counted in steps, never seconds."""

    candidates: int = MOST_CANDIDATES
    work: int = MOST_WORK
    progress: Progress = silent
    spent: int = 0
    doing: str = field(default="looking for dependencies")

    @property
    def is_spent(self) -> bool:
        """Whether the search has done all the work that it may do."""
        return self.spent > self.work

    def report(self, done: float, total: float | None) -> None:
        """Report how far it has come."""
        self.progress(Step(self.doing, done, total))


@dataclass(frozen=True, slots=True, eq=False)
class Minimal:
    """Minimal dependencies as arrays, and the largest left-hand side that was looked for."""

    lefts: Masks
    rights: Places
    bound: int | None = None
    """The most attributes of a left-hand side that was looked for; None if nothing was left out."""
    low: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """At least so many records, or pairs, violate each of them; empty if they hold exactly."""
    high: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """At most so many."""
    is_undecided: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
