"""The result of secondary suppression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import WITHHELD, Movement, Status


@dataclass(frozen=True, slots=True)
class Suppression:
    """A safe pattern, what its secondary suppressions cost, and the bound that no safe pattern can beat."""

    status: NDArray[np.int8]
    cost: float
    bound: float
    seconds: float
    notes: tuple[str, ...] = ()
    movements: tuple[Movement, ...] = ()
    """Other tables that fit: proofs that every level is reached, for anybody to check. Internal."""
    is_stopped: bool = False
    """Whether somebody asked to come to an end."""

    @property
    def suppressed(self) -> NDArray[np.bool_]:
        """The cells that are withheld, for whatever reason."""
        return np.isin(self.status, WITHHELD)

    @property
    def secondary(self) -> NDArray[np.int64]:
        """The cells withheld to protect others."""
        return np.flatnonzero(self.status == Status.SECONDARY)

    @property
    def gap(self) -> float:
        """How much cheaper a pattern might be, as a share of this one's cost; 0 is a proven optimum."""
        return max(0.0, (self.cost - self.bound) / self.cost) if self.cost > 0 else 0.0

    @property
    def is_optimal(self) -> bool:
        """Whether no safe pattern is cheaper."""
        return self.gap <= 1e-6
