"""Tables made by hand from records, the slow and plain way, so that rules are tested without the room that builds."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tacita.model.table import Contributions, Dimension, Equations, Table


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def made(
    dimensions: Sequence[Dimension],
    records: Iterable[Mapping[str, Any]],
    response: str = "",
    *,
    holder: str = "",
    weight: str = "",
    kept: int = 5,
) -> Table:
    """Return the table of all combinations of codes; a record without holder is its own; no response: counts."""
    cells = {codes: at for at, codes in enumerate(product(*(each.codes for each in dimensions)))}
    held: list[dict[str, list[tuple[float, float]]]] = [{} for _ in cells]
    above = ancestors(dimensions)
    for number, record in enumerate(records):
        who = str(record[holder]) if holder else str(number)
        gift = (float(record[response]) if response else 1.0, float(record[weight]) if weight else 1.0)
        for codes in product(*(a[str(record[d.name])] for a, d in zip(above, dimensions, strict=True))):
            held[cells[codes]].setdefault(who, []).append(gift)
    names = {who: at for at, who in enumerate(sorted({who for each in held for who in each}))}
    size = len(cells)
    largest, weights = np.zeros((size, kept)), np.ones((size, kept))
    holders = np.full((size, kept), -1, np.int64)
    totals, absolutes, counts = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
    for cell, behind in enumerate(held):
        gifts = sorted(
            ((abs(sum(x for x, _ in all_)), max(w for _, w in all_), who) for who, all_ in behind.items()), reverse=True
        )
        counts[cell] = len(gifts)
        totals[cell] = sum(x * w for all_ in behind.values() for x, w in all_)
        absolutes[cell] = sum(abs(sum(x * w for x, w in all_)) for all_ in behind.values())
        for rank, (x, w, who) in enumerate(gifts[:kept]):
            largest[cell, rank], weights[cell, rank], holders[cell, rank] = x, w, names[who]
    codes = np.array([[d.position(c) for d, c in zip(dimensions, each, strict=True)] for each in cells], np.int32)
    contributions = Contributions(
        largest, holders, weights, counts, totals, absolutes if (absolutes > totals + 1e-9).any() else None
    )
    return Table(
        "made",
        tuple(dimensions),
        codes,
        totals,
        equations_of(dimensions, cells),
        is_count=not response,
        response=response,
        counts=counts,
        contributions=contributions if response else None,
    )


def ancestors(dimensions: Sequence[Dimension]) -> list[dict[str, list[str]]]:
    """Return, for each dimension, the codes that each leaf is in."""
    return [
        {leaf: [code for code, leaves in each.leaves_under().items() if leaf in leaves] for leaf in each.leaves}
        for each in dimensions
    ]


def equations_of(dimensions: Sequence[Dimension], cells: Mapping[tuple[str, ...], int]) -> Equations:
    sums = []
    for at, dimension in enumerate(dimensions):
        others = [each.codes if number != at else ("",) for number, each in enumerate(dimensions)]
        for fixed in product(*others):
            for each in dimension.sums:
                whole = cells[*fixed[:at], each.total, *fixed[at + 1 :]]
                sums.append((whole, [cells[*fixed[:at], part, *fixed[at + 1 :]] for part in each.parts]))
    return Equations.of(sums)


def cell(table: Table, *codes: str) -> int:
    """Return the number of the cell with these codes."""
    at = [each.position(code) for each, code in zip(table.dimensions, codes, strict=True)]
    return int(np.flatnonzero((table.codes == at).all(axis=1))[0])


def one_cell(*contributions: float, weights: Sequence[float] = (), kept: int = 5) -> Table:
    """Return a 1 x 1 table with these contributions."""
    x = np.array(sorted(contributions, key=abs, reverse=True))
    w = np.array(weights or [1.0] * len(x))
    largest, wide = np.zeros((1, kept)), np.ones((1, kept))
    holders = np.full((1, kept), -1, np.int64)
    n = min(len(x), kept)
    largest[0, :n], wide[0, :n], holders[0, :n] = np.abs(x[:n]), w[:n], np.arange(n)
    total = np.array([float((x * w).sum())])
    absolutes = np.array([float((np.abs(x) * w).sum())]) if (x < 0).any() else None
    held = Contributions(largest, holders, wide, np.array([len(x)]), total, absolutes)
    return Table(
        "one",
        (Dimension.flat("all", []),),
        np.zeros((1, 1), np.int32),
        total,
        Equations.of([]),
        is_count=False,
        response="turnover",
        counts=np.array([len(x)]),
        contributions=held,
    )


def with_waivers(table: Table, holders: Iterable[int]) -> Table:
    """Return the table with the consent of some contributors, by number, added to what it already says."""
    held = table.contributions
    assert held is not None
    numbers = np.array(sorted({*holders}), np.int64)
    waived = np.isin(held.holders, numbers[numbers >= 0])
    if held.waived is not None:
        waived |= held.waived
    return replace(table, contributions=replace(held, waived=waived))
