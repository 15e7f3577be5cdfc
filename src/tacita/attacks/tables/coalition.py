"""Coalitions of one: every contributor, who knows the own cells, attacks the cells of the others.

For a sensitive cell it is enough to find, against each contributor, one other possible table that leaves that
contributor's knowledge true and moves the cell as far as needed. A change that touches few cells proves this against
everybody whose cells it leaves alone, so that very few contributors have to be asked one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.attacks.tables.contributor_search import ContributorSearch, Insight
from tacita.attacks.tables.insider_demands import InsiderDemands
from tacita.attacks.tables.insiders import Insiders
from tacita.attacks.tables.insiders import in_free_numbers as knowledge_in_free_numbers
from tacita.attacks.tables.reach import AttackerReach, Ends
from tacita.attacks.tables.shown import in_free_numbers
from tacita.attacks.tables.system.blocks import Blocks, gathered
from tacita.attacks.tables.system.possible_tables import Numbers, Span
from tacita.model.table import Movement
from tacita.progress import Progress, silent

MORE = 30
"""So many more tables are looked for in each group before contributors are asked one by one."""


SHOWN = 20_000_000
"""So many numbers, in all tables that somebody else shows, are looked at."""


def insights(
    reach: AttackerReach,
    ends: Ends,
    demands: InsiderDemands,
    known: Insiders,
    progress: Progress = silent,
    movements: Sequence[Movement] = (),
) -> list[Insight]:
    """Return the free numbers that some contributor comes nearer to than demanded, though everybody else does not.

    Tables that `movements` show are looked at where they pass the check of those found here.
    """
    reduction = reach.reduction
    who, at, lower, upper = knowledge_in_free_numbers(known, reduction)
    down, up = demands.everybodys.moves(reduction, reach.start, ends)
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
    exempt, goals = demands.exempt(), demands.goals(reduction, reach.start, ends)
    most = SHOWN // max(1, len(reach.start))
    others = list(in_free_numbers(reach.possible, reduction, reach.start, movements, most)) if blocks.size else []
    all_insights: list[Insight] = []
    for group in gathered(reach.possible, reduction, reach.outer, blocks):
        local = np.full(len(reach.start), -1, np.int64)
        local[group.free] = np.arange(len(group.free))
        mine = local[at] >= 0
        search = ContributorSearch(
            group,
            reach.start[group.free],
            (who[mine], local[at[mine]], lower[mine], upper[mine]),
            {int(local[place]): attackers for place, attackers in exempt.items() if local[place] >= 0},
            Span(ends.least[group.free], ends.most[group.free]),
            reach.seconds,
        )
        tables = [reach.tables(group.free), *(_checked(group, insight, reach.start) for insight in others)]
        single = [(one.attacker, int(local[one.free]), one.down, one.up) for one in goals if local[one.free] >= 0]
        search.run(down[group.free], up[group.free], single, np.vstack(tables), progress)
        reach.solved += search.solved
        all_insights += [
            Insight(insight.attacker, int(group.free[insight.free]), insight.least, insight.most)
            for insight in search.insights
        ]
    return all_insights


def _checked(group: Blocks, table: Numbers, start: Numbers) -> Numbers:
    """Return a table in the numbers of a group, as a row; nan in blocks where it does not fit or is the true one."""
    is_possible, slip = group.checked(table[group.free])
    differs = np.bincount(group.block, is_possible != start[group.free], group.count) > 0
    good = np.isfinite(slip) & differs
    return np.where(good[group.block], is_possible, np.nan)[None, :]
