"""Sets of attributes as bit masks: their sizes, an order in which neighbours share attributes, and pairs by left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

MOST_ATTRIBUTES = 64

Masks = NDArray[np.uint64]
Places = NDArray[np.int64]

_Scalar = TypeVar("_Scalar", bound=np.generic)

_HALVES = ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F))


def sizes_of(masks: Masks) -> NDArray[np.int64]:
    """Return how many attributes each set has.

    >>> sizes_of(np.array([0, 5, 2**64 - 1], np.uint64)).tolist()
    [0, 2, 64]
    """
    return np.bitwise_count(masks).astype(np.int64)


def order_by_prefix(masks: Masks) -> Places:
    """Return an order in which sets that share their first attributes are neighbours.

    >>> order_by_prefix(np.array([0b110, 0b011, 0b101, 0b001], np.uint64)).tolist()
    [1, 2, 3, 0]
    """
    turned = masks.copy()
    for shift, half in _HALVES:
        by, part = np.uint64(shift), np.uint64(half)
        turned = ((turned >> by) & part) | ((turned & part) << by)
    return np.argsort(~turned.byteswap(), kind="stable")


def bits_of(mask: int) -> tuple[int, ...]:
    """Return the attributes of a set, in their order.

    >>> bits_of(0b1101)
    (0, 2, 3)
    """
    return tuple(place for place in range(mask.bit_length()) if mask >> place & 1)


def moved(masks: Masks, places: Sequence[int] | Places) -> Masks:
    """Return the sets with attributes in other places: attribute i becomes attribute `places[i]`.

    >>> moved(np.array([0b011], np.uint64), [2, 0, 1]).tolist()
    [5]
    """
    result = np.zeros(len(masks), np.uint64)
    for old, new in enumerate(places):
        result |= ((masks >> np.uint64(old)) & np.uint64(1)) << np.uint64(new)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Left-hand sides, each once, with their right-hand sides; neighbours share attributes."""

    lefts: Masks
    begins: Places
    rights: Places
    """`rights[begins[i] : begins[i + 1]]` are the right-hand sides of `lefts[i]`."""
    origin: Places
    """Where each pair stood before they were put in order."""

    @classmethod
    def of(cls, lefts: Masks, rights: Places) -> Pairs:
        """Return pairs in order; a left-hand side that comes several times is there once."""
        order = order_by_prefix(lefts)
        ordered = lefts[order]
        is_new = np.concatenate([np.ones(min(1, len(ordered)), bool), ordered[1:] != ordered[:-1]])
        begins = np.append(np.flatnonzero(is_new), len(ordered)).astype(np.int64)
        return cls(ordered[is_new], begins, rights[order].astype(np.int64), order)

    @property
    def left_of(self) -> Places:
        """The place of the left-hand side of each pair."""
        return np.repeat(np.arange(len(self.lefts)), np.diff(self.begins))

    @property
    def largest(self) -> int:
        """The most attributes of a left-hand side."""
        return int(sizes_of(self.lefts).max(initial=0))

    def put_back(self, values: NDArray[_Scalar]) -> NDArray[_Scalar]:
        """Return what belongs to each pair in the order in which the pairs were given."""
        back = np.empty_like(values)
        back[self.origin] = values
        return back


def expanded(lefts: Masks, is_open: Masks, attributes: int) -> tuple[Masks, Places]:
    """Return a pair for each left-hand side and each right-hand side of a mask beside it.

    >>> lefts, rights = expanded(np.array([1], np.uint64), np.array([6], np.uint64), 3)
    >>> lefts.tolist(), rights.tolist()
    ([1, 1], [1, 2])
    """
    shifts = np.arange(attributes, dtype=np.uint64)
    line, right = np.nonzero((is_open[:, None] >> shifts) & np.uint64(1))
    return lefts[line], right
