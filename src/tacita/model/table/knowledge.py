"""What an attacker knows before seeing the table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Knowledge:
    """External bounds on every cell, cells known exactly, whether values are whole numbers, and who owns which cell.

    ``lower[c] <= value[c] <= upper[c]`` holds for the true value of each cell (`upper` may be infinite). A cell in
    `known` is known exactly, whether published here or not (an earlier publication, another table). `owners[c]` is the
    contributor who alone stands behind cell c (-1: nobody, or several): that contributor knows the cell exactly, and
    attacks as a coalition of one. `integer` says that every cell is a whole number.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    known: NDArray[np.bool_]
    owners: NDArray[np.int64]
    integer: bool = False
    secrets: NDArray[np.int64] | None = None
    """Whose secret a cell is though others stand behind it, too, with nothing (-1: as `owners` says). Who gave all of
    it does not know the cell, not knowing that the others gave nothing; but nobody is protected from themselves."""

    @property
    def whose(self) -> NDArray[np.int64]:
        """The contributor whose own secret each cell is, -1 where it is nobody's alone."""
        return self.owners if self.secrets is None else np.where(self.secrets >= 0, self.secrets, self.owners)

    @classmethod
    def of(cls, cells: int, *, integer: bool = False) -> Knowledge:
        """Return the least knowledge: no cell is negative."""
        return cls(
            np.zeros(cells), np.full(cells, np.inf), np.zeros(cells, bool), np.full(cells, -1, np.int64), integer
        )

    def within(self, values: NDArray[np.float64], share: float) -> Knowledge:
        """Return the knowledge of an attacker who also knows every cell to within a share of its value."""
        reach = share * np.abs(values)
        return replace(self, lower=np.maximum(self.lower, values - reach), upper=np.minimum(self.upper, values + reach))
