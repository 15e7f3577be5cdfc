"""The largest contributions to every cell: contributors added up in each cell before they are ranked.

Neither the number of contributors of a sub-total nor the largest of them follow from those of its parts, because one
contributor may stand behind several parts. So the rows (leaf combination, contributor) are regrouped for every
combination of levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Contributions
from tacita.tables.build.linked import System
from tacita.tables.build.microdata.layers import combinations_of_layers, keys_under

_MOST = 2**62


@dataclass(frozen=True, slots=True)
class RankedRows:
    """What each contributor gives in each leaf combination, one row each.

    `response` is the sum of the contributor's records. With sampling weights, `weighted` is the same sum of weighted
    responses, `weight` and `records` are the sum of the weights and the number of records.
    """

    leaves: NDArray[np.int64]
    who: NDArray[np.int64]
    response: NDArray[np.float64]
    weighted: NDArray[np.float64] | None = None
    weight: NDArray[np.float64] | None = None
    records: NDArray[np.float64] | None = None
    requested: NDArray[np.bool_] | None = None
    waived: NDArray[np.bool_] | None = None
    signed: bool = False
    """Whether some response is negative."""


def ranked(system: System, rows: RankedRows, keys: NDArray[np.int64], largest: int) -> Contributions:
    """Return who stands behind each cell: contributors by the absolute value of what they give, ties by number.

    The weight of a contributor with several records is the mean weight of what they give, so that contribution times
    weight is what stands in the cell; it is the plain mean where the contribution is zero or where some are negative.
    """
    ranking = _Ranking.empty(len(keys), largest, rows)
    done = np.zeros(len(keys), bool)
    people = int(rows.who.max(initial=-1)) + 1
    for table in range(len(system.names)):
        for layers in combinations_of_layers(system, table):
            above, there = keys_under(rows.leaves, layers, system.radix)
            if there.all():
                _rank(ranking, rows, None, above, people, keys, done)
            elif there.any():
                _rank(ranking, rows, np.flatnonzero(there), above[there], people, keys, done)
    return ranking.contributions()


@dataclass(slots=True)
class _Ranking:
    """The arrays that are being filled."""

    largest: NDArray[np.float64]
    holders: NDArray[np.int64]
    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    totals: NDArray[np.float64]
    absolutes: NDArray[np.float64] | None
    requested: NDArray[np.bool_] | None
    waived: NDArray[np.bool_] | None

    @classmethod
    def empty(cls, cells: int, largest: int, rows: RankedRows) -> _Ranking:
        shape = (cells, largest)
        return cls(
            np.zeros(shape),
            np.full(shape, -1, np.int64),
            np.ones(shape),
            np.zeros(cells, np.int64),
            np.zeros(cells),
            np.zeros(cells) if rows.signed else None,
            None if rows.requested is None else np.zeros(shape, bool),
            None if rows.waived is None else np.zeros(shape, bool),
        )

    def contributions(self) -> Contributions:
        return Contributions(
            self.largest,
            self.holders,
            self.weights,
            self.counts,
            self.totals,
            self.absolutes,
            self.requested,
            self.waived,
        )


def _rank(
    ranking: _Ranking,
    rows: RankedRows,
    chosen: NDArray[np.int64] | None,
    above: NDArray[np.int64],
    people: int,
    keys: NDArray[np.int64],
    done: NDArray[np.bool_],
) -> None:
    """Fill in the cells of one combination of layers from the chosen rows (None: all)."""
    who = rows.who if chosen is None else rows.who[chosen]
    if int(keys[-1]) >= _MOST // max(people, 1):  # too large to be one number with the contributor's
        above = np.searchsorted(keys, above)
        keys = np.arange(len(keys))
    order, pairs = _sorted(above * people + who)
    order = order if chosen is None else chosen[order]
    first = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]]))
    grouped = _Grouped(order, first)
    response = grouped.sums(rows.response)
    weighted = response if rows.weighted is None else grouped.sums(rows.weighted)
    weight = _mean_weights(rows, grouped, response, weighted)
    size = np.abs(response)
    pairs = pairs[first]
    cell, holder = pairs // people, pairs % people
    begins = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    at = np.searchsorted(keys, cell[begins])
    lengths = np.diff(np.concatenate([begins, [len(cell)]]))
    new = ~done[at]  # a cell that a table before has too is ranked already
    done[at] = True
    ranking.counts[at[new]] = lengths[new]
    ranking.totals[at[new]] = np.add.reduceat(weighted, begins)[new]
    if ranking.absolutes is not None:
        ranking.absolutes[at[new]] = np.add.reduceat(size * weight, begins)[new]
    # A contributor asked if any record says so, and consented only if all of them do.
    requested = None if rows.requested is None else grouped.reduced(rows.requested, np.logical_or)
    waived = None if rows.waived is None else grouped.reduced(rows.waived, np.logical_and)
    for j, (groups, picked) in enumerate(_places(size, begins, lengths, ranking.largest.shape[1])):
        wanted = new[groups]
        cells, rank = at[groups[wanted]], picked[wanted]
        ranking.largest[cells, j] = size[rank]
        ranking.holders[cells, j] = holder[rank]
        ranking.weights[cells, j] = weight[rank]
        if ranking.requested is not None and requested is not None:
            ranking.requested[cells, j] = requested[rank]
        if ranking.waived is not None and waived is not None:
            ranking.waived[cells, j] = waived[rank]


@dataclass(frozen=True, slots=True)
class _Grouped:
    """Rows in an order in which each group stands together, and where each group begins."""

    order: NDArray[np.int64]
    first: NDArray[np.int64]

    def sums(self, figures: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.reduced(figures, np.add)

    def reduced(self, figures: NDArray[Any], by: np.ufunc) -> NDArray[Any]:
        taken = figures[self.order]
        if len(self.first) == len(taken):  # every group is one row
            return taken
        reduced: NDArray[Any] = by.reduceat(taken, self.first)
        return reduced


def _mean_weights(
    rows: RankedRows, grouped: _Grouped, response: NDArray[np.float64], weighted: NDArray[np.float64]
) -> NDArray[np.float64]:
    if rows.weight is None or rows.records is None:
        return np.ones(len(response))
    if not rows.signed and (response > 0).all():
        return weighted / response
    means = grouped.sums(rows.weight) / grouped.sums(rows.records)
    return means if rows.signed else np.divide(weighted, response, out=means, where=response > 0)


def _sorted(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order that sorts numbers (equal ones as they come), and the sorted numbers.

    A number and its place are one number where both fit: sorting numbers is several times faster than sorting places.
    """
    places = max(len(numbers) - 1, 1).bit_length()
    if int(numbers.max(initial=0)) < _MOST >> places:
        packed = np.sort((numbers << places) | np.arange(len(numbers)))
        return packed & ((1 << places) - 1), packed >> places
    order = np.argsort(numbers, kind="stable")
    return order, numbers[order]


def _places(
    size: NDArray[np.float64], begins: NDArray[np.int64], lengths: NDArray[np.int64], largest: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return, for each rank, the groups that have as many contributors, and the row of that rank in each."""
    left = size.copy()
    group = np.repeat(np.arange(len(begins)), lengths)
    places = []
    for _ in range(largest):
        most = np.maximum.reduceat(left, begins)
        hits = np.flatnonzero((left == most[group]) & (left >= 0))
        groups, at = np.unique(group[hits], return_index=True)
        picked = hits[at]
        places.append((groups, picked))
        left[picked] = -1.0  # ranked already
    return places
