"""Movements made of leaves: a sum rises with leaves under it, and leaves under another code fall for them.

Where all cells are sums of leaves, any movement of leaves keeps every sum, and no cell moves further than its leaves
together: with room for each leaf there is room for all. So a movement of a margin, which has to move far, is found by
sorting its leaves instead of solving a programme. In some dimensions each leaf gets a partner that moves against it,
which leaves the sums above both as they are; in the others all sums above move along, up to the total, and must be
withheld. The fewer of these the better, but without any partner there is nearly always a movement. That makes it the
resort when time is up.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Dimension, Table
from tacita.tables.suppression.large.local_routing import Detour
from tacita.tables.suppression.presolve import Reduced

_LARGEST = 20_000_000  # crossings of codes; above, the table is not looked at in this way
_PARTNERS = 4  # tries with other partners
_TINY = 1e-9  # of a level: less room is none
_KEPT = 1e-9  # of the largest movement: how well sums must be kept


class LeafShifts:
    """Finds movements of leaves for one cell after the other."""

    def __init__(self, table: Table, reduced: Reduced) -> None:
        self._axes = [_Axis(one, table, at) for at, one in enumerate(table.dimensions)]
        self._shape = tuple(len(one.codes) for one in table.dimensions)
        self._is_known = 0 < float(np.prod(np.array(self._shape, np.float64))) <= _LARGEST
        self._places = len(reduced.problem)
        self._sums = reduced.problem.sums
        if not self._is_known:
            return
        cell = np.ravel_multi_index(tuple(table.codes.T), self._shape)
        size = int(np.prod(self._shape))
        self._place, self._scale = np.full(size, -1, np.int64), np.ones(size)
        self._place[cell] = reduced.place[: len(table)]
        self._scale[cell] = reduced.scale[: len(table)]
        leaf = np.ravel_multi_index(np.ix_(*(one.leaves for one in self._axes)), self._shape)
        self._leaf_place = self._place[leaf]
        self._leaf_scale = np.where(self._leaf_place >= 0, np.abs(self._scale[leaf]), 1.0)
        self._is_whole = reduced.problem.whole

    def shifted(
        self, codes: NDArray[np.int32], price: NDArray[np.float64], room: NDArray[np.float64], level: float
    ) -> Detour | None:
        """Return a cheap movement by a level of a cell with these codes; None if none was found.

        `price` and `room` are those of the places; a place has the same room both ways, and none where it must not
        move.
        """
        if not self._is_known:
            return None
        is_leaf = self._leaf_place >= 0
        leaf_room = np.where(is_leaf, room[self._leaf_place] * self._leaf_scale, 0.0)
        leaf_price = np.where(is_leaf, price[self._leaf_place], 0.0)
        if self._is_whole:
            leaf_room = np.floor(leaf_room + _TINY)
        inner = [at for at, code in enumerate(codes.tolist()) if self._axes[at].partners(code)]
        best: Detour | None = None
        least = np.inf
        for paired in (set(chosen) for count in range(len(inner), -1, -1) for chosen in combinations(inner, count)):
            shift = self._with_partners(codes, paired, leaf_price, leaf_room.copy(), level)
            detour = None if shift is None else self._checked(shift, room, level)
            if detour is not None and (cost := float(price[detour.places].sum())) < least:
                best, least = detour, cost
        return best

    def _with_partners(
        self,
        codes: NDArray[np.int32],
        paired: set[int],
        price: NDArray[np.float64],
        room: NDArray[np.float64],
        level: float,
    ) -> NDArray[np.float64] | None:
        """Return how far each crossing of codes moves, partners moving against each other in some dimensions."""
        moved = np.zeros(len(self._place))
        left = level
        for number in range(_PARTNERS if paired else 1):
            pairs = [
                axis.pairs(code, number if at in paired else None)
                for at, (axis, code) in enumerate(zip(self._axes, codes.tolist(), strict=True))
            ]
            corners = [np.ix_(*corner) for corner in product(*pairs)]
            rooms = np.minimum.reduce([room[corner] for corner in corners]).ravel()
            prices = np.add.reduce([price[corner] for corner in corners]).ravel()
            usable = np.flatnonzero(rooms > _TINY * level)
            carried = np.minimum(rooms[usable], left)
            if not len(usable):
                continue
            order = usable[np.lexsort((usable, -carried, prices[usable] / carried))]
            before = np.cumsum(rooms[order]) - rooms[order]
            order, before = order[before < left], before[before < left]
            amount = np.minimum(rooms[order], left - before)
            at = np.unravel_index(order, [len(corner[0]) for corner in pairs])
            self._add(moved, [[one[n] for one in corner] for corner, n in zip(pairs, at, strict=True)], amount)
            left -= float(amount.sum())
            if left <= _TINY * level:
                return moved
            for corner in product(*([one[n] for one in both] for both, n in zip(pairs, at, strict=True))):
                room[corner] -= amount
        return None

    def _add(
        self, moved: NDArray[np.float64], leaves: list[list[NDArray[np.int64]]], amount: NDArray[np.float64]
    ) -> None:
        """Add what leaves, and their partners against them, do to all crossings of codes."""
        flat, size = np.zeros((len(amount), 1), np.int64), amount[:, None]
        for axis, pair, length in zip(self._axes, leaves, self._shape, strict=True):
            codes, signs = axis.above(*pair)
            flat = (flat[:, :, None] * length + codes[:, None, :]).reshape(len(amount), -1)
            size = (size[:, :, None] * signs[:, None, :]).reshape(len(amount), -1)
        kept = size != 0
        moved += np.bincount(flat[kept], size[kept], len(moved))

    def _checked(self, moved: NDArray[np.float64], room: NDArray[np.float64], level: float) -> Detour | None:
        """Return a movement of the places if it stays within their room and keeps all sums, by arithmetic."""
        cells = np.flatnonzero(np.abs(moved) > 1e-12 * level)
        place = self._place[cells]
        if np.any(place < 0):
            return None
        delta = np.zeros(self._places)
        delta[place] = moved[cells] / self._scale[cells]
        most = float(np.abs(delta).max(initial=0.0))
        is_tied = np.abs(delta[place] * self._scale[cells] - moved[cells]) <= _KEPT * most
        if not is_tied.all() or np.any(np.abs(delta) > room * (1 + _KEPT)):
            return None
        if np.any(np.abs(self._sums @ delta) > _KEPT * most):
            return None
        places = np.flatnonzero(delta)
        return Detour(places, delta[places])


class _Axis:
    """The leaves of one dimension, what is above each, and which codes can move against each other."""

    def __init__(self, dimension: Dimension, table: Table, at: int) -> None:
        under = dimension.leaves_under()
        names = dimension.leaves
        self.leaves = np.array([dimension.position(item) for item in names], np.int64)
        self._has = np.array([[leaf in under[code] for leaf in names] for code in dimension.codes])
        weight = np.bincount(table.codes[:, at], np.abs(table.values), len(dimension.codes))
        self._weight = weight
        self._leaf_order = np.lexsort((np.arange(len(names)), -weight[self.leaves]))
        depth = int(self._has.sum(axis=0).max(initial=1))
        self._above = np.full((len(names), depth), -1)
        for leaf in range(len(names)):
            codes = np.flatnonzero(self._has[:, leaf])
            self._above[leaf, : len(codes)] = codes
        self._parents: dict[int, set[int]] = {}
        self._parts: dict[int, set[int]] = {}
        for item in dimension.sums:
            total, parts = dimension.position(item.total), {dimension.position(part) for part in item.parts}
            self._parts.setdefault(total, set()).update(parts)
            for part in parts:
                self._parents.setdefault(part, set()).add(total)
        self._partners: dict[int, list[int]] = {}

    def partners(self, code: int) -> list[int]:
        """Return codes with no leaf in common with a code: those under its parents first, the largest first."""
        if code not in self._partners:
            partners: dict[int, None] = {}
            edge = {code}
            while edge := {parent for leaf in edge for parent in self._parents.get(leaf, ())}:
                near = {part for leaf in edge for part in self._parts[leaf]}
                apart = [leaf for leaf in near if not (self._has[leaf] & self._has[code]).any()]
                partners.update(dict.fromkeys(sorted(apart, key=lambda leaf: (-self._weight[leaf], leaf))))
            self._partners[code] = list(partners)
        return self._partners[code]

    def pairs(self, code: int, number: int | None) -> list[NDArray[np.int64]]:
        """Return the leaves under a code and, with the number of a partner, those of the partner in the same order."""
        mine = self._leaf_order[self._has[code, self._leaf_order]]
        if number is None:
            return [mine]
        partners = self.partners(code)
        theirs = self._leaf_order[self._has[partners[number % len(partners)], self._leaf_order]]
        both = min(len(mine), len(theirs))
        return [mine[:both], theirs[:both]]

    def above(
        self, leaf: NDArray[np.int64], partner: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the codes that have each leaf, and signs: -1 for those of its partner, 0 for those of both."""
        mine = self._above[leaf]
        if partner is None:
            return np.maximum(mine, 0), (mine >= 0).astype(np.int64)
        theirs = self._above[partner]
        same = mine[:, :, None] == theirs[:, None, :]
        up = np.where(same.any(axis=2), 0, mine >= 0)
        down = np.where(same.any(axis=1), 0, theirs >= 0)
        return np.maximum(np.hstack([mine, theirs]), 0), np.hstack([up, -down]).astype(np.int64)
