"""l-diversity: whether the sensitive values of records that look alike are diverse enough.

Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity" (TKDD 2007). In a class
with m sensitive values, the i-th most frequent one r_i times and with share p_i:

- *distinct*: m >= l;
- *entropy*: -sum p_i ln p_i >= ln l, told here as exp(entropy), the effective number of values;
- *recursive (c, l)*: r_1 < c (r_l + ... + r_m); (c, 1) always holds. It is given as the largest l for which
  it holds, which is sdcMicro's figure too.

A missing sensitive value is no value here: it does not make a class more diverse, and a class without any known value
has diversity 0. Entropy and recursive l-diversity both imply the distinct one. None of them knows that values may be
alike in meaning (gastritis, stomach ulcer), nor that a value may be rare in the file: t-closeness and beta-likeness
look at that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from sqlglot import exp

from tacita.engines.plans.terms import as_double, number
from tacita.errors import UsageError, did_you_mean, listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.attribute.sensitive_values import SIZE, VALUE, assessed, known_values, lacking
from tacita.risk.bounds import TOLERANCE, as_count, risk_where
from tacita.risk.class_risks import ClassFigure, check, class_risks
from tacita.risk.combinations import COUNT, NUMBER
from tacita.risk.measure import Risks, Specification
from tacita.risk.sample import Sample

Variant = Literal["distinct", "entropy", "recursive"]
DISTINCT, ENTROPY, RECURSIVE = "distinct", "entropy", "recursive"
_FIGURES = (
    ClassFigure(DISTINCT, ColumnType.INTEGER, least_is_worst=True),
    ClassFigure(ENTROPY, ColumnType.NUMBER, least_is_worst=True),
    ClassFigure(RECURSIVE, ColumnType.INTEGER, least_is_worst=True),
)


@dataclass(frozen=True, slots=True)
class LDiversity:
    """Risk 1 if the sensitive values among the records that look alike are less than l-diverse, 0 otherwise.

    >>> import tacita as tc
    >>> LDiversity(l=2).risks(Sample.of(tc.sample("patients-4-anonymous").microdata)).figures["violating_records"]
    4
    """

    l: float = 2  # noqa: E741 - the theory's own name
    variant: Variant = "distinct"
    c: float = 2
    """Of the recursive variant: how many times the rest of the values the most frequent one may be."""
    sensitive: str | None = None
    threshold: float = 0.5
    name: ClassVar[str] = "l-diversity"
    discloses: ClassVar[str] = "attribute"
    drops_missing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.variant not in get_args(Variant):
            near = did_you_mean(self.variant, get_args(Variant))
            raise UsageError(f"no variant '{self.variant}'{near}", do=f"use one of {listed(get_args(Variant))}")
        if not 1 <= self.l < math.inf:
            raise UsageError(f"l is {self.l}", do="give a number of values from 1 on")
        if not 0 < self.c < math.inf:
            raise UsageError(f"c is {self.c}", do="give a number above 0")

    @classmethod
    def by_default(cls, sample: Sample, k: int) -> LDiversity | None:
        """Return the measure as it is taken if nobody chose one."""
        return cls() if (sample.sensitive if sample.judged is None else sample.judged) else None

    def lacks(self, sample: Sample) -> list[str]:
        """Return whether a sensitive attribute is missing."""
        return lacking(sample, self.sensitive)

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk of each record and how diverse its class is, by all three definitions."""
        check(self, sample)
        plans = {name: self._classes(sample, name) for name in assessed(sample, self.sensitive)}
        return class_risks(sample, self, _FIGURES, plans)

    def _classes(self, sample: Sample, attribute: str) -> exp.Select:
        ranked = _ranked(sample, attribute).subquery("r")
        none, one = exp.Literal.number(0), exp.Literal.number(1)
        there = exp.GT(this=exp.column(COUNT), expression=none.copy())
        share = exp.Div(this=as_double(exp.column(COUNT)), expression=as_double(exp.column(SIZE)))
        entropy = exp.Sum(this=exp.Case(ifs=[exp.If(this=there, true=share * exp.Ln(this=share.copy()))]))
        distinct = as_count(exp.Sum(this=exp.Case(ifs=[exp.If(this=there.copy(), true=one)], default=none)))
        unknown = exp.EQ(this=exp.Max(this=exp.column(SIZE)), expression=none.copy())

        def unless_unknown(figure: exp.Expr) -> exp.Expr:
            return exp.Case(ifs=[exp.If(this=unknown.copy(), true=none.copy())], default=figure)

        tail = exp.Mul(this=as_double(exp.column("tail")), expression=number(self.c * (1 - TOLERANCE)))
        holds = exp.LT(this=exp.column("most"), expression=tail)
        largest = exp.Max(this=exp.Case(ifs=[exp.If(this=holds, true=exp.column("place"))]))
        figures = exp.select(
            NUMBER,
            exp.alias_(distinct, "f0"),
            exp.alias_(as_double(unless_unknown(exp.Exp(this=exp.Neg(this=entropy)))), "f1"),
            exp.alias_(as_count(unless_unknown(exp.func("coalesce", largest, one.copy()))), "f2"),
        )
        figures = figures.from_(ranked).group_by(NUMBER)
        figure = exp.column(f"f{get_args(Variant).index(self.variant)}")
        few = exp.LT(this=figure, expression=number(self.l * (1 - TOLERANCE)))
        return exp.select("*", exp.alias_(risk_where(few), "risk")).from_(figures.subquery("d"))

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how diverse the class is, and how diverse it must be."""
        needed = f"({self.c:g}, {self.l:g})" if self.variant == RECURSIVE else f"{self.l:g}"
        return (
            f"{self.variant} diversity {record[self.variant]:.3g} of {listed(assessed(sample, self.sensitive))} "
            f"among records with this {listed(list(sample.known), 9)}; needs {needed}"
        )

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: there is no rule program of it."""
        return None


def _ranked(sample: Sample, attribute: str) -> exp.Select:
    """Return the values of each class with their ``place``, most frequent first, and the ``tail`` of counts from it."""
    known = known_values(sample, attribute)
    frequent_first = exp.Order(expressions=[exp.Ordered(this=exp.column(COUNT), desc=True), exp.column(VALUE)])
    rest = exp.WindowSpec(kind="ROWS", start="CURRENT ROW", end="UNBOUNDED", end_side="FOLLOWING")
    count, within = exp.column(COUNT), [exp.column(NUMBER)]
    place = exp.Window(this=exp.RowNumber(), partition_by=within, order=frequent_first)
    most = exp.Window(this=exp.Max(this=count), partition_by=[exp.column(NUMBER)])
    tail = exp.Window(
        this=exp.Sum(this=count.copy()), partition_by=[exp.column(NUMBER)], order=frequent_first.copy(), spec=rest
    )
    return exp.select(
        NUMBER, COUNT, SIZE, exp.alias_(place, "place"), exp.alias_(most, "most"), exp.alias_(tail, "tail")
    ).from_(known.subquery("k"))
