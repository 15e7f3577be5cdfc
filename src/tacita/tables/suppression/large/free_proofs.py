"""What sensitive cells do for each other: proofs in the pattern that is withheld anyway, many with one programme."""

from __future__ import annotations

import numpy as np

from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.large.local_routing import movable
from tacita.tables.suppression.problem import EVERYBODY, WIDTH, ProtectionTarget, SuppressionProblem
from tacita.tables.suppression.proofs.kept import Proofs
from tacita.tables.suppression.proofs.movements import Movements

_BATCHES = 12
_WORTH = 0.02  # share of those asked for that a batch must prove for another one to be tried


def prove_free(problem: SuppressionProblem, proofs: Proofs, clock: Clock) -> None:
    """Prove what nothing more needs to be withheld for; a table with many sensitive cells may need little else.

    Cells alone in an equation cannot move and are left out first, so that the programme is small where little can be
    proved. Neighbours are asked to move against each other, in another way each time.
    """
    withheld = np.flatnonzero(problem.withheld)
    live = withheld[movable(problem.sums[:, withheld].tocsr())]
    allowed = np.zeros(len(problem), bool)
    allowed[live] = True
    left = [
        target
        for target in proofs.targets
        if allowed[target.cell] and target.attacker == EVERYBODY and target.sign != WIDTH
    ]
    if not left or clock.is_up:
        return
    movements = Movements(problem, allowed)
    for number in range(_BATCHES):
        batch = _one_way(left, number)
        proofs.learn(movements.together(batch), left)
        before, left = len(left), [target for target in left if proofs.of(target) is None]
        if not left or clock.is_up or before - len(left) < _WORTH * before:
            return


def _one_way(targets: list[ProtectionTarget], number: int) -> list[ProtectionTarget]:
    """Return one direction for each cell: the only one that is left, or one by the number of the cell and the batch."""
    chosen: dict[int, ProtectionTarget] = {}
    for target in targets:
        if target.cell not in chosen or target.sign == (1 if (target.cell // (number + 1)) % 2 else -1):
            chosen[target.cell] = target
    return list(chosen.values())
