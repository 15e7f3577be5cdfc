"""The result of secondary suppression, and the reason of each secondary cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import WITHHELD, Movement, Status
from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.presolve import Reduced
from tacita.tables.suppression.problem import EVERYBODY, WIDTH, ProtectionTarget
from tacita.tables.suppression.proofs.kept import Proofs
from tacita.tables.suppression.proofs.movements import Movements


class Cause(NamedTuple):
    """Why a cell is withheld: for which sensitive cell, and how closely that would be known otherwise.

    `share` is the half-width of the attacker's interval as a share of the value, 0 for an exact disclosure; None when
    it was not worked out.
    """

    sensitive: int
    share: float | None


@dataclass(frozen=True, slots=True)
class Suppression:
    """A safe pattern, what its secondary suppressions cost, and the bound that no safe pattern can beat."""

    status: NDArray[np.int8]
    cost: float
    bound: float
    seconds: float
    why: Mapping[int, Cause]
    notes: tuple[str, ...] = ()
    movements: tuple[Movement, ...] = ()
    """Other tables that fit: proofs that every level is reached, for anybody to check. Internal."""
    is_stopped: bool = False
    """Whether somebody asked to come to an end."""

    @property
    def suppressed(self) -> NDArray[np.bool_]:
        """The cells that are withheld, for whatever reason."""
        return np.isin(self.status, WITHHELD)

    @property
    def secondary(self) -> NDArray[np.int64]:
        """The cells withheld to protect others."""
        return np.flatnonzero(self.status == Status.SECONDARY)

    @property
    def gap(self) -> float:
        """How much cheaper a pattern might be, as a share of this one's cost; 0 is a proven optimum."""
        return max(0.0, (self.cost - self.bound) / self.cost) if self.cost > 0 else 0.0

    @property
    def is_optimal(self) -> bool:
        """Whether no safe pattern is cheaper."""
        return self.gap <= 1e-6


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
    causes: dict[int, Cause] = {}
    by_place: dict[int, Cause] = {}
    for cell in secondary.tolist():
        place = int(reduced.place[cell])
        if place < 0:
            continue
        if problem.withheld[place]:
            if place in sensitive_at:
                causes[cell] = Cause(sensitive_at[place], 0.0)
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
        causes[cell] = by_place[place]
    return causes


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
