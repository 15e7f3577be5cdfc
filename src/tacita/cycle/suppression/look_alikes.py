"""The look-alikes of risky records while their cells are being suppressed: counted once, then kept up to date.

A record meets another if they agree on the attributes known in both (`risk.matching`). Safe records never change, so
what they add is counted in tables made once for each set of attributes S: risky records with the same values of S are a
*group* of S. Risky records that are still complete are counted per group; those with nulls are few and are kept in
tables by their pattern, the set of attributes still known in them.

In the expected semantics a record with nulls counts for a complete one with the probability that it would fall there:
its *share*, one over the complete records that it may be, for each record of that combination.

A match is *certain* if it holds whatever the nulls of others stand for (the alpha semantics with alpha = 0): two
complete records that are equal, a record with nulls and a complete one that it may be, two with the same nulls and the
same values. All other matches lean on the nulls of others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tacita.engines.arrow import renumbered

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MOST = 2**62


@dataclass(frozen=True, slots=True)
class CodedRecords:
    """Combinations of values with how many records have them: codes from 0, a null is -1."""

    codes: Array
    counts: Array
    weights: Array

    def where(self, chosen: Array) -> CodedRecords:
        """Return some of them."""
        return CodedRecords(self.codes[chosen], self.counts[chosen], self.weights[chosen])


class Count(NamedTuple):
    """How many look-alikes a record has: for certain, and if nulls of others may match; and the same in weights."""

    certain: float
    leaning: float
    certain_weight: float
    leaning_weight: float


@dataclass(slots=True)
class _Groups:
    """Risky records sorted by their values of a set of attributes."""

    number: list[int]
    """The group of each risky record."""
    order: list[int]
    start: list[int]
    complete: list[int]
    """Safe complete records of each group."""
    incomplete_same: list[int]
    incomplete: list[int]
    left: list[int]
    """Risky records of each group that are still complete."""
    weights: tuple[list[float], list[float], list[float], list[float]]
    """The same four in weights."""
    squares: list[int]
    """The squared sizes of the combinations of complete records in each group, added up."""

    def members(self, record: int) -> list[int]:
        group = self.number[record]
        return self.order[self.start[group] : self.start[group + 1]]


@dataclass(slots=True)
class _Table:
    """Risky records with nulls of one pattern, by their group of a set of attributes."""

    share: dict[int, float] = field(default_factory=dict)
    """How many look-alikes they count for together: each for 1, or for the probability that it falls there."""
    weight: dict[int, float] = field(default_factory=dict)
    members: dict[int, dict[int, dict[int, None]]] = field(default_factory=dict)
    """By group, then by their group of the pattern itself: records that are alike in all that is known of them."""

    def add(self, group: int, own: int, record: int, share: float, weight: float) -> None:
        self.share[group] = self.share.get(group, 0.0) + share
        self.weight[group] = self.weight.get(group, 0.0) + weight * share
        self.members.setdefault(group, {}).setdefault(own, {})[record] = None

    def remove(self, group: int, own: int, record: int, share: float, weight: float) -> None:
        alike = self.members[group]
        del alike[own][record]
        if not alike[own]:
            del alike[own]
        if alike:
            self.share[group] -= share
            self.weight[group] -= weight * share
        else:  # nothing is left of it, no rounding either
            del self.members[group], self.share[group], self.weight[group]


class LookAlikes:
    """Counts the look-alikes of risky records; a pattern is a bit for each attribute that is known."""

    def __init__(self, safe: CodedRecords, risky: CodedRecords, *, expected: bool = False) -> None:
        """Begin with the records as they are; each risky record stands alone in `risky` (its count is 1)."""
        import numpy as np

        self._safe, self._risky, self._expected = safe, risky, expected
        self.attributes = risky.codes.shape[1]
        self.full = (1 << self.attributes) - 1
        bits = np.left_shift(1, np.arange(self.attributes))
        self.known: list[int] = ((risky.codes >= 0) @ bits).tolist()
        """The pattern of each risky record now."""
        self.first: tuple[int, ...] = tuple(self.known)
        """Its pattern in the beginning."""
        self.weight: list[float] = risky.weights.tolist()
        of_safe = (safe.codes >= 0) @ bits
        self._safe_patterns = {int(p): np.flatnonzero(of_safe == p) for p in np.unique(of_safe)}
        self._share = [1.0] * len(self.known)
        self._groups: dict[int, _Groups] = {}
        self._tables: dict[int, dict[int, _Table]] = {}
        self._hidden: dict[int, dict[int, None]] = {}
        for record, pattern in enumerate(self.known):
            if pattern != self.full:
                self._hidden.setdefault(pattern, {})[record] = None
                self._tables.setdefault(pattern, {})
                self._share[record] = self._shared(record, pattern)

    def __len__(self) -> int:
        return len(self.known)

    @property
    def are_complete(self) -> bool:
        """Whether no risky record has a null and matches are not weighed."""
        return not self._hidden and not self._expected

    def complete_in(self, pattern: int) -> Array:
        """Return for each risky record how many complete ones have its values of a set of attributes."""
        import numpy as np

        groups = self.groups(pattern)
        together: Array = np.array(groups.complete, dtype=np.int64) + np.array(groups.left, dtype=np.int64)
        return together[np.array(groups.number, dtype=np.int64)]

    # -- asking --------------------------------------------------------------------------------------------------------

    def now(self, record: int) -> Count:
        """Return the look-alikes of a record as it is, itself included."""
        return self.if_known(record, self.known[record])

    def if_known(self, record: int, pattern: int) -> Count:
        """Return the look-alikes that a record would have if just the attributes of a pattern were known of it."""
        groups, weight, own = self._groups.get(pattern) or self.groups(pattern), self.weight[record], self.known[record]
        group = groups.number[record]
        complete = groups.complete[group] + groups.left[group]
        if self._expected and pattern != self.full:
            return self._fallen(record, groups, complete)
        certain: float = complete + groups.incomplete_same[group]
        leaning: float = groups.incomplete[group]
        complete_weight, same_weight, incomplete_weight, left_weight = groups.weights
        certain_weight = complete_weight[group] + left_weight[group] + same_weight[group]
        leaning_weight = incomplete_weight[group]
        for other, tables in self._tables.items():
            common = pattern & other
            table = tables.get(common) or self._table(other, common)
            there = self._groups[common].number[record]
            share = table.share.get(there)
            if share is None:
                continue
            if other == pattern:
                certain += share
                certain_weight += table.weight[there]
            else:
                leaning += share
                leaning_weight += table.weight[there]
        if own not in {pattern, self.full}:  # it stands among those with other nulls
            share = self._share[record]
            certain, leaning = certain + 1, leaning - share
            certain_weight, leaning_weight = certain_weight + weight, leaning_weight - weight * share
        if self._expected:
            there = complete + (own != self.full)
            return Count(there, leaning * there, there, leaning * there)
        if pattern == 0:  # of which nothing is known: it is like everybody
            return Count(certain + leaning, 0, certain_weight + leaning_weight, 0.0)
        return Count(certain, leaning, certain_weight, leaning_weight)

    def _fallen(self, record: int, groups: _Groups, complete: int) -> Count:
        """Return the expected look-alikes of a record with nulls where it falls, at least: nulls of others add none."""
        equal, others = 0, complete
        if self.known[record] == self.full:
            full = self._groups.get(self.full) or self.groups(self.full)
            equal, others = full.left[full.number[record]], complete - 1
        squares = groups.squares[groups.number[record]] - max(2 * equal - 1, 0)
        factor = 1 + max(squares, 0) / others if others > 0 else 1.0
        return Count(factor, 0.0, factor, 0.0)

    def complete_now(self, alpha: float) -> tuple[list[float], list[float]] | None:
        """Return look-alikes and their weights of every risky record that is complete, those leaning counted `alpha`.

        The same as `now` for all of them at once; what stands for a record with nulls means nothing. None in the
        expected semantics.
        """
        import numpy as np

        if self._expected:
            return None
        groups = self.groups(self.full)
        number = np.array(groups.number, dtype=np.int64)
        certain, weight = np.zeros(len(number)), np.zeros(len(number))
        same = ((groups.complete, 0, 1.0), (groups.left, 3, 1.0), (groups.incomplete_same, 1, 1.0))
        for counts, place, factor in (*same, (groups.incomplete, 2, alpha)):
            certain += factor * np.array(counts, dtype=float)[number]
            weight += factor * np.array(groups.weights[place])[number]
        for pattern, hidden in self._hidden.items():
            there = self.groups(pattern)
            records = np.fromiter(hidden, dtype=np.int64, count=len(hidden))
            of_group = np.array(there.number, dtype=np.int64)
            size = len(there.start) - 1
            certain += alpha * np.bincount(of_group[records], minlength=size)[of_group]
            weights = np.array(self.weight)[records]
            weight += alpha * np.bincount(of_group[records], weights=weights, minlength=size)[of_group]
        return certain.tolist(), weight.tolist()

    def _shared(self, record: int, pattern: int) -> float:
        """Return what a record with nulls counts for each record that it may be."""
        if not self._expected:
            return 1.0
        groups = self.groups(pattern)
        group = groups.number[record]
        complete = groups.complete[group] + groups.left[group] - (self.known[record] == self.full)
        return 1 / complete if complete > 0 else 0.0

    def meeting(self, record: int, pattern: int) -> Iterator[int]:
        """Yield the other risky records that meet a record of which a pattern is known."""
        for other in self.groups(pattern).members(record):
            if other != record and self.known[other] == self.full:
                yield other
        for hidden, tables in self._tables.items():
            common = pattern & hidden
            table = tables.get(common) or self._table(hidden, common)
            for alike in table.members.get(self._groups[common].number[record], {}).values():
                for other in alike:
                    if other != record:
                        yield other

    def kinds_meeting(self, record: int, pattern: int) -> Iterator[int]:
        """Yield one of each kind of others that meet a record: those alike in all that is known look like as many."""
        equal = self.groups(self.full).number
        seen = set()
        for other in self.groups(pattern).members(record):
            if other != record and self.known[other] == self.full and equal[other] not in seen:
                seen.add(equal[other])
                yield other
        for hidden, tables in self._tables.items():
            common = pattern & hidden
            table = tables.get(common) or self._table(hidden, common)
            for alike in table.members.get(self._groups[common].number[record], {}).values():
                for other in alike:
                    if other != record:
                        yield other
                        break

    def members(self, record: int, pattern: int) -> list[int]:
        """Return the risky records with the same values of a set of attributes, itself among them."""
        return self.groups(pattern).members(record)

    def companions(self, record: int, pattern: int) -> int:
        """Return how many other risky records have the same values of a set of attributes."""
        return len(self.members(record, pattern)) - 1

    def share(self, record: int) -> float:
        """Return how much a record with nulls counts for each one that it meets: 1, or a probability."""
        return self._share[record]

    # -- changing ------------------------------------------------------------------------------------------------------

    def move(self, record: int, pattern: int, share: float | None = None) -> None:
        """Let just the attributes of a pattern be known of a record; a `share` that it had before is kept."""
        before, weight = self.known[record], self.weight[record]
        if before == pattern:
            return
        share = self._shared(record, pattern) if share is None else share
        self.known[record] = pattern
        if self.full in {before, pattern}:
            sign = -1 if before == self.full else 1
            for groups in self._groups.values():
                group = groups.number[record]
                groups.left[group] += sign
                groups.weights[3][group] += sign * weight
        if before != self.full:
            del self._hidden[before][record]
            own = self.groups(before).number[record]
            for common, table in self._tables[before].items():
                table.remove(self._groups[common].number[record], own, record, self._share[record], weight)
            if not self._hidden[before]:
                del self._hidden[before], self._tables[before]
        self._share[record] = share
        if pattern != self.full:
            self._hidden.setdefault(pattern, {})[record] = None
            own = self.groups(pattern).number[record]
            for common, table in self._tables.setdefault(pattern, {}).items():
                table.add(self._groups[common].number[record], own, record, share, weight)

    # -- tables --------------------------------------------------------------------------------------------------------

    def _table(self, pattern: int, common: int) -> _Table:
        groups = self.groups(common)
        tables = self._tables[pattern]
        if common not in tables:
            table, own = _Table(), self.groups(pattern).number
            for record in self._hidden[pattern]:
                table.add(groups.number[record], own[record], record, self._share[record], self.weight[record])
            tables[common] = table
        return tables[common]

    def groups(self, pattern: int) -> _Groups:
        """Return the risky records sorted by their values of a set of attributes."""
        stored = self._groups.get(pattern)
        if stored is None:
            stored = self._groups[pattern] = self._sorted(pattern)
        return stored

    def _sorted(self, pattern: int) -> _Groups:
        import numpy as np

        numbers, length = self._numbers(pattern, self._risky.codes, [])
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(length + 1))
        first = order[starts[:-1]]
        here = self._risky.codes[first]
        counts, weights = np.zeros((3, length), dtype=np.int64), np.zeros((3, length))
        for other, rows in self._safe_patterns.items():
            kind = 0 if other == self.full else 1 if other == pattern else 2
            if kind and self._expected:
                continue  # what they would add is left to the exact count at the end
            common = pattern & other
            safe = self._safe.where(rows)
            joint, size = self._numbers(common, here, [safe.codes])
            mine, theirs = joint[: len(here)], joint[len(here) :]
            counts[kind] += np.bincount(theirs, weights=safe.counts, minlength=size)[mine].astype(np.int64)
            weights[kind] += np.bincount(theirs, weights=safe.weights, minlength=size)[mine]
        squares = self._squares(pattern, here) if self._expected else np.zeros(length, dtype=np.int64)
        complete = np.array([p == self.full for p in self.known], dtype=np.int64)
        left = np.bincount(numbers, weights=complete, minlength=length).astype(np.int64)
        left_weight = np.bincount(numbers, weights=complete * self._risky.weights, minlength=length)
        return _Groups(
            numbers.tolist(),
            order.tolist(),
            starts.tolist(),
            counts[0].tolist(),
            counts[1].tolist(),
            counts[2].tolist(),
            left.tolist(),
            (weights[0].tolist(), weights[1].tolist(), weights[2].tolist(), left_weight.tolist()),
            squares.tolist(),
        )

    def _squares(self, pattern: int, here: Array) -> Array:
        import numpy as np

        rows = self._safe_patterns.get(self.full, np.arange(0))
        combinations, counts = self._safe.codes[rows], self._safe.counts[rows]
        complete = self._risky.codes[np.array(self.first) == self.full]
        if len(complete):
            numbers, length = self._numbers(self.full, complete, [])
            alone = np.unique(numbers, return_index=True)[1]
            combinations = np.concatenate([combinations, complete[alone]])
            counts = np.concatenate([counts, np.bincount(numbers, minlength=length)])
        joint, size = self._numbers(pattern, here, [combinations])
        added = np.bincount(joint[len(here) :], weights=counts.astype(float) ** 2, minlength=size)
        sums: Array = added[joint[: len(here)]].astype(np.int64)
        return sums

    def _numbers(self, pattern: int, codes: Array, more: list[Array]) -> tuple[Array, int]:
        """Number the values of a set of attributes from 0; a record that lacks one of them has a number, no meaning."""
        import numpy as np

        every = np.concatenate([codes, *more]) if more else codes
        keys: Array = np.zeros(len(every), dtype=np.int64)
        bound = 1
        for place in range(self.attributes):
            if not pattern >> place & 1:
                continue
            size = int(every[:, place].max(initial=-1)) + 2
            if bound * size >= _MOST:
                keys, bound = renumbered(keys)
            keys = keys * size + every[:, place] + 1
            bound *= size
        return renumbered(keys)
