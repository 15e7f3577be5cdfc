"""Coalitions of one: every contributor, who knows the own cells, attacks the cells of the others.

For a sensitive cell it is enough to find, against each contributor, one other possible table that leaves that
contributor's knowledge true and moves the cell as far as needed. A change that touches few cells proves this against
everybody whose cells it leaves alone, so that very few contributors have to be asked one by one.
"""

from __future__ import annotations

import numpy as np

from tacita.attacks.contributor_search import Insight, Search
from tacita.attacks.demands import Demands
from tacita.attacks.insiders import Insiders, in_free_numbers
from tacita.attacks.reach import Ends, Reach
from tacita.attacks.system.blocks import gathered
from tacita.progress import Progress, silent

MORE = 30
"""So many more tables are looked for in each group before contributors are asked one by one."""


def insights(reach: Reach, ends: Ends, demands: Demands, known: Insiders, progress: Progress = silent) -> list[Insight]:
    """Return the free numbers that some contributor comes nearer to than demanded, though everybody else does not."""
    reduction = reach.reduction
    who, at, lower, upper = in_free_numbers(known, reduction)
    down, up = demands.moves(reduction, reach.start, ends)
    wanted = ~(np.isnan(down) & np.isnan(up))
    blocks = np.intersect1d(reduction.block[at], reduction.block[wanted])
    if blocks.size and not reach.possible.whole:
        # Tables that differ in the cells that somebody knows, too, so that mixtures of them show these right.
        known_too = np.isin(np.arange(len(down)), at)
        half = np.where(known_too & (reach.start != 0), np.abs(reach.start) / 2, np.nan)
        aside = np.isin(reduction.block, blocks)
        low = np.where(aside, reach.start - np.where(np.isnan(down), half, down), np.nan)
        high = np.where(aside, reach.start + np.where(np.isnan(up), half, up), np.nan)
        reach.explore(ends, low, high, MORE)
    exempt = demands.own(reduction, known)
    found: list[Insight] = []
    for group in gathered(reach.possible, reduction, reach.outer, blocks):
        local = np.full(len(reach.start), -1, np.int64)
        local[group.free] = np.arange(len(group.free))
        mine = local[at] >= 0
        search = Search(
            group,
            reach.start[group.free],
            (who[mine], local[at[mine]], lower[mine], upper[mine]),
            {int(local[place]): attackers for place, attackers in exempt.items() if local[place] >= 0},
            (ends.least[group.free], ends.most[group.free]),
            reach.seconds,
        )
        search.run(down[group.free], up[group.free], reach.tables(group.free), progress)
        reach.solved += search.solved
        found += [Insight(each.attacker, int(group.free[each.free]), each.least, each.most) for each in search.found]
    return found
