"""The system of one measure: unknowns are groups of records, rows are what releases say of unions of groups."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.modular.kernel_vector import SparseRows
from tacita.joint.evidence import COUNT, Ints, Mask, Numbers, Partition, Statements
from tacita.joint.groups import RecordGroups, members
from tacita.joint.groups import different as different_keys


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SumSystem:
    """What is said of the sums of one measure.

    An unknown is the sum over groups that no row tells apart; a group whose records were revised has an unknown for
    each version of its values. Row r is the sum of its unknowns. It lies between ``lower[r]`` and ``upper[r]`` for
    whoever has the releases, and is statement ``statement[r]`` of partition ``partition[r]``. `truth` and `values` are
    the true sums.
    """

    measure: str
    rows: SparseRows
    partition: Ints
    statement: Ints
    lower: Numbers
    upper: Numbers
    values: Numbers
    sensitive: Mask
    needs_lower: Numbers
    needs_upper: Numbers
    needs_width: Numbers
    group: Ints
    """The groups, by unknown: group ``group[i]`` is in unknown ``unknown[i]``."""
    unknown: Ints
    persons: Ints
    """Persons behind each unknown."""
    truth: Numbers
    is_whole: bool
    is_nonnegative: bool

    @property
    def exact(self) -> Mask:
        """The rows whose value is published."""
        return np.asarray(self.lower == self.upper)

    @property
    def unknowns(self) -> int:
        """How many unknowns there are."""
        return len(self.truth)

    def groups_of(self, unknowns: Sequence[int]) -> Ints:
        """Return the groups of some unknowns."""
        return np.unique(self.group[np.isin(self.unknown, unknowns)])


def system_of(measure: str, partitions: Sequence[Partition], groups: RecordGroups) -> SumSystem:
    """Return the system of a measure.

    Values that are published are taken as what the records add up to: where figures were rounded for printing, whoever
    knows them exactly knows more.
    """
    unknown_of, group, truth = _unknowns(measure, partitions, groups)
    parts = []
    for at, partition in enumerate(partitions):
        for statements in partition.statements:
            if statements.measure != measure:
                continue
            statement, leaf = members(statements, groups.leaves[at])
            order = np.argsort(groups.leaf[:, at], kind="stable")
            inside = groups.leaf[order, at]
            first = np.searchsorted(inside, leaf, side="left")
            size = np.searchsorted(inside, leaf, side="right") - first
            place = np.repeat(first - (np.cumsum(size) - size), size) + np.arange(int(size.sum()))
            row, unknown = np.repeat(statement, size), unknown_of[order[place], at]
            by_row = np.lexsort((unknown, row))
            parts.append((at, statements, row[by_row], unknown[by_row]))
        if partition.is_file and measure == COUNT and (others := groups.leaf[:, at] >= _with_records(groups, at)).any():
            # Whoever has the file knows that no other combination is in it.
            unknown = unknown_of[others, at]
            parts.append((at, _NOTHING_ELSE, np.zeros(len(unknown), np.int64), np.sort(unknown)))
    sizes = [np.bincount(row, minlength=len(statements)) for _, statements, row, _ in parts]
    starts = np.concatenate([[0], np.cumsum(np.concatenate([*sizes, np.zeros(0)]))]).astype(np.int64)
    columns = np.concatenate([*(unknown for *_, unknown in parts), np.zeros(0, np.int64)])
    atom, many = _told_apart(starts, columns, len(truth))
    rows = _merged(starts, columns, atom, many)
    truth = np.bincount(atom, truth, many).astype(np.float64)
    persons = np.bincount(atom, groups.persons[group], many)
    row_of = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
    values = np.bincount(row_of, truth[rows.columns], len(rows)).astype(np.float64)
    everything = [statements for _, statements, _, _ in parts]
    exact = _masks([one.exact for one in everything])
    return SumSystem(
        measure,
        rows,
        np.repeat([at for at, *_ in parts], [len(one) for one in everything]).astype(np.int64),
        np.concatenate([*(np.arange(len(one)) for one in everything), np.zeros(0, np.int64)]),
        np.where(exact, values, _numbers([one.lower for one in everything])),
        np.where(exact, values, _numbers([one.upper for one in everything])),
        values,
        _masks([one.sensitive for one in everything]),
        _numbers([one.needs_lower for one in everything]),
        _numbers([one.needs_upper for one in everything]),
        _numbers([one.needs_width for one in everything]),
        group,
        atom,
        persons.astype(np.int64),
        truth,
        all(one.is_whole for one in everything),
        all(one.is_nonnegative for one in everything),
    )


def _with_records(groups: RecordGroups, partition: int) -> int:
    """Return how many parts of a partition have records; they come first."""
    return int(groups.leaf[: groups.occupied, partition].max(initial=-1)) + 1


_ZERO, _NONE = np.zeros(1), np.full(1, np.nan)
_NOTHING_ELSE = Statements(
    COUNT, np.zeros((1, 0), np.int32), np.zeros(1, np.int64), (), _ZERO, _ZERO, _ZERO > 0, _NONE, _NONE, _ZERO
)


def _unknowns(
    measure: str, partitions: Sequence[Partition], groups: RecordGroups
) -> tuple[NDArray[np.int64], Ints, Numbers]:
    """Return the unknown of each group in each partition, the group of each unknown, and its true sum."""
    shape = groups.leaf.shape
    slots = groups.slots.get(measure, np.zeros(shape, np.int8))
    says = [at for at, one in enumerate(partitions) if any(some.measure == measure for some in one.statements)]
    there = np.zeros(shape, np.bool_)
    there[:, says] = groups.leaf[:, says] >= 0
    width = int(slots.max(initial=0)) + 1
    keys = np.arange(shape[0])[:, None] * width + slots
    different, inverse = np.unique(keys[there], return_inverse=True)
    unknown_of = np.full(shape, -1, np.int64)
    unknown_of[there] = inverse
    truth = np.zeros(len(different))
    for at in says[::-1]:
        partition = partitions[at]
        if measure != COUNT and measure not in partition.contributions:
            continue
        sums = groups.sums(partition.units, partition.contributions.get(measure))
        inside = there[:, at]
        truth[unknown_of[inside, at]] = sums[inside]
    return unknown_of, (different // width).astype(np.int64), truth


def _told_apart(starts: Ints, columns: Ints, width: int) -> tuple[Ints, int]:
    """Return numbers of columns, equal for those that are in the same rows, and how many there are.

    Each row has two random marks of 31 bits, and a column the sums of those of its rows.
    """
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    marks = np.random.Generator(np.random.PCG64(secrets.randbits(64))).integers(1, 2**31, (2, len(starts) - 1))
    sums = [np.bincount(columns, mark[row], width).astype(np.int64) for mark in marks]
    _, first, atom = np.unique(np.stack(sums, axis=1), axis=0, return_index=True, return_inverse=True)
    # In the order of the first column of each: groups with records come first.
    rank = np.argsort(np.argsort(first))
    return rank[atom.reshape(-1)].astype(np.int64), len(first)


def _merged(starts: Ints, columns: Ints, atom: Ints, many: int) -> SparseRows:
    """Return rows over merged columns."""
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    pairs = different_keys(row * max(many, 1) + atom[columns])
    sizes = np.bincount(pairs // max(many, 1), minlength=len(starts) - 1)
    merged = (pairs % max(many, 1)).astype(np.int64)
    return SparseRows(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), merged, np.ones(len(merged), np.int64), many
    )


def _numbers(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate([*parts, np.zeros(0)])


def _masks(parts: Sequence[Mask]) -> Mask:
    return np.concatenate([*parts, np.zeros(0, np.bool_)])
