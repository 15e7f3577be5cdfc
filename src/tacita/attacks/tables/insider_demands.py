"""What is demanded against single contributors, where it is another thing than what is demanded against everybody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.attacks.tables.demands import Demands
from tacita.attacks.tables.insiders import Insiders
from tacita.attacks.tables.reach import Ends
from tacita.attacks.tables.system.possible_tables import Numbers, Places, PossibleTables, Span
from tacita.attacks.tables.system.reduction import Reduction
from tacita.model.table import Levels


@dataclass(frozen=True, slots=True)
class InsiderGoal:
    """How far one contributor must hold it possible that a free number lies below and above; nan: nothing is asked."""

    attacker: int
    free: int
    down: float
    up: float


@dataclass(frozen=True, slots=True)
class InsiderDemands:
    """The demands of pairs of an attacker and a free number; those of all other pairs are the demands on everybody.

    Nothing is demanded of a cell against who alone stands behind it. Against another contributor to it the levels say
    what is (`Levels.against`); against who does not contribute to it, what is demanded against everybody. A pair has
    the demands on each sensitive cell that follows the free number: those of `demands` at which `pair` is its number.
    """

    attacker: Places
    free: Places
    pair: Places
    demands: Demands
    everybodys: Demands

    @classmethod
    def of(
        cls, everybodys: Demands, levels: Levels, possible: PossibleTables, known: Insiders, reduction: Reduction
    ) -> InsiderDemands:
        """Return the demands against contributors as far as they are met against everybody."""
        count = len(everybodys.places)
        demand_at = np.full(len(possible.cells), -1, np.int64)
        demand_at[everybodys.places] = np.arange(count)
        # Pairs of an attacker and a demand, first of own cells, then of cells that the levels list: these count.
        own = demand_at[known.place]
        attackers, demands = known.who[own >= 0], own[own >= 0]
        distances = np.zeros((3, len(attackers)))
        special = levels.against
        if special is not None and len(known):
            who = np.minimum(np.searchsorted(known.contributor, special.contributor), len(known) - 1)
            at = np.minimum(np.searchsorted(possible.cells, special.cell), len(possible.cells) - 1)
            on = np.where(possible.cells[at] == special.cell, demand_at[at], -1)
            rows = (known.contributor[who] == special.contributor) & (on >= 0)
            attackers = np.concatenate((attackers, who[rows]))
            demands = np.concatenate((demands, on[rows]))
            listed = np.stack((special.lower[rows], special.upper[rows], special.sliding[rows]))
            distances = np.concatenate((distances, listed), axis=1)
        free = reduction.place[everybodys.places]
        moving = free[demands] >= 0
        attackers, demands, distances = attackers[moving], demands[moving], distances[:, moving]
        size = reduction.matrix.shape[1]
        names = np.unique(attackers * size + free[demands])
        pair_attacker, pair_free = names // max(size, 1), names % max(size, 1)
        # Every demand on the number of a pair belongs to it, whether the pair is special there or not.
        order = np.argsort(free, kind="stable")
        first, last = (np.searchsorted(free[order], pair_free, side=side) for side in ("left", "right"))
        counts = last - first
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        pair = np.repeat(np.arange(len(names)), counts)
        theirs = order[np.repeat(first, counts) + within]
        special_at = np.full(len(theirs), -1, np.int64)
        key, listed_key = pair_attacker[pair] * count + theirs, attackers * count + demands
        by_key = np.argsort(key, kind="stable")
        special_at[by_key[np.searchsorted(key[by_key], listed_key)]] = np.arange(len(listed_key))
        return cls(
            pair_attacker, pair_free, pair, _narrowed(everybodys, theirs, special_at, distances, possible), everybodys
        )

    def exempt(self) -> dict[int, set[int]]:
        """Return, by free number, the attackers who have demands of their own there."""
        exempt: dict[int, set[int]] = {}
        for free, attacker in zip(self.free.tolist(), self.attacker.tolist(), strict=True):
            exempt.setdefault(free, set()).add(attacker)
        return exempt

    def goals(self, reduction: Reduction, start: Numbers, ends: Ends) -> list[InsiderGoal]:
        """Return the moves that are asked for against single attackers."""
        here = start[self.free]
        room = Span(here - ends.least[self.free], ends.most[self.free] - here)
        down, up = self.demands.moves_of(reduction, self.pair, here, room)
        some = np.flatnonzero(~(np.isnan(down) & np.isnan(up))).tolist()
        return [InsiderGoal(int(self.attacker[at]), int(self.free[at]), float(down[at]), float(up[at])) for at in some]

    def against(self, reduction: Reduction, attacker: int, free: int) -> Demands:
        """Return the demands on the cells of one free number against an attacker."""
        pair = np.flatnonzero((self.attacker == attacker) & (self.free == free))
        if len(pair):
            return self.demands.only(self.pair == pair[0])
        return self.everybodys.only(reduction.place[self.everybodys.places] == free)


def _narrowed(
    everybodys: Demands, rows: Places, special_at: Places, distances: Numbers, possible: PossibleTables
) -> Demands:
    """Return some of the demands on everybody, with other distances where there are some."""
    usual = everybodys.only(rows)
    if not distances.shape[1]:
        return usual
    is_special = special_at >= 0
    lower, upper, sliding = np.where(is_special, distances[:, np.maximum(special_at, 0)], np.nan)
    # What is violated against everybody is not asked again.
    down_to = np.where(np.isnan(usual.down_to) | (lower <= 0), np.nan, usual.value - lower)
    up_to = np.where(np.isnan(usual.up_to) | (upper <= 0), np.nan, usual.value + upper)
    width = np.minimum(usual.width, sliding)
    if possible.whole:
        down_to, up_to, width = np.floor(down_to + 1e-9), np.ceil(up_to - 1e-9), np.ceil(width - 1e-9)
    return Demands(
        usual.places,
        usual.value,
        np.where(is_special, down_to, usual.down_to),
        np.where(is_special, up_to, usual.up_to),
        np.where(is_special, width, usual.width),
    )
