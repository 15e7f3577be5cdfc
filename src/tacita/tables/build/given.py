"""A table as it came, with all that came with it: statuses, levels, costs, bounds, and what had to be decided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import WITHHELD, Levels, Table


@dataclass(frozen=True, slots=True)
class GivenTable:
    """A table with what was said about its cells; None: nothing was.

    `status` holds numbers of `Status`. Where `has_true_values` is false, the values of some suppressed cells are not
    known (nan): such a table can be audited, not protected. `lower` and `upper` are bounds that the attacker knows.
    `notes` say what was decided without being asked; they hold no confidential value.
    """

    table: Table
    status: NDArray[np.int8] | None = None
    levels: Levels | None = None
    costs: NDArray[np.float64] | None = None
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None
    safe: NDArray[np.bool_] | None = None
    """Cells that the steward declared safe, whatever the rules say; they may still be suppressed for others."""
    has_true_values: bool = True
    notes: tuple[str, ...] = ()

    @property
    def suppressed(self) -> NDArray[np.bool_]:
        """Which cells are not published."""
        if self.status is None:
            return np.isnan(self.table.values)
        return np.isin(self.status, WITHHELD)
