"""A table: cells as arrays, sums as one sparse system, the largest contributions of each cell; tables of leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacita.errors import InputError
from tacita.model.table.dimension import Dimension


@dataclass(frozen=True, slots=True, repr=False)
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


@dataclass(frozen=True, slots=True, repr=False)
class Equations:
    """Rows of cells whose signed sum is zero: parts with +1, their total with -1.

    The cells of row r are ``cells[starts[r]:starts[r + 1]]``, with coefficients at the same places. Any sparse system
    with right-hand side zero is allowed; tables of linked or earlier publications just have more rows.

    >>> sums = Equations.of([(0, (1, 2)), (3, (4, 5))])
    >>> sums.residuals(np.array([10.0, 4, 6, 9, 4, 6])).tolist()
    [0.0, 1.0]
    """

    starts: NDArray[np.int64]
    cells: NDArray[np.int64]
    coefficients: NDArray[np.float64]

    @classmethod
    def of(cls, sums: Iterable[tuple[int, Sequence[int]]]) -> Equations:
        """Return equations from totals and their parts."""
        starts, cells, coefficients = [0], list[int](), list[float]()
        for total, parts in sums:
            cells.extend((total, *parts))
            coefficients.extend((-1.0, *(1.0 for _ in parts)))
            starts.append(len(cells))
        return cls(np.array(starts, np.int64), np.array(cells, np.int64), np.array(coefficients))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def row_of(self) -> NDArray[np.int64]:
        """The row of each entry of `cells`."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    def row(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the cells and coefficients of one equation."""
        part = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return self.cells[part], self.coefficients[part]

    def residuals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return by how much each equation fails: parts minus total."""
        signed = self.coefficients * values[self.cells]
        return np.bincount(self.row_of, weights=signed, minlength=len(self)).astype(np.float64)


@dataclass(frozen=True, slots=True, repr=False)
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
        return tuple(dimension.codes[at] for dimension, at in zip(self.dimensions, self.codes[cell], strict=True))

    def cell_name(self, cell: int) -> str:
        """Return a cell as people say it: ``region=A, sector=Total``. Codes are no confidential values."""
        return ", ".join(
            f"{dimension.name}={code}" for dimension, code in zip(self.dimensions, self.cell_codes(cell), strict=True)
        )


def table_of_leaves(name: str, dimensions: Sequence[Dimension], leaves: ArrayLike, *, is_count: bool = False) -> Table:
    """Return the table over all combinations of codes, its inner cells given in the order of the leaves.

    >>> sex, age = Dimension.flat("sex", "fm"), Dimension.flat("age", ["young", "old"])
    >>> table = table_of_leaves("persons", (sex, age), [[1, 2], [3, 4]], is_count=True)
    >>> [(table.cell_codes(c), v) for c, v in enumerate(table.values.tolist())][:3]
    [(('Total', 'Total'), 10.0), (('Total', 'young'), 4.0), (('Total', 'old'), 6.0)]
    >>> len(table.equations), bool(table.equations.residuals(table.values).any())
    (6, False)
    """
    values: NDArray[np.float64] = np.asarray(leaves, np.float64)
    shape = tuple(len(dimension.leaves) for dimension in dimensions)
    if values.shape != shape:
        raise InputError(
            f"an array of {' x '.join(map(str, values.shape))} was given for {' x '.join(map(str, shape))} leaves",
            where=f"table '{name}'",
            do="give one value for each combination of leaves",
        )
    for axis, dimension in enumerate(dimensions):
        under, at = dimension.leaves_under(), {leaf: number for number, leaf in enumerate(dimension.leaves)}
        # In the order of the leaves: sums of fractions must not depend on the order in which a set is walked.
        places = [sorted(at[leaf] for leaf in under[code]) for code in dimension.codes]
        values = np.stack([np.take(values, some, axis=axis).sum(axis=axis) for some in places], axis=axis)
    numbers = np.arange(values.size).reshape(values.shape)
    sums: list[tuple[int, list[int]]] = []
    for axis, dimension in enumerate(dimensions):
        for one in dimension.sums:
            totals = np.take(numbers, dimension.position(one.total), axis=axis).ravel()
            parts = np.stack([np.take(numbers, dimension.position(p), axis=axis).ravel() for p in one.parts], axis=1)
            sums.extend(zip(totals.tolist(), parts.tolist(), strict=True))
    codes = np.stack(np.unravel_index(np.arange(values.size), values.shape), axis=1).astype(np.int32)
    return Table(name, tuple(dimensions), codes, values.ravel(), Equations.of(sums), is_count)
