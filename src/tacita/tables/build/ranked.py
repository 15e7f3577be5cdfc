"""The largest contributions to every cell: contributors added up in each cell before they are ranked.

Neither the number of contributors of a sub-total nor the largest of them follow from those of its parts, because one
contributor may stand behind several parts. So the rows (leaf combination, contributor) are regrouped for every
combination of levels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Contributions
from tacita.tables.build.layers import combinations_of_layers, keys_under
from tacita.tables.build.linked import System


@dataclass(frozen=True, slots=True)
class Rows:
    """What each contributor gives in each leaf combination, one row each.

    `response` is the sum of the contributor's records, `weighted` the same with weights, `weight` and `records` the sum
    of the weights and the number of records.
    """

    leaves: NDArray[np.int64]
    who: NDArray[np.int64]
    response: NDArray[np.float64]
    weighted: NDArray[np.float64]
    weight: NDArray[np.float64]
    records: NDArray[np.float64]
    requested: NDArray[np.bool_] | None = None
    waived: NDArray[np.bool_] | None = None
    signed: bool = False
    """Whether some response is negative."""


def ranked(system: System, rows: Rows, keys: NDArray[np.int64], largest: int) -> Contributions:
    """Return who stands behind each cell: contributors by the absolute value of what they give, ties by number.

    The weight of a contributor with several records is the mean weight of what they give, so that contribution times
    weight is what stands in the cell; it is the plain mean where the contribution is zero or where some are negative.
    """
    made = _Ranking.empty(len(keys), largest, rows)
    done = np.zeros(len(keys), bool)
    people = int(rows.who.max(initial=-1)) + 1
    for table in range(len(system.names)):
        for layers in combinations_of_layers(system, table):
            above, there = keys_under(rows.leaves, layers, system.radix)
            cells = np.searchsorted(keys, above[there])
            wanted = ~done[cells]
            done[cells] = True
            chosen = np.flatnonzero(there)[wanted]
            if len(chosen):
                _rank(made, rows, chosen, cells[wanted], people)
    return made.contributions()


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
    def empty(cls, cells: int, largest: int, rows: Rows) -> _Ranking:
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


def _rank(made: _Ranking, rows: Rows, chosen: NDArray[np.int64], cells: NDArray[np.int64], people: int) -> None:
    """Fill in the cells of one combination of layers."""
    pairs = cells * people + rows.who[chosen]
    order = np.argsort(pairs, kind="stable")
    chosen, pairs = chosen[order], pairs[order]
    first = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]]))
    response = np.add.reduceat(rows.response[chosen], first)
    weighted = np.add.reduceat(rows.weighted[chosen], first)
    weight = np.add.reduceat(rows.weight[chosen], first) / np.add.reduceat(rows.records[chosen], first)
    if not rows.signed:
        weight = np.divide(weighted, response, out=weight, where=response > 0)
    size = np.abs(response)
    of_cell = pairs[first] // people
    begins = np.flatnonzero(np.concatenate([[True], of_cell[1:] != of_cell[:-1]]))
    at = of_cell[begins]
    lengths = np.diff(np.concatenate([begins, [len(of_cell)]]))
    made.counts[at] = lengths
    made.totals[at] = np.add.reduceat(weighted, begins)
    if made.absolutes is not None:
        made.absolutes[at] = np.add.reduceat(size * weight, begins)
    # A contributor asked if any record says so, and consented only if all of them do.
    requested = None if rows.requested is None else np.logical_or.reduceat(rows.requested[chosen], first)
    waived = None if rows.waived is None else np.logical_and.reduceat(rows.waived[chosen], first)
    for j, (groups, picked) in enumerate(_places(size, begins, lengths, made.largest.shape[1])):
        made.largest[at[groups], j] = size[picked]
        made.holders[at[groups], j] = pairs[first[picked]] % people
        made.weights[at[groups], j] = weight[picked]
        if made.requested is not None and requested is not None:
            made.requested[at[groups], j] = requested[picked]
        if made.waived is not None and waived is not None:
            made.waived[at[groups], j] = waived[picked]


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
