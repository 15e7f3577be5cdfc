"""Large tables: a guide from subtables, then one detour for each target in its neighbourhood, then exchanges.

No programme over the whole table is ever solved, except for targets that no neighbourhood can protect. The pattern is
proved as it grows: each detour keeps all sums of the whole table, so it is a proof, and usually one of many targets at
once. Work is counted in programmes solved, not in seconds, so the same table gives the same pattern; the clock only
ends exchanges early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.exact.optimal import Best
from tacita.tables.suppression.exact.safe_pattern import SafePatterns
from tacita.tables.suppression.large.currents import Currents, with_companions
from tacita.tables.suppression.large.free_proofs import prove_free
from tacita.tables.suppression.large.guide import guide_of
from tacita.tables.suppression.large.local_routing import Detour, LocalRouter, cheapest
from tacita.tables.suppression.large.neighbourhoods import Neighbourhood, Neighbourhoods, reached_from
from tacita.tables.suppression.large.subtables import Subtable
from tacita.tables.suppression.problem import CLOSE_ENOUGH, EVERYBODY, WIDTH, ProtectionTarget, SuppressionProblem
from tacita.tables.suppression.proofs.kept import Witness

_LIKED = 0.5  # how much of its price the guide takes from a cell that it withholds
_LARGE = 2_000  # places; in a larger neighbourhood only the cheapest of each equation are looked at
_CHEAPEST = 2
_KEPT_ROUTERS = 500
_FURTHER = (1_500, 6_000)  # places, where no small neighbourhood serves
_COMPANIONS = (0, 1, 2, 4, 8, 16)  # how many times over others must have room for a level, from one try to the next
_EFFORT = 0.2  # programmes for exchanges, as a share of those that made the pattern


def large_pattern(
    problem: SuppressionProblem,
    near: Neighbourhoods,
    subtables: list[Subtable],
    patterns: SafePatterns,
    clock: Clock,
    report: Callable[[Best], None],
) -> Best:
    """Return a safe pattern of a large table with a bound; the proofs are in `patterns`."""
    prove_free(problem, patterns.proofs, clock)
    guide = guide_of(problem, subtables, clock)
    search = LargeSearch(problem, near, patterns, guide.x)
    search.protect(clock)
    # What is left (no neighbourhood protects it) and a last check of everything: the exact way, over the whole table.
    pattern = patterns.safe(search.pattern, guide.x)
    search.pattern = pattern
    report(Best(pattern, patterns.cost(pattern), guide.bound))
    search.exchange(clock)
    cost = patterns.cost(search.pattern)
    best = Best(search.pattern, cost, min(guide.bound, cost))
    report(best)
    return best


class LargeSearch:
    """A pattern that grows until every target is proved, and is then made cheaper."""

    def __init__(
        self, problem: SuppressionProblem, near: Neighbourhoods, patterns: SafePatterns, guide: NDArray[np.float64]
    ) -> None:
        self.problem = problem
        self.pattern = problem.withheld.copy()
        self._near = near
        self._proofs = patterns.proofs
        self._cost = problem.cost * (1.0 - _LIKED * np.clip(guide, 0.0, 1.0))
        self._tilt = 1e-9 * max(float(problem.cost.mean()), 1e-9)
        self._level = np.maximum(np.maximum(problem.lower, problem.upper), problem.sliding / 2)
        self._room = np.maximum(np.minimum(problem.up, problem.down), 1e-12)
        self._cheap = cheapest(problem, _CHEAPEST)
        self._routers: dict[Neighbourhood, LocalRouter] = {}
        self._where: dict[int, Neighbourhood] = {}
        self._of: dict[int, list[ProtectionTarget]] = {}
        for target in self._proofs.targets:
            self._of.setdefault(target.cell, []).append(target)
        self.programmes = 0

    def protect(self, clock: Clock) -> None:
        """Find a detour for each target, first near it, then further away; then for contributors who know cells.

        Where a neighbourhood would be large, the crossings of codes say where to look in it. When time is up they are
        all that is looked for, and programmes are solved only where there are none.
        """
        ladders = {place: self._near.around(place) for place in sorted(self._of) if place in self._near}
        self._where = {place: ladder[0] for place, ladder in ladders.items()}
        small = [place for place in ladders if len(self._near.places(ladders[place][0])) <= _LARGE]
        self._climb({place: ladders[place][:1] for place in small}, clock)
        if clock.is_up or not self.problem.whole:
            self._weave(self._unproved(ladders), clock)
        self._explore(self._unproved(ladders), clock)
        with suppress(OutOfTime):
            self._charge(ladders, clock)
        if clock.is_up:
            for place in self._unproved(ladders):
                self._shift(place)
        self._climb({place: ladders[place] for place in self._unproved(ladders)}, clock, to_the_end=True)
        if self.problem.known_by:
            self._protect_from_contributors(clock)

    def _unproved(self, places: Iterable[int]) -> list[int]:
        """Return the places that are not proved yet, the largest levels first."""
        unproved = [place for place in places if not self._is_proved(place)]
        return sorted(unproved, key=lambda place: (-self._level[place], place))

    def _climb(self, ladders: dict[int, list[Neighbourhood]], clock: Clock, *, to_the_end: bool = False) -> None:
        """Look for detours in the neighbourhoods of one rung after the other."""
        waiting, rung = list(ladders), 0
        while waiting:
            groups: dict[Neighbourhood, list[int]] = {}
            for place in waiting:
                groups.setdefault(ladders[place][rung], []).append(place)
                self._where[place] = ladders[place][rung]
            # Inner cells first: what they withhold serves the margins, whose neighbourhoods widen to the most.
            wide = {where: len(self._near.places(self._near.wider(members[0]))) for where, members in groups.items()}
            failed: list[int] = []
            for where in sorted(groups, key=lambda number: (wide[number], groups[number][0])):
                if clock.is_up and not to_the_end:
                    return
                for place in groups[where]:
                    if clock.is_up:
                        self._shift(place)
                    is_last = to_the_end and rung + 1 == len(ladders[place])
                    if not self._is_proved(place) and not self._protected(place, self._router(where), is_last):
                        failed.append(place)
            rung += 1
            waiting = [place for place in sorted(failed) if rung < len(ladders[place])]
            if waiting:
                self._routers.clear()

    def _explore(self, places: list[int], clock: Clock) -> None:
        """Look for detours among what is withheld or cheap, ever further from each place in steps of equations."""
        across = self.problem.sums.T.tocsr()
        # Inner cells first: what they withhold serves the margins, whose neighbourhoods widen to the most.
        wide = {place: len(self._near.places(self._near.wider(place))) for place in places}
        for most in _FURTHER:
            for place in sorted(places, key=lambda number: (wide[number], number)):
                if clock.is_up:
                    return
                if not self._is_proved(place):
                    around = reached_from(self.problem.sums, across, place, self.pattern | self._cheap, most)
                    self._protected(place, LocalRouter(self.problem, around), is_last=False)

    def _charge(self, places: Iterable[int], clock: Clock) -> None:
        """Prove by currents what is left, with ever more companions withheld for it; `OutOfTime` when time is up."""
        if self.problem.whole:
            return
        for count in _COMPANIONS:
            clock.check()
            left = [place for place in self._unproved(places) if self._is_even(place)]
            if not left:
                return
            allowed = self.pattern
            if count:
                allowed = with_companions(self.problem, self.pattern, self._level, left, count, clock)
            for current in Currents(self.problem, allowed, self._level).movements(left):
                self._keep(current, True, EVERYBODY)
                clock.check()

    def _weave(self, places: list[int], clock: Clock) -> None:
        """Take crossings of codes: the cheapest movement among their codes or, when time is up, a crossing itself."""
        for place in places:
            if self._is_proved(place) or not self._is_even(place):
                continue
            woven = self._near.woven(
                place,
                np.where(self.pattern, 0.0, self._cost),
                self._room,
                float(self._level[place]),
                whole=self.problem.whole,
            )
            if woven is None:
                if clock.is_up:
                    self._shift(place)
                continue
            if not clock.is_up:
                self._where[place] = (woven.codes,)
                if self._protected(place, self._router(self._where[place]), is_last=False):
                    continue
            self._keep(Detour(woven.places, woven.delta), True, EVERYBODY)

    def _shift(self, place: int) -> None:
        """Move leaves where nothing else was found in time: it takes little, and withholds much."""
        if not self._is_proved(place) and self._is_even(place):
            price = np.where(self.pattern, 0.0, self._cost)
            shift = self._near.shifted(place, price, self._room, float(self._level[place]))
            if shift is not None:
                self._keep(shift, True, EVERYBODY)

    def exchange(self, clock: Clock) -> None:
        """Do without cells where what must be withheld instead costs less, often nothing.

        First without all the cells that only the targets of one neighbourhood use: those that came early found little
        withheld, and find more now. Then without single cells, the dearest first.
        """
        most = self.programmes * (1 + _EFFORT)
        for cells in self._private() if not clock.is_up else ():
            if clock.is_up or self.programmes > most:
                return
            self._exchanged(cells)
        extra = np.flatnonzero(self.pattern & ~self.problem.withheld)
        for cell in extra[np.lexsort((extra, -self.problem.cost[extra]))].tolist():
            if clock.is_up or self.programmes > most:
                return
            self._exchanged(np.array([cell]))

    def _private(self) -> list[NDArray[np.int64]]:
        """Return the cells that only targets of one neighbourhood need, by neighbourhood, in the order of the cells."""
        by_neighbourhood: dict[Neighbourhood, list[int]] = {}
        seen: dict[int, set[Neighbourhood]] = {}
        for cell in np.flatnonzero(self.pattern & ~self.problem.withheld).tolist():
            users: set[Neighbourhood] = set()
            for movement, proved in self._proofs.provers_using(cell):
                if movement not in seen:
                    seen[movement] = {self._where.get(target.cell, ()) for target in proved}
                users |= seen[movement]
            if len(users) == 1 and len(self._near.places(where := users.pop())) <= _LARGE:
                by_neighbourhood.setdefault(where, []).append(cell)
        return [np.array(cells) for cells in by_neighbourhood.values()]

    def _exchanged(self, cells: NDArray[np.int64]) -> bool:
        """Try to do without cells; return whether that was cheaper. Otherwise everything is as before."""
        before, spent, saved = self.pattern.copy(), 0.0, float(self.problem.cost[cells].sum())
        self.pattern[cells] = False
        touched = dict.fromkeys(target for cell in cells.tolist() for target in self._proofs.using(cell))
        # Unions of cells have no neighbourhood: what they use stays.
        known_where = [self._where.get(target.cell, ()) for target in touched]
        if any(not where or len(self._near.places(where)) > _LARGE for where in known_where):
            self.pattern = before
            return False
        witnesses: dict[ProtectionTarget, Witness] = {}
        for target in touched:
            if target in witnesses:
                continue
            known = self._known(target.attacker)
            detour, is_mirrored = self._detour(
                target.cell, target.sign or 1, self._router(self._where[target.cell]), known
            )
            if detour is not None:
                spent += float(self.problem.cost[detour.places[~self.pattern[detour.places]]].sum())
                self.pattern[detour.places] = True
                met = self._met(detour, is_mirrored, target.attacker)
                witnesses.update(
                    dict.fromkeys(
                        (one for one in met if one not in witnesses), Witness.moving(detour.places, detour.delta)
                    )
                )
            if target not in witnesses or spent >= saved:
                self.pattern = before
                return False
        for target, witness in witnesses.items():
            if target in touched:
                self._proofs.add(target, witness)
        return True

    def _protected(self, place: int, router: LocalRouter, is_last: bool) -> bool:
        """Withhold what a target needs in a neighbourhood; return False if it cannot be protected there.

        Only in the last neighbourhood are two movements looked for, one each way, where no single one serves both.
        """
        signs = (1, -1) if is_last or not self._is_even(place) else (1,)
        for sign in signs:
            if self._is_proved(place):
                return True
            detour, is_mirrored = self._detour(place, sign, router, alone=is_last or not self._is_even(place))
            if detour is not None:
                self._keep(detour, is_mirrored, EVERYBODY)
        return self._is_proved(place)

    def _detour(
        self,
        place: int,
        sign: int,
        router: LocalRouter,
        shut: NDArray[np.int64] | None = None,
        *,
        alone: bool = True,
    ) -> tuple[Detour | None, bool]:
        """Return a cheap movement that reaches a level, and whether it proves both directions."""
        level = float(self._level[place])
        places = router.places
        cost = np.where(self.pattern[places], 0.0, self._cost[places] + self._tilt)
        router.price(cost / np.minimum(self._room[places], level))
        self.programmes += 1
        both = router.route(place, sign, level, mirrored=True, shut=shut)
        if both is not None:
            return both, True
        level = float(self.problem.upper[place] if sign > 0 else self.problem.lower[place])
        if not alone or level <= 0:
            return None, False
        self.programmes += 1
        return router.route(place, sign, level, mirrored=False, shut=shut), False

    def _is_even(self, place: int) -> bool:
        """Return whether a place has room for its level both ways."""
        return bool(self._room[place] >= self._level[place] * (1 - CLOSE_ENOUGH))

    def _keep(self, detour: Detour, is_mirrored: bool, attacker: int) -> None:
        self.pattern[detour.places] = True
        witness = Witness.moving(detour.places, detour.delta)
        for target in self._met(detour, is_mirrored, attacker):
            if self._proofs.of(target) is None:
                self._proofs.add(target, witness)

    def _met(self, detour: Detour, is_mirrored: bool, attacker: int) -> list[ProtectionTarget]:
        """Return the targets of an attacker that a movement, or its mirror image, reaches."""
        met = []
        for place, delta in zip(detour.places.tolist(), detour.delta.tolist(), strict=True):
            for one in self._of.get(place, ()):
                target = one if attacker == EVERYBODY else self.problem.seen_by(one, attacker)
                if target.level <= 0:
                    continue
                reached = 2 * abs(delta) * is_mirrored if target.sign == WIDTH else target.sign * delta
                if max(reached, abs(delta) * (is_mirrored and target.sign != WIDTH)) >= target.level * (
                    1 - CLOSE_ENOUGH
                ):
                    met.append(target)
        return met

    def _is_proved(self, place: int) -> bool:
        return all(self._proofs.of(target) is not None for target in self._of[place])

    def _router(self, where: Neighbourhood) -> LocalRouter:
        if where not in self._routers:
            if len(self._routers) >= _KEPT_ROUTERS:
                del self._routers[next(iter(self._routers))]
            places = self._near.places(where)
            if len(places) > _LARGE:
                places = places[(self.pattern | self._cheap)[places]]
            self._routers[where] = LocalRouter(self.problem, places)
        return self._routers[where]

    def _known(self, attacker: int) -> NDArray[np.int64]:
        return self.problem.known_by[attacker] if attacker != EVERYBODY else np.zeros(0, np.int64)

    def _protect_from_contributors(self, clock: Clock) -> None:
        """Find detours that leave alone what single contributors know, where the proofs so far do not.

        All contributors who see through a proof are shut out together: one movement then serves against each of them.
        Where that is too much to ask, they are taken one by one.
        """
        known = np.unique(np.concatenate(list(self.problem.known_by.values())))
        for place in sorted(self._of):
            targets = [target for target in self._of[place] if self._proofs.of(target) is not None]
            attackers = sorted({who for target in targets for who in self._proofs.attackers_in(target)})
            if clock.is_up and attackers and place in self._near and self._is_even(place):
                self._hide(targets, known)
                attackers = sorted({who for target in targets for who in self._proofs.attackers_in(target)})
            if attackers and place in self._where and not self._hidden(place, attackers):
                for attacker in attackers:
                    self._hidden(place, [attacker])

    def _hide(self, targets: list[ProtectionTarget], known: NDArray[np.int64]) -> None:
        """Look for a movement of cells that no contributor knows but those against whom nothing is asked."""
        place = targets[0].cell
        own = self.problem.known_to_unasked(targets[0])
        room, level = self._room.copy(), float(self._level[place])
        room[np.setdiff1d(known, own, assume_unique=True)] = 0.0
        price = np.where(self.pattern, 0.0, self._cost)
        woven = self._near.woven(place, price, room, level, whole=self.problem.whole)
        detour = self._near.shifted(place, price, room, level) if woven is None else Detour(woven.places, woven.delta)
        if detour is not None:
            self.pattern[detour.places] = True
            witness = Witness.moving(detour.places, detour.delta)
            met = set(self._met(detour, True, EVERYBODY))
            for target in targets:
                if target in met:
                    self._proofs.add(target, witness)

    def _hidden(self, place: int, attackers: list[int]) -> bool:
        """Protect a place from contributors by one movement, in either direction; return whether that was possible."""
        shut = np.unique(np.concatenate([self.problem.known_by[who] for who in attackers]))
        if place in shut:
            return False
        router = self._router(self._where[place])
        for sign in (1, -1):
            detour, is_mirrored = self._detour(place, sign, router, shut)
            if detour is None:
                return False
            for attacker in attackers:
                unproved = [one for one in self._met(detour, is_mirrored, attacker) if self._proofs.of(one) is None]
                self._proofs.watch(unproved)
                self._keep(detour, is_mirrored, attacker)
            if is_mirrored:
                break
        return True
