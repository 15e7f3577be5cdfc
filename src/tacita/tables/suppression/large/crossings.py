"""Movements without a programme: in each dimension a code rises and a sibling falls, and the cells where these meet.

In a table that crosses all its dimensions, the product of one movement of the codes of each dimension keeps every sum.
A code that is itself a sum takes a path of its parts down to a leaf along; a grand total has no sibling and only takes
a path. The cheapest of all products of this form is found by multiplying arrays, so it takes no longer in a dear corner
of the table than in a cheap one: the hypercube method, with a cost. Tables full of zeros may have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Dimension, Table
from tacita.tables.suppression.presolve import Reduced

_LARGEST = 20_000_000  # crossings of codes; above, the table is not looked at in this way
_PATHS = 6  # of a code with parts; those of a grand total are as many as there is room for
_OPTIONS = 48  # movements of the codes of one dimension that are tried
_IMPOSSIBLE = 1e30
_PIECES = 12  # products, and tries, for one level
_SMALLEST = 1 / 16  # of a level
_NEXT = 12  # of how many of the best products the codes are told


@dataclass(frozen=True, slots=True)
class CrossingOption:
    """Movements of the codes of one dimension: the codes that take part in any, and each movement as a row of signs."""

    codes: NDArray[np.int64]
    signs: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Woven:
    """A movement: places and by how much; `codes` of each dimension are those of it and of the next best."""

    places: NDArray[np.int64]
    delta: NDArray[np.float64]
    codes: tuple[frozenset[int], ...]


class Crossings:
    """Finds the cheapest product of movements of codes for one cell after the other."""

    def __init__(self, table: Table, reduced: Reduced) -> None:
        self._dimensions = [_Paths(dimension, table, at) for at, dimension in enumerate(table.dimensions)]
        shape = [len(dimension.codes) for dimension in table.dimensions]
        self._is_known = 0 < float(np.prod(np.array(shape, np.float64))) <= _LARGEST
        self._place = np.full(shape if self._is_known else [0] * len(shape), -1, np.int64)
        self._scale = np.ones(self._place.shape)
        self._columns = reduced.problem.sums.tocsc()
        if self._is_known:
            at = tuple(table.codes.T)
            # A cell that always moves by another amount than those it is tied to fits no product of signs.
            scale = reduced.scale[: len(table)]
            self._place[at] = np.where(np.abs(np.abs(scale) - 1) < 1e-9, reduced.place[: len(table)], -1)
            self._scale[at] = np.where(scale < 0, -1.0, 1.0)

    def woven(
        self,
        codes: NDArray[np.int32],
        price: NDArray[np.float64],
        room: NDArray[np.float64],
        level: float,
        *,
        whole: bool,
    ) -> Woven | None:
        """Return a cheap movement of the place of a cell by a level: one product, or several that share the level.

        `price` and `room` are those of the places; a place has the same room both ways. None if none was found.
        """
        if not self._is_known:
            return None
        options = [item.options(int(code)) for item, code in zip(self._dimensions, codes, strict=True)]
        if any(not len(item.signs) for item in options):
            return None
        place = self._place[np.ix_(*(item.codes for item in options))]
        costs, rooms = price[place], np.where(place < 0, -1.0, room[place])
        moved: dict[int, float] = {}
        used: list[set[int]] = [set() for _ in options]
        left = piece = level
        for _ in range(_PIECES):
            chosen = _cheapest(options, np.where(rooms < piece, _IMPOSSIBLE, costs))
            if chosen is None:
                piece = np.floor(piece / 2) if whole else piece / 2
                if piece < max(_SMALLEST * level, whole):
                    return None
                continue
            crossing = self._product(options, chosen[0])
            for at, item in enumerate(options):
                used[at].update(item.codes[(item.signs[np.unique(chosen[:, at])] != 0).any(axis=0)].tolist())
            for one, sign in zip(crossing[0].tolist(), crossing[1].tolist(), strict=True):
                moved[one] = moved.get(one, 0.0) + sign * piece
            left -= piece
            if left <= 0:
                places = np.array(sorted(moved), np.int64)
                delta = np.array([moved[item] for item in places.tolist()])
                if not self._keeps_sums(places, delta):
                    return None
                return Woven(places[delta != 0], delta[delta != 0], tuple(map(frozenset, used)))
            # What moved already is paid for, and has less room.
            here = np.isin(place, crossing[0])
            costs, rooms = np.where(here, 0.0, costs), np.where(here, rooms - piece, rooms)
            piece = min(piece, left)
        return None

    def _product(
        self, options: list[CrossingOption], chosen: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return places and signs of one product."""
        rows = [option.signs[which] for option, which in zip(options, chosen.tolist(), strict=True)]
        where = np.ix_(*(option.codes[row != 0] for option, row in zip(options, rows, strict=True)))
        signs = np.ones(1)
        for row in rows:
            signs = np.multiply.outer(signs, row[row != 0])
        places, first = np.unique(self._place[where].ravel(), return_index=True)
        moved = (signs[0] * self._scale[where]).ravel()[first]
        return places, moved

    def _keeps_sums(self, places: NDArray[np.int64], delta: NDArray[np.float64]) -> bool:
        """Return whether a movement keeps all sums; where cells are missing, a product may not."""
        starts = self._columns.indptr[places]
        sizes = self._columns.indptr[places + 1] - starts
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        entries = np.repeat(starts, sizes) + within
        _, row = np.unique(self._columns.indices[entries], return_inverse=True)
        left = np.bincount(row, self._columns.data[entries] * np.repeat(delta, sizes))
        return not np.any(np.abs(left) > 1e-9 * np.abs(delta).max())


def _cheapest(options: list[CrossingOption], costs: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the cheapest products, the best first, as numbers of movements of each dimension; None without any."""
    for option in options:
        # The first axis is used up, the new one goes last: after all of them the order is as before.
        costs = np.tensordot(costs, np.abs(option.signs), axes=(0, 1))
    flat = costs.ravel()
    best = np.argpartition(flat, min(_NEXT, len(flat)) - 1)[:_NEXT]
    best = best[flat[best] < _IMPOSSIBLE / 2]
    best = best[np.lexsort((best, flat[best]))]
    return np.stack(np.unravel_index(best, costs.shape), axis=1) if len(best) else None


class _Paths:
    """The movements of the codes of one dimension."""

    def __init__(self, dimension: Dimension, table: Table, at: int) -> None:
        self._dimension = dimension
        self._parts: dict[int, list[int]] = {}
        self._parents: dict[int, list[int]] = {}
        for sum_ in dimension.sums:
            total, parts = dimension.position(sum_.total), [dimension.position(part) for part in sum_.parts]
            # Of several ways to divide a code only the first is followed; what breaks another is seen in the end.
            if total not in self._parts:
                self._parts[total] = parts
            for part in parts:
                self._parents.setdefault(part, []).append(total)
        self._all_parts = {
            total: {
                dimension.position(part)
                for sum_ in dimension.sums
                for part in sum_.parts
                if dimension.position(sum_.total) == total
            }
            for total in self._parts
        }
        self._weight = np.bincount(table.codes[:, at], np.abs(table.values), len(dimension.codes))
        self._down: dict[int, list[tuple[int, ...]]] = {}
        self._options: dict[int, CrossingOption] = {}

    def options(self, code: int) -> CrossingOption:
        """Return the movements in which a code rises."""
        if code not in self._options:
            self._options[code] = self._make_options(code)
        return self._options[code]

    def _make_options(self, code: int) -> CrossingOption:
        parents = self._parents.get(code, [])
        if not parents:
            paths: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
                (path, ()) for path in _spread(self._paths(code), _OPTIONS)
            ]
        else:
            common = set.intersection(*(self._all_parts[one] for one in parents)) - {code}
            siblings = [one for one in sorted(common) if set(self._parents[one]) == set(parents)]
            most = max(1, min(_PATHS, _OPTIONS // max(1, len(siblings))))
            mine = _spread(self._paths(code), _PATHS)
            others = [path for one in siblings for path in _spread(self._paths(one), most)]
            paths = [(path, other) for other in _spread(others, _OPTIONS) for path in mine]
        codes = np.array(sorted({code for pair in paths for path in pair for code in path}), np.int64)
        signs = np.zeros((len(paths), len(codes)))
        for number, (rising, falling) in enumerate(paths):
            signs[number, np.searchsorted(codes, rising)] = 1.0
            signs[number, np.searchsorted(codes, np.array(falling, np.int64))] = -1.0
        return CrossingOption(codes, signs)

    def _paths(self, code: int) -> list[tuple[int, ...]]:
        """Return the paths from a code down to a leaf, those with little value first."""
        if code not in self._down:
            below = [(code, *path) for part in self._parts.get(code, ()) for path in self._paths(part)]
            self._down[code] = sorted(below or [(code,)], key=lambda path: (self._weight[path[-1]], path))
        return self._down[code]


def _spread(paths: list[tuple[int, ...]], most: int) -> list[tuple[int, ...]]:
    """Return some of the paths, evenly over their order."""
    if len(paths) <= most:
        return paths
    return [paths[number] for number in np.linspace(0, len(paths) - 1, most).round().astype(int).tolist()]
