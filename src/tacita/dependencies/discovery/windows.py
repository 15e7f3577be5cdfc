"""Parts of a wide table that can be looked at one by one, such that no small dependency is missed.

A set of attributes is a mask of 64 bits, so that 64 attributes can be looked at together. A dependency of s attributes
on the left has s + 1 in all. If the attributes are put into blocks of 64 / (s + 1), any s + 1 of them lie in at most
s + 1 blocks: the searches in all unions of s + 1 blocks find all such dependencies, and what is minimal in one of them
is minimal in the whole, since every smaller left-hand side is in it, too.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from math import comb

from tacita.dependencies.discovery.masks import MOST_ATTRIBUTES

MOST_WINDOWS = 500
"""Searches that a wide table may take."""


def number_of_windows(attributes: int, largest: int, always: int = 0) -> int:
    """Return how many searches it takes to find left-hand sides of up to `largest` attributes.

    >>> number_of_windows(64, 9), number_of_windows(200, 1), number_of_windows(200, 2)
    (1, 21, 120)
    """
    if attributes <= MOST_ATTRIBUTES:
        return 1
    return comb(-(-(attributes - always) // _block(largest, always)), largest + 1)


def windows(attributes: int, largest: int, always: Collection[int] = ()) -> list[list[int]]:
    """Return the places of the attributes of each search, in their order; `always` are in every one.

    >>> [len(one) for one in windows(65, 1)], windows(3, 2)
    ([64, 33, 33], [[0, 1, 2]])
    """
    if attributes <= MOST_ATTRIBUTES:
        return [list(range(attributes))]
    size = _block(largest, len(always))
    others = [place for place in range(attributes) if place not in always]
    blocks = [others[begin : begin + size] for begin in range(0, len(others), size)]
    return [
        sorted([*always, *(place for block in chosen for place in block)])
        for chosen in combinations(blocks, min(largest + 1, len(blocks)))
    ]


def _block(largest: int, always: int) -> int:
    return max(1, (MOST_ATTRIBUTES - always) // (largest + 1))
