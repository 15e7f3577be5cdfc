"""Which sets of attributes may determine hidden cells: thousands of sets, looked at through a few records.

Of some hidden and some shown cells (*probes*) it is asked which other records are like them. For each attribute (the
*leader* of all sets in which it has the fewest records with the same value) up to 64 records are taken that have the
probe's value of it. Whether these have the probe's value of another attribute, too, is one bit each: a word of 64 bits
for each probe and attribute. The records that are like a probe in a whole set are then the intersection of such words,
and so thousands of sets cost no more than a few full scans.

A set is promising if, for some hidden probes, nearly all records that are like them in the set have their value of the
target, most records that are like them in the best smaller set do not, and hardly any probe is named wrongly. What is
promising is looked at in all records afterwards (`attribute_sets`), so that nothing is reported because of this sample;
what determines less than about a fiftieth of the hidden cells may be missed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.in_clusters import Codes, Mask
from tacita.attacks.microdata.lessons import Clue, Lesson

Words = NDArray[np.uint64]

_WORD = 64
_HIDDEN, _SHOWN = 96, 64
"""Hidden and shown cells that are probed."""
_FEW = 0.02
"""Share of the hidden probes that a set must name where the best smaller one does not."""
_NEARLY = 9
"""So many like records must have the probe's value for one that has another."""
_TRUST = 0.8
"""Share of correct names among the probes; less than what is asked of all records, since these are a sample."""
_ENOUGH = 4
"""Shown probes that must be named before wrong names count."""
_HASH_BITS = 6


@dataclass(frozen=True, slots=True)
class PromisingSet:
    """Places of clues that together may determine a target, and how many hidden probes they name anew."""

    places: tuple[int, ...]
    new: int


@dataclass(frozen=True, slots=True, eq=False)
class ClueIndex:
    """The records in the order of one clue: for each value where its records begin."""

    rows: Codes = field(repr=False)
    starts: Codes = field(repr=False)

    @classmethod
    def of(cls, groups: Codes, wanted: Codes | None = None) -> ClueIndex:
        """Return the index of the values of a clue, or of those of some records; equal ones in their order.

        >>> ClueIndex.of(np.array([2, 0, 2, 1]), np.array([0])).like(np.array([2]))[0][0, :2].tolist()
        [0, 2]
        """
        sizes = np.bincount(groups + 1, minlength=2)
        if wanted is not None:
            is_wanted = np.zeros(len(sizes), dtype=bool)
            is_wanted[groups[wanted] + 1] = True
            rows = np.flatnonzero(is_wanted[groups + 1])
            order = rows[np.argsort(groups[rows], kind="stable")]
            return cls(order, np.concatenate([[0], np.cumsum(np.where(is_wanted, sizes, 0))]))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        keys = (groups + 1).astype(np.uint16 if has_few_values(groups) else np.int64)
        return cls(np.argsort(keys, kind="stable"), starts)

    def sizes(self, values: Codes) -> Codes:
        """Return how many records have each value."""
        return self.starts[values + 2] - self.starts[values + 1]

    def is_whole(self, values: Codes) -> Mask:
        """Return whether `like` gives all records with a value."""
        return self.sizes(values) <= _WORD

    def like(self, values: Codes) -> tuple[Codes, Mask]:
        """Return up to 64 records with each value, spread evenly over those that have it, and which places are filled.

        >>> rows, there = ClueIndex.of(np.array([1, 0, 1])).like(np.array([1, 0]))
        >>> [row[place].tolist() for row, place in zip(rows, there)]
        [[0, 2], [1]]
        """
        sizes = self.sizes(values)[:, None]
        step = np.arange(_WORD)[None, :]
        places = np.where(sizes > _WORD, step * sizes // _WORD, step)
        there = (places < sizes) & (values[:, None] >= 0)
        return self.rows[np.where(there, self.starts[values + 1][:, None] + places, 0)], there


def has_few_values(groups: Codes) -> bool:
    """Return whether numpy sorts the values of a clue by their digits, so that one index for all probes is cheapest."""
    return int(groups.max(initial=-1)) + 1 <= np.iinfo(np.uint16).max


def promising_sets(
    clues: Sequence[Clue], index_of: Callable[[Clue, Codes], ClueIndex], lesson: Lesson, size: int
) -> list[PromisingSet]:
    """Return the sets of two to `size` clues that may determine hidden cells, the most promising first.

    `index_of` gives the index of a clue that has the values of some records at least.
    """
    probes = _probes(lesson)
    indices = [index_of(clue, probes.rows) for clue in clues]
    shares = [float(index.sizes(clue.groups[probes.rows]).mean()) for clue, index in zip(clues, indices, strict=True)]
    # The least selective first: when an attribute leads, all sets of those before it have been looked at.
    order = sorted(range(len(clues)), key=lambda place: (-shares[place], place))
    usual = lesson.usual(probes.rows) == lesson.target.truth[probes.rows]
    named = [np.zeros((_rank_limit(len(order), some), len(probes.rows)), dtype=bool) for some in range(size + 1)]
    named[0][:] = usual
    promising: list[PromisingSet] = []
    for at, leader in enumerate(order):
        words = _Words.of(clues, indices[leader], leader, order[:at], lesson, probes)
        for more in range(min(size, at + 1)):
            sets = np.array([(*others, at) for others in combinations(range(at), more)], dtype=np.int64)
            names = words.names(sets[:, :-1])
            named[more + 1][_ranks(sets)] = names.named
            if not more:
                continue
            new = (names.right & ~named[0])[:, probes.is_hidden].sum(axis=1)
            for left_out in range(more + 1):
                known = named[more][_ranks(np.delete(sets, left_out, axis=1))]
                new = np.minimum(new, (names.right & ~known)[:, probes.is_hidden].sum(axis=1))
            for place in np.flatnonzero(probes.passes(names, new)):
                members = tuple(sorted(order[member] for member in sets[place].tolist()))
                promising.append(PromisingSet(members, int(new[place])))
    return sorted(promising, key=lambda one: (-one.new, len(one.places), one.places))


def _ranks(sets: Codes) -> Codes:
    """Return a number for each row of ascending numbers, from 0 without gaps (the combinatorial number system).

    >>> _ranks(np.array([[0, 1], [0, 2], [1, 2], [0, 3]])).tolist()
    [0, 1, 2, 3]
    """
    ranks = np.zeros(len(sets), dtype=np.int64)
    for place in range(sets.shape[1]):
        term = np.ones(len(sets), dtype=np.int64)
        for step in range(place + 1):
            term = term * (sets[:, place] - step) // (step + 1)
        ranks += term
    return ranks


def _rank_limit(clues: int, size: int) -> int:
    return max(comb(clues, size), 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Names:
    """What some sets say of the probes: one row for each set."""

    named: Mask
    """At least half of the like records have the probe's value."""
    right: Mask
    wrong: Mask


@dataclass(frozen=True, slots=True, eq=False)
class _Probes:
    rows: Codes
    is_hidden: Mask

    def passes(self, names: _Names, new: Codes) -> Mask:
        """Return which sets name enough probes that the best smaller set does not tell, and few wrongly."""
        hidden, shown = self.is_hidden, ~self.is_hidden
        enough = new >= max(1, int(_FEW * hidden.sum()))
        for part in (hidden, shown):
            right, wrong = (mask[:, part].sum(axis=1) for mask in (names.right, names.wrong))
            few = (right + wrong < _ENOUGH) & (part is shown)
            enough &= few | (right >= _TRUST * (right + wrong))
        return np.asarray(enough)


def _probes(lesson: Lesson) -> _Probes:
    hidden = _spread(lesson.secret, _HIDDEN)
    shown = _spread(lesson.rows, _SHOWN)
    return _Probes(np.concatenate([hidden, shown]), np.arange(len(hidden) + len(shown)) < len(hidden))


def _spread(rows: Codes, most: int) -> Codes:
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """For each probe the like records of a leader as the bits of a word."""

    alike: Words
    """One row for each clue that may join the leader: which of the records have the probe's value of it."""
    same: Words
    """Records with the probe's value of the target."""
    other: Words
    marks: Words
    """Some bits of the value of the target, to see whether records agree on another one."""

    least: NDArray[np.int16]
    """How many like records must agree: one, or two where the records are a sample."""

    @classmethod
    def of(
        cls,
        clues: Sequence[Clue],
        index: ClueIndex,
        leader: int,
        others: Sequence[int],
        lesson: Lesson,
        probes: _Probes,
    ) -> _Words:
        """Return the words of a leader, and of the others that may join it."""
        values = clues[leader].groups[probes.rows]
        rows, there = index.like(values)
        probe = probes.rows[:, None]
        there &= lesson.training[rows] & (rows != probe)
        if lesson.target.classes is not None:
            there &= lesson.classes[rows] == lesson.classes[probe]
        if lesson.clusters is not None:
            there &= lesson.clusters[rows] != lesson.clusters[probe]
        truth = lesson.target.truth
        same = truth[rows] == truth[probe]
        alike = np.empty((len(others), len(probes.rows)), dtype=np.uint64)
        for at, place in enumerate(others):
            groups = clues[place].groups
            value = groups[probe]
            alike[at] = _packed((groups[rows] == value) & (value >= 0))
        mixed = truth[rows] * 0x9E3779B1 >> 7
        marks = np.stack([_packed(mixed >> bit & 1 != 0) for bit in range(_HASH_BITS)])
        least = np.where(index.is_whole(values), 1, 2).astype(np.int16)
        return cls(alike, _packed(there & same), _packed(there & ~same), marks, least)

    def names(self, partners: Codes) -> _Names:
        """Return what sets say of the probes: the leader with the clues of each row of `partners`."""
        like = np.full((len(partners), len(self.same)), ~np.uint64(0))
        for place in range(partners.shape[1]):
            like &= self.alike[partners[:, place]]
        same, other = like & self.same, like & self.other
        agree, differ = (np.bitwise_count(words).astype(np.int16) for words in (same, other))
        one_value = np.ones(like.shape, dtype=bool)
        for mark in self.marks:
            set_bits = other & mark
            one_value &= (set_bits == 0) | (set_bits == other)
        named = (agree >= self.least) & (agree >= differ)
        wrong = (agree == 0) & (differ >= self.least) & one_value
        return _Names(named, named & (agree >= _NEARLY * differ), wrong)


def _packed(bits: Mask) -> Words:
    """Return rows of 64 marks as words."""
    return np.packbits(bits, axis=-1, bitorder="little").view(np.uint64).reshape(bits.shape[:-1])


def number_of_sets(clues: int, size: int) -> int:
    """Return how many sets of two to `size` clues there are.

    >>> number_of_sets(4, 3)
    10
    """
    return sum(comb(clues, some) for some in range(2, size + 1))


def largest_size(clues: int, most_sets: Mapping[int, int]) -> int:
    """Return the largest size up to which there are not too many sets; 1 if there is none.

    >>> limits = {2: 10_000, 3: 10_000, 4: 1_500}
    >>> largest_size(14, limits), largest_size(30, limits), largest_size(300, limits)
    (4, 3, 1)
    """
    return max((size for size, most in most_sets.items() if number_of_sets(clues, size) <= most), default=1)
