"""The risk of the file at one moment: both numbers, those of the chosen semantics and those of the strict one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from tacita.cycle.outcome import State
from tacita.engines.plans.terms import as_double, finite, number
from tacita.errors import UsageError, counted
from tacita.progress import Progress, silent
from tacita.risk.bounds import as_count, exceeds, fewer_than
from tacita.risk.combinations import COUNT, NUMBER, combinations
from tacita.risk.frequencies import FREQUENCY, frequencies, has_nulls
from tacita.risk.measure import RISK, Measure, Risks
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.risk.sample import Sample

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class MeasuredSample:
    """A sample, the risks that a measure found in it, and what they come to."""

    sample: Sample
    risks: Risks
    state: State


def measured(sample: Sample, measure: Measure, k: int | None, progress: Progress = silent) -> MeasuredSample:
    """Return what a measure says of a sample; `k` is how many look-alikes should be counted strictly, if any."""
    risks = measure.risks(sample, progress)
    if risks.records is None:
        raise UsageError(
            f"{measure.name} measures the file as a whole, so no record can be made safer by it",
            do="take a measure of records, such as k-anonymity; 'tacita measures' lists them",
        )
    risk = exp.column(risks.records.column(RISK).physical)
    above = exp.Case(
        ifs=[exp.If(this=exceeds(risk, number(risks.threshold)), true=number(1))], default=exp.Literal.number(0)
    )
    terms = {
        "unsafe": as_count(exp.Sum(this=above)),
        "largest": exp.Max(this=risk),
        "expected": exp.Sum(this=as_double(risk.copy())),
        "impossible": as_count(exp.Sum(this=_impossible(risk))),
    }
    plan = exp.select(*(exp.alias_(term, name) for name, term in terms.items())).from_(risks.records.source())
    row = sample.engine.run(plan)[0]
    if impossible := int(row["impossible"] or 0):
        raise UsageError(
            f"{measure.name} gives {counted(impossible, 'record')} a risk that is not a number from 0 to 1",
            do="correct the measure: nothing can be made safe by it",
        )
    state = State(
        int(row["unsafe"] or 0),
        None if k is None else strictly_unsafe(sample, k, progress),
        float(row["largest"] or 0.0),
        float(row["expected"] or 0.0) if risks.are_probabilities else None,
        dict(risks.figures),
        has_nulls(sample),
    )
    return MeasuredSample(sample, risks, state)


def _impossible(risk: exp.Expr) -> exp.Expr:
    """Return 1 for a risk that is absent, not finite or not from 0 to 1 but for rounding, and 0 for others."""
    value = as_double(risk.copy())
    possible = exp.and_(
        finite(value),
        exp.GTE(this=value.copy(), expression=number(-_ROUNDING)),
        exp.LTE(this=value.copy(), expression=number(1 + _ROUNDING)),
    )
    return exp.Case(ifs=[exp.If(this=possible, true=number(0))], default=exp.Literal.number(1))


def strictly_unsafe(sample: Sample, k: int, progress: Progress = silent) -> int:
    """Return how many records have fewer than k look-alikes if nobody leans on the nulls of others."""
    strict = sample.with_nulls(strict_nulls(sample.nulls)) if has_nulls(sample) else sample
    counted, table = frequencies(strict, progress), combinations(strict)
    # Records of a combination look like as many, so that nobody has to be asked alone.
    here = exp.column(NUMBER, table="t")
    there = exp.column(counted.column(NUMBER).physical, table="f")
    frequency = exp.column(counted.column(FREQUENCY).physical, table="f")
    plan = (
        exp.select(exp.alias_(as_count(exp.Sum(this=exp.column(COUNT, table="t"))), "n"))
        .from_(table.source().as_("t"))
        .join(counted.source().as_("f"), on=exp.EQ(this=here, expression=there))
        .where(fewer_than(frequency, k))
    )
    return int(sample.engine.run(plan)[0]["n"] or 0)


def strict_nulls(nulls: Nulls) -> Nulls:
    """Return the strict semantics: a null of another record is no look-alike that could be counted on."""
    return replace(nulls, semantics=Semantics.ALPHA, alpha=0.0)
