"""A table with categories merged, made from the table itself."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.table import Contributions, Dimension, Equations, Sum, Table
from tacita.tables.recoding.merge import Merge, checked_dimension
from tacita.tables.sensitivity.contributors import has_more


def require_known_contributors(table: Table, merged: NDArray[np.bool_]) -> None:
    """Raise unless it can be told who will stand behind the union of some cells.

    One contributor may be in both of two cells, once among the largest and once not: only where all contributors are
    kept, and known by their numbers, is the union known. A record of a frequency table is in one cell, and counts once.
    """
    if table.is_count and (table.contributions is None or is_of_records(table.contributions)):
        return
    why = ""
    for contributions in (table.contributions, table.holdings):
        if contributions is None:
            why = why or ("who stands behind them is not known" if table.contributions is None else "")
            continue
        nameless = ((contributions.holders < 0) & (contributions.largest != 0)).any(axis=1)
        if (merged & (has_more(contributions) | (contributions.counts < 0) | nameless)).any():
            why = "not all of their contributors are kept"
        elif contributions.absolutes is not None:
            why = "some contributions are negative, and their signs are not kept"
    if why:
        raise InputError(
            f"neighbouring categories of a table of magnitudes cannot be merged: {why}",
            where=f"table '{table.name}'",
            do="build the table anew from the microdata with the merged categories, or merge along the hierarchy",
        )


def is_of_records(contributions: Contributions) -> bool:
    """Return whether contributions are those of a frequency table in which each record is a contributor: ones."""
    return contributions.largest.shape[1] == 1 and float(contributions.largest.max(initial=0.0)) <= 1


def united(contributions: Contributions, number: NDArray[np.int64], size: int) -> Contributions:
    """Return the contributions to new cells, `number[c]` being that of old cell c; all contributors must be kept."""
    if is_of_records(contributions):
        return _of_records(contributions, number, size)
    first = np.full(size, -1, np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    kept = contributions.largest.shape[1]
    largest, weights, holders = contributions.largest[first], contributions.weights[first], contributions.holders[first]
    counts = contributions.counts[first]
    requested = None if contributions.requested is None else contributions.requested[first]
    waived = None if contributions.waived is None else contributions.waived[first]
    flags = [
        (new, old)
        for new, old in ((requested, contributions.requested), (waived, contributions.waived))
        if new is not None
    ]
    merged = np.flatnonzero(np.bincount(number, minlength=size)[number] > 1)
    behind: dict[int, list[int]] = defaultdict(list)
    for old in merged.tolist():
        behind[int(number[old])].append(old)
    for cell, olds in behind.items():
        gifts: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for old in olds:
            for rank in range(int(contributions.counts[old])):
                gifts[int(contributions.holders[old, rank])].append((old, rank))
        sums = {who: sum(contributions.largest[at] for at in gift) for who, gift in gifts.items()}
        ranked = sorted(sums, key=lambda who: (-sums[who], who))
        counts[cell] = len(ranked)
        largest[cell], weights[cell], holders[cell] = 0.0, 1.0, -1
        for rank, who in enumerate(ranked[:kept]):
            gift = gifts[who]
            largest[cell, rank], holders[cell, rank] = sums[who], who
            # Records of different weights: the weight that gives the same weighted sum.
            whole = sum(contributions.largest[at] * contributions.weights[at] for at in gift)
            weights[cell, rank] = whole / sums[who] if sums[who] else contributions.weights[gift[0]]
            for new, before in flags:
                new[cell, rank] = before is not None and any(before[at] for at in gift)
        for new, _ in flags:
            new[cell, len(ranked) :] = False
    totals = np.bincount(number, weights=contributions.totals, minlength=size).astype(np.float64)
    return Contributions(largest, holders, weights, counts, totals, None, requested, waived)


def _of_records(contributions: Contributions, number: NDArray[np.int64], size: int) -> Contributions:
    counts = np.bincount(number, weights=contributions.counts, minlength=size).astype(np.int64)
    totals = np.bincount(number, weights=contributions.totals, minlength=size).astype(np.float64)
    alone = np.bincount(
        number, weights=np.where(contributions.counts == 1, contributions.holders[:, 0], 0), minlength=size
    )
    return Contributions(
        np.minimum(counts, 1).astype(np.float64)[:, None],
        np.where(counts == 1, alone, -1).astype(np.int64)[:, None],
        np.divide(totals, counts, out=np.ones(size), where=counts > 0)[:, None],
        counts,
        totals,
    )


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
    sums = tuple(sum_ for sum_ in old.sums if sum_.total not in gone and sum_.total != merge.into)
    new = Dimension(old.name, codes, sums, {code: label for code, label in old.labels.items() if code not in gone})
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
    sums = tuple(Sum(one.total, tuple(dict.fromkeys(named[part] for part in one.parts))) for one in old.sums)
    new = Dimension(old.name, codes, sums, {code: label for code, label in old.labels.items() if code in codes})
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
    united_contributions = [
        None if one is None else united(one, new_number, size) for one in (table.contributions, table.holdings)
    ]
    counts = None
    if united_contributions[0] is not None:
        counts = united_contributions[0].counts
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
        contributions=united_contributions[0],
        holdings=united_contributions[1],
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
    for at, sum_ in enumerate(dimension.sums):
        if {sum_.total} == total and parts <= set(sum_.parts):
            return along, at
    return along, -1


def _with(dimensions: tuple[Dimension, ...], place: int, new: Dimension) -> tuple[Dimension, ...]:
    return (*dimensions[:place], new, *dimensions[place + 1 :])


def _keys(dimensions: tuple[Dimension, ...], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    keys = np.zeros(len(codes), np.int64)
    for at, dimension in enumerate(dimensions):
        keys = keys * len(dimension.codes) + codes[:, at]
    return keys
