"""(alpha, k)-anonymity: enough records that look alike, and no sensitive value that prevails among them.

Wong, Li, Fu and Wang, "(alpha, k)-Anonymity" (KDD 2006), in its general form: each class has at least k records, and no
sensitive value has a share above alpha in it. It bounds the certainty of a guess, whatever is common in the file: a
value that most have everywhere violates it in every class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from tacita.engines.plans.terms import as_double, number
from tacita.errors import UsageError, listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.attribute.sensitive_values import SIZE, assessed, lacking, values_of_classes
from tacita.risk.bounds import exceeds, risk_where
from tacita.risk.class_risks import ClassFigure, check, class_risks
from tacita.risk.combinations import COUNT, NUMBER
from tacita.risk.measure import Risks, Specification
from tacita.risk.sample import Sample

SHARE, FREQUENCY = "share", "frequency"
_FIGURES = (
    ClassFigure(SHARE, ColumnType.NUMBER),
    ClassFigure(FREQUENCY, ColumnType.INTEGER, least_is_worst=True),
)


@dataclass(frozen=True, slots=True)
class AlphaK:
    """Risk 1 if fewer than k records look alike, or more than a share alpha of them have the same sensitive value.

    >>> import tacita as tc
    >>> AlphaK(alpha=0.5, k=4).risks(Sample.of(tc.sample("patients-4-anonymous").microdata)).figures["share"]
    1.0
    """

    alpha: float = 0.5
    k: int = 3
    sensitive: str | None = None
    threshold: float = 0.5
    name: ClassVar[str] = "alpha-k"
    counts_look_alikes: ClassVar[bool] = True
    discloses: ClassVar[str] = "attribute"

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1:
            raise UsageError(f"alpha is {self.alpha}", do="give a share above 0 and up to 1")
        if self.k < 1:
            raise UsageError(f"k is {self.k}", do="give a number of records from 1 on")

    def lacks(self, sample: Sample) -> list[str]:
        """Return whether a sensitive attribute is missing."""
        return lacking(sample, self.sensitive)

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk of each record, the share of the prevailing value, and how many look alike."""
        check(self, sample)
        plans = {name: self._classes(sample, name) for name in assessed(sample, self.sensitive)}
        return class_risks(sample, self, _FIGURES, plans)

    def _classes(self, sample: Sample, attribute: str) -> exp.Select:
        table = values_of_classes(sample, attribute)
        size = exp.Max(this=exp.column(SIZE))
        share = exp.Div(this=as_double(exp.Max(this=exp.column(COUNT))), expression=as_double(size.copy()))
        figures = exp.select(NUMBER, exp.alias_(share, "f0"), exp.alias_(size, "f1")).from_(table.source())
        few = exp.LT(this=exp.column("f1"), expression=exp.Literal.number(self.k))
        risk = risk_where(exp.or_(exceeds(exp.column("f0"), number(self.alpha)), few))
        return exp.select("*", exp.alias_(risk, "risk")).from_(figures.group_by(NUMBER).subquery("a"))

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how many look alike, and how many of them have the same sensitive value."""
        return (
            f"{record[SHARE]:.0%} of the {record[FREQUENCY]:,} with this {listed(list(sample.known), 9)} have the same "
            f"{listed(assessed(sample, self.sensitive))}; at most {self.alpha:.3g} of at least {self.k}"
        )

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: there is no rule program of it."""
        return None
