"""A decision: why one cell was changed, told without the value that was there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacita.errors import UsageError

EVERY_RECORD = 0
"""The number of the tuple in a decision about a whole column."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Something that could have been done instead, and why it was worse."""

    action: str
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One changed cell: the step, the tuple, the attribute, from what level to what, by which rule, to what effect.

    Levels are those of the attribute's hierarchy: 0 is the value as it was collected; None as `to_level` means a
    labelled null. The value itself is not part of a decision, so decisions may be kept and shown.

    >>> print(Decision(1, 15, "Sector", 0, None, "local suppression", 1.0, 0.2))
    step 1: Sector of tuple 15 suppressed by 'local suppression': risk 1 -> 0.2
    """

    step: int
    tuple_id: int
    attribute: str
    from_level: int
    to_level: int | None
    rule: str
    risk_before: float
    risk_after: float
    alternatives: tuple[Alternative, ...] = ()

    def __post_init__(self) -> None:
        if self.to_level is not None and self.to_level <= self.from_level:
            raise UsageError(
                f"a decision on '{self.attribute}' goes from level {self.from_level} to {self.to_level}",
                do="a decision may only coarsen: give a higher level, or None for a labelled null",
            )

    @property
    def is_suppression(self) -> bool:
        """Whether the cell became a labelled null."""
        return self.to_level is None

    def to_dict(self) -> dict[str, Any]:
        """Return the decision in words of JSON; the tuple is called ``row``."""
        return {
            "step": self.step,
            "row": self.tuple_id,
            "attribute": self.attribute,
            "from_level": self.from_level,
            "to_level": self.to_level,
            "rule": self.rule,
            "risk_before": self.risk_before,
            "risk_after": self.risk_after,
            "alternatives": [{"action": a.action, "reason": a.reason} for a in self.alternatives],
        }

    def __str__(self) -> str:
        what = "suppressed" if self.is_suppression else f"recoded from level {self.from_level} to {self.to_level}"
        return (
            f"step {self.step}: {self.attribute} of tuple {self.tuple_id} {what} by '{self.rule}': "
            f"risk {self.risk_before:g} -> {self.risk_after:g}"
        )
