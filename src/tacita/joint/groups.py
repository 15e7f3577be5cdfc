"""Records that no statement tells apart: one group of them is one unknown.

Two records are in one group if they are in the same finest parts of all releases, and in the same releases. What an
intruder can conclude about anybody, the intruder concludes about the groups. Only groups with records are here; who
knows which combinations are empty knows more than most intruders, so what is safe from them is safe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.joint.evidence import Ints, Mask, Numbers, Partition, Population, Statements

_DENSE = 8
"""Keys are renumbered by a table instead of by sorting if there are at most so many for each record."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Leaves:
    """The finest parts of a partition: the codes of each."""

    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordGroups:
    """Groups of records, and where they are.

    `leaf[g, p]` is the finest part of partition p that group g is in, -1 if its records are not in that release.
    ``slots[measure][g, p]`` tells which value the records have of a measure there: releases in which they have the same
    contributions have the same number. `persons[g]` is how many different persons a group has.
    """

    leaves: tuple[Leaves, ...]
    leaf: NDArray[np.int32]
    slots: Mapping[str, NDArray[np.int8]]
    persons: Ints
    group_of: Ints
    """The group of each record."""

    def __len__(self) -> int:
        return len(self.leaf)

    @classmethod
    def of(cls, partitions: Sequence[Partition], population: Population) -> RecordGroups:
        """Return the groups of all records that are in one of some partitions."""
        units = len(population.persons)
        keys, many = np.zeros(units, np.int64), 1
        leaves, columns = [], []
        for partition in partitions:
            codes, leaf_of = partition.tuples()
            column = np.full(units, -1, np.int32)
            column[partition.units] = leaf_of
            leaves.append(Leaves(codes))
            columns.append(column)
            keys, many = renumbered(keys * (len(codes) + 1) + column + 1, many * (len(codes) + 1))
        slots = _slots(partitions, units)
        for own in slots.values():
            for slot in own:
                width = int(slot.max(initial=0)) + 1
                keys, many = renumbered(keys * width + slot, many * width)
        first = np.full(many, -1, np.int64)
        first[keys[::-1]] = np.arange(units)[::-1]
        leaf = np.stack([column[first] for column in columns], axis=1) if columns else np.zeros((many, 0), np.int32)
        numbers = {name: np.stack([slot[first] for slot in own], axis=1) for name, own in slots.items()}
        width = int(population.persons.max(initial=0)) + 1
        pairs = different(keys * width + population.persons)
        persons = np.bincount(pairs // width, population.sizes[pairs % width], many).astype(np.int64)
        return cls(tuple(leaves), leaf, numbers, persons, keys)

    @property
    def occupied(self) -> int:
        """How many groups have records; they come first."""
        return int(self.group_of.max(initial=-1)) + 1

    def with_records(self) -> RecordGroups:
        """Return the groups that have records."""
        many = self.occupied
        slots = {name: own[:many] for name, own in self.slots.items()}
        return RecordGroups(self.leaves, self.leaf[:many], slots, self.persons[:many], self.group_of)

    def sums(self, units: Ints, contributions: Numbers | None) -> Numbers:
        """Return what some records add up to, by group; without contributions, how many there are."""
        return np.bincount(self.group_of[units], weights=contributions, minlength=len(self)).astype(np.float64)


def different(keys: Ints) -> Ints:
    """Return the different keys in ascending order, by sorting: numpy hashes whole numbers, which is slow for many.

    >>> different(np.array([7, 3, 7])).tolist()
    [3, 7]
    """
    ordered = np.sort(keys)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def renumbered(keys: Ints, bound: int) -> tuple[Ints, int]:
    """Return keys from 0 on without gaps, in the same order, and how many there are.

    >>> renumbered(np.array([7, 3, 7]), 8)
    (array([1, 0, 1]), 2)
    """
    if bound <= max(_DENSE * len(keys), 1 << 16):
        there = np.zeros(bound, np.bool_)
        there[keys] = True
        places = np.cumsum(there) - 1
        return places[keys], int(places[-1]) + 1 if bound else 0
    ascending, inverse = np.unique(keys, return_inverse=True)
    return inverse.reshape(-1).astype(np.int64), len(ascending)


def _slots(partitions: Sequence[Partition], units: int) -> dict[str, list[NDArray[np.int8]]]:
    """Return, by measure, which value every record has in each partition: equal numbers, equal contributions."""
    slots: dict[str, list[NDArray[np.int8]]] = {}
    for measure in dict.fromkeys(name for partition in partitions for name in partition.contributions):
        values: list[Numbers] = []
        own = [np.zeros(units, np.int8) for _ in partitions]
        highest = np.full(units, -1, np.int8)
        seen: list[NDArray[np.int8]] = []
        for slot, partition in zip(own, partitions, strict=True):
            if measure not in partition.contributions:
                continue
            value = np.full(units, np.nan)
            value[partition.units] = partition.contributions[measure]
            open_ = ~np.isnan(value)
            for other, number in zip(values, seen, strict=True):
                same = open_ & (value == other)
                slot[same] = number[same]
                open_ &= ~same
            slot[open_] = highest[open_] + 1
            highest[open_] += 1
            values.append(value)
            seen.append(slot)
        slots[measure] = own
    return slots


def members(statements: Statements, leaves: Leaves) -> tuple[Ints, Ints]:
    """Return which statements hold which finest parts: pairs of a statement and a leaf, each once."""
    choices = statements.choices
    if not choices.shape[1]:
        statement = np.repeat(np.arange(len(statements), dtype=np.int64), len(leaves))
        return statement, np.tile(np.arange(len(leaves), dtype=np.int64), len(statements))
    holders = [_holders(mask, leaves.codes[:, at]) for at, mask in enumerate(statements.masks)]
    many = np.ones(len(leaves))
    for at, (starts, _) in enumerate(holders):
        many *= np.diff(starts)[leaves.codes[:, at]]
    if many.sum() > max(len(choices) * len(leaves), 1 << 20):
        product, leaf = _by_mask(statements, leaves)
    else:
        product, leaf = _by_key(statements, leaves, holders)
    pairs = different(statements.of[product] * len(leaves) + leaf)
    return pairs // max(len(leaves), 1), pairs % max(len(leaves), 1)


def _holders(mask: Mask | None, codes: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """Return for each code the rows of a mask that have it: where they start, and which they are."""
    if mask is None:
        every = np.arange(int(codes.max(initial=-1)) + 2, dtype=np.int64)
        return every, every[:-1]
    code, row = np.nonzero(mask.T)
    return np.concatenate([[0], np.cumsum(np.bincount(code, minlength=mask.shape[1]))]).astype(np.int64), row


def _by_key(statements: Statements, leaves: Leaves, holders: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Return pairs of a product and a leaf: all combinations of code sets that hold a leaf, looked up."""
    leaf, keys = np.arange(len(leaves), dtype=np.int64), np.zeros(len(leaves), np.int64)
    wanted = np.zeros(len(statements.choices), np.int64)
    for at, (starts, rows) in enumerate(holders):
        code = leaves.codes[leaf, at]
        size = np.diff(starts)[code]
        begin = np.cumsum(size) - size
        place = np.repeat(starts[code] - begin, size) + np.arange(int(size.sum()))
        width = _width(statements, at)
        row = rows[place]
        keys, leaf = np.repeat(keys, size) * width + row, np.repeat(leaf, size)
        keys, leaf = keys[row < width], leaf[row < width]
        wanted = wanted * width + statements.choices[:, at]
        # Only keys that begin a wanted one are kept, so that numbers stay small.
        both, inverse = np.unique(np.concatenate([wanted, keys]), return_inverse=True)
        known = np.zeros(len(both), np.bool_)
        known[inverse[: len(wanted)]] = True
        wanted, keys = inverse[: len(wanted)], inverse[len(wanted) :]
        leaf, keys = leaf[known[keys]], keys[known[keys]]
    order = np.argsort(wanted, kind="stable")
    first = np.searchsorted(wanted[order], keys, side="left")
    size = np.searchsorted(wanted[order], keys, side="right") - first
    place = np.repeat(first - (np.cumsum(size) - size), size) + np.arange(int(size.sum()))
    return order[place], np.repeat(leaf, size)


def _width(statements: Statements, column: int) -> int:
    mask = statements.masks[column]
    return int(statements.choices[:, column].max(initial=0)) + 1 if mask is None else len(mask)


def _by_mask(statements: Statements, leaves: Leaves) -> tuple[Ints, Ints]:
    """Return pairs of a product and a leaf: every product is held against every leaf."""
    products, pairs = [], []
    for product, choice in enumerate(statements.choices.tolist()):
        inside = np.ones(len(leaves), np.bool_)
        for at, row in enumerate(choice):
            mask = statements.masks[at]
            inside &= leaves.codes[:, at] == row if mask is None else mask[row][leaves.codes[:, at]]
        held_by = np.flatnonzero(inside)
        products.append(np.full(len(held_by), product, np.int64))
        pairs.append(held_by)
    none = np.zeros(0, np.int64)
    return np.concatenate([*products, none]), np.concatenate([*pairs, none])
