"""Make the problem small: what cannot move goes, what moves together becomes one, what is said twice is said once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacita.model.table import Movement
from tacita.tables.suppression.problem import Distances, SuppressionProblem, cells_by_owner

NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Reduced:
    """A smaller problem with the same patterns.

    `place[i]` is where cell i of the original went (-1: it cannot move); ``delta[i] = scale[i] * delta'[place[i]]``.
    Withholding a place withholds all cells that went there; its cost is theirs together, and its need the largest of
    theirs. `needs` marks the cells with a level; those in `stuck` cannot move, so no pattern protects them.
    """

    problem: SuppressionProblem
    place: NDArray[np.int64]
    scale: NDArray[np.float64]
    stuck: NDArray[np.int64]
    needs: NDArray[np.bool_]

    def expanded(self, withheld: NDArray[np.bool_], original: SuppressionProblem) -> NDArray[np.bool_]:
        """Return a pattern of the small problem as one of the original."""
        return np.where(self.place >= 0, withheld[self.place], False) | original.withheld

    def unfolded(self, movements: Iterable[Movement], unit: float, cells: int) -> Iterator[Movement]:
        """Yield movements of the small problem, whose figures were multiplied by a unit, as those of the table."""
        movable = np.flatnonzero(self.place[:cells] >= 0)
        order = movable[np.argsort(self.place[movable], kind="stable")]
        starts = np.searchsorted(self.place[order], np.arange(len(self.problem) + 1))
        for movement in movements:
            counts = starts[movement.cells + 1] - starts[movement.cells]
            within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
            moved = order[np.repeat(starts[movement.cells], counts) + within]
            delta = self.scale[moved] * np.repeat(movement.delta, counts) / unit
            yield Movement(moved, np.rint(delta) if self.problem.whole else delta)

    def folded(
        self, movements: Iterable[Movement], unit: float, original: SuppressionProblem, cells: int
    ) -> list[Movement]:
        """Return movements of a table of so many cells as those of the small problem, figures multiplied by a unit.

        What the small problem has no room for is left out. Sums that the original has as further cells move with their
        parts.
        """
        sizes = np.bincount(self.place[:cells][self.place[:cells] >= 0], minlength=len(self.problem))
        extra = original.sums[-(len(original) - cells) :, :cells] if len(original) > cells else None
        sums = None if extra is None else extra.tocsc()
        kept = list[Movement]()
        for movement in movements:
            at = self.place[movement.cells]
            if (at < 0).any():
                continue
            places, first, inverse, counts = np.unique(at, return_index=True, return_inverse=True, return_counts=True)
            value = movement.delta / self.scale[movement.cells] * unit
            delta = value[first]
            slack = 1e-9 * np.abs(delta).max(initial=0.0)
            if (counts < sizes[places]).any() or (np.abs(value - delta[inverse]) > slack).any():
                continue
            if sums is not None:
                moved = np.asarray(sums[:, movement.cells] @ movement.delta).ravel()
                which = np.flatnonzero(np.abs(moved) > slack)
                own = self.place[cells + which]
                if (own < 0).any():
                    continue
                new = ~np.isin(own, places)
                places, index = np.unique(np.concatenate((places, own[new])), return_index=True)
                delta = np.concatenate((delta, (moved[which] / self.scale[cells + which] * unit)[new]))[index]
            kept.append(Movement(places, delta))
        return kept


def reduced(problem: SuppressionProblem) -> Reduced:
    """Return the smallest problem that these steps reach.

    A cell alone in its equation cannot move. Two cells alone in theirs move together: either is useless without the
    other, so they are withheld together or not at all.
    """
    cells = len(problem)
    place = np.arange(cells)
    scale = np.ones(cells)
    dead = problem.fixed.copy()
    sums = _without(problem.sums, dead)
    while True:
        sizes = np.diff(sums.indptr)
        alone = sums.indices[sums.indptr[:-1][sizes == 1]]
        if len(alone):
            dead[alone] = True
            sums = _without(sums, dead)
            continue
        pairs = sums.indptr[:-1][sizes == 2]
        if not len(pairs):
            break
        into, factor = _tied(sums, pairs, cells)
        for name in np.flatnonzero(into != np.arange(cells)):
            # Both directions of a contradictory tie were given the factor 0: the cells cannot move.
            dead[name] |= factor[name] == 0
        scale *= factor[place]
        place = into[place]
        combine = sparse.csr_matrix((factor, (np.arange(cells), into)), shape=(cells, cells))
        dead[np.unique(into[factor == 0])] = True
        sums = _without(sparse.csr_matrix(sums @ combine), dead)
    dead_cell = dead[place] | (scale == 0)
    return _compressed(problem, _distinct(sums), np.where(dead_cell, NOWHERE, place), scale)


def _without(sums: sparse.csr_matrix, dead: NDArray[np.bool_]) -> sparse.csr_matrix:
    """Return the equations without cells that cannot move, and without equations that say nothing."""
    kept = sums.copy()
    kept.data[dead[kept.indices] | (np.abs(kept.data) < 1e-12)] = 0.0
    kept.eliminate_zeros()
    kept.sort_indices()
    return kept[np.diff(kept.indptr) > 0]


def _tied(
    sums: sparse.csr_matrix, pairs: NDArray[np.int32], cells: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for each cell the one it follows and the factor with which it does."""
    first, second = sums.indices[pairs], sums.indices[pairs + 1]
    ratio = -sums.data[pairs + 1] / sums.data[pairs]  # delta[first] = ratio * delta[second]
    into, factor = np.arange(cells), np.ones(cells)

    def root(cell: int) -> tuple[int, float]:
        product = 1.0
        while into[cell] != cell:
            product *= factor[cell]
            cell = int(into[cell])
        return cell, product

    for one, other, times in zip(first.tolist(), second.tolist(), ratio.tolist(), strict=True):
        (top, up), (bottom, down) = root(one), root(other)
        if top == bottom:
            if abs(up - times * down) > 1e-9 * abs(up):
                factor[top] = 0.0
            continue
        keeper, follower = min(top, bottom), max(top, bottom)
        # up * delta[top] = times * down * delta[bottom]
        factor[follower] = times * down / up if follower == top else up / (times * down)
        into[follower] = keeper
    for cell in range(cells):
        if into[cell] != cell:
            into[cell], factor[cell] = root(cell)
            factor[cell] *= factor[into[cell]]
    return into, factor


def _distinct(sums: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return each equation once, whatever it was multiplied with."""
    seen: dict[tuple[bytes, bytes], int] = {}
    kept = []
    for row in range(sums.shape[0]):
        part = slice(sums.indptr[row], sums.indptr[row + 1])
        data = sums.data[part]
        key = (sums.indices[part].tobytes(), np.round(data / data[0], 9).tobytes())
        if key not in seen:
            seen[key] = row
            kept.append(row)
    return sums[np.array(kept, np.int64)] if kept else sums[:0]


def _compressed(
    problem: SuppressionProblem, sums: sparse.csr_matrix, place: NDArray[np.int64], scale: NDArray[np.float64]
) -> Reduced:
    """Return the problem over the places that are left, numbered in order."""
    movable = place >= 0
    used, at = np.unique(place[movable], return_inverse=True)
    numbered = np.full(len(place), NOWHERE)
    numbered[movable] = at
    size = len(used)
    reach = np.abs(scale[movable])
    same = scale[movable] > 0
    down, up = problem.down[movable] / reach, problem.up[movable] / reach
    lower, upper = problem.lower[movable] / reach, problem.upper[movable] / reach

    def joined(values: NDArray[np.float64], take: np.ufunc, start: float) -> NDArray[np.float64]:
        result = np.full(size, start)
        take.at(result, at, values)
        return result

    wanted = np.zeros(len(problem), bool)
    wanted[problem.targets] = True
    knows = np.full(len(problem), NOWHERE)
    for who, cells in problem.known_by.items():
        knows[cells] = who
    cells = np.flatnonzero(movable)
    against = _against(problem, cells, at, wanted[cells], scale[cells])
    small = SuppressionProblem(
        sums[:, used],
        joined(np.where(same, down, up), np.minimum, np.inf),
        joined(np.where(same, up, down), np.minimum, np.inf),
        joined(np.where(same, lower, upper), np.maximum, 0.0),
        joined(np.where(same, upper, lower), np.maximum, 0.0),
        joined(problem.sliding[movable] / reach, np.maximum, 0.0),
        # What is withheld by order is paid for already, and takes what is tied to it along only if that is of use.
        joined(np.where(problem.withheld[movable], 0.0, problem.cost[movable]), np.add, 0.0),
        (joined(wanted[movable].astype(np.float64), np.maximum, 0.0) > 0)
        | (joined(problem.withheld[movable].astype(np.float64), np.minimum, 1.0) > 0),
        np.zeros(size, bool),
        cells_by_owner(knows[movable], at),
        against,
        problem.whole,
    )
    stuck = wanted & ~movable
    stuck[cells] |= wanted[cells] & _known_to_others(small)[at]
    return Reduced(small, numbered, np.where(movable, scale, 0.0), np.flatnonzero(stuck), wanted)


def _against(
    problem: SuppressionProblem,
    cells: NDArray[np.int64],
    at: NDArray[np.int64],
    wanted: NDArray[np.bool_],
    scale: NDArray[np.float64],
) -> dict[int, dict[int, Distances]]:
    """Return what each place must keep unknown to contributors to its cells: the most that one of the cells must."""
    special = [bool(wants and cell in problem.against) for cell, wants in zip(cells.tolist(), wanted, strict=True)]
    on = defaultdict(list)
    for number in np.flatnonzero(wanted & np.isin(at, at[special])).tolist():
        on[int(at[number])].append(number)
    against: dict[int, dict[int, Distances]] = {}
    for place, numbers in on.items():
        here = [(int(cells[number]), float(scale[number])) for number in numbers]
        for who in {who: None for cell, _ in here for who in problem.against.get(cell, ())}:
            levels = [_seen_at(problem.distances(cell, who), factor) for cell, factor in here]
            against.setdefault(place, {})[who] = Distances(*(max(level) for level in zip(*levels, strict=True)))
    return against


def _seen_at(distances: Distances, factor: float) -> Distances:
    """Return the distances of a cell as those of its place."""
    lower, upper, sliding = (distance / abs(factor) for distance in distances)
    return Distances(lower, upper, sliding) if factor > 0 else Distances(upper, lower, sliding)


def _known_to_others(small: SuppressionProblem) -> NDArray[np.bool_]:
    """Return the places of which something is asked against a contributor who knows them through a tie."""
    known = np.zeros(len(small), bool)
    for who, places in small.known_by.items():
        for place in places.tolist():
            known[place] |= any(small.distances(place, who))
    return known
