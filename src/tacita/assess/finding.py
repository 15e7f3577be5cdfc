"""What one measure found, summed up: how many records are unsafe, how many would be found, how risks are spread."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlglot import exp

from tacita.engines.plans.terms import number
from tacita.errors import InternalError
from tacita.risk.bounds import exceeds
from tacita.risk.catalogue import MEASURES
from tacita.risk.measure import RISK, Measure, Risks
from tacita.risk.sample import Sample

EDGES = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Risks are counted as 0, above 0 and up to 0.001, up to 0.01, ..., up to 1."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Records with a risk above `low` and up to `high`; the first has `low` = `high` = 0."""

    low: float
    high: float
    records: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A measure and what it found."""

    measure: Measure
    risks: Risks
    records: int
    unsafe: int
    """Records whose risk is above the threshold."""
    sum_of_risks: float
    highest: float
    distribution: tuple[Bin, ...]

    @property
    def name(self) -> str:
        """The name of the measure."""
        return self.risks.measure

    @property
    def expected(self) -> float | None:
        """How many records an intruder is expected to re-identify: the sum of risks, if they are probabilities."""
        return self.sum_of_risks if self.risks.are_probabilities else None

    @property
    def average(self) -> float | None:
        """The average risk, what sdcMicro calls the global risk, if risks are probabilities."""
        return None if self.expected is None else self.expected / self.records if self.records else 0.0

    @property
    def unsafe_share(self) -> float:
        """The share of records that are unsafe."""
        return self.unsafe / self.records if self.records else 0.0

    @property
    def is_of_attributes(self) -> bool:
        """Whether the measure is about what is learnt of records, such as l-diversity, and not about their identity."""
        return bool(MEASURES.fact(self.measure, "discloses") == "attribute")

    @property
    def is_of_records(self) -> bool:
        """Whether the measure says something of each record, and not of the file as a whole only."""
        return self.risks.records is not None


def finding(measure: Measure, sample: Sample, risks: Risks) -> Finding:
    """Return what a measure found, summed up."""
    if risks.records is None:
        return Finding(measure, risks, sample.records.count(), 0, 0.0, 0.0, ())
    risk = risks.records.physical([RISK])[0]
    one, none = exp.Literal.number(1), exp.Literal.number(0)

    def counted(condition: exp.Expr) -> exp.Expr:
        case = exp.Case(ifs=[exp.If(this=condition, true=one.copy())], default=none.copy())
        return exp.func("coalesce", exp.Sum(this=case), none.copy())

    within = exp.and_(exp.GTE(this=risk.copy(), expression=number(0)), exp.LTE(this=risk.copy(), expression=number(1)))
    terms: dict[str, exp.Expr] = {
        "records": exp.Count(this=exp.Star()),
        "unsafe": counted(exceeds(risk, number(risks.threshold))),
        "expected": exp.func("coalesce", exp.Sum(this=risk.copy()), number(0.0)),
        "highest": exp.func("coalesce", exp.Max(this=risk.copy()), number(0.0)),
        "wrong": counted(exp.Not(this=exp.func("coalesce", within, exp.false()))),
        "bin0": counted(exp.LTE(this=risk.copy(), expression=number(0))),
    }
    for i, (low, high) in enumerate(pairwise(EDGES), 1):
        above = exp.GT(this=risk.copy(), expression=number(low))
        terms[f"bin{i}"] = counted(exp.and_(above, exp.LTE(this=risk.copy(), expression=number(high))))
    plan = exp.select(*(exp.alias_(term, name) for name, term in terms.items())).from_(risks.records.source())
    row: dict[str, Any] = sample.engine.run(plan)[0]
    if int(row["wrong"]):
        raise InternalError(f"{risks.measure} gives {row['wrong']} records a risk outside 0 to 1, or none")
    lows = (0.0, *EDGES[:-1])
    bins = tuple(Bin(low, high, int(row[f"bin{i}"])) for i, (low, high) in enumerate(zip(lows, EDGES, strict=True)))
    expected, highest = float(row["expected"]), float(row["highest"])
    return Finding(measure, risks, int(row["records"]), int(row["unsafe"]), expected, highest, bins)
