"""All minimal exact dependencies: guess from pairs of records, verify, learn from what fails.

1. Records that are neighbours in sorted orders agree on sets of attributes. X -> A is violated by two records if X lies
   in their agree set and A does not.
2. The left-hand sides that no pair so far violates are the minimal hitting sets of the complements.
3. Each is verified on all records by a stripped partition. One that fails gives two records that violate it, and so an
   agree set for step 2. When all are verified, the result is exact: the pairs of step 1 only save time.

The steps are those of hybrid discovery (T. Papenbrock and F. Naumann, "A hybrid approach to functional dependency
discovery", SIGMOD 2016) with hitting sets in the place of its tree of candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.discovery.levels import Verdicts, level_wise
from tacita.dependencies.discovery.masks import Masks, Pairs, Places, moved, sizes_of
from tacita.dependencies.discovery.search import SLICE, Effort, Minimal

if TYPE_CHECKING:
    from tacita.dependencies.discovery.comparing import Codes, Numbers

_REACH = 3
"""How far apart records are that are compared in each sorted order."""
_FIRST_ROOM = 1 << 14
_MOST_SETS = 10_000
"""Agree sets to learn from at a time, the largest: what the others say is found when left-hand sides are verified."""
_MOST_KEPT = 1 << 20
"""Agree sets that are kept at a time: when there are more, the largest of them stay."""
_MOST_COMPARED = 20_000_000
"""Values that are compared for each sorted order: of more records, some are taken."""


def exact_dependencies(codes: Codes, counts: Numbers, largest: int | None, effort: Effort) -> Minimal:
    """Return the minimal dependencies that hold for all records, with at most `largest` attributes on the left.

    If there are more candidates than the effort allows, or verifying them is too much work, the bound is lowered.
    """
    attributes, _ = codes.shape
    order = np.argsort(-counts, kind="stable")  # attributes with many values first: partitions get small at once
    ordered, ordered_counts = np.ascontiguousarray(codes[order]), counts[order]
    guess = HittingSets(attributes, attributes if largest is None else largest, effort)
    guess.learn(_largest_first(_agree_sets(ordered, ordered_counts, effort))[:_MOST_SETS])
    while len((todo := guess.unproven()).lefts):
        holds, agrees, reached = _verified(ordered, ordered_counts, todo, effort)
        if not reached.all():
            guess.lower()
        guess.prove(todo, holds)
        guess.learn(_largest_first(np.unique(agrees))[:_MOST_SETS])
    lefts, rights = guess.all()
    return Minimal(moved(lefts, order), order[rights], guess.bound)


def small_dependencies(codes: Codes, counts: Numbers, largest: int, effort: Effort) -> Minimal:
    """Return the same for small left-hand sides, of which it is cheaper to verify all than to guess some."""
    order = np.argsort(-counts, kind="stable")
    ordered, ordered_counts = np.ascontiguousarray(codes[order]), counts[order]

    def judge(lefts: Masks, rights: Places) -> Verdicts | None:
        pairs = Pairs.of(lefts, rights)
        verified, _, reached = _verified(ordered, ordered_counts, pairs, effort)
        if not reached.all():
            return None
        holds = pairs.put_back(verified)
        none = np.zeros(len(holds), np.int64)
        return Verdicts(none, none, holds, np.zeros(len(holds), np.bool_))

    minimal = level_wise(len(counts), judge, largest, effort)
    return Minimal(moved(minimal.lefts, order), order[minimal.rights], minimal.bound)


def hitting_dependencies(agree_sets: Masks, attributes: int, largest: int | None, effort: Effort) -> Minimal:
    """Return the minimal dependencies that pairs with these agree sets do not violate, if these are all pairs."""
    guess = HittingSets(attributes, attributes if largest is None else largest, effort)
    largest_first = _largest_first(np.unique(agree_sets))
    for begin in range(0, len(largest_first), _MOST_SETS):
        guess.learn(largest_first[begin : begin + _MOST_SETS])
    lefts, rights = guess.all()
    return Minimal(lefts, rights, guess.bound)


class HittingSets:
    """The left-hand sides that no pair of records seen so far violates, by right-hand side. It changes as it learns."""

    def __init__(self, attributes: int, largest: int, effort: Effort) -> None:
        self._attributes = attributes
        self._universe = np.uint64((1 << attributes) - 1)
        self._largest = min(largest, attributes)
        self._effort = effort
        self._has_left_out = False
        self._lefts = [np.zeros(1, np.uint64) for _ in range(attributes)]
        self._proven = [np.zeros(1, np.bool_) for _ in range(attributes)]

    @property
    def bound(self) -> int | None:
        """The most attributes of a left-hand side that was looked for; None if no larger one was left out."""
        return self._largest if self._has_left_out else None

    def all(self) -> tuple[Masks, NDArray[np.int64]]:
        """Return all left-hand sides with their right-hand sides."""
        rights = [np.full(len(lefts), place) for place, lefts in enumerate(self._lefts)]
        return np.concatenate([np.empty(0, np.uint64), *self._lefts]), np.concatenate([np.empty(0, np.int64), *rights])

    def unproven(self) -> Pairs:
        """Return those that have not been verified."""
        lefts, rights = self.all()
        is_open = ~np.concatenate([np.empty(0, np.bool_), *self._proven])
        return Pairs.of(lefts[is_open], rights[is_open])

    def prove(self, pairs: Pairs, holds: NDArray[np.bool_]) -> None:
        """Note which of the unproven ones were verified."""
        verified = pairs.lefts[pairs.left_of][holds]
        rights = pairs.rights[holds]
        for right, lefts in enumerate(self._lefts):
            self._proven[right] |= np.isin(lefts, verified[rights == right])

    def lower(self) -> None:
        """Leave out the largest left-hand sides; the work that may be done begins anew."""
        self._effort.spent = 0
        now = max(int(sizes_of(lefts).max(initial=0)) for lefts in self._lefts)
        self._largest, self._has_left_out = max(0, min(self._largest, now) - 1), True
        for right in range(self._attributes):
            stays = sizes_of(self._lefts[right]) <= self._largest
            self._lefts[right], self._proven[right] = self._lefts[right][stays], self._proven[right][stays]

    def learn(self, largest_first: Masks) -> None:
        """Replace left-hand sides that pairs of records with these agree sets violate; larger sets come first."""
        from tacita.dependencies.discovery.kernels.hitting import maximal

        for right in range(self._attributes):
            inside = maximal(largest_first, right)
            self._hit(right, self._universe & ~inside & ~(np.uint64(1) << np.uint64(right)))
            while (self._effort.is_spent or self._number() > self._effort.candidates) and self._largest > 0:
                self.lower()
            self._effort.report(right + 1, self._attributes)

    def _hit(self, right: int, sets: Masks) -> None:
        """Let the left-hand sides of one attribute hit sets; lower the bound if there are too many."""
        from tacita.dependencies.discovery.kernels.hitting import hit

        state = np.zeros(3, np.int64)
        lefts, proven, size = self._room(right, 0)
        begin = 0
        while begin < len(sets):
            size, begin = hit(lefts, proven, size, sets, begin, self._largest, SLICE, state)
            self._has_left_out |= bool(state[1])
            self._effort.spent += int(state[2])
            if state[0] or self._effort.is_spent:
                self._lefts[right], self._proven[right] = lefts[:size].copy(), proven[:size].copy()
                more = len(lefts) - size if state[0] else 0
                if self._largest and (self._effort.is_spent or self._number() + more > self._effort.candidates):
                    self.lower()
                state[0] = 0
                lefts, proven, size = self._room(right, 2 * len(lefts))
        self._lefts[right], self._proven[right] = lefts[:size].copy(), proven[:size].copy()

    def _number(self) -> int:
        return sum(map(len, self._lefts))

    def _room(self, right: int, least: int) -> tuple[Masks, NDArray[np.bool_], int]:
        """Return the left-hand sides of one attribute with room for more behind them."""
        size = len(self._lefts[right])
        room = min(max(_FIRST_ROOM, 2 * size, least), max(self._effort.candidates, size) + 1)
        lefts, proven = np.zeros(room, np.uint64), np.zeros(room, np.bool_)
        lefts[:size], proven[:size] = self._lefts[right], self._proven[right]
        return lefts, proven, size


def _largest_first(agree_sets: Masks) -> Masks:
    return agree_sets[np.argsort(-sizes_of(agree_sets), kind="stable")]


def _agree_sets(codes: Codes, counts: Numbers, effort: Effort) -> Masks:
    """Return agree sets of records that are near each other when sorted by each attribute and two more.

    They only save time, so that what work and memory leave out changes no result.
    """
    from tacita.dependencies.discovery.kernels.agreement import enter_all, gather

    attributes, records = codes.shape
    codes = codes[:, :: max(1, records * attributes * _REACH // _MOST_COMPARED)]
    records = codes.shape[1]
    by_record = np.ascontiguousarray(codes.T)
    table, is_used, used = np.zeros(_FIRST_ROOM, np.uint64), np.zeros(_FIRST_ROOM, np.bool_), np.zeros(1, np.int64)
    for attribute in range(attributes):
        keys = np.zeros(records, np.int64)
        for step in range(min(3, attributes)):
            line = (attribute + step) % attributes
            keys = keys * int(counts[line]) + codes[line]
            if step == 1:  # so that the third one fits, too
                keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        order, begin = np.argsort(keys, kind="stable").astype(np.int32), 0
        while begin < records - 1:
            begin = gather(by_record, order, _REACH, begin, SLICE, table, is_used, used)
            if used[0] >= len(table) // 4:
                masks, size = table[is_used], 4 * len(table)
                if size > 8 * _MOST_KEPT:
                    masks, size = _largest_first(masks)[: _MOST_KEPT // 4], len(table)
                table, is_used, used = np.zeros(size, np.uint64), np.zeros(size, np.bool_), np.zeros(1, np.int64)
                enter_all(masks, table, is_used, used)
        effort.report(attribute + 1, attributes)
    return np.sort(table[is_used])


def _verified(
    codes: Codes, counts: Numbers, pairs: Pairs, effort: Effort
) -> tuple[NDArray[np.bool_], Masks, NDArray[np.bool_]]:
    """Verify pairs on all records; return which hold, agree sets of records that violate the others, and which of all
    were reached before the work was spent."""
    from tacita.dependencies.discovery.kernels.partitions import bench, verify

    tools = bench(codes.shape[1], pairs.largest, int(counts.max(initial=0)))
    holds, agrees = np.zeros(len(pairs.rights), np.bool_), np.zeros(len(pairs.rights), np.uint64)
    begin = 0
    while begin < len(pairs.lefts) and not effort.is_spent:
        begin, done = verify(codes, pairs.lefts, pairs.begins, pairs.rights, begin, SLICE, tools, holds, agrees)
        effort.spent += done
        effort.report(begin, len(pairs.lefts))
    reached = np.arange(len(pairs.rights)) < pairs.begins[begin]
    return holds, agrees[reached & ~holds], reached
