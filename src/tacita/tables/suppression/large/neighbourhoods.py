"""Where to look first: cells near a cell in the hierarchies of its dimensions.

A movement that keeps every sum is a proof wherever its cells lie; looking for it among few hundred cells instead of
all is what makes large tables possible. Any set of cells is allowed here. Good ones are boxes: the codes under the same
parent in each dimension, then those under the same grandparent, and so on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacita.model.table import Dimension, Table
from tacita.tables.suppression.large.crossings import Crossings, Woven
from tacita.tables.suppression.large.leaf_shifts import LeafShifts
from tacita.tables.suppression.large.local_routing import Detour
from tacita.tables.suppression.presolve import Reduced

Box = tuple[frozenset[int], ...]
"""Codes (their positions) of each dimension."""
Neighbourhood = tuple[Box, ...]
"""A union of boxes."""
_ENOUGH = 2_000  # places: the largest neighbourhood up to here is the first
_BLOCK = 24  # codes: a flat dimension with more is looked at in blocks


class Neighbourhoods:
    """The neighbourhoods of the places of a reduced table, from small to large."""

    def __init__(self, table: Table, reduced: Reduced) -> None:
        self._codes = table.codes
        self._place = reduced.place[: len(table)]
        # Unions of cells are places without a code: they go along with whatever is looked at.
        self._unions = np.setdiff1d(reduced.place[len(table) :], np.append(self._place, -1))
        self._widening = [_widening(one) for one in table.dimensions]
        self._inside: dict[tuple[int, frozenset[int]], NDArray[np.bool_]] = {}
        self._places: dict[Neighbourhood, NDArray[np.int64]] = {}
        self._kinds = [_kinds(one) for one in self._widening]
        self._ladders: dict[tuple[int, ...], list[Neighbourhood]] = {}
        self._around: dict[tuple[int, ...], list[Neighbourhood]] = {}
        self._cell = self._innermost(len(reduced.problem))
        self._crossings = Crossings(table, reduced)
        self._shifts = LeafShifts(table, reduced)

    def woven(
        self, place: int, price: NDArray[np.float64], room: NDArray[np.float64], level: float, *, whole: bool
    ) -> Woven | None:
        """Return a movement of a place made of products of movements of codes, if there is one (see `Crossings`)."""
        return self._crossings.woven(self._codes[self._cell[place]], price, room, level, whole=whole)

    def shifted(self, place: int, price: NDArray[np.float64], room: NDArray[np.float64], level: float) -> Detour | None:
        """Return a movement of a place made of movements of leaves, if there is one (see `LeafShifts`)."""
        return self._shifts.shifted(self._codes[self._cell[place]], price, room, level)

    def _innermost(self, places: int) -> NDArray[np.int64]:
        """Return one cell of each place: the one whose smallest box is the smallest."""
        size = np.ones(len(self._codes))
        for dimension, widening in enumerate(self._widening):
            size *= np.array([len(sets[0]) for sets in widening], np.float64)[self._codes[:, dimension]]
        cells = np.flatnonzero(self._place >= 0)
        order = cells[np.lexsort((cells, size[cells]))]
        innermost = np.full(places, -1)
        innermost[self._place[order[::-1]]] = order[::-1]
        return innermost

    def __contains__(self, place: int) -> bool:
        return bool(self._cell[place] >= 0)

    def around(self, place: int) -> list[Neighbourhood]:
        """Return ever larger neighbourhoods of a place; those too small for much choice are left out."""
        kind = self._kind(place)
        if kind not in self._around:
            self._around[kind] = self._shortened(self._ladder(place))
        return self._around[kind]

    def _kind(self, place: int) -> tuple[int, ...]:
        """Return what places with the same neighbourhoods have in common."""
        codes = self._codes[self._cell[place]].tolist()
        return tuple(kinds[code] for kinds, code in zip(self._kinds, codes, strict=True))

    def _shortened(self, ladder: list[Neighbourhood]) -> list[Neighbourhood]:
        return ladder[max(0, sum(len(self.places(boxes)) <= _ENOUGH for boxes in ladder) - 1) :]

    def wider(self, place: int) -> Neighbourhood:
        """Return the neighbourhood one step wider than the smallest."""
        ladder = self._ladder(place)
        return ladder[min(1, len(ladder) - 1)]

    def places(self, neighbourhood: Neighbourhood) -> NDArray[np.int64]:
        """Return the places with a cell in a neighbourhood, in order."""
        if neighbourhood not in self._places:
            inside = np.zeros(len(self._codes), bool)
            for box in neighbourhood:
                inside |= self._in_box(box)
            places = np.unique(self._place[inside])
            self._places[neighbourhood] = np.union1d(places[places >= 0], self._unions)
        return self._places[neighbourhood]

    def _in_box(self, box: Box) -> NDArray[np.bool_]:
        inside = np.ones(len(self._codes), bool)
        for dimension, codes in enumerate(box):
            if (dimension, codes) not in self._inside:
                has = np.zeros(len(self._widening[dimension]), bool)
                has[list(codes)] = True
                self._inside[dimension, codes] = has[self._codes[:, dimension]]
            inside &= self._inside[dimension, codes]
        return inside

    def _ladder(self, place: int) -> list[Neighbourhood]:
        """Return the smallest box; one step wider in each dimension at a time; in all at once; and so on."""
        kind = self._kind(place)
        if kind not in self._ladders:
            self._ladders[kind] = self._made_ladder(place)
        return self._ladders[kind]

    def _made_ladder(self, place: int) -> list[Neighbourhood]:
        sets = [one[code] for one, code in zip(self._widening, self._codes[self._cell[place]], strict=True)]
        deepest = max(len(one) for one in sets)

        def box(steps: list[int]) -> Box:
            return tuple(one[min(step, len(one) - 1)] for one, step in zip(sets, steps, strict=True))

        dimensions = range(len(sets))
        star = {box([int(d == wide) for d in dimensions]): None for wide in dimensions if len(sets[wide]) > 1}
        rest = [(box([step] * len(sets)),) for step in range(1, deepest)]
        ladder = [(box([0] * len(sets)),), *([tuple(star)] if star else []), *rest]
        return list(dict.fromkeys(ladder))


def reached_from(
    sums: sparse.csr_matrix, across: sparse.csr_matrix, place: int, among: NDArray[np.bool_], most: int
) -> NDArray[np.int64]:
    """Return the places, in order, that are the fewest equations away, some more than `most` of those `among`."""
    is_reached = np.zeros(len(among), bool)
    is_reached[place] = True
    edge = np.array([place])
    while len(edge):
        rows = np.unique(_entries(across, edge)).astype(np.int64)
        next_ = np.unique(_entries(sums, rows)).astype(np.int64)
        edge = next_[among[next_] & ~is_reached[next_]]
        is_reached[edge] = True
        if np.count_nonzero(is_reached) >= most:
            break
    return np.flatnonzero(is_reached)


def _entries(matrix: sparse.csr_matrix, rows: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the columns of the entries of some rows."""
    sizes = matrix.indptr[rows + 1] - matrix.indptr[rows]
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(matrix.indices[np.repeat(matrix.indptr[rows], sizes) + within])


def _widening(dimension: Dimension) -> list[list[frozenset[int]]]:
    """Return for each code ever larger sets of codes around it: under its parents, under theirs, ..., all."""
    parents: dict[str, list[str]] = {}
    parts: dict[str, list[str]] = {}
    for sum_ in dimension.sums:
        parts.setdefault(sum_.total, []).extend(sum_.parts)
        for part in sum_.parts:
            parents.setdefault(part, []).append(sum_.total)
    below: dict[str, frozenset[int]] = {}

    def under(code: str) -> frozenset[int]:
        if code not in below:
            direct = frozenset(dimension.position(part) for part in parts.get(code, ()))
            below[code] = direct.union(*(under(part) for part in parts.get(code, ())))
        return below[code]

    return [_sets(dimension, code, parents, under) for code in dimension.codes]


def _kinds(widening: list[list[frozenset[int]]]) -> list[int]:
    """Return a number for each code; codes with the same sets around them have the same."""
    seen: dict[tuple[frozenset[int], ...], int] = {}
    return [seen.setdefault(tuple(sets), len(seen)) for sets in widening]


def _sets(
    dimension: Dimension, code: str, parents: dict[str, list[str]], under: Callable[[str], frozenset[int]]
) -> list[frozenset[int]]:
    every = frozenset(range(len(dimension.codes)))
    sets: list[frozenset[int]] = []
    above = [code]
    while above := sorted({parent for one in above for parent in parents.get(one, ())}):
        codes = frozenset[int]().union(*(under(parent) for parent in above))
        if not sets or len(codes) > len(sets[-1]):
            sets.append(codes)
    sets.append(every)
    if len(sets) > 1 and len(sets[0]) + 1 == len(every) <= _BLOCK:
        del sets[0]  # a short flat dimension: its total belongs to the smallest box
    if len(sets[0]) > _BLOCK and not under(code):
        siblings = sorted(sets[0])
        block = siblings.index(dimension.position(code)) // _BLOCK if code in parents else 0
        sets.insert(0, frozenset(siblings[block * _BLOCK : (block + 1) * _BLOCK]))
    return sets
