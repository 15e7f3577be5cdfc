"""Groups that nobody is in, but that an intruder must reckon with.

Whoever sees only the groups that have records finds too much: a withheld cell may be empty, and few outside know. Here
combinations of codes are added that nobody has, as far as an intruder cannot exclude them:

- Records are in those releases in which some record is: if nobody was added since, an intruder knows that.
- A record has the same value of an attribute in all releases, or changed it as some record did. A suppressed value may
  be any, a coarsened one any that it stands for.
- A combination of values of two attributes that no release shows together is possible if some record has it, or if so
  few would be expected to have it that nobody can know. What determines something beyond chance determines it. Cells of
  a cube have of the attributes that they are made of what their records have.
- No published zero is contradicted, and a file has the combinations that it has.

Any choice of such groups beside those with records makes an intruder no stronger than one who reckons with all of them.
So a verdict that nothing is too near holds with any choice, and a verdict that something is with all of them only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.hidden_sums import nested_codes
from tacita.joint.attribute_states import AttributeStates, Codes
from tacita.joint.evidence import COUNT, Ints, Mask, Partition, Statements
from tacita.joint.groups import Leaves, RecordGroups, members

MOST = 20_000
"""Groups that are added at most."""
_BY_CHANCE = 5.0
"""Where fewer records than this are expected with two values, it may be by chance that there is none."""
_MOST_PARTIAL = 400_000
_MOST_LEAVES = 200_000
Column = tuple[int, int]
"""A column of a partition: the numbers of both."""


def with_possible_groups(
    partitions: Sequence[Partition], groups: RecordGroups, heard: Sequence[bool] | None = None
) -> tuple[RecordGroups, bool]:
    """Return groups with those that are possible though nobody is in them, and whether these are all.

    With `heard` (the partitions that the intruder has) these are the groups of an intruder who knows nothing else: the
    other partitions rule nothing out, nor does it that nobody has a combination.
    """
    knows_data = heard is None
    heard = [True] * len(partitions) if heard is None else heard
    parts = [
        _Parts.of(partition, leaves, is_heard=is_heard)
        for partition, leaves, is_heard in zip(partitions, groups.leaves, heard, strict=True)
    ]
    complete = all(one.is_complete for one in parts)
    more: list[Codes] = []
    for pattern in np.unique(groups.leaf >= 0, axis=0):
        records = _PresentRecords(partitions, groups, parts, np.flatnonzero(pattern).tolist(), knows_data=knows_data)
        rows = records.possible()
        room = MOST - sum(map(len, more))
        complete &= rows is not None and len(rows) <= room and records.is_complete
        more.append(groups.leaf[:0] if rows is None else rows[:room])
    return _extended(groups, parts, np.concatenate([groups.leaf[:0], *more])), complete


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Parts:
    """The finest parts of a partition that may have records: those that have some, in their order, then others."""

    codes: Codes
    number: dict[tuple[int, ...], int]
    is_complete: bool

    @classmethod
    def of(cls, partition: Partition, leaves: Leaves, *, is_heard: bool) -> _Parts:
        """Return the parts with records and, of a table, all others in which no published zero is."""
        codes, is_complete = leaves.codes, True
        sizes = [len(column.labels) for column in partition.columns]
        if sizes and not (partition.is_file and is_heard):
            is_complete = bool(np.prod(np.array(sizes, np.float64)) <= _MOST_LEAVES)
            if is_complete:
                every = np.stack([one.ravel() for one in np.indices(sizes)], axis=1).astype(np.int32)
                codes = np.concatenate([codes, every[~_is_zero(partition, every)] if is_heard else every])
        number: dict[tuple[int, ...], int] = {}
        for row in map(tuple, codes.tolist()):
            number.setdefault(row, len(number))
        return cls(np.array(list(number), np.int32).reshape(len(number), len(sizes)), number, is_complete)


def _is_zero(partition: Partition, codes: Codes) -> Mask:
    """Return which parts are in a cell that is published as having no record, or that the table does not have."""
    zero = np.zeros(len(codes), np.bool_)
    for statements in partition.statements:
        if statements.lists_all:
            zero |= ~_is_listed(statements, codes)
        if statements.measure == COUNT:
            statement, leaf = members(statements, Leaves(codes))
            zero[leaf[statements.upper[statement] == 0]] = True
    return zero


def _is_listed(statements: Statements, codes: Codes) -> Mask:
    """Return which parts have a cell of their own: one of the smallest codes that the table shows."""
    smallest = []
    for at, mask in enumerate(statements.masks):
        if mask is None:
            smallest.append(codes[:, at].astype(np.int64))
            continue
        sizes = np.where(mask, mask.sum(axis=1)[:, None], mask.shape[1] + 1)
        smallest.append(np.argmin(sizes, axis=0)[codes[:, at]])
    listed = set(map(tuple, statements.choices.tolist()))
    rows = zip(*(one.tolist() for one in smallest), strict=True) if smallest else [()] * len(codes)
    return np.array([row in listed for row in rows], np.bool_)


class _PresentRecords:
    """The records that are in certain partitions and in no others, and the combinations that they might have."""

    def __init__(
        self,
        partitions: Sequence[Partition],
        groups: RecordGroups,
        parts: Sequence[_Parts],
        there: list[int],
        *,
        knows_data: bool,
    ) -> None:
        self._knows_data = knows_data
        self._partitions, self._groups, self._parts, self._there = partitions, groups, parts, there
        inside = (groups.leaf[:, there] >= 0).all(axis=1)
        self._leaf, self._persons = groups.leaf[inside], groups.persons[inside]
        columns: dict[str, list[Column]] = {}
        for at in sorted(there, key=lambda one: len(parts[one].codes)):
            for place, column in enumerate(partitions[at].columns):
                columns.setdefault(column.attribute, []).append((at, place))
        self._columns = columns
        self._names = list(columns)
        self._states = {
            name: AttributeStates.of(
                [partitions[at].columns[place] for at, place in places],
                np.stack([self._code_of_groups(place) for place in places], axis=1),
            )
            for name, places in columns.items()
        }
        self._made_of = {
            name: frozenset[str]().union(*(partitions[at].columns[place].made_of for at, place in places))
            for name, places in columns.items()
        }
        self._attributes = {at: {column.attribute for column in partitions[at].columns} for at in there}

    @property
    def is_complete(self) -> bool:
        """Whether all states of all attributes are there."""
        return all(states.is_complete for states in self._states.values())

    def possible(self) -> Codes | None:
        """Return groups without records, as rows of parts; None if there are too many to go through."""
        chosen = np.zeros((1, 0), np.int64)
        for number, name in enumerate(self._names):
            many = len(self._states[name])
            if len(chosen) * many > _MOST_PARTIAL:
                return None
            chosen = np.column_stack([np.repeat(chosen, many, axis=0), np.tile(np.arange(many), len(chosen))])
            for possible in self._tests(number):
                chosen = chosen[possible(chosen)]
        leaf = np.full((len(chosen), self._groups.leaf.shape[1]), -1, np.int32)
        for at in self._there:
            leaf[:, at] = self._part(chosen, at)
        occupied = set(map(tuple, self._groups.leaf.tolist()))
        return leaf[np.array([row not in occupied for row in map(tuple, leaf.tolist())], np.bool_)]

    def _tests(self, number: int) -> Iterator[Callable[[Ints], Mask]]:
        """Yield what rules choices out as soon as the attribute of that number is chosen."""
        name, chosen = self._names[number], set(self._names[: number + 1])
        for at in self._there:
            if name in self._attributes[at] <= chosen:
                yield partial(self._may_be_in, at=at)
        if not self._knows_data:
            return
        for other in range(number):
            if not any({self._names[other], name} <= own for own in self._attributes.values()):
                yield partial(self._may_have_both, one=other, other=number)
        for at in self._there:
            own = self._attributes[at]
            for other_name in chosen - own if own <= chosen else ():
                # Both are chosen, and one of them just now.
                if name in own or name == other_name:
                    for column in self._columns[other_name]:
                        if column[0] != at and self._determines(at, column):
                            yield partial(self._is_as_determined, at=at, column=column)

    def _determines(self, at: int, column: Column) -> bool:
        """Return whether the parts of a partition tell the code of a column of another one, beyond chance."""
        record = np.repeat(np.arange(len(self._leaf)), self._persons)
        part, code = self._leaf[record, at].astype(np.int64), self._code_of_groups(column)[record].astype(np.int64)
        return nested_codes(part, code, len(self._there)) is not None

    def _code_of_groups(self, column: Column) -> Codes:
        """Return the code of each group with records in a column."""
        at, place = column
        codes: Codes = self._groups.leaves[at].codes[self._leaf[:, at], place]
        return codes

    def _code(self, chosen: Ints, column: Column) -> Codes:
        """Return the code that each choice has in a column."""
        name = self._partitions[column[0]].columns[column[1]].attribute
        state = chosen[:, self._names.index(name)]
        codes: Codes = self._states[name].codes[state, self._columns[name].index(column)]
        return codes

    def _part(self, chosen: Ints, at: int) -> NDArray[np.int64]:
        """Return the part of a partition that each choice is in, -1 if no record may be there."""
        codes = [self._code(chosen, (at, place)).tolist() for place in range(len(self._partitions[at].columns))]
        number = self._parts[at].number
        rows = zip(*codes, strict=True) if codes else [()] * len(chosen)
        return np.array([number.get(row, -1) for row in rows], np.int64)

    def _may_be_in(self, chosen: Ints, at: int) -> Mask:
        """Return the choices whose part of a partition may have records."""
        return self._part(chosen, at) >= 0

    def _may_have_both(self, chosen: Ints, one: int, other: int) -> Mask:
        """Return the choices whose values of two attributes some record has, or might have by chance."""
        first, second = self._states[self._names[one]], self._states[self._names[other]]
        width = int(second.value.max(initial=0)) + 1
        left, right = first.value[first.of_groups], second.value[second.of_groups]
        has = np.isin(first.value[chosen[:, one]] * width + second.value[chosen[:, other]], left * width + right)
        if (
            self._names[one] in self._made_of[self._names[other]]
            or self._names[other] in self._made_of[self._names[one]]
        ):
            return has
        record = np.repeat(np.arange(len(self._leaf)), self._persons)
        if any(
            nested_codes(*pair, 2) is not None
            for pair in ((left[record], right[record]), (right[record], left[record]))
        ):
            return has
        size = [
            np.bincount(values[record], minlength=int(some.value.max(initial=0)) + 1)
            for values, some in ((left, first), (right, second))
        ]
        expected = size[0][first.value[chosen[:, one]]] * size[1][second.value[chosen[:, other]]] / max(len(record), 1)
        return has | (expected < _BY_CHANCE)

    def _is_as_determined(self, chosen: Ints, at: int, column: Column) -> Mask:
        """Return the choices whose code in a column is the one that some record has in the same part."""
        width = len(self._partitions[column[0]].columns[column[1]].labels)
        with_records = self._leaf[:, at].astype(np.int64) * width + self._code_of_groups(column)
        return np.isin(self._part(chosen, at) * width + self._code(chosen, column), with_records)


def _extended(groups: RecordGroups, parts: Sequence[_Parts], more: Codes) -> RecordGroups:
    """Return groups and further ones that have no record."""
    slots = {}
    for measure, own in groups.slots.items():
        # Values of a group without records are those of other records: revised as most of them were.
        usual = np.zeros(own.shape[1], np.int8)
        slots[measure] = np.concatenate([own, np.tile(usual, (len(more), 1))])
    return RecordGroups(
        tuple(Leaves(one.codes) for one in parts),
        np.concatenate([groups.leaf, more]),
        slots,
        np.concatenate([groups.persons, np.zeros(len(more), np.int64)]),
        groups.group_of,
    )
