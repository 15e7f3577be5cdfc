"""beta-likeness: whether any sensitive value is much more likely among records that look alike than in the file.

Cao and Karras, "Publishing Microdata with a Robust Privacy Guarantee" (PVLDB 2012). With q_i the share of a value in
the file and p_i in a class, the relative gain is (p_i - q_i) / q_i, and

- *basic*: the gain is at most beta for every value that is more frequent in the class than in the file;
- *enhanced*: it is at most min(beta, -ln q_i), so that frequent values are protected too: a value that
  half the file has can only double, which a beta of 1 or more would always allow.

Unlike t-closeness it sees a rare value that becomes common: a share of 0.001 that grows to 0.1 is a gain of 99.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from tacita.engines.plans.terms import number
from tacita.errors import UsageError, listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.attribute.sensitive_values import assessed, lacking, shares
from tacita.risk.bounds import exceeds, risk_where
from tacita.risk.class_risks import ClassFigure, check, class_risks
from tacita.risk.combinations import NUMBER
from tacita.risk.measure import Risks, Specification
from tacita.risk.sample import Sample

GAIN = "gain"


@dataclass(frozen=True, slots=True)
class BetaLikeness:
    """Risk 1 if a sensitive value is more likely by too much among the records that look alike than in the file.

    >>> import tacita as tc
    >>> found = BetaLikeness(beta=1).risks(Sample.of(tc.sample("patients-4-anonymous").microdata))
    >>> round(found.figures["gain"], 4)
    1.4
    """

    beta: float = 1.0
    enhanced: bool = True
    sensitive: str | None = None
    threshold: float = 0.5
    name: ClassVar[str] = "beta-likeness"
    discloses: ClassVar[str] = "attribute"

    def __post_init__(self) -> None:
        if not 0 < self.beta < math.inf:
            raise UsageError(f"beta is {self.beta}", do="give a relative gain above 0")

    def lacks(self, sample: Sample) -> list[str]:
        """Return whether a sensitive attribute is missing."""
        return lacking(sample, self.sensitive)

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk of each record and the largest gain in its class."""
        check(self, sample)
        plans = {name: self._classes(sample, name) for name in assessed(sample, self.sensitive)}
        return class_risks(sample, self, [ClassFigure(GAIN, ColumnType.NUMBER)], plans)

    def _classes(self, sample: Sample, attribute: str) -> exp.Select:
        p, q = exp.column("p"), exp.column("q")
        more = exp.Div(this=exp.paren(exp.Sub(this=p, expression=q)), expression=q.copy())
        gain = exp.Greatest(this=more, expressions=[number(0.0)])
        bound: exp.Expr = number(float(self.beta))
        if self.enhanced:
            bound = exp.Least(this=bound, expressions=[exp.Neg(this=exp.Ln(this=q.copy()))])
        figures = exp.select(
            NUMBER,
            exp.alias_(exp.Max(this=risk_where(exceeds(more.copy(), bound))), "risk"),
            exp.alias_(exp.Max(this=gain), "f0"),
        )
        return figures.from_(shares(sample, attribute).subquery("s")).group_by(NUMBER)

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return by how much a value is more likely than in the file, and by how much it may be."""
        rule = f"{self.beta:g} or the value's own bound -ln q" if self.enhanced else f"{self.beta:g}"
        return (
            f"with this {listed(list(sample.known), 9)} a value of {listed(assessed(sample, self.sensitive))} is "
            f"{1 + record[GAIN]:.3g} times as likely as in the file: a gain of {record[GAIN]:.3g}, at most {rule}"
        )

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: there is no rule program of it."""
        return None
