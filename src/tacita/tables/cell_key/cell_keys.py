"""Cell keys: the sum of the record keys in each cell, modulo 2^64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted
from tacita.model.table import Table
from tacita.tables.summation import summation_of
from tacita.tables.usable import names


def record_codes(table: Table, columns: Mapping[str, Sequence[str]]) -> NDArray[np.int32]:
    """Return where each record's code stands in each dimension of a table, from one column of codes per dimension."""
    places = []
    for dimension in table.dimensions:
        if dimension.name not in columns:
            raise InputError(
                f"no column of codes for dimension '{dimension.name}'",
                where=f"table '{table.name}'",
                do="give the codes of every record for every dimension",
            )
        known = {code: at for at, code in enumerate(dimension.codes)}
        places.append(np.array([known.get(code, -1) for code in columns[dimension.name]], np.int32))
    return np.column_stack(places)


def cell_keys(table: Table, codes: NDArray[np.int32], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the key of each cell from the records' places in the dimensions (`record_codes`) and their keys.

    The key of a cell is the sum of the keys of its records, modulo 2^64: the same for the same records in every table,
    in every order. The inner cells are summed from the records and the totals from the inner cells. When the table
    knows how many records each cell has, other numbers are refused: those are not its records.
    """
    summation = summation_of(table)
    _require_leaves(table, codes, keys)
    # One number per combination of codes: to sort numbers is ten times quicker than to sort rows.
    sizes = [len(one.codes) for one in table.dimensions]
    combined = np.ravel_multi_index(tuple(codes.T.astype(np.int64)), sizes)
    numbers_of_groups, first = np.unique(combined, return_inverse=True)
    groups = np.column_stack(np.unravel_index(numbers_of_groups, sizes))
    sums, counts = _summed(first, keys, len(groups))
    per_cell, numbers = np.zeros(len(table), np.uint64), np.zeros(len(table), np.int64)
    leaf = [np.isin(np.arange(len(one.codes)), [one.position(code) for code in one.leaves])
            for one in table.dimensions]  # fmt: skip
    total = np.column_stack(
        [(table.codes[:, d] == 0) & ~leaf[d][table.codes[:, d]] for d in range(len(table.dimensions))]
    )
    plain = np.column_stack([leaf[d][table.codes[:, d]] for d in range(len(table.dimensions))])
    simple = summation.inner & (total | plain).all(axis=1)
    for pattern in np.unique(total[simple], axis=0):
        cells = np.flatnonzero(simple & (total == pattern).all(axis=1))
        places = {tuple(table.codes[cell]): cell for cell in cells}
        for at, group in enumerate(np.where(pattern, 0, groups)):
            cell = places.get(tuple(group))
            if cell is not None:
                per_cell[cell] += sums[at]
                numbers[cell] += counts[at]
    under = [one.leaves_under() for one in table.dimensions]
    for cell in np.flatnonzero(summation.inner & ~simple):
        # A cell at a middle level that no sum of this table explains: a linked table that is less deep.
        alike = np.ones(len(groups), bool)
        for d, dimension in enumerate(table.dimensions):
            leaves = under[d][dimension.codes[table.codes[cell, d]]]
            alike &= np.isin(groups[:, d], [dimension.position(code) for code in leaves])
        per_cell[cell], numbers[cell] = sums[alike].sum(), counts[alike].sum()
    _require_same_records(table, summation.totals(numbers))
    return summation.totals(per_cell)


def _summed(
    groups: NDArray[np.int64], keys: NDArray[np.uint64], count: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    sums = np.zeros(count, np.uint64)
    np.add.at(sums, groups, keys)
    return sums, np.bincount(groups, minlength=count).astype(np.int64)


def _require_leaves(table: Table, codes: NDArray[np.int32], keys: NDArray[np.uint64]) -> None:
    if codes.shape != (len(keys), len(table.dimensions)):
        raise InputError(
            f"{counted(len(keys), 'key')} for {counted(len(codes), 'record')} on {codes.shape[-1]} dimensions",
            where=f"table '{table.name}'",
            do="give one key per record and one code per dimension",
        )
    for d, dimension in enumerate(table.dimensions):
        leaves = np.array([dimension.position(code) for code in dimension.leaves])
        outside = int((~np.isin(codes[:, d], leaves)).sum())
        if outside:
            raise InputError(
                f"{counted(outside, 'record')} with a code that is no leaf of dimension '{dimension.name}'",
                where=f"table '{table.name}'",
                do="give every record a code at the lowest level of the hierarchy",
            )


def _require_same_records(table: Table, numbers: NDArray[np.int64]) -> None:
    expected = table.values if table.is_count else table.counts
    if expected is None:
        return
    other = np.flatnonzero(numbers != expected)
    if len(other):
        raise InputError(
            f"{counted(len(other), 'cell')} hold other records than these: {names(table, other)}",
            where=f"table '{table.name}'",
            do="compute the keys from the very records the table was built from; weighted counts have no cell key",
        )
