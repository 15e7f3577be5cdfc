"""Sums of cells that must stay unknown, as cells that nobody publishes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Equations, InsiderLevels, Knowledge, Levels, Table


def with_unions(
    table: Table, levels: Levels, knowledge: Knowledge, unions: Sequence[tuple[NDArray[np.int64], float]]
) -> tuple[Table, Levels, Knowledge]:
    """Return the table with a sensitive cell more for each union, which is as wide as said; what is known of them.

    The unions must stay unknown to everybody; nothing is asked against contributors who alone stand behind cells.
    """
    count, extra = len(table), len(unions)
    members = [cells for cells, _ in unions]
    first = np.array([cells[0] for cells in members])
    old = table.equations
    lengths = np.array([len(cells) + 1 for cells in members])
    equations = Equations(
        np.concatenate((old.starts, old.starts[-1] + np.cumsum(lengths))),
        np.concatenate((old.cells, *(np.append(cells, count + at) for at, cells in enumerate(members)))),
        np.concatenate((old.coefficients, *(np.append(np.ones(len(cells)), -1.0) for cells in members))),
    )

    def grown(before: NDArray[np.float64], one: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate((before, one))

    def summed(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return grown(numbers, np.array([numbers[cells].sum() for cells in members]))

    zero, yes, no = np.zeros(extra), np.ones(extra, bool), np.zeros(extra, bool)
    wider = replace(
        levels,
        sensitive=np.concatenate((levels.sensitive, yes)),
        lower=grown(levels.lower, zero),
        upper=grown(levels.upper, zero),
        sliding=grown(levels.sliding, np.array([level for _, level in unions])),
        rule=np.concatenate((levels.rule, levels.rule[first])),
        excess=grown(levels.excess, zero),
        against=_against(levels, knowledge, extra),
    )
    knowing = replace(
        knowledge,
        lower=summed(knowledge.lower),
        upper=summed(knowledge.upper),
        known=np.concatenate((knowledge.known, no)),
        owners=np.concatenate((knowledge.owners, np.full(extra, -1, np.int64))),
    )
    larger = replace(
        table,
        codes=np.concatenate((table.codes, table.codes[first])),
        values=summed(table.values),
        equations=equations,
        counts=None,
        contributions=None,
        holdings=None,
        parts={},
    )
    return larger, wider, knowing


def _against(levels: Levels, knowledge: Knowledge, extra: int) -> InsiderLevels:
    """Return the levels against contributors, with nothing asked of unions."""
    owners = np.unique(knowledge.owners[knowledge.owners >= 0])
    cell = np.repeat(np.arange(len(levels.sensitive), len(levels.sensitive) + extra), len(owners))
    who = np.tile(owners, extra)
    zero, old = np.zeros(len(who)), levels.against
    if old is None:
        return InsiderLevels(cell, who, zero, zero, zero)
    return InsiderLevels(
        np.concatenate((old.cell, cell)),
        np.concatenate((old.contributor, who)),
        np.concatenate((old.lower, zero)),
        np.concatenate((old.upper, zero)),
        np.concatenate((old.sliding, zero)),
    )
