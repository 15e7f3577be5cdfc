"""Exceptions: left-hand sides that are known to determine nothing, though the file seems to say that they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement

import numpy as np

from tacita.attacks.dependencies.candidates import Candidates
from tacita.attacks.dependencies.concealed_file import ConcealedFile, KnownDependency
from tacita.attacks.dependencies.journal import Ints
from tacita.attacks.dependencies.knowledge import IntruderKnowledge
from tacita.errors import counted

_MOST_ATTRIBUTES = 60
_MOST_PAIRS = 400
"""How many pairs of combinations of hidden attributes of a left-hand side are compared."""
_EVERYBODY, _AT_MOST = 3, 2
_FIRST = 4_000
"""Records that are looked at first."""


class Exceptions:
    """Looks for the records that must be the exceptions of what does not hold."""

    def __init__(self, knowledge: IntruderKnowledge, most: int) -> None:
        self._knowledge = knowledge
        self._first = len(knowledge.file.dependencies)
        self.rules, self._cut = non_dependencies(knowledge.file, most)
        self._waiting = dict(enumerate(self.rules))
        self._stamps: dict[int, int] = {}
        self._with_many_patterns: set[int] = set()
        self._impossible = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        notes = [
            f"Too many sets of attributes that do not determine '{name}': some were left out." for name in self._cut
        ]
        if self._with_many_patterns:
            sets = counted(len(self._with_many_patterns), "left-hand side")
            notes.append(f"Too many combinations of hidden attributes to look for exceptions to {sets}.")
        if self._impossible:
            notes.append(f"{counted(self._impossible, 'dependency')} said not to hold can only hold.")
        return tuple(notes)

    def apply(self, candidates: Candidates) -> None:
        """Conclude what follows for records that are the only possible exceptions."""
        for number, rule in list(self._waiting.items()):
            stamp = int(self._knowledge.versions[self._knowledge.places(rule.attributes)].sum())
            if self._stamps.get(number) == stamp:
                continue
            self._stamps[number] = stamp
            left, right = self._knowledge.places(rule.left), self._knowledge.place[rule.right]
            if self._is_seen(left, right):
                del self._waiting[number]
                continue
            for row in self._suspects(number, left, right):
                self._conclude(self._first + number, row, left, right, candidates)

    def _is_seen(self, left: Sequence[int], right: int) -> bool:
        """Return whether two records are seen to be an exception: then nothing follows for others."""
        from tacita.attacks.dependencies.kernels import has_visible_exception

        keys, known = self._knowledge.keys(left)
        codes = self._knowledge.codes[right]
        return bool(has_visible_exception(keys, np.flatnonzero(known & (codes >= 0)), codes))

    def _suspects(self, number: int, left: Sequence[int], right: int) -> list[int]:
        """Return the records that are part of every pair of records which may be the exception.

        Nearly always the first records have so many pairs that no record is part of all.
        """
        records = self._knowledge.records
        if records > _FIRST and self._narrowed(number, left, right, np.arange(_FIRST))[0] == 0:
            return []
        suspects = self._narrowed(number, left, right, np.arange(records))
        if suspects[0] > _AT_MOST:
            self._impossible += 1
            del self._waiting[number]
            return []
        return [int(row) for row in suspects[1 : 1 + suspects[0]]]

    def _narrowed(self, number: int, left: Sequence[int], right: int, records: Ints) -> tuple[int, int, int]:
        """Return how many of some records are part of every pair that may be the exception (0 to 2; 3 if there is no
        pair), and which."""
        from tacita.attacks.dependencies.kernels import narrow_suspects

        knowledge = self._knowledge
        bits = np.zeros(len(records), dtype=np.int64)
        for at, place in enumerate(left[:_MOST_ATTRIBUTES]):
            bits |= (knowledge.codes[place, records] < 0).astype(np.int64) << at
        patterns, pattern, counts = np.unique(bits, return_inverse=True, return_counts=True)
        pairs = combinations_with_replacement(np.argsort(-counts, kind="stable"), 2)  # the largest decide soonest
        codes = knowledge.codes[right, records].astype(np.int64)
        classes = np.where(codes >= 0, codes, -2 - records)
        suspects = (_EVERYBODY, -1, -1)
        for place, (one, two) in enumerate(pairs):
            if place == _MOST_PAIRS or len(left) > _MOST_ATTRIBUTES:
                self._with_many_patterns.add(number)
                return 0, -1, -1
            hidden = int(patterns[one] | patterns[two])
            shown = [other for at, other in enumerate(left) if not hidden >> at & 1]
            chosen = np.flatnonzero((pattern == one) | (pattern == two))
            keys = knowledge.keys(shown, rows=records[chosen])[0]
            order = np.argsort(keys, kind="stable")
            chosen, keys = chosen[order], keys[order]
            starts = np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1, [len(chosen)]])
            sides = np.where(pattern[chosen] == one, 1, 0) | np.where(pattern[chosen] == two, 2, 0)
            suspects = narrow_suspects(starts, records[chosen], sides.astype(np.uint8), classes[chosen], suspects)
            if suspects[0] == 0:
                break
        return suspects

    def _conclude(self, rule: int, row: int, left: Sequence[int], right: int, candidates: Candidates) -> None:
        """Conclude what it means for a record that it is the exception."""
        codes = self._knowledge.codes
        partners = np.ones(self._knowledge.records, dtype=bool)
        partners[row] = False
        for place in left:
            if codes[place, row] >= 0:
                partners &= (codes[place] == codes[place, row]) | (codes[place] < 0)
        if codes[right, row] >= 0:
            partners &= codes[right] != codes[right, row]
        rows: Ints = np.flatnonzero(partners)
        if not len(rows):
            return
        values = codes[right, rows]
        if codes[right, row] < 0 and values[0] >= 0 and (values == values[0]).all():
            candidates.exclude(right, np.array([row]), values[:1], rule, rows[:1])
        for place in left:
            if codes[place, row] < 0 and (codes[place, rows] >= 0).all():
                candidates.restrict(place, row, codes[place, rows], rule, rows)


def non_dependencies(file: ConcealedFile, most: int) -> tuple[tuple[KnownDependency, ...], tuple[str, ...]]:
    """Return what is known not to hold, only the largest left-hand sides, and the attributes with too many of them.

    If the list has all minimal dependencies, these are the complements of the minimal sets that meet each left-hand
    side of the attribute. Otherwise they are the left-hand sides of minimal dependencies without one attribute.

    >>> from tacita.model.records import Categories, Records
    >>> truth = Records({name: Categories.of([1, 2]) for name in "ABCD"})
    >>> file = ConcealedFile(truth, {}, {}, (KnownDependency(("A", "B"), "D"),))
    >>> [rule.left for rule in non_dependencies(file, 10)[0]]
    [('A',), ('B',)]
    """
    names = file.truth.names
    bit = {name: 1 << place for place, name in enumerate(names)}
    everything = (1 << len(names)) - 1
    rules: list[KnownDependency] = []
    cut: list[str] = []
    for right in names:
        own = [rule for rule in file.dependencies if rule.right == right and rule.is_exact and rule.condition is None]
        lefts = [sum(bit[name] for name in rule.left) for rule in own]
        sets = None
        if file.lists_all:
            hitting = _minimal_hitting_sets(lefts, most)
            sets = None if hitting is None else [everything & ~bit[right] & ~one for one in hitting]
        if sets is None:
            minimal = [left for rule, left in zip(own, lefts, strict=True) if rule.is_minimal]
            smaller = {left & ~bit[name] for left in minimal for name in names if left & bit[name]}
            sets = [one for one in smaller if not any(left & one == left for left in lefts)]
            if file.lists_all:
                cut.append(right)
        sets = _maximal(sets)
        if len(sets) > most:
            cut.append(right)
        members = [tuple(name for name in names if one & bit[name]) for one in sets[:most]]
        rules += [KnownDependency(left, right) for left in members]
    return tuple(rules), tuple(dict.fromkeys(cut))


def _minimal_hitting_sets(sets: Iterable[int], most: int) -> list[int] | None:
    """Return the minimal sets that meet each of some sets (C. Berge, Hypergraphs, 1989); None if there are too many."""
    hitting = [0]
    for one in sets:
        members = [1 << at for at in range(one.bit_length()) if one >> at & 1]
        kept = [other for other in hitting if other & one]
        grown = {other | member for other in hitting if not other & one for member in members}
        kept += [other for other in sorted(grown) if not any(smaller & other == smaller for smaller in kept)]
        if len(kept) > most:
            return None
        hitting = kept
    return hitting


def _maximal(sets: Iterable[int]) -> list[int]:
    """Return the sets that are not part of another one, large ones first."""
    kept: list[int] = []
    for one in sorted(set(sets), key=lambda bits: (-bits.bit_count(), bits)):
        if not any(one & other == one for other in kept):
            kept.append(one)
    return kept
