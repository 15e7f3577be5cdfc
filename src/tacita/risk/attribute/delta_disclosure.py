"""delta-disclosure privacy: whether a class changes the probability of any sensitive value by too large a factor.

Brickell and Shmatikov, "The cost of privacy: destruction of data-mining utility in anonymized data publishing"
(KDD 2008). With q the share of a value in the file and p in a class, the difference is |ln(p / q)|. Unlike
beta-likeness it also counts values that become less likely: who learns that a frequent illness is rare in a class
learns something as well. A value that a class lacks has p = 0 and an infinite difference. ARX and pycanon leave such
values out, and so does the default here, since by the definition a class must have all values of the file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from tacita.engines.plans.terms import number
from tacita.errors import UsageError, counted, listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.attribute.sensitive_values import assessed, lacking, shares, values_of_file
from tacita.risk.bounds import exceeds, risk_where
from tacita.risk.class_risks import ClassFigure, check, class_risks
from tacita.risk.combinations import NUMBER
from tacita.risk.measure import Risks, Specification
from tacita.risk.sample import Sample

DIFFERENCE, ABSENT = "difference", "absent"


@dataclass(frozen=True, slots=True)
class DeltaDisclosure:
    """Risk 1 if a sensitive value is more or less likely by too large a factor in the class than in the file.

    >>> import tacita as tc
    >>> found = DeltaDisclosure(delta=1).risks(Sample.of(tc.sample("patients-4-anonymous").microdata))
    >>> round(found.figures["difference"], 4)
    0.8755
    """

    delta: float = 1.0
    absent: bool = False
    """Whether a value that occurs in the file and not in the class violates, as in the definition."""
    sensitive: str | None = None
    threshold: float = 0.5
    name: ClassVar[str] = "delta-disclosure"
    discloses: ClassVar[str] = "attribute"

    def __post_init__(self) -> None:
        if not 0 < self.delta < math.inf:
            raise UsageError(f"delta is {self.delta}", do="give a number above 0, such as 1 for a factor of 2.7")

    def lacks(self, sample: Sample) -> list[str]:
        """Return whether a sensitive attribute is missing."""
        return lacking(sample, self.sensitive)

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk of each record, the largest difference in its class, and the values that the class lacks."""
        check(self, sample)
        plans = {name: self._classes(sample, name) for name in assessed(sample, self.sensitive)}
        columns = [ClassFigure(DIFFERENCE, ColumnType.NUMBER), ClassFigure(ABSENT, ColumnType.INTEGER)]
        return class_risks(sample, self, columns, plans)

    def _classes(self, sample: Sample, attribute: str) -> exp.Select:
        ratio = exp.Div(this=exp.column("p"), expression=exp.column("q"))
        largest = exp.Max(this=exp.Abs(this=exp.Ln(this=ratio)))
        values = exp.Literal.number(values_of_file(sample, attribute).count())
        absent = exp.Sub(this=values, expression=exp.Count(this=exp.Star()))
        violates = exceeds(exp.column("f0"), number(float(self.delta)))
        if self.absent:
            violates = exp.Or(this=violates, expression=exp.GT(this=exp.column("f1"), expression=number(0)))
        figures = exp.select(NUMBER, exp.alias_(largest, "f0"), exp.alias_(absent, "f1"))
        figures = figures.from_(shares(sample, attribute).subquery("s")).group_by(NUMBER)
        return exp.select(NUMBER, exp.alias_(risk_where(violates), "risk"), "f0", "f1").from_(figures.subquery("d"))

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return the factor by which the probability of a value changes, and the largest that is allowed."""
        lacks = f", and {counted(record[ABSENT], 'value')} of the file do not occur" if self.absent else ""
        return (
            f"with this {listed(list(sample.known), 9)} the probability of a value of "
            f"{listed(assessed(sample, self.sensitive))} differs from that in the file by a factor of "
            f"{math.exp(record[DIFFERENCE]):.3g}, at most {math.exp(self.delta):.3g}{lacks}"
        )

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: there is no rule program of it."""
        return None
