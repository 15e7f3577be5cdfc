"""The riskiest records: which ones, why, and where their risk comes from; by row, never by identifier or value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tacita.assess.finding import Finding
from tacita.engines.plans.terms import number
from tacita.engines.protocol import Relation
from tacita.risk.bounds import exceeds, is_above
from tacita.risk.catalogue import MEASURES
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.frequencies import FREQUENCY
from tacita.risk.measure import RISK, ROW, Measure
from tacita.risk.sample import Sample


@dataclass(frozen=True, slots=True)
class Rise:
    """A step of the waterfall: what is taken into account, and the risk then."""

    source: str
    risk: float


@dataclass(frozen=True, slots=True)
class RiskyRecord:
    """A record among the riskiest."""

    row: int
    risk: float
    """Its highest risk by any measure."""
    reasons: tuple[tuple[str, float, str], ...]
    """Measure, risk, reason; the measures that call it unsafe first."""
    waterfall: tuple[Rise, ...]
    """From the record's own risk to what its household, its group and a register add."""


def riskiest(sample: Sample, findings: Sequence[Finding], limit: int) -> tuple[RiskyRecord, ...]:
    """Return the riskiest records: those that most measures call unsafe, then those with the highest risks."""
    of_records = [found for found in findings if found.is_of_records]
    if not of_records or not limit:
        return ()
    rows = set(_unsafe_most(of_records, limit))
    if len(rows) < limit:
        rows |= {row for found in of_records if found.risks.records for row in _first(found.risks.records, limit)}
    told = {found.name: _records(found.risks.records, rows) for found in of_records if found.risks.records}
    records = [_risky(sample, of_records, told, row) for row in rows]

    def order(record: RiskyRecord) -> tuple[int, float, int]:
        unsafe = sum(is_above(told[found.name][record.row][RISK], found.risks.threshold) for found in of_records)
        return -unsafe, -sum(risk for _, risk, _ in record.reasons), record.row

    return tuple(sorted(records, key=order)[:limit])


def _unsafe_most(findings: Sequence[Finding], limit: int) -> list[int]:
    """Return the rows that most measures call unsafe, those with the highest risks first."""
    parts = []
    for found in findings:
        assert found.risks.records is not None
        row, risk = found.risks.records.physical([ROW, RISK])
        part = exp.select(exp.alias_(row, "row_"), exp.alias_(risk, "risk_")).from_(found.risks.records.source())
        parts.append(part.where(exceeds(risk, number(found.risks.threshold))))
    unsafe = parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False)
    order = [
        exp.Ordered(this=exp.Count(this=exp.Star()), desc=True),
        exp.Ordered(this=exp.Round(this=exp.Sum(this=exp.column("risk_")), decimals=exp.Literal.number(9)), desc=True),
        exp.Ordered(this=exp.column("row_")),
    ]
    plan = exp.select("row_").from_(unsafe.subquery("u")).group_by("row_").order_by(*order).limit(limit)
    records = findings[0].risks.records
    return [int(each["row_"]) for each in records.engine.run(plan)] if records else []


def _first(relation: Relation, limit: int) -> list[int]:
    """Return the rows with the highest risks, those that the fewest look like first."""
    row, risk = relation.physical([ROW, RISK])
    order = [exp.Ordered(this=risk, desc=True, nulls_first=False)]
    if FREQUENCY in {column.name for column in relation.columns}:
        order.append(exp.Ordered(this=relation.physical([FREQUENCY])[0]))
    order.append(exp.Ordered(this=row.copy()))
    above = exp.GT(this=risk.copy(), expression=exp.Literal.number(0))
    plan = exp.select(exp.alias_(row, "row_")).from_(relation.source()).where(above).order_by(*order).limit(limit)
    return [int(each["row_"]) for each in relation.engine.run(plan)]


def _records(relation: Relation, rows: set[int]) -> dict[int, dict[str, Any]]:
    if not rows:
        return {}
    row = relation.physical([ROW])[0]
    terms = [exp.alias_(exp.column(c.physical), f"x{i}") for i, c in enumerate(relation.columns)]
    within = row.isin(*(exp.Literal.number(each) for each in sorted(rows)))
    names = [column.name for column in relation.columns]
    found = relation.engine.run(exp.select(*terms).from_(relation.source()).where(within))
    records = (dict(zip(names, each.values(), strict=True)) for each in found)
    return {int(record[ROW]): record for record in records}


def _risky(
    sample: Sample, findings: Sequence[Finding], told: dict[str, dict[int, dict[str, Any]]], row: int
) -> RiskyRecord:
    reasons = []
    for found in findings:
        record = told[found.name][row]
        reasons.append((found, float(record[RISK]), found.measure.reason(sample, record)))
    reasons.sort(key=lambda each: (not is_above(each[1], each[0].risks.threshold), -each[1]))
    risk = max(each for _, each, _ in reasons)
    return RiskyRecord(
        row, risk, tuple((found.name, each, reason) for found, each, reason in reasons), _waterfall(findings, told, row)
    )


def _waterfall(findings: Sequence[Finding], told: dict[str, dict[int, dict[str, Any]]], row: int) -> tuple[Rise, ...]:
    single = [found for found in findings if not isinstance(found.measure, ClusterRisk)]
    clusters = [found for found in findings if isinstance(found.measure, ClusterRisk)]
    if not single:
        return ()
    # A probability tells more than a verdict: it leaves room for what others add.
    own = next((found for found in single if found.risks.are_probabilities), single[0])
    rises = [Rise("own risk", float(told[own.name][row][RISK]))]
    for found in clusters:
        assert isinstance(found.measure, ClusterRisk)
        if found.measure.measure.name == own.name:
            rises.append(Rise(found.measure.word, max(rises[-1].risk, float(told[found.name][row][RISK]))))
    register = next((f for f in findings if _is_of_register(f.measure)), None)
    if register is not None:
        known = float(told[register.name][row].get("population_frequency") or 0)
        rises.append(Rise("register", max(rises[-1].risk, 1 / known if known >= 1 else 1.0)))
    return tuple(rises)


def _is_of_register(measure: Measure) -> bool:
    return bool(MEASURES.fact(measure, "counts_look_alikes") and MEASURES.fact(measure, "uses_population"))
