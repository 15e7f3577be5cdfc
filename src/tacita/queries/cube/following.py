"""A new version of the data beside the earlier ones, in one cube: a record that is as it was is one row of it.

So what was answered about a record counts in every version, and its noise, its samples and its vectors stay the same.
A record with another value has a row more, which is of the same person. Records that were taken out stay as rows of
the versions that had them: what was answered about them is known for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import LimitError, UsageError
from tacita.queries.cube.build import check_sums, numbered
from tacita.queries.cube.cube import COUNT, Cube, CubeAttribute, Ints
from tacita.queries.cube.history import CellsOfVersion, RecordHistory, in_order
from tacita.queries.question import Mask


@dataclass(frozen=True, slots=True)
class RecordChanges:
    """How the records of a version differ from those of the version before it."""

    kept: int
    """With the same values of all measures, wherever their codes moved."""
    changed: int
    added: int
    removed: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Rows:
    """The rows of both cubes together, each once, and what versions say of them."""

    base: Ints
    """The row of the earlier cube; -1: it is new."""
    new: Ints
    """The row of the new version; -1: it is not in it."""
    keys: NDArray[np.uint8]
    values: Mapping[str, Ints]
    born: Ints
    records: Ints
    """The number of the record of each row."""


def followed_by(base: Cube, new: Cube) -> tuple[Cube, RecordChanges]:
    """Return the cube of all versions up to a new one, seen from it, and how many records changed.

    `base` is seen from its latest version, `new` is the cube of the new data by itself; records of both are known by
    hashes under one secret. Raises `LimitError` if there are too many cells, and `UsageError` if no record is known.
    """
    assert base.history is not None and new.history is not None
    versions, policy = base.history.versions, new.policy
    rows = _together(base, new)
    attributes, codes = _relabelled(base, new)
    seen = [_of_rows(one, base, rows) for one in versions]
    cell_of_new = np.repeat(np.arange(len(new)), new.n)
    is_new = rows.new >= 0
    newest = {name: _taken(column[cell_of_new], rows.new) for name, column in codes.items()}
    labels = {one.name: len(one.labels) for one in attributes}
    seen.append(CellsOfVersion(newest, is_new, labels))
    cell_of, same = _cells(rows, seen, attributes)
    cells = int(cell_of.max(initial=-1)) + 1
    if cells > policy.limits.cells:
        raise LimitError(
            f"there would be {cells:,} cells over all versions, and the policy allows {policy.limits.cells:,}",
            where=policy.name,
            do="raise 'cells' in [limits], which may differ between versions",
        )
    check_sums(policy, len(cell_of))
    order = in_order(rows.keys, cell_of)
    n = np.bincount(cell_of, minlength=cells).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(n)]).astype(np.int64)
    heads = order[starts[:-1]]
    persons = None
    if new.history.persons is not None and base.history.persons is not None:
        old = base.history.persons[rows.base]
        persons = np.where((rows.base >= 0)[:, None], old, new.history.persons[rows.new])[order]
    history = RecordHistory(
        tuple(
            CellsOfVersion({name: column[heads] for name, column in one.codes.items()}, one.present[heads], one.labels)
            for one in seen
        ),
        same,
        rows.keys[order],
        rows.born[order],
        persons,
    )
    source_rows = None if new.rows is None else np.where(is_new, new.rows[rows.new], 0)[order]
    units = _units(rows, persons, order)
    values = {name: column[order] for name, column in rows.values.items()}
    own = history.versions[-1].codes
    cube = Cube(policy, attributes, own, n, starts, values, units, source_rows, history, len(seen))
    return cube, _changes(rows, seen[-2].present, is_new)


def _together(base: Cube, new: Cube) -> _Rows:
    """Return the rows of both cubes, those of the same record with the same values once."""
    assert base.history is not None and new.history is not None
    keys = np.concatenate([base.history.keys, new.history.keys])
    values = {name: np.concatenate([column, new.values[name]]) for name, column in base.values.items()}
    of_values = [np.ascontiguousarray(column[:, None]).view(np.uint8) for column in values.values()]
    first, inverse = _different(np.concatenate([keys, *of_values], axis=1))
    count = len(base.history.keys)
    of_base, of_new = np.full(len(first), -1, np.int64), np.full(len(first), -1, np.int64)
    of_base[inverse[:count]] = np.arange(count)
    of_new[inverse[count:]] = np.arange(len(inverse) - count)
    latest = len(base.history.versions) + 1
    born = np.where(of_base >= 0, base.history.born[of_base], latest)
    records = _different(keys[first])[1]
    if not np.isin(records[of_new >= 0], records[of_base >= 0]).any():
        raise UsageError(
            f"no record of the new data has a key of the version before it ('{', '.join(new.policy.key)}')",
            where=new.policy.name,
            do="check how the key is written; open other data with a name of their own, without --after",
        )
    return _Rows(of_base, of_new, keys[first], {name: column[first] for name, column in values.items()}, born, records)


def _different(rows: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Return the first place of each different row of bytes, and which of these each row is."""
    whole = np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").reshape(-1)
    _, first, inverse = np.unique(whole, return_index=True, return_inverse=True)
    return first.astype(np.int64), inverse.reshape(-1).astype(np.int64)


def _relabelled(base: Cube, new: Cube) -> tuple[tuple[CubeAttribute, ...], dict[str, NDArray[np.int32]]]:
    """Return the attributes with the labels of both, new ones at the end, and the codes of the new cells by these."""
    attributes, codes = [], {}
    for one in base.attributes:
        other = new.attribute(one.name)
        labels = (*one.labels, *(label for label in other.labels if label not in set(one.labels)))
        place = {label: code for code, label in enumerate(labels)}
        numbers = None if one.numbers is None else np.asarray([float(label) for label in labels])
        attributes.append(CubeAttribute(one.name, labels, numbers))
        codes[one.name] = np.asarray([place[label] for label in other.labels], np.int32)[new.codes[one.name]]
    return tuple(attributes), codes


def _of_rows(one: CellsOfVersion, base: Cube, rows: _Rows) -> CellsOfVersion:
    """Return what an earlier version says of each row."""
    cell_of = np.repeat(np.arange(len(base)), base.n)
    codes = {name: _taken(column[cell_of], rows.base) for name, column in one.codes.items()}
    return CellsOfVersion(codes, np.asarray(one.present[cell_of][rows.base] & (rows.base >= 0)), one.labels)


def _taken(codes: NDArray[np.int32], places: Ints) -> NDArray[np.int32]:
    """Return the codes at some places; -1 where there is no place."""
    return np.where(places >= 0, codes[places], -1).astype(np.int32)


def _cells(
    rows: _Rows, seen: Sequence[CellsOfVersion], attributes: Sequence[CubeAttribute]
) -> tuple[Ints, dict[str, Ints]]:
    """Return the cell of each row, and of each measure the cells that stand for others.

    Rows are of one cell if their records have the same codes in all versions, and changed in the same measures at the
    same times; of such records, the rows that were born together.
    """
    columns, sizes = [], []
    for version in seen:
        columns += [version.present.astype(np.int32), *(version.codes[one.name] + 1 for one in attributes)]
        sizes += [2, *(len(one.labels) + 1 for one in attributes)]
    kind = numbered(columns, sizes)
    order = np.lexsort((rows.born, rows.records))
    starts = np.flatnonzero(np.diff(rows.records[order], prepend=-1))
    many = np.diff([*starts.tolist(), len(order)])
    # A record with one row is known by that row; of others the rows and their equal values have to be compared.
    place = np.zeros(len(order), np.int64)
    path = kind.copy()
    signatures: dict[tuple[object, ...], int] = {}
    firsts: dict[int, dict[str, list[int]]] = {}
    single = int(kind.max(initial=-1)) + 1
    for start, size in zip(starts[many > 1].tolist(), many[many > 1].tolist(), strict=True):
        own = order[start : start + size]
        equal = {name: _first_equal(column[own].tolist()) for name, column in rows.values.items()}
        signature = (tuple(kind[own].tolist()), *(tuple(first) for first in equal.values()))
        number = signatures.setdefault(signature, single + len(signatures))
        firsts.setdefault(number, equal)
        path[own] = number
        place[own] = np.arange(size)
    most = int(place.max(initial=0)) + 1
    numbers, cell_of = np.unique(path * most + place, return_inverse=True)
    cell_of = np.asarray(cell_of, np.int64).reshape(-1)
    of_number = {int(number): cell for cell, number in enumerate(numbers.tolist())}
    own_cells = np.arange(len(numbers), dtype=np.int64)
    same = {name: own_cells.copy() for name in (COUNT, *rows.values)}
    for number, equal in firsts.items():
        size = len(next(iter(equal.values())))
        for at in range(size):
            cell = of_number[number * most + at]
            same[COUNT][cell] = of_number[number * most]
            for name, first in equal.items():
                same[name][cell] = of_number[number * most + first[at]]
    return cell_of, same


def _first_equal(values: Sequence[int]) -> list[int]:
    """Return for each value the place of the first one that equals it.

    >>> _first_equal([5, 7, 5])
    [0, 1, 0]
    """
    return [values.index(value) for value in values]


def _units(rows: _Rows, persons: NDArray[np.uint8] | None, order: Ints) -> Ints | None:
    """Return of whom each row is; without a unit, the record, if one has several rows."""
    if persons is not None:
        return _different(persons)[1]
    if int(rows.records.max(initial=-1)) + 1 == len(rows.records):
        return None
    return rows.records[order]


def _changes(rows: _Rows, was: Mask, is_new: Mask) -> RecordChanges:
    before, after = set(rows.records[was].tolist()), set(rows.records[is_new].tolist())
    kept = int((was & is_new).sum())
    return RecordChanges(kept, len(before & after) - kept, len(after - before), len(before - after))
