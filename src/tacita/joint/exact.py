"""What follows from published sums without doubt: by additions and subtractions alone, whatever the data are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from tacita.arithmetic.modular.kernel_vector import KernelVector, SparseRows, kernel_vector
from tacita.joint.evidence import Ints, Mask
from tacita.joint.system import SumSystem

_MOST_IN_TRIPLES = 2_000
"""Small groups of which unions of three and four are looked at."""


def exact_knowledge(system: SumSystem, heard: Mask) -> KernelVector:
    """Return what follows from the published sums among some rows."""
    rows = system.rows.taken(np.flatnonzero(system.exact & heard))
    return kernel_vector(rows.taken(np.flatnonzero(~implied(rows))))


def implied(rows: SparseRows) -> Mask:
    """Return which sums are made of smaller ones that do not overlap: they add nothing to what follows.

    The total of a table whose inner cells are all published is one, and so is a cell that is published twice.

    >>> implied(SparseRows.of([[0, 1, 2], [0], [1, 2], [1, 2]], 3)).tolist()
    [True, False, False, True]
    """
    sizes = np.diff(rows.starts)
    row = np.repeat(np.arange(len(rows)), sizes)
    order = np.lexsort((row, sizes[row], rows.columns))
    columns = rows.columns[order]
    first = np.ones(len(columns), np.bool_)
    first[1:] = columns[1:] != columns[:-1]
    home = np.full(rows.width, -1, np.int64)
    home[columns[first]] = row[order][first]
    of = home[rows.columns]
    pairs, many = np.unique(row * max(len(rows), 1) + of, return_counts=True)
    whole, part = pairs // max(len(rows), 1), pairs % max(len(rows), 1)
    is_implied = np.ones(len(rows), np.bool_)
    is_implied[whole[(many != sizes[part]) | (whole == part)]] = False
    return is_implied


def few_persons(system: SumSystem, knowledge: KernelVector, least: int) -> Iterator[Ints]:
    """Yield unions of groups with fewer persons than `least` whose sum follows.

    Complete for unions of one and two groups, and for three and four where there are not too many small groups.
    """
    small = np.flatnonzero((system.persons > 0) & (system.persons < least))
    for union in _unions(knowledge.vector[small], system.persons[small], least, knowledge.prime):
        yield small[union]


def unions_are_complete(system: SumSystem, least: int) -> bool:
    """Return whether all unions of fewer persons were looked at."""
    small = int(((system.persons > 0) & (system.persons < least)).sum())
    return least <= 3 or (least <= 5 and small <= _MOST_IN_TRIPLES)


def _unions(entries: Ints, persons: Ints, least: int, prime: int) -> Iterator[Ints]:
    """Yield smallest sets of places whose entries add up to 0 modulo a prime, with fewer persons than `least`."""
    zero = entries == 0
    yield from (np.array([place]) for place in np.flatnonzero(zero))
    left = np.flatnonzero(~zero)
    if least < 3 or not len(left):
        return
    seen: set[tuple[int, ...]] = set()
    for union in _pairs(entries, left, prime):
        if persons[union].sum() < least:
            seen.add(tuple(union.tolist()))
            yield union
    if least < 4 or len(left) > _MOST_IN_TRIPLES:
        return
    yield from _larger(entries, persons, left, (least, prime), seen)


def _pairs(entries: Ints, left: Ints, prime: int) -> Iterator[Ints]:
    """Yield pairs of places whose entries add up to zero."""
    order = left[np.argsort(entries[left], kind="stable")]
    values = entries[order]
    opposite = prime - values
    first, last = np.searchsorted(values, opposite, "left"), np.searchsorted(values, opposite, "right")
    for at in np.flatnonzero(last > first):
        for other in range(int(first[at]), int(last[at])):
            if order[at] < order[other]:
                yield np.sort(np.array([order[at], order[other]]))


def _larger(
    entries: Ints, persons: Ints, left: Ints, limits: tuple[int, int], seen: set[tuple[int, ...]]
) -> Iterator[Ints]:
    """Yield unions of three and four places that hold no smaller one."""
    least, prime = limits
    one, two = np.triu_indices(len(left), 1)
    few = persons[left[one]] + persons[left[two]] < least
    one, two = left[one[few]], left[two[few]]
    sums = (entries[one] + entries[two]) % prime
    order = np.argsort(sums, kind="stable")
    one, two, sums = one[order], two[order], sums[order]
    singles = np.searchsorted(sums, (prime - entries[left]) % prime, "left")
    ends = np.searchsorted(sums, (prime - entries[left]) % prime, "right")
    opposite = (prime - sums) % prime
    first, last = np.searchsorted(sums, opposite, "left"), np.searchsorted(sums, opposite, "right")
    found_in = [
        *((left[at], one[k], two[k]) for at in np.flatnonzero(ends > singles) for k in range(singles[at], ends[at])),
        *(
            (one[at], two[at], one[k], two[k])
            for at in np.flatnonzero((last > first) & (sums > 0))
            for k in range(first[at], last[at])
            if least > 4
        ),
    ]
    for places in sorted({tuple(sorted({int(place) for place in union})) for union in found_in}, key=len):
        union = np.array(places)
        is_zero = int(sum(entries[union].tolist())) % prime == 0
        inside = any(part in seen for size in range(2, len(places)) for part in combinations(places, size))
        if is_zero and len(places) > 2 and persons[union].sum() < least and not inside:
            seen.add(places)
            yield union
