"""The curve between fewest nulls and no leaning: what each step of honesty costs.

Under maybe-match one null repairs several records, which stay as recognisable as before; strictly, each record stands
on its own. In between, a match that leans on a null of another record counts in part (alpha), or by its probability.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tacita.cycle.anonymize import anonymize
from tacita.cycle.plan import Plan
from tacita.errors import counted
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.progress import Progress, Step, silent
from tacita.risk.null_semantics import Semantics

LEANING = (1.0, 0.75, 0.5, 0.34, 0.25, 0.2, 0.1, 0.0)
"""How much a match that leans on the nulls of others counts: from maybe-match to strict."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One setting, and the two numbers that it comes to."""

    nulls_count: str
    """The meaning of a null."""
    nulls: int
    unsafe_strict: int | None
    is_safe: bool


@dataclass(frozen=True, slots=True, repr=False)
class Curve(Result):
    """All settings that were tried, from maybe-match to strict, and the expected semantics."""

    points: tuple[CurvePoint, ...]

    def _in_short(self) -> str:
        return counted(len(self.points), "setting")


def curve(microdata: Microdata, plan: Plan, *, progress: Progress = silent) -> Curve:
    """Return nulls and strict violations for each amount of leaning, and for the expected semantics."""
    plan = plan.settle(microdata)
    base = plan.nulls_in(microdata.dictionary)
    meanings = [replace(base, semantics=Semantics.ALPHA, alpha=alpha) for alpha in LEANING]
    meanings.append(replace(base, semantics=Semantics.EXPECTED, alpha=1.0))
    points = []
    for done, nulls in enumerate(meanings):
        progress(Step("drawing the curve", done, len(meanings)))
        outcome = anonymize(microdata, replace(plan, nulls=nulls))
        points.append(CurvePoint(nulls.in_words, outcome.nulls, outcome.after.unsafe_strict, outcome.is_safe))
    return Curve(tuple(points))
