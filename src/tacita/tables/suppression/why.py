"""Why each cell was withheld: the sensitive cell that would be known too well without it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.presolve import Reduced
from tacita.tables.suppression.proofs.kept import Proofs
from tacita.tables.suppression.proofs.movements import Movements
from tacita.tables.suppression.suppression import Cause
from tacita.tables.suppression.target import EVERYBODY, WIDTH, ProtectionTarget

_FAR = 1e3  # levels: how far the other side is looked at


def reasons(
    reduced: Reduced,
    pattern: NDArray[np.bool_],
    proofs: Proofs,
    values: NDArray[np.float64],
    secondary: NDArray[np.int64],
    clock: Clock,
) -> dict[int, Cause]:
    """Return the reason of each secondary cell; shares are worked out as long as time allows.

    A cell tied to a sensitive one (its total, where nothing else is in the sum) would disclose it exactly. Of the
    others, the reason is the first target whose level is not reached when the cell alone is published.
    """
    problem = reduced.problem
    sensitive_at = _first_sensitive(reduced)
    movements = Movements(problem, pattern)
    found: dict[int, Cause] = {}
    by_place: dict[int, Cause] = {}
    for cell in secondary.tolist():
        place = int(reduced.place[cell])
        if place < 0:
            continue
        if problem.withheld[place]:
            if place in sensitive_at:
                found[cell] = Cause(sensitive_at[place], 0.0)
            continue
        if place not in by_place:
            users = proofs.one_using(place) if clock.is_up else proofs.using(place)
            worst = _suffering(movements, users, place, problem.down, clock)
            if worst is None:
                continue
            target, reach = worst
            sensitive = sensitive_at[target.cell]
            value = abs(float(values[sensitive]))
            scale = abs(float(reduced.scale[sensitive]))
            by_place[place] = Cause(sensitive, None if reach is None or not value else reach * scale / value)
        found[cell] = by_place[place]
    return found


def _first_sensitive(reduced: Reduced) -> dict[int, int]:
    """Return one sensitive cell of each place that has any."""
    first: dict[int, int] = {}
    withheld = reduced.problem.withheld
    for cell in np.flatnonzero(reduced.place >= 0).tolist():
        place = int(reduced.place[cell])
        if withheld[place] and reduced.needs[cell]:
            first.setdefault(place, cell)
    return first


def _suffering(
    movements: Movements, targets: list[ProtectionTarget], place: int, room: NDArray[np.float64], clock: Clock
) -> tuple[ProtectionTarget, float | None] | None:
    """Return a target that suffers from publishing a place, and half the width of what it can still be."""
    open_to_all = [target for target in targets if target.sign != WIDTH and target.attacker == EVERYBODY]
    if not targets:
        return None
    if not open_to_all or clock.is_up:
        # Needed against a single contributor only, or for a width: named without a share.
        return targets[0], None
    movements.shut(place)
    worst: tuple[float, ProtectionTarget, float] | None = None
    for target in open_to_all:
        near = movements.reach(target.cell, target.sign, target.level).distance
        if worst is None or near / target.level < worst[0]:
            further = float(np.clip(room[target.cell], target.level, _FAR * target.level))
            far = movements.reach(target.cell, -target.sign, further).distance
            worst = (near / target.level, target, (near + far) / 2)
        if worst[0] < 1 - 1e-6 or clock.is_up:
            break
    movements.open(place)
    assert worst is not None
    return worst[1], worst[2]
