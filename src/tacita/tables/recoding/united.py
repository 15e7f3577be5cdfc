"""Who stands behind cells that become one."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.table import Contributions, Table
from tacita.tables.sensitivity.contributors import has_more


def require_known_contributors(table: Table, merged: NDArray[np.bool_]) -> None:
    """Raise unless it can be told who will stand behind the union of some cells.

    One contributor may be in both of two cells, once among the largest and once not: only where all contributors are
    kept, and known by their numbers, is the union known. A record of a frequency table is in one cell, and counts once.
    """
    if table.is_count and (table.contributions is None or is_of_records(table.contributions)):
        return
    why = ""
    for held in (table.contributions, table.holdings):
        if held is None:
            why = why or ("who stands behind them is not known" if table.contributions is None else "")
            continue
        nameless = ((held.holders < 0) & (held.largest != 0)).any(axis=1)
        if (merged & (has_more(held) | (held.counts < 0) | nameless)).any():
            why = "not all of their contributors are kept"
        elif held.absolutes is not None:
            why = "some contributions are negative, and their signs are not kept"
    if why:
        raise InputError(
            f"neighbouring categories of a table of magnitudes cannot be merged: {why}",
            where=f"table '{table.name}'",
            do="build the table anew from the microdata with the merged categories, or merge along the hierarchy",
        )


def is_of_records(held: Contributions) -> bool:
    """Return whether contributions are those of a frequency table in which each record is a contributor: ones."""
    return held.largest.shape[1] == 1 and float(held.largest.max(initial=0.0)) <= 1


def united(held: Contributions, number: NDArray[np.int64], size: int) -> Contributions:
    """Return the contributions to new cells, `number[c]` being that of old cell c; all contributors must be kept."""
    if is_of_records(held):
        return _of_records(held, number, size)
    first = np.full(size, -1, np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    kept = held.largest.shape[1]
    largest, weights, holders = held.largest[first], held.weights[first], held.holders[first]
    counts = held.counts[first]
    requested = None if held.requested is None else held.requested[first]
    waived = None if held.waived is None else held.waived[first]
    flags = [(new, old) for new, old in ((requested, held.requested), (waived, held.waived)) if new is not None]
    merged = np.flatnonzero(np.bincount(number, minlength=size)[number] > 1)
    behind: dict[int, list[int]] = defaultdict(list)
    for old in merged.tolist():
        behind[int(number[old])].append(old)
    for cell, olds in behind.items():
        gifts: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for old in olds:
            for rank in range(int(held.counts[old])):
                gifts[int(held.holders[old, rank])].append((old, rank))
        sums = {who: sum(held.largest[at] for at in each) for who, each in gifts.items()}
        ranked = sorted(sums, key=lambda who: (-sums[who], who))
        counts[cell] = len(ranked)
        largest[cell], weights[cell], holders[cell] = 0.0, 1.0, -1
        for rank, who in enumerate(ranked[:kept]):
            each = gifts[who]
            largest[cell, rank], holders[cell, rank] = sums[who], who
            # Records of different weights: the weight that gives the same weighted sum.
            whole = sum(held.largest[at] * held.weights[at] for at in each)
            weights[cell, rank] = whole / sums[who] if sums[who] else held.weights[each[0]]
            for new, before in flags:
                new[cell, rank] = before is not None and any(before[at] for at in each)
        for new, _ in flags:
            new[cell, len(ranked) :] = False
    totals = np.bincount(number, weights=held.totals, minlength=size).astype(np.float64)
    return Contributions(largest, holders, weights, counts, totals, None, requested, waived)


def _of_records(held: Contributions, number: NDArray[np.int64], size: int) -> Contributions:
    counts = np.bincount(number, weights=held.counts, minlength=size).astype(np.int64)
    totals = np.bincount(number, weights=held.totals, minlength=size).astype(np.float64)
    alone = np.bincount(number, weights=np.where(held.counts == 1, held.holders[:, 0], 0), minlength=size)
    return Contributions(
        np.minimum(counts, 1).astype(np.float64)[:, None],
        np.where(counts == 1, alone, -1).astype(np.int64)[:, None],
        np.divide(totals, counts, out=np.ones(size), where=counts > 0)[:, None],
        counts,
        totals,
    )
