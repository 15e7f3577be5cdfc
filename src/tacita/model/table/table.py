"""A table: cells over dimensions, and the sums that bind them; several linked tables are one such system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.model.table.contributions import Contributions
from tacita.model.table.dimension import Dimension
from tacita.model.table.equations import Equations


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as columns of arrays.

    `codes[c, d]` is the place of cell c's code in ``dimensions[d].codes``. `counts[c]` is the number of contributors,
    never weighted (None: not known). `is_count` says that the values are frequencies. Linked tables are one `Table`
    whose cells are the union; `parts` then says which cells each of them shows, and a table without some dimension
    shows that dimension's total. `response` names what is counted or summed. `holdings` are the contributions of
    holdings where those of their enterprises, in `contributions`, are kept as well.
    """

    name: str
    dimensions: tuple[Dimension, ...]
    codes: NDArray[np.int32]
    values: NDArray[np.float64]
    equations: Equations
    is_count: bool
    response: str = ""
    counts: NDArray[np.int64] | None = None
    contributions: Contributions | None = None
    parts: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    holdings: Contributions | None = None

    def __len__(self) -> int:
        return len(self.values)

    def cell_codes(self, cell: int) -> tuple[str, ...]:
        """Return the codes of a cell."""
        return tuple(each.codes[at] for each, at in zip(self.dimensions, self.codes[cell], strict=True))

    def cell_name(self, cell: int) -> str:
        """Return a cell as people say it: ``region=A, sector=Total``. Codes are no confidential values."""
        return ", ".join(
            f"{each.name}={code}" for each, code in zip(self.dimensions, self.cell_codes(cell), strict=True)
        )
