"""One table as it is shown: its codes and the figures that may be seen. It holds no value that is withheld."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InternalError
from tacita.model.table import Dimension, Table

Column = Sequence[object] | NDArray[Any]
MARKER = "x"
"""What stands in the place of a figure that is withheld; there is one, so that nobody can tell why it is."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """The cells of one table, in the order of its dimensions, with what a reader sees.

    A value that is withheld is nan here, not merely marked: a writer cannot give away what it does not have. With
    `lower` and `upper` an interval is published instead of a withheld value. The internal version has
    all values, and besides `statuses` (`Status` of each cell), `reasons` (a sentence for each cell, or nothing) and
    `columns` (further figures); the other has none of these.

    >>> size = Dimension.flat("size", ["small", "large"])
    >>> codes = np.array([[0], [1], [2]], np.int32)
    >>> part = TablePart("firms", (size,), codes, np.array([9.0, np.nan, np.nan]), "count")
    >>> part.withheld.tolist(), part.cell_codes(1)
    ([False, True, True], ('small',))
    """

    name: str
    dimensions: tuple[Dimension, ...]
    codes: NDArray[np.int32]
    values: NDArray[np.float64]
    response: str
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None
    statuses: NDArray[np.int8] | None = None
    reasons: Sequence[str] = ()
    columns: Mapping[str, Column] = field(default_factory=dict)
    cells: NDArray[np.int64] | None = None
    """Which cells of the system these are."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def withheld(self) -> NDArray[np.bool_]:
        """Which figures are not told."""
        return np.isnan(self.values)

    @property
    def is_internal(self) -> bool:
        """Whether it says more than may be published."""
        return bool(self.statuses is not None or self.reasons or self.columns)

    def cell_codes(self, cell: int) -> tuple[str, ...]:
        """Return the codes of a cell."""
        return tuple(dimension.codes[at] for dimension, at in zip(self.dimensions, self.codes[cell], strict=True))


@dataclass(frozen=True, slots=True, repr=False)
class ShownCells:
    """What is shown of each cell of a system: values (nan where withheld), or intervals; the rest stays internal."""

    values: NDArray[np.float64]
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None
    statuses: NDArray[np.int8] | None = None
    reasons: Sequence[str] = ()
    columns: Mapping[str, Column] = field(default_factory=dict)


def parts_of(
    table: Table, cells: ShownCells, shows: Mapping[str, Sequence[str]] | None = None
) -> tuple[TablePart, ...]:
    """Return the tables of a system one by one, as they are shown.

    `shows` names the dimensions of each table, and leaves out those that are not shown (an earlier publication);
    without it a table has those along which its cells differ.
    """
    if len(cells.values) != len(table):
        raise InternalError("there are not as many figures as cells", where=f"table '{table.name}'")
    masks = {name: mask for name, mask in table.parts.items() if not shows or name in shows}
    masks = masks or {table.name: np.ones(len(table), bool)}
    return tuple(
        _part(table, name, mask, _dimensions(table, mask, (shows or {}).get(name)), cells)
        for name, mask in masks.items()
    )


def _dimensions(table: Table, mask: NDArray[np.bool_], named: Sequence[str] | None) -> list[int]:
    if named is not None:
        places = {dimension.name: at for at, dimension in enumerate(table.dimensions)}
        return [places[name] for name in named]
    if len(table.parts) < 2:
        return list(range(len(table.dimensions)))
    # A linked table without some dimension shows that dimension's total in all its cells.
    return [at for at in range(len(table.dimensions)) if table.codes[mask, at].any()]


def _part(table: Table, name: str, mask: NDArray[np.bool_], along: list[int], whole: ShownCells) -> TablePart:
    cells = np.flatnonzero(mask)
    codes = table.codes[cells][:, along]
    used = [_used(table.dimensions[at], codes[:, place]) for place, at in enumerate(along)]
    # In the order of the codes: the order in which cells were built may depend on what is in them.
    ranks = [rank[codes[:, place]] for place, (_, rank) in enumerate(used)]
    order = np.lexsort(ranks[::-1]) if ranks else np.arange(len(cells))
    cells = cells[order]
    return TablePart(
        name,
        tuple(dimension for dimension, _ in used),
        np.stack([rank[order] for rank in ranks], axis=1).astype(np.int32) if ranks else codes[order],
        whole.values[cells],
        table.response,
        None if whole.lower is None else whole.lower[cells],
        None if whole.upper is None else whole.upper[cells],
        None if whole.statuses is None else whole.statuses[cells],
        [whole.reasons[cell] for cell in cells.tolist()] if whole.reasons else (),
        {name: _taken(column, cells) for name, column in whole.columns.items()},
        cells,
    )


def _taken(column: Column, cells: NDArray[np.int64]) -> Column:
    return column[cells] if isinstance(column, np.ndarray) else [column[cell] for cell in cells.tolist()]


def _used(dimension: Dimension, codes: NDArray[np.int32]) -> tuple[Dimension, NDArray[np.int64]]:
    """Return a dimension with the codes that a table shows, in reading order, and the new place of each old one."""
    shown = np.zeros(len(dimension.codes), bool)
    shown[codes] = True
    order = [at for at in reading_order(dimension) if shown[at]]
    rank = np.full(len(dimension.codes), -1, np.int64)
    rank[order] = np.arange(len(order))
    return _reduced(dimension, [dimension.codes[at] for at in order]), rank


def _reduced(dimension: Dimension, codes: Sequence[str]) -> Dimension:
    kept = set(codes)
    if tuple(codes) == dimension.codes:
        return dimension
    sums = tuple(sum_ for sum_ in dimension.sums if sum_.total in kept and kept.issuperset(sum_.parts))
    parts = {part for sum_ in sums for part in sum_.parts}
    if all(code in parts for code in codes[1:]) and codes[0] not in parts:
        return Dimension(dimension.name, tuple(codes), sums, dimension.labels)
    # Some code stands alone here, because its siblings are in another table: the reader sees a flat list.
    return Dimension(dimension.name, tuple(codes), Dimension.flat("", codes[1:], codes[0]).sums, dimension.labels)


def reading_order(dimension: Dimension) -> list[int]:
    """Return the places of the codes as a reader wants them: each below the first code that holds it.

    >>> from tacita.model.table import Sum
    >>> both = Dimension("region", ("all", "north", "south", "n1", "s1"), (Sum("all", ("north", "south")),
    ...                  Sum("north", ("n1",)), Sum("south", ("s1",))))
    >>> [both.codes[at] for at in reading_order(both)]
    ['all', 'north', 'n1', 'south', 's1']
    """
    below: dict[str, list[str]] = {}
    placed: set[str] = set()
    for sum_ in dimension.sums:
        for part in sum_.parts:
            if part not in placed:
                placed.add(part)
                below.setdefault(sum_.total, []).append(part)
    order: list[int] = []
    waiting = [code for code in dimension.codes if code not in placed][::-1]
    while waiting:
        code = waiting.pop()
        order.append(dimension.position(code))
        waiting.extend(below.get(code, ())[::-1])
    return order
