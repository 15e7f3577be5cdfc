"""An adjusted table, and how far it is from the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Adjusted values that add up, each sensitive cell at or beyond one of its protection levels.

    `distance` is the weighted sum of the absolute changes, `bound` what no adjustment can undercut, `changed` the
    number of cells that changed, `largest` the largest change. Neither the true values nor the
    directions are in here.
    """

    values: NDArray[np.float64]
    distance: float
    bound: float
    changed: int
    largest: float
    seconds: float
    notes: tuple[str, ...]

    @property
    def gap(self) -> float:
        """How much of the distance could be saved at most, as a share of it."""
        return 0.0 if not self.distance > self.bound else float((self.distance - self.bound) / self.distance)
