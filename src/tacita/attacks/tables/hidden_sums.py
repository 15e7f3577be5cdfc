"""Sums between cells of linked tables that nobody declared: one dimension tells another.

A table by region and a table by the code of the region show the same figures under two names; a table by town and one
by county hang together if each town is in one county. Whoever has a list of codes knows these sums, and the audit of
the tables does not. They are found in the records behind the tables: the codes of a dimension lie within those of
another one if all records of each code have one code of the other. It counts only if that holds for codes with 95 % of
the records and is beyond chance: in a table of few records, two codes can have the same records by accident, and nobody
outside knows that they do.

Whether a sum holds for single cells is checked by marks: each record has two random numbers of 31 bits, and a cell the
sums of those of its records. Equal sums mean equal sets of records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Equations, Table

Places = NDArray[np.int64]
_NESTED, _CHANCE = 0.95, 1e-5
_MARK = 2**31


@dataclass(frozen=True, slots=True, eq=False)
class HiddenSum:
    """A cell that is the sum of others because one dimension tells another."""

    total: int
    parts: Places
    fine: str
    coarse: str


def random_marks(records: int) -> NDArray[np.float64]:
    """Return two random whole numbers for each record, whose sums are exact.

    >>> random_marks(3).shape
    (3, 2)
    """
    return np.random.Generator(np.random.PCG64(records)).integers(1, _MARK, (records, 2)).astype(np.float64)


def hidden_sums(
    table: Table, leaves: Places, marks: NDArray[np.float64], withheld: NDArray[np.bool_]
) -> list[HiddenSum]:
    """Return undeclared sums in which a withheld cell takes part.

    `leaves` has the place of each record's code in each dimension, `marks` the sum of the marks of each cell.
    """
    return [
        one
        for fine, coarse, inside in nested_dimensions(table, leaves)
        for one in _sums(table, fine, coarse, inside, marks, withheld)
    ]


def nested_dimensions(table: Table, leaves: Places) -> Iterator[tuple[int, int, Places]]:
    """Yield dimensions one of which tells the other, and for each code of the finer one that of the coarser."""
    pairs = list(_apart(table))
    for fine, coarse in pairs:
        inside = nested_codes(leaves[:, fine], leaves[:, coarse], len(pairs))
        if inside is not None:
            yield fine, coarse, inside


def with_sums(table: Table, sums: Sequence[HiddenSum]) -> Equations:
    """Return the equations of a table and further sums."""
    more = Equations.of((one.total, one.parts.tolist()) for one in sums)
    own = table.equations
    return Equations(
        np.concatenate([own.starts, own.starts[-1] + more.starts[1:]]),
        np.concatenate([own.cells, more.cells]),
        np.concatenate([own.coefficients, more.coefficients]),
    )


def _apart(table: Table) -> Iterator[tuple[int, int]]:
    """Yield ordered pairs of dimensions that no table shows together: where one does, its empty cells tell."""
    shown = [
        frozenset(np.flatnonzero((table.codes[cells] != 0).any(axis=0)).tolist()) for cells in table.parts.values()
    ]
    for pair in permutations(range(len(table.dimensions)), 2):
        is_shown = all(any(one in dimensions for dimensions in shown) for one in pair)
        if is_shown and not any(set(pair) <= dimensions for dimensions in shown):
            yield pair


def nested_codes(fine: Places, coarse: Places, tried: int) -> Places | None:
    """Return for each code of a fine dimension the coarse code that holds all its records, -1 if there are several.

    None if that holds for too few records, or may be chance; so many pairs of dimensions were tried.

    >>> town = np.repeat(np.arange(6), 5)
    >>> nested_codes(town, town // 2, 2).tolist()
    [0, 0, 1, 1, 2, 2]
    >>> nested_codes(town, np.arange(30) % 3, 2) is None
    True
    """
    number = int(coarse.max(initial=0)) + 1
    pairs = np.unique(fine * number + coarse)
    codes, several = np.unique(pairs // number, return_counts=True)
    records = np.bincount(fine, minlength=int(fine.max(initial=0)) + 1)
    inside = np.full(len(records), -1, dtype=np.int64)
    inside[pairs // number] = pairs % number
    inside[codes[several > 1]] = -1
    there = np.flatnonzero(inside >= 0)
    shares = np.bincount(coarse, minlength=number) / max(len(coarse), 1)
    if records[there].sum() < _NESTED * len(fine) or len(np.unique(inside[there])) < 2:
        return None
    # The first record of a code says where the code lies, each further one may disagree.
    chance = float(((records[there] - 1) * np.log(shares[inside[there]])).sum())
    return inside if chance <= np.log(_CHANCE / tried) else None


def _sums(
    table: Table,
    fine: int,
    coarse: int,
    inside: Places,
    marks: NDArray[np.float64],
    withheld: NDArray[np.bool_],
) -> Iterator[HiddenSum]:
    dimension = table.dimensions[coarse]
    under = dimension.leaves_under()
    sizes = np.array([len(one.codes) for one in table.dimensions], dtype=np.int64)
    radix = np.append(np.cumprod(sizes[::-1])[::-1][1:], 1)
    keys = table.codes.astype(np.int64) @ radix
    order = np.argsort(keys)
    for place, code in enumerate(dimension.codes):
        if place == 0:
            continue  # the total of both dimensions is one cell
        leaves = [dimension.position(leaf) for leaf in under[code]]
        parts = np.flatnonzero(np.isin(inside, leaves))
        cells = np.flatnonzero((table.codes[:, coarse] == place) & (table.codes[:, fine] == 0))
        if not len(parts) or not len(cells):
            continue
        wanted = (keys[cells] - place * radix[coarse])[:, None] + parts[None, :] * radix[fine]
        at = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
        there = keys[at] == wanted
        for total, row, has in zip(cells.tolist(), at, there, strict=True):
            members = row[has]
            is_whole = bool(len(members)) and bool((marks[members].sum(axis=0) == marks[total]).all())
            if is_whole and marks[total].any() and (withheld[total] or withheld[members].any()):
                yield HiddenSum(total, members, table.dimensions[fine].name, dimension.name)
