"""Who stands behind each cell: the largest contributions, and whose they are. Internal; never published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Contributions:
    """The largest contributions to each cell, in descending order, one per contributor (or per holding).

    `largest[c, j]` is the j-th largest contribution to cell c (0 where there are fewer), `holders[c, j]` the number of
    the contributor (-1 where there is none), `counts[c]` how many contributors there are, never weighted,
    `weights[c, j]` the sampling weight of that contributor's records (1 without weights). `totals[c]` is the sum of
    *all* contributions, weighted: the value of a magnitude cell.
    """

    largest: NDArray[np.float64]
    holders: NDArray[np.int64]
    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    totals: NDArray[np.float64]

    def sole_contributors(self) -> NDArray[np.int64]:
        """Return the contributor who alone stands behind each cell, -1 where there are none or several."""
        return np.where(self.counts == 1, self.holders[:, 0], -1)
