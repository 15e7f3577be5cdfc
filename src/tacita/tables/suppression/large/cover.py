"""Which pieces protect which places, and what is withheld for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.large.flows import ConnectedMove
from tacita.tables.suppression.problem import CLOSE_ENOUGH, EVERYBODY, SuppressionProblem
from tacita.tables.suppression.proofs.kept import Proofs, Witness

_NOBODY: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class _Use:
    """A piece in use: what it withholds besides, and who knows a place that it moves."""

    piece: ConnectedMove
    withholds: NDArray[np.int64]
    knowers: frozenset[int]


class PatternCover:
    """Pieces in use; a place is covered when no contributor sees through all of its pieces.

    What is withheld is what pieces in use move, and nothing else: a place that no piece moves any more is published.
    """

    def __init__(self, problem: SuppressionProblem) -> None:
        self.problem = problem
        self.level = np.maximum(np.maximum(problem.lower, problem.upper), problem.sliding / 2)
        self.room = np.minimum(problem.up, problem.down)
        self.count = np.zeros(len(problem), np.int64)
        self._uses: dict[int, _Use] = {}
        self._covers: dict[int, dict[int, None]] = {}
        self._of: defaultdict[int, dict[int, None]] = defaultdict(dict)
        self._using: defaultdict[int, dict[int, None]] = defaultdict(dict)
        self._next = 0
        self._known_by: defaultdict[int, set[int]] = defaultdict(set)
        for who, places in problem.known_by.items():
            for place in places.tolist():
                self._known_by[place].add(who)
        self.is_known = np.zeros(len(problem), bool)
        self.is_known[list(self._known_by)] = True
        self._unasked: dict[int, frozenset[int]] = {}
        self._against: defaultdict[int, dict[int, ConnectedMove]] = defaultdict(dict)

    @property
    def pattern(self) -> NDArray[np.bool_]:
        """What is withheld now."""
        return np.asarray(self.problem.withheld | (self.count > 0))

    @property
    def cost(self) -> float:
        """What is paid for it."""
        return float(self.problem.cost[(self.count > 0) & ~self.problem.withheld].sum())

    def add(self, piece: ConnectedMove, places: Iterable[int]) -> int:
        """Take a piece into use for some places; return its number."""
        number, self._next = self._next, self._next + 1
        moved = piece.places
        use = _Use(piece, moved[~self.problem.withheld[moved]], self.knowers(moved))
        self._uses[number] = use
        self._covers[number] = dict.fromkeys(places)
        for place in self._covers[number]:
            self._of[place][number] = None
        self.count[use.withholds] += 1
        for place in use.withholds.tolist():
            self._using[place][number] = None
        return number

    def drop(self, number: int) -> tuple[ConnectedMove, list[int]]:
        """Take a piece out of use; return it, and the places that it was for."""
        use, places = self._uses.pop(number), list(self._covers.pop(number))
        for place in places:
            del self._of[place][number]
        self.count[use.withholds] -= 1
        for place in use.withholds.tolist():
            del self._using[place][number]
        return use.piece, places

    def piece(self, number: int) -> ConnectedMove:
        """Return a piece in use."""
        return self._uses[number].piece

    def withheld_by(self, number: int) -> NDArray[np.int64]:
        """Return what a piece in use moves that is not withheld anyway."""
        return self._uses[number].withholds

    def covered_by(self, number: int) -> list[int]:
        """Return the places that a piece in use is for."""
        return list(self._covers[number])

    def using(self, place: int) -> list[int]:
        """Return the pieces in use that move a place which is not withheld anyway."""
        return list(self._using.get(place, ()))

    def of(self, place: int) -> list[int]:
        """Return the pieces in use for a place."""
        return list(self._of.get(place, ()))

    def knowers(self, places: NDArray[np.int64]) -> frozenset[int]:
        """Return the contributors who know some of the places."""
        known = places[self.is_known[places]]
        return frozenset(who for place in known.tolist() for who in self._known_by[place]) if len(known) else _NOBODY

    def unasked(self, place: int) -> frozenset[int]:
        """Return the contributors against whom nothing is asked of a place."""
        if place not in self._unasked:
            special = self.problem.against.get(place, {})
            self._unasked[place] = frozenset(who for who, distances in special.items() if not any(distances))
        return self._unasked[place]

    def seeing(self, place: int) -> frozenset[int] | None:
        """Return the contributors who see through all pieces of a place, and must not; None if it has no piece."""
        pieces = self._of.get(place)
        if not pieces:
            return None
        seen = frozenset.intersection(*(self._uses[number].knowers for number in pieces))
        return seen - self.unasked(place) - self._against.get(place, {}).keys() if seen else _NOBODY

    def level_against(self, place: int, contributor: int) -> float:
        """Return the largest level of a place that is asked for against a contributor."""
        lower, upper, sliding = self.problem.distances(place, contributor)
        return max(lower, upper, sliding / 2)

    def add_against(self, piece: ConnectedMove, place: int, moved: float, contributors: Iterable[int]) -> bool:
        """Take a piece that moves a place by less than its level into use, for good, against some contributors.

        Against the others among them it is of no use. Return whether there was any of use.
        """
        knowers = self.knowers(piece.places)
        some = [
            who
            for who in contributors
            if who not in knowers and moved >= self.level_against(place, who) * (1 - CLOSE_ENOUGH)
        ]
        for who in some:
            self._against[place][who] = piece
        if some:
            self.count[piece.places[~self.problem.withheld[piece.places]]] += 1
        return bool(some)

    def is_covered(self, place: int) -> bool:
        """Return whether a place is protected from everybody, and from each contributor."""
        seen = self.seeing(place)
        return seen is not None and not seen

    def known_to(self, contributors: Iterable[int]) -> NDArray[np.int64]:
        """Return what some contributors know together."""
        cells = [self.problem.known_by[who] for who in sorted(contributors)]
        return np.unique(np.concatenate(cells)) if cells else np.zeros(0, np.int64)

    def is_helped(self, place: int, piece: ConnectedMove) -> bool:
        """Return whether a piece leaves fewer contributors who see through all that a place has."""
        seen = self.seeing(place)
        return seen is None or bool(seen - self.knowers(piece.places))

    def keep(self, pattern: NDArray[np.bool_], proofs: Proofs) -> None:
        """Withhold what a safe pattern withholds besides, and what proofs move that are not of pieces, for good."""
        locked = pattern & ~self.pattern
        mine = {id(use.piece.delta) for use in self._uses.values()}
        for movement in proofs.movements():
            if id(movement.delta) not in mine:
                locked[movement.cells] = True
        self.count[locked & ~self.problem.withheld] += 1

    def prove(self, proofs: Proofs) -> None:
        """Hand the pieces over as proofs, one against everybody and others where contributors see through that."""
        pieces = {piece: None for by_who in self._against.values() for piece in by_who.values()}
        lesser = {piece: Witness.moving(piece.places, piece.delta) for piece in pieces}
        witnesses = {number: Witness.moving(use.piece.places, use.piece.delta) for number, use in self._uses.items()}
        for target in [target for target in proofs.targets if target.attacker == EVERYBODY]:
            numbers = sorted(self._of.get(target.cell, ()), key=lambda number: len(self._uses[number].knowers))
            if not numbers:
                continue
            first, *others = numbers
            special = self._against.get(target.cell, {})
            proofs.add(target, witnesses[first])
            for who in sorted(self._uses[first].knowers - self.problem.unasked(target)):
                others_too = (witnesses[number] for number in others if who not in self._uses[number].knowers)
                witness = next(others_too, lesser[special[who]] if who in special else None)
                if witness is not None:
                    single = self.problem.seen_by(target, who)
                    proofs.watch([single])
                    proofs.add(single, witness)
