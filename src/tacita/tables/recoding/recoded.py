"""A table with categories merged, made from the table itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Dimension, Equations, Sum, Table
from tacita.tables.recoding.merge import Merge, checked_dimension
from tacita.tables.recoding.united import require_known_contributors, united


def recoded(table: Table, merge: Merge) -> Table:
    """Return the table after a merge, with its sums, contributions and parts.

    A subtree that becomes its top needs nothing: the top's cells, with who stands behind them, are in the table
    already, and only what is below goes. Neighbours become new cells. Counts add up, since a record is in one of them;
    but who stands behind a sum of magnitudes is known only if all contributors of both cells are kept. Where they are
    not the merge is refused, and the table must be built anew from the microdata.
    """
    place = checked_dimension(table, merge)
    if merge.into in table.dimensions[place]:
        return _collapsed(table, place, merge)
    return _joined(table, place, merge)


def _collapsed(table: Table, place: int, merge: Merge) -> Table:
    old = table.dimensions[place]
    gone = set(merge.codes)
    codes = tuple(code for code in old.codes if code not in gone)
    sums = tuple(each for each in old.sums if each.total not in gone and each.total != merge.into)
    new = Dimension(old.name, codes, sums, {code: told for code, told in old.labels.items() if code not in gone})
    keep = np.array([code not in gone for code in old.codes])[table.codes[:, place]]
    position = np.array([new.position(code) if code in new else -1 for code in old.codes], np.int32)
    number = np.cumsum(keep) - 1

    rows = table.equations
    whole = np.bincount(rows.row_of, weights=~keep[rows.cells], minlength=len(rows)) == 0
    entry = whole[rows.row_of]
    sizes = np.diff(rows.starts)[whole]
    equations = Equations(
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), number[rows.cells[entry]], rows.coefficients[entry]
    )
    kept_codes = table.codes[keep].copy()
    kept_codes[:, place] = position[kept_codes[:, place]]
    return replace(
        table,
        dimensions=_with(table.dimensions, place, new),
        codes=kept_codes,
        values=table.values[keep],
        equations=equations,
        counts=None if table.counts is None else table.counts[keep],
        contributions=None if table.contributions is None else table.contributions.of_cells(keep),
        holdings=None if table.holdings is None else table.holdings.of_cells(keep),
        parts={name: shown[keep] for name, shown in table.parts.items()},
    )


def _joined(table: Table, place: int, merge: Merge) -> Table:
    old = table.dimensions[place]
    named = {code: merge.into if code in merge.codes else code for code in old.codes}
    codes = tuple(dict.fromkeys(named.values()))
    sums = tuple(Sum(each.total, tuple(dict.fromkeys(named[part] for part in each.parts))) for each in old.sums)
    new = Dimension(old.name, codes, sums, {code: told for code, told in old.labels.items() if code in codes})
    recode = np.array([new.position(named[code]) for code in old.codes], np.int32)
    dimensions = _with(table.dimensions, place, new)
    moved = table.codes.copy()
    moved[:, place] = recode[moved[:, place]]
    _, first, number = np.unique(_keys(dimensions, moved), return_index=True, return_inverse=True)
    # In the order in which cells first appear.
    order = np.argsort(first, kind="stable")
    new_number = np.argsort(order, kind="stable")[number.reshape(-1)]
    size = len(first)
    require_known_contributors(table, np.bincount(new_number, minlength=size)[new_number] > 1)
    held = [None if each is None else united(each, new_number, size) for each in (table.contributions, table.holdings)]
    counts = None
    if held[0] is not None:
        counts = held[0].counts
    elif table.counts is not None:
        counts = np.bincount(new_number, weights=table.counts, minlength=size).astype(np.int64)
    parts = {name: np.bincount(new_number, weights=shown, minlength=size) > 0 for name, shown in table.parts.items()}
    return replace(
        table,
        dimensions=dimensions,
        codes=moved[first[order]],
        values=np.bincount(new_number, weights=table.values, minlength=size).astype(np.float64),
        equations=_mapped(table, place, merge, new_number),
        counts=counts,
        contributions=held[0],
        holdings=held[1],
        parts=parts,
    )


def _mapped(table: Table, place: int, merge: Merge, number: NDArray[np.int64]) -> Equations:
    """Return the sums over the new cells: those of merged codes become one, with the parts of all of them."""
    dimension, rows = table.dimensions[place], table.equations
    merged = np.isin(np.arange(len(dimension.codes)), [dimension.position(code) for code in merge.codes])
    at_merged = merged[table.codes[rows.cells, place]]
    many = np.bincount(rows.row_of, weights=at_merged, minlength=len(rows))
    sizes = np.diff(rows.starts)
    untouched = many == 0
    entry = untouched[rows.row_of]
    sums: dict[tuple[object, ...], dict[int, float]] = {}
    for row in np.flatnonzero(~untouched).tolist():
        cells, coefficients = rows.row(row)
        total = int(number[cells[int(np.argmin(coefficients))]])
        # Sums over another dimension, at each of the merged codes, are one sum over it at the new code.
        across = many[row] == sizes[row]
        key: tuple[object, ...] = (_sum_of(table, table.codes[cells], coefficients), total) if across else (row,)
        signs = sums.setdefault(key, {})
        for cell, sign in zip(number[cells].tolist(), coefficients.tolist(), strict=True):
            signs.setdefault(cell, sign)
    lengths = [*sizes[untouched].tolist(), *(len(signs) for signs in sums.values())]
    new_cells = np.array([cell for signs in sums.values() for cell in signs], np.int64)
    new_signs = np.array([sign for signs in sums.values() for sign in signs.values()], np.float64)
    return Equations(
        np.cumsum([0, *lengths]).astype(np.int64),
        np.concatenate([number[rows.cells[entry]], new_cells]),
        np.concatenate([rows.coefficients[entry], new_signs]),
    )


def _sum_of(table: Table, codes: NDArray[np.int32], signs: NDArray[np.float64]) -> tuple[int, int]:
    """Return along which dimension a row sums up, and by which of its sums."""
    along = int(np.argmax((codes != codes[0]).any(axis=0)))
    dimension = table.dimensions[along]
    total = {dimension.codes[at] for at in codes[signs < 0, along]}
    parts = {dimension.codes[at] for at in codes[signs > 0, along]}
    for at, each in enumerate(dimension.sums):
        if {each.total} == total and parts <= set(each.parts):
            return along, at
    return along, -1


def _with(dimensions: tuple[Dimension, ...], place: int, new: Dimension) -> tuple[Dimension, ...]:
    return (*dimensions[:place], new, *dimensions[place + 1 :])


def _keys(dimensions: tuple[Dimension, ...], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    keys = np.zeros(len(codes), np.int64)
    for at, each in enumerate(dimensions):
        keys = keys * len(each.codes) + codes[:, at]
    return keys
