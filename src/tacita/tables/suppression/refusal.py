"""Tables that no pattern protects: found before the search, with every cell withheld that may be, and refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted
from tacita.model.table import Knowledge, Levels, Status, Table
from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.presolve import Reduced
from tacita.tables.suppression.problem import EVERYBODY, ProtectionTarget, SuppressionProblem, targets_of
from tacita.tables.suppression.proofs.crowds import prove_in_crowds
from tacita.tables.suppression.proofs.kept import Proofs
from tacita.tables.suppression.proofs.movements import Movements

_NAMED = 5
_ENOUGH = 20  # demands that fail: whoever mends these asks again


@dataclass(frozen=True, slots=True)
class ImpossibleDemand:
    """A sensitive cell that nothing protects from an attacker, who is named by a cell (-1: everybody)."""

    cell: int
    attacker: int = -1


class UnprotectableTable(InputError):
    """No pattern at all protects a table; `demands` are what fails, not always all of it."""

    def __init__(self, what: str, demands: tuple[ImpossibleDemand, ...], *, where: str, do: str) -> None:
        super().__init__(what, where=where, do=do)
        self.demands = demands


def refused(table: Table, levels: Levels, demands: Iterable[ImpossibleDemand], do: str = "") -> UnprotectableTable:
    """Return the refusal of a table: which cell, from whom, by which rule."""
    every = tuple(dict.fromkeys(demands))
    cells = dict.fromkeys(demand.cell for demand in every)
    sentences = "; ".join(_sentence(table, levels, demand) for demand in every[:_NAMED])
    more = f"; and {len(every) - _NAMED:,} more" if len(every) > _NAMED else ""
    return UnprotectableTable(
        f"{counted(len(cells), 'sensitive cell')} cannot be protected, whatever else is withheld: {sentences}{more}",
        every,
        where=f"table '{table.name}'",
        do=do
        or "let more cells be withheld, ask for less protection, assume that attackers know less, or merge categories",
    )


def _sentence(table: Table, levels: Levels, demand: ImpossibleDemand) -> str:
    rule = int(levels.rule[demand.cell])
    by = f", sensitive by {levels.rules[rule]}" if 0 <= rule < len(levels.rules) else ""
    who = "everybody" if demand.attacker < 0 else f"the contributor of ({table.cell_name(demand.attacker)})"
    return f"({table.cell_name(demand.cell)}){by}, from {who}"


def is_ordinary(knowledge: Knowledge, status: NDArray[np.int8] | None) -> bool:
    """Return whether nothing is known of a table beforehand, and nothing must be published, but cells that are zero.

    Each cell can then grow with one cell below it and the totals above, and shrink to nothing: some pattern protects
    whatever is asked of values and of what others gave.
    """
    is_kept = status is not None and bool((status == Status.KEPT).any())
    bounds = np.isin(knowledge.lower, (0.0, -np.inf)).all() and (knowledge.upper == np.inf).all()
    return bool(bounds) and not is_kept and not bool(knowledge.known.any())


def impossible_targets(problem: SuppressionProblem, clock: Clock) -> tuple[ProtectionTarget, ...]:
    """Return targets that even the pattern of every cell does not protect, as far as they are found in time.

    Movements need not be by whole numbers here: what fails so fails in any case.
    """
    every = replace(problem, withheld=np.ones(len(problem), bool), whole=False)
    proofs, movements = Proofs(every, targets_of(every)), Movements(every)
    failed: list[ProtectionTarget] = []
    try:
        if failed := proofs.prove(movements, proofs.targets, clock=clock):
            return tuple(failed)
        prove_in_crowds(every, proofs, clock)
        for target in targets_of(every):
            singles = [every.seen_by(target, who) for who in proofs.attackers_in(target)]
            failed += proofs.prove(movements, singles, clock=clock)
            if len(failed) >= _ENOUGH:
                break
    except OutOfTime:
        pass
    return tuple(failed)


def demands_of(
    targets: Iterable[ProtectionTarget], small: Reduced, problem: SuppressionProblem
) -> list[ImpossibleDemand]:
    """Return targets of a reduced problem as demands on cells of the problem."""
    demands = []
    for target in targets:
        named = int(problem.known_by[target.attacker][0]) if target.attacker != EVERYBODY else -1
        cells = np.flatnonzero((small.place == target.cell) & small.needs).tolist()
        demands += [ImpossibleDemand(cell, named) for cell in cells if any(problem.distances(cell, target.attacker))]
    return demands


def demands_of_stuck(small: Reduced, problem: SuppressionProblem) -> list[ImpossibleDemand]:
    """Return the demands on cells that cannot move, or that a contributor calculates from an own cell."""
    demands = []
    for cell in small.stuck.tolist():
        place = int(small.place[cell])
        knowers = [who for who, places in small.problem.known_by.items() if place >= 0 and place in places]
        named = [int(problem.known_by[who][0]) for who in knowers if any(problem.distances(cell, who))]
        demands += [ImpossibleDemand(cell, one) for one in (named or [-1] * (place < 0))]
    return demands
