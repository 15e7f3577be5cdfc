"""Unions of a few small classes whose sum is known, though that of none of them is.

Whether any union is known is as hard as to tell whether a code has a short word, so this is complete only as far as it
says: for all unions of fewer contributors than the minimum, as long as there are not more than some 300,000 of them;
beyond that for unions of two classes, and of three where there are at most 2,000 small classes. Where one person may
have records in many classes, unions of few people may be of any number of classes: those of one person come first,
then those of two, and so on, up to a number of steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
_MOST_STEPS = 300_000
_MOST_IN_TRIPLES = 2_000
_MOST_UNIONS = 1_000
_MOST_EXTENSIONS = 20_000


def known_unions(entries: Ints, persons: Ints, least: int, prime: int) -> Iterator[Ints]:
    """Yield places of unions with fewer persons than `least` whose entries add up to 0 modulo a prime.

    Entries are those of a random vector of the kernel of what is known, none of them 0.

    >>> prime = 101
    >>> [union.tolist() for union in known_unions(np.array([7, 90, 4, 94]), np.array([1, 1, 1, 1]), 4, prime)]
    [[0, 1, 2], [0, 3]]
    """
    from tacita.queries.audit.loops import zero_triples, zero_unions

    if least < 3 or len(entries) < 2:
        return
    order = np.argsort(persons, kind="stable")
    places, starts, is_complete = zero_unions(entries[order], persons[order], least, prime, _MOST_STEPS)
    if is_complete:
        for first, last in itertools.pairwise(starts.tolist()):
            yield np.sort(order[places[first:last]])
        return
    order = np.argsort(entries, kind="stable")
    values = entries[order]
    first_at, last_at = (
        np.searchsorted(values, prime - values, "left"),
        np.searchsorted(values, prime - values, "right"),
    )
    for at in np.flatnonzero(last_at > first_at):
        for other in range(int(first_at[at]), int(last_at[at])):
            if at < other and persons[order[at]] + persons[order[other]] < least:
                yield np.sort(order[np.array([at, other], np.int64)])
    if least > 3 and len(values) <= _MOST_IN_TRIPLES:
        for triple in zero_triples(values, persons[order], least, prime, _MOST_UNIONS):
            yield np.sort(order[triple])


def unions_of_few_people(
    entries: Sequence[int], owners: Sequence[frozenset[int]], least: int, prime: int
) -> Iterator[Ints]:
    """Yield places of unions of several classes about fewer people than `least` whose entries add up to 0.

    `owners` says who has records in each class; somebody may be in several.

    >>> one, two = frozenset((1,)), frozenset((2,))
    >>> [union.tolist() for union in unions_of_few_people([3, 5, 96, 93], [one, one, two, one], 2, 101)]
    [[0, 1, 3]]
    """
    steps = 0
    order = sorted(range(len(entries)), key=lambda place: (sorted(owners[place]), place))
    of_person: dict[int, list[int]] = {}
    for at, place in enumerate(order):
        for person in owners[place]:
            of_person.setdefault(person, []).append(at)
    for most in range(1, least):
        waiting: list[tuple[int, frozenset[int], int, tuple[int, ...]]] = [(0, frozenset(), 0, ())]
        while waiting:
            first, people, total, union = waiting.pop()
            further: Iterable[int] = range(first, len(order))
            if len(people) == most:  # nobody else may come: only classes of these people can
                further = sorted({at for person in people for at in of_person[person] if at >= first})
            for at in further:
                place = order[at]
                more = people | owners[place]
                if len(more) > most:
                    continue
                steps += 1
                if steps > _MOST_EXTENSIONS:
                    return
                grown = (*union, place)
                left = (total + entries[place]) % prime
                if not left and len(grown) > 1 and len(more) == most:
                    yield np.sort(np.array(grown, np.int64))
                waiting.append((at + 1, more, left, grown))
