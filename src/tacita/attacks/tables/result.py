"""What an audit of a table says: the attacker's intervals, and every level that is not kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacita.attacks.tables.system.possible_tables import Numbers

EVERYBODY = "everybody"
"""The attacker who knows what is published, the sums, and what was known before."""


@dataclass(frozen=True, slots=True)
class LevelViolation:
    """One sensitive cell that somebody comes too near to. Internal: `needed` and `reached` are figures of the table.

    `what` is "lower", "upper", "sliding", "published", "union" or "disclosed"; `needed` is how far the interval must
    reach (for "sliding" and "disclosed" how wide it must be), `reached` how far it does. `steps` is the attack, one
    sentence each; `outline` the same without any figure of the table.
    """

    cell: int
    name: str
    attacker: str
    what: str
    needed: float
    reached: float
    steps: tuple[str, ...] = ()
    cells: tuple[int, ...] = ()
    """The cells of a union."""
    outline: tuple[str, ...] = ()
    is_exact: bool = False
    """Whether nothing but the value is left of the whole interval; one end alone may be at the value."""

    def left(self, value: float) -> float:
        """Return which share is left of the distance from the value, or of the width, that is needed."""
        start = 0.0 if self.what == "sliding" else value
        needed, reached = abs(self.needed - start), abs(self.reached - start)
        return reached / needed if needed else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "cell": self.cell,
            "name": self.name,
            "attacker": self.attacker,
            "what": self.what,
            "needed": _plain(self.needed),
            "reached": _plain(self.reached),
            "steps": list(self.steps),
        }


@dataclass(frozen=True, slots=True)
class AttackerIntervals:
    """The attacker's interval of each cell of the table; nan where the cell was not attacked.

    Where `exact` is false the interval is only what was needed to judge: everything in it is possible, and more may be.
    """

    lower: Numbers
    upper: Numbers
    exact: np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Audit:
    """The verdict of the independent attacker."""

    table: str
    suppressed: int
    sensitive: int
    intervals: AttackerIntervals
    violations: tuple[LevelViolation, ...]
    notes: tuple[str, ...] = ()
    solved: int = 0
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether every level is kept against every attacker that was tried."""
        return not self.violations

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; internal, because intervals and violations hold figures of the table."""
        attacked = np.flatnonzero(~np.isnan(self.intervals.lower))
        return {
            "table": self.table,
            "passed": self.passed,
            "suppressed": self.suppressed,
            "sensitive": self.sensitive,
            "violations": [violation.to_dict() for violation in self.violations],
            "intervals": [
                {
                    "cell": int(cell),
                    "lower": _plain(float(self.intervals.lower[cell])),
                    "upper": _plain(float(self.intervals.upper[cell])),
                    "exact": bool(self.intervals.exact[cell]),
                }
                for cell in attacked
            ],
            "notes": list(self.notes),
            "solved": self.solved,
            **self.figures,
        }


def _plain(value: float) -> float | None:
    """Return a number that JSON knows: nothing for an endless one."""
    return value if np.isfinite(value) else None
