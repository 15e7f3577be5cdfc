"""Contributors who attack: what each of them knows besides what everybody does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.system.possible_tables import Numbers, Places, PossibleTables
from tacita.attacks.tables.system.reduction import Reduction
from tacita.errors import InternalError
from tacita.model.table import Knowledge, Table


@dataclass(frozen=True, slots=True)
class Insiders:
    """Who knows what: attacker `who[p]` knows that unknown cell `place[p]` is between `lower[p]` and `upper[p]`.

    The sole contributor of a cell knows it exactly; one of several knows that it is no less than the own contribution.
    Attackers are numbered from 0; `cell[a]` is a cell of the table that attacker a contributes to, to speak of it, and
    `contributor[a]` its number as a contributor.
    """

    who: Places
    place: Places
    lower: Numbers
    upper: Numbers
    cell: Places
    contributor: Places
    alone: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.cell)

    def name(self, table: Table, attacker: int) -> str:
        """Return how the attacker is called: by a cell, never by name."""
        of = "the contributor of" if self.alone[attacker] else "a contributor to"
        return f"{of} ({table.cell_name(int(self.cell[attacker]))})"


def insiders(table: Table, possible: PossibleTables, knowledge: Knowledge, *, contributors: bool = False) -> Insiders:
    """Return the sole contributors of unknown cells and, if asked for, everybody who stands behind one of several."""
    if possible.truth is None:
        raise InternalError("contributors attack with what they truly know, and the true values are not at hand")
    owner = knowledge.owners[possible.cells]
    place = np.flatnonzero(owner >= 0)
    who, lower, upper = owner[place], possible.truth[place], possible.truth[place]
    if contributors and table.contributions is not None:
        contributions = table.contributions
        holders, own = (
            contributions.holders[possible.cells],
            (contributions.largest * contributions.weights)[possible.cells],
        )
        others, column = np.nonzero((holders >= 0) & (own > 0) & (owner[:, None] != holders))
        who = np.concatenate((who, holders[others, column]))
        place = np.concatenate((place, others))
        # Rounding of the table must not turn an own contribution into a bound that the cell itself breaks.
        lower = np.concatenate((lower, np.minimum(own[others, column], possible.truth[others])))
        upper = np.concatenate((upper, np.full(len(others), np.inf)))
    names, numbered = np.unique(who, return_inverse=True)
    cell, alone = np.zeros(len(names), np.int64), np.zeros(len(names), bool)
    cell[numbered[::-1]] = possible.cells[place[::-1]]
    alone[numbered[np.isfinite(upper)]] = True
    first = np.flatnonzero(np.isfinite(upper))[::-1]
    cell[numbered[first]] = possible.cells[place[first]]
    return Insiders(numbered.astype(np.int64), place.astype(np.int64), lower, upper, cell, names, alone)


def in_free_numbers(known: Insiders, reduction: Reduction) -> tuple[Places, Places, Numbers, Numbers]:
    """Return the same knowledge about the free numbers: attacker, free number, least, most."""
    at = reduction.place[known.place]
    is_free = at >= 0
    factor, shift = reduction.factor[known.place][is_free], reduction.shift[known.place][is_free]
    one, other = (known.lower[is_free] - shift) / factor, (known.upper[is_free] - shift) / factor
    return known.who[is_free], at[is_free], np.minimum(one, other), np.maximum(one, other)
