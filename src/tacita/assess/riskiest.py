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
    of_records = [finding for finding in findings if finding.is_of_records]
    if not of_records or not limit:
        return ()
    rows = set(_unsafe_most(of_records, limit))
    if len(rows) < limit:
        rows |= {row for finding in of_records if finding.risks.records for row in _first(finding.risks.records, limit)}
    records_by_measure = {
        finding.name: _records(finding.risks.records, rows) for finding in of_records if finding.risks.records
    }
    records = [_risky(sample, of_records, records_by_measure, row) for row in rows]

    def order(record: RiskyRecord) -> tuple[int, float, int]:
        unsafe = sum(
            is_above(records_by_measure[finding.name][record.row][RISK], finding.risks.threshold)
            for finding in of_records
        )
        return -unsafe, -sum(risk for _, risk, _ in record.reasons), record.row

    return tuple(sorted(records, key=order)[:limit])


def _unsafe_most(findings: Sequence[Finding], limit: int) -> list[int]:
    """Return the rows that most measures call unsafe, those with the highest risks first."""
    parts = []
    for finding in findings:
        assert finding.risks.records is not None
        row, risk = finding.risks.records.physical([ROW, RISK])
        part = exp.select(exp.alias_(row, "row_"), exp.alias_(risk, "risk_")).from_(finding.risks.records.source())
        parts.append(part.where(exceeds(risk, number(finding.risks.threshold))))
    unsafe = parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False)
    order = [
        exp.Ordered(this=exp.Count(this=exp.Star()), desc=True),
        exp.Ordered(this=exp.Round(this=exp.Sum(this=exp.column("risk_")), decimals=exp.Literal.number(9)), desc=True),
        exp.Ordered(this=exp.column("row_")),
    ]
    plan = exp.select("row_").from_(unsafe.subquery("u")).group_by("row_").order_by(*order).limit(limit)
    records = findings[0].risks.records
    return [int(record["row_"]) for record in records.engine.run(plan)] if records else []


def _first(relation: Relation, limit: int) -> list[int]:
    """Return the rows with the highest risks, those that the fewest look like first."""
    row, risk = relation.physical([ROW, RISK])
    order = [exp.Ordered(this=risk, desc=True, nulls_first=False)]
    if FREQUENCY in {column.name for column in relation.columns}:
        order.append(exp.Ordered(this=relation.physical([FREQUENCY])[0]))
    order.append(exp.Ordered(this=row.copy()))
    above = exp.GT(this=risk.copy(), expression=exp.Literal.number(0))
    plan = exp.select(exp.alias_(row, "row_")).from_(relation.source()).where(above).order_by(*order).limit(limit)
    return [int(record["row_"]) for record in relation.engine.run(plan)]


def _records(relation: Relation, rows: set[int]) -> dict[int, dict[str, Any]]:
    if not rows:
        return {}
    row = relation.physical([ROW])[0]
    terms = [exp.alias_(exp.column(c.physical), f"x{i}") for i, c in enumerate(relation.columns)]
    within = row.isin(*(exp.Literal.number(wanted) for wanted in sorted(rows)))
    names = [column.name for column in relation.columns]
    rows_read = relation.engine.run(exp.select(*terms).from_(relation.source()).where(within))
    records = (dict(zip(names, values.values(), strict=True)) for values in rows_read)
    return {int(record[ROW]): record for record in records}


def _risky(
    sample: Sample, findings: Sequence[Finding], records_by_measure: dict[str, dict[int, dict[str, Any]]], row: int
) -> RiskyRecord:
    reasons = []
    for finding in findings:
        record = records_by_measure[finding.name][row]
        reasons.append((finding, float(record[RISK]), finding.measure.reason(sample, record)))
    reasons.sort(key=lambda reason: (not is_above(reason[1], reason[0].risks.threshold), -reason[1]))
    risk = max(risk for _, risk, _ in reasons)
    return RiskyRecord(
        row,
        risk,
        tuple((finding.name, its, reason) for finding, its, reason in reasons),
        _waterfall(findings, records_by_measure, row),
    )


def _waterfall(
    findings: Sequence[Finding], records_by_measure: dict[str, dict[int, dict[str, Any]]], row: int
) -> tuple[Rise, ...]:
    single = [finding for finding in findings if not isinstance(finding.measure, ClusterRisk)]
    clusters = [finding for finding in findings if isinstance(finding.measure, ClusterRisk)]
    if not single:
        return ()
    # A probability tells more than a verdict: it leaves room for what others add.
    own = next((finding for finding in single if finding.risks.are_probabilities), single[0])
    rises = [Rise("own risk", float(records_by_measure[own.name][row][RISK]))]
    for finding in clusters:
        assert isinstance(finding.measure, ClusterRisk)
        if finding.measure.measure.name == own.name:
            rises.append(
                Rise(finding.measure.word, max(rises[-1].risk, float(records_by_measure[finding.name][row][RISK])))
            )
    register = next((f for f in findings if _is_of_register(f.measure)), None)
    if register is not None:
        known = float(records_by_measure[register.name][row].get("population_frequency") or 0)
        rises.append(Rise("register", max(rises[-1].risk, 1 / known if known >= 1 else 1.0)))
    return tuple(rises)


def _is_of_register(measure: Measure) -> bool:
    return bool(MEASURES.fact(measure, "counts_look_alikes") and MEASURES.fact(measure, "uses_population"))
