"""What an attacker who knows a method concludes: the ends of cells under the sums, and what is more than luck."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.demands import final
from tacita.attacks.tables.reach import AttackerReach
from tacita.attacks.tables.system.possible_tables import Places, Span, possible_tables
from tacita.attacks.tables.system.reduction import reduced
from tacita.model.table import Knowledge, Table
from tacita.progress import Progress, silent

WITHIN = 0.01
"""A value counts as recovered when a guess is off by this share of it at most."""

BY_CHANCE = 1e-4
"""What is less likely than this is not chance."""


def ends_of(
    table: Table, unknown: NDArray[np.bool_], knowledge: Knowledge, cells: Places, progress: Progress = silent
) -> tuple[Span, int]:
    """Return the ends of what sums and bounds leave of some unknown cells, and how many questions that took."""
    possible = possible_tables(table, unknown, knowledge)
    reduction = reduced(possible)
    reach = AttackerReach(possible, reduction)
    ends = reach.ends()
    places = np.searchsorted(possible.cells, cells)
    free = reduction.place[places]
    target = np.full(len(reach.start), np.nan)
    target[free[free >= 0]] = np.inf
    reach.settle(ends, -target, target, progress, "attacking the sensitive cells")
    span = final(reduction, ends)
    return Span(span.low[places], span.high[places]), reach.solved


def chance_of(hits: int, number: int, chance: float) -> float:
    """Return a bound of the chance of so many hits or more, each having the same (Chernoff).

    >>> chance_of(5, 100, 0.05), chance_of(6, 6, 0.01) < 1e-11
    (1.0, True)
    """
    rate = hits / number
    if rate <= chance:
        return 1.0
    rest = 0.0 if rate >= 1 else (1 - rate) * np.log((1 - rate) / (1 - chance))
    return float(np.exp(-number * (rate * np.log(rate / chance) + rest)))
