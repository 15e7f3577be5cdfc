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

    `largest` holds contributions as they are, never multiplied by their weight. Where some are negative, they are the
    absolute values, in descending order, and `absolutes[c]` is the weighted sum of all absolute values (None: nothing
    is negative, and it is `totals`). `requested[c, j]` says that this contributor asked for protection, `waived[c, j]`
    that it consented to be recognised (None: nobody did).
    """

    largest: NDArray[np.float64]
    holders: NDArray[np.int64]
    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    totals: NDArray[np.float64]
    absolutes: NDArray[np.float64] | None = None
    requested: NDArray[np.bool_] | None = None
    waived: NDArray[np.bool_] | None = None

    def sole_contributors(self) -> NDArray[np.int64]:
        """Return the contributor who alone stands behind each cell, -1 where there are none or several."""
        return np.where(self.counts == 1, self.holders[:, 0], -1)

    def of_cells(self, cells: NDArray[np.int64] | NDArray[np.bool_]) -> Contributions:
        """Return the contributions to some of the cells only."""
        return Contributions(
            self.largest[cells],
            self.holders[cells],
            self.weights[cells],
            self.counts[cells],
            self.totals[cells],
            None if self.absolutes is None else self.absolutes[cells],
            None if self.requested is None else self.requested[cells],
            None if self.waived is None else self.waived[cells],
        )
