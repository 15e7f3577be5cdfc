"""One row per record, for scripts and for the record: number, frequency, risk; then what else was measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sqlglot import exp

from tacita.assess.assessment import Assessment, ScenarioAssessment
from tacita.assess.finding import Finding
from tacita.engines.protocol import Relation
from tacita.errors import UsageError
from tacita.files.contract import WriteOptions
from tacita.files.write import write
from tacita.model.attribute import Attribute
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.model.relation import Column, ColumnType
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.frequencies import FREQUENCY, POPULATION, frequencies_of_records, frequency_type
from tacita.risk.measure import RISK, ROW


def write_records(assessment: Assessment, target: str | Path, *, force: bool = False) -> None:
    """Write the risks of each record, in the order of the data; of the first scenario."""
    relation = _relation(assessment.scenarios[0])
    dictionary = Dictionary("records", tuple(Attribute(column.name) for column in relation.columns))
    microdata = Microdata(relation, dictionary, Source("records", "made"))
    try:
        write(microdata, target, WriteOptions(force=force))
    finally:
        relation.engine.drop(relation)


def _relation(scenario: ScenarioAssessment) -> Relation:
    sample = scenario.sample
    findings = [finding for finding in scenario.findings if finding.is_of_records]
    if not findings:
        raise UsageError("nothing was measured of single records", do="add a measure of records, such as k-anonymity")
    terms: list[exp.Expr] = [exp.column("c0", table="f"), exp.column("c1", table="f")]
    columns = [Column(ROW, "c0", ColumnType.INTEGER), Column(FREQUENCY, "c1", frequency_type(sample))]
    plan = exp.select().from_(frequencies_of_records(sample).subquery("f"))
    for i, (finding, name, column) in enumerate(_named(findings)):
        assert finding.risks.records is not None
        table = f"m{i}"
        records = finding.risks.records
        on = exp.EQ(this=exp.column("c0", table="f"), expression=exp.column(records.column(ROW).physical, table=table))
        plan = plan.join(records.source().as_(table), on=on, copy=False)
        terms.append(exp.column(records.column(column).physical, table=table))
        columns.append(Column(name, f"c{len(columns)}", records.column(column).type))
    # Threads add weights in any order: what differs beyond the ninth decimal would differ from run to run.
    terms.append(exp.Round(this=exp.column("c2", table="f"), decimals=exp.Literal.number(9)))
    columns.append(Column(POPULATION, f"c{len(columns)}", ColumnType.NUMBER))
    plan = plan.select(*(exp.alias_(term, f"c{i}") for i, term in enumerate(terms))).order_by("c0")
    return sample.engine.store(plan, columns)


def _named(findings: list[Finding]) -> Iterator[tuple[Finding, str, str]]:
    """Yield what goes into the file: the first risk is ``risk``; others carry the name of what they are."""
    names = {ROW, FREQUENCY, POPULATION}
    for i, finding in enumerate(findings):
        measure = finding.measure
        if i == 0:
            name = RISK
        elif isinstance(measure, ClusterRisk):
            name = f"{measure.word}_risk"
        else:
            name = finding.name.replace("-", "_")
        if name in names:
            name = finding.name.replace(" ", "_").replace("-", "_")
        names.add(name)
        yield finding, name, RISK
        assert finding.risks.records is not None
        for column in finding.risks.records.columns:
            if column.name not in {ROW, RISK, "own"} | names:
                names.add(column.name)
                yield finding, column.name, column.name
