"""Donors for a synthetic record that are not the record which it happens to become: replicas as rare as of a hold-out.

Drawing from leaves repeats people. A tree that was grown on somebody's record puts it into a leaf with what is most
like it, and once a synthetic record has the same values so far, the own value of that person is one of few in the leaf.
So the chain of draws ends at a unique original several times as often as at somebody who was not in the data.

To reject such records afterwards would tell by their absence who was in the data: somebody whose combination is likely
and missing. What is done instead does not look at the finished record:

1. *Halves.* The records are divided at random. A tree is grown on one half, and the other half lends the values; half
   of the synthetic records take it the one way, half the other. No leaf is cut around the values that it lends
   ("honest" trees: S. Athey and G. Imbens, PNAS 113, 2016). In a partially synthetic file a record takes from the half
   in which it is not.
2. *Back-off.* Where a synthetic record agrees with donors in all values so far, up to `least` - 1 donors of each
   combination with the next value are set aside for it: what fewer than `least` people have is not lent by themselves.
   If one of these is drawn, another of those that are set aside *elsewhere* takes its place, from a wider and wider
   branch of the tree. That is absolute discounting with the back-off of R. Kneser and H. Ney (ICASSP 1995): since the
   substitutes are drawn from what was taken away, every value keeps about the share that it has.

A combination of few can so only come from donors who do not have it, as it would for somebody who was not in the data;
whether it comes up tells little about who was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tacita.masking.synthetic.donors import Array, Whole, fitted
from tacita.masking.synthetic.predictors import Predictor
from tacita.model.records import Numbers, Values

_WIDER = (10, 100)
"""Branches of so many times the least number of donors, before the whole half."""
_TRIES = 3

Truth = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """Which half each record is in, from which half synthetic ones take, and which combinations they have so far."""

    half: Whole
    """0 or 1 for each original."""
    lender: tuple[Whole, ...]
    """For every synthetic file the half that lends to each record."""
    original: Whole
    """A number for each combination of half and values so far."""
    synthetic: tuple[Whole, ...]
    """The same of synthetic records and the half that lends to them; -1 where no original there is like that."""

    @classmethod
    def of(
        cls, originals: int, counts: Sequence[int], least: int, random: np.random.Generator, *, in_place: bool
    ) -> Self:
        """Return random halves, or one whole if records are few.

        Records that are replaced in their places take from the half without them.
        """
        if originals < 4 * least:
            half = np.zeros(originals, dtype=np.int64)
            lender = tuple(np.zeros(count, dtype=np.int64) for count in counts)
            return cls(half, lender, half, lender)
        half = random.permutation(originals) % 2
        lender = tuple(1 - half if in_place else random.permutation(count) % 2 for count in counts)
        return cls(half, lender, half, lender)

    def with_column(self, column: Values, files: Sequence[Values]) -> Self:
        """Return the combinations with one more attribute."""
        own, others, size = _coded(column, files)
        keys, place = np.unique(self.original * size + own, return_inverse=True)
        donors = []
        for before, codes in zip(self.synthetic, others, strict=True):
            wanted = before * size + codes
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            donors.append(np.where((before >= 0) & (codes >= 0) & (keys[at] == wanted), at, -1))
        return replace(self, original=place.ravel().astype(np.int64), synthetic=tuple(donors))

    def set_aside(self, column: Values, least: int) -> Truth:
        """Return up to `least` - 1 originals of each combination with one more attribute.

        >>> apart = Apart(np.zeros(4, int), (), np.array([0, 0, 0, 1]), ())
        >>> apart.set_aside(Numbers.of([5, 5, 7, 5]), 2).tolist()
        [True, False, True, True]
        """
        own, _, size = _coded(column, ())
        keys = self.original * size + own
        order = np.argsort(keys, kind="stable")
        ranked = keys[order]
        first = np.searchsorted(ranked, ranked, side="left")
        is_alone = np.zeros(len(keys), dtype=bool)
        is_alone[order] = np.arange(len(keys)) - first < least - 1
        return is_alone

    def lent(
        self,
        target: Array | Whole,
        predictors: Sequence[Predictor],
        rows: Whole,
        aside: Truth,
        wanted: Sequence[Whole],
        least: int,
        random: np.random.Generator,
        *,
        bootstrap: bool,
    ) -> list[tuple[Whole, Whole]]:
        """Return for each file the donors of its wanted records, as places of the target, and the leaves of all donors.

        `rows` are the originals that have a target, and `aside` those of them that do not lend to whom they are like.
        """
        leaves = np.zeros(len(rows), dtype=np.int64)
        lenders_of = [np.zeros(len(at), dtype=np.int64) for at in wanted]
        for side in (0, 1):
            lenders, others = (np.flatnonzero(self.half[rows] == half) for half in (side, 1 - side))
            if min(len(lenders), len(others)) < least:
                lenders = others = np.arange(len(rows))
            branch = _Branch.of(target, predictors, rows, others, lenders, least, random)
            leaves[lenders] = branch.leaf + (int(leaves.max(initial=0)) + 1 if side else 0)
            for file, at in enumerate(wanted):
                ours = np.flatnonzero(self.lender[file][at] == side)
                same = self.synthetic[file][at[ours]], self.original[rows]
                lenders_of[file][ours] = branch.drawn(file, at[ours], aside, same, random, bootstrap=bootstrap)
        return [(donors, leaves) for donors in lenders_of]


@dataclass(frozen=True, slots=True, eq=False)
class _Branch:
    """Lenders in the order of the leaves of a tree, and the stretches from which records may take."""

    order: Whole
    """The lenders, as places of the target."""
    leaf: Whole
    """The leaf of each lender, before it is ordered."""
    stretches: tuple[tuple[tuple[Whole, Whole], ...], ...]
    """For each width and file the first and the last lender, by places in `order`, of each record."""

    @classmethod
    def of(
        cls,
        target: Array | Whole,
        predictors: Sequence[Predictor],
        rows: Whole,
        others: Whole,
        lenders: Whole,
        least: int,
        random: np.random.Generator,
    ) -> Self:
        """Return the lenders in a tree that is grown on others."""
        widths = (least, *(wide * least for wide in _WIDER), len(lenders))
        tree = fitted(target, predictors, rows, others, least, random)
        nodes = np.zeros(len(lenders), dtype=np.int64) if tree is None else tree.leaves(lenders)
        order = np.argsort(nodes, kind="stable")
        ranked = nodes[order]
        parents = np.full(1, -1) if tree is None else tree.parents
        last = np.arange(len(parents))  # the nodes below one follow it: its branch ends with the last of these
        for node in range(len(parents) - 1, 0, -1):
            last[parents[node]] = max(last[parents[node]], last[node])
        start, end = np.searchsorted(ranked, np.arange(len(parents))), np.searchsorted(ranked, last, side="right")
        ways = []
        at = np.arange(len(parents))
        for width in widths:
            while (narrow := (end[at] - start[at] < width) & (parents[at] >= 0)).any():
                at = np.where(narrow, parents[at], at)
            ways.append(at)
        files = [np.zeros(len(file), dtype=np.int64) for file in predictors[0].synthetic] if predictors else []
        reached = files if tree is None else tree.synthetic
        stretches = tuple(tuple((start[way[node]], end[way[node]]) for node in reached) for way in ways)
        return cls(lenders[order], ways[0][nodes], stretches)

    def drawn(
        self,
        file: int,
        at: Whole,
        aside: Truth,
        same: tuple[Whole, Whole],
        random: np.random.Generator,
        *,
        bootstrap: bool,
    ) -> Whole:
        """Return a lender for each of some records; `same` has the combinations of these records and of all lenders."""

        def is_own(which: Whole) -> Truth:
            taken = donors[which]
            alike: Truth = aside[taken] & (same[1][taken] == same[0][which])
            return alike

        everybody = random.standard_exponential(len(self.order)) if bootstrap else np.ones(len(self.order))
        donors, _ = self._from(file, at, 0, everybody, random)
        left = np.flatnonzero(is_own(np.arange(len(at))))
        wider = [width for width in range(1, len(self.stretches)) for _ in range(_TRIES)]
        # at last anybody who was not set aside; if there is nobody, the file is too small to say anything else
        for width, chances in [*((wide, aside[self.order]) for wide in wider), (wider[-1], ~aside[self.order])]:
            if not len(left):
                break
            again, there = self._from(file, at[left], width, chances.astype(np.float64), random)
            donors[left[there]] = again[there]
            left = left[is_own(left)]
        return donors

    def _from(
        self, file: int, at: Whole, width: int, chances: Array, random: np.random.Generator
    ) -> tuple[Whole, Truth]:
        """Return lenders drawn by their chances from the stretches of a width, and where there was one."""
        if self.stretches[width]:
            start, end = (bound[at] for bound in self.stretches[width][file])
        else:  # there is nothing to split by: anybody lends
            start, end = np.zeros(len(at), dtype=np.int64), np.full(len(at), len(self.order))
        ends = np.concatenate([[0.0], np.cumsum(chances)])
        low, high = ends[start], ends[end]
        place = np.searchsorted(ends, low + random.random(len(at)) * (high - low), side="right") - 1
        return self.order[np.clip(place, start, end - 1)], high > low


def _coded(column: Values, files: Sequence[Values]) -> tuple[Whole, list[Whole], int]:
    """Return the values of a column and of its synthetic versions as codes, -1 for those that the column lacks."""
    if not isinstance(column, Numbers):
        coded = [file.codes.astype(np.int64) + 1 for file in files if not isinstance(file, Numbers)]
        return column.codes.astype(np.int64) + 1, coded, len(column.values) + 1
    known = np.unique(column.values[~column.missing])

    def codes(values: Array) -> Whole:
        place = np.searchsorted(known, values)
        is_known = known[np.minimum(place, len(known) - 1)] == values if len(known) else np.zeros(len(values), bool)
        codes_: Whole = np.where(np.isnan(values), len(known), np.where(is_known, place, -1))
        return codes_

    coded = [codes(file.values) for file in files if isinstance(file, Numbers)]
    return codes(column.values), coded, len(known) + 1
