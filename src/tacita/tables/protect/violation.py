"""A level that is not kept, told in shares of the cell's value: what a terminal or a log may show."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tacita.attacks.tables.result import LevelViolation
from tacita.tables.protect.case import TableCase

_LEAST = 0.01
"""A smaller share is not told: beside a published figure it would tell the value."""


@dataclass(frozen=True, slots=True)
class ReportedViolation:
    """One cell that somebody comes too near to.

    `needed` and `reached` are shares of its value (None: it is zero, or not at hand); of a union, contributors.
    """

    table: str
    codes: dict[str, str]
    attacker: str
    what: str
    needed: float | None
    reached: float | None
    rule: str
    steps: tuple[str, ...]
    is_exact: bool = False

    @property
    def name(self) -> str:
        """The cell as people say it."""
        return ", ".join(f"{name}={code}" for name, code in self.codes.items())

    @property
    def is_promise(self) -> bool:
        """Whether the table is not what its method promises, rather than a cell not protected."""
        return self.what in {"promise", "rounding", "perturbation"}

    @property
    def sentence(self) -> str:
        """What is wrong."""
        who = self.attacker[:1].upper() + self.attacker[1:]
        if self.is_promise:
            return f"The table is not what its method promises: {'; '.join(self.steps)}."
        if self.what == "published":
            return f"{self.name} is sensitive, and can be read off the table."
        if self.what == "union":
            return f"{who} can calculate a sum of withheld cells, {self.name} among them, that is sensitive itself."
        if self.is_exact or (self.what == "sliding" and self.reached == 0):
            return f"{who} can calculate {self.name} exactly."
        side = "below" if self.what == "lower" else "above"
        if self.reached == 0 and self.what in {"lower", "upper"}:
            needed = "" if self.needed is None else f"; {_about(self.needed)} {side} it are needed"
            return f"{who} can exclude every value of {self.name} {side} the true one{needed}."
        if self.reached is None or self.needed is None:
            return f"{who} can narrow {self.name} further than its protection level allows."
        reached, needed = _about(self.reached), _about(self.needed)
        if self.what == "sliding":
            return f"{who} can narrow {self.name} to an interval {reached} of its value wide; {needed} are needed."
        most = "" if self.reached < _LEAST else "at most "
        return f"{who} can narrow {self.name} to {most}{reached} {side} its value; {needed} are needed."

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "table": self.table,
            "cell": self.codes,
            "attacker": self.attacker,
            "what": self.what,
            "rule": self.rule or None,
            "needed": self.needed,
            "reached": self.reached,
            "sentence": self.sentence,
            "steps": list(self.steps),
        }


def _about(share: float) -> str:
    """Return a share in two digits: more, beside a published figure, would tell the value itself.

    >>> _about(0.2027), _about(0.00437), _about(1.2345)
    ('20 %', 'less than 1 %', '120 %')
    """
    return "less than 1 %" if share < _LEAST else f"{float(f'{share * 100:.2g}'):g} %"


def report_violation(case: TableCase, violation: LevelViolation, *, figures: bool = False) -> ReportedViolation:
    """Return a violation without any figure of the table; with `figures` the steps have them."""
    table, levels = case.table, case.levels
    value = float(table.values[violation.cell])
    rule = int(levels.rule[violation.cell])
    codes = dict(zip((dimension.name for dimension in table.dimensions), table.cell_codes(violation.cell), strict=True))
    needed, reached = _told_levels(violation, value)
    return ReportedViolation(
        table.name,
        codes,
        violation.attacker,
        violation.what,
        needed,
        reached,
        levels.rules[rule] if 0 <= rule < len(levels.rules) else "",
        violation.steps if figures else violation.outline,
        violation.is_exact,
    )


def _told_levels(violation: LevelViolation, value: float) -> tuple[float | None, float | None]:
    needed, reached = violation.needed, violation.reached
    if violation.what == "union":
        return None if math.isnan(needed) else needed, None if math.isnan(reached) else reached
    if violation.what == "lower":
        needed, reached = value - needed, value - reached
    elif violation.what == "upper":
        needed, reached = needed - value, reached - value
    return _share(needed, value), _share(reached, value)


def _share(distance: float, value: float) -> float | None:
    """Return a distance as a share of a value, to four digits: enough to judge, too little to calculate with."""
    if distance <= 0:
        return 0.0
    if not value or not math.isfinite(distance) or not math.isfinite(value):
        return None
    return float(f"{distance / abs(value):.4g}")
