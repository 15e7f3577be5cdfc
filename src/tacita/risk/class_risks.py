"""The risks of a requirement that every class of records has to meet: 1 for each record of a class that does not.

A class is a combination of values of the known attributes. The measure says its figures and whether it violates; here
they are given to the records, and the worst of the file is told. With several sensitive attributes a record has the
worst figures of all, and the largest risk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tacita.engines.protocol import Relation
from tacita.errors import UsageError, counted, faults_text
from tacita.model.relation import Column, ColumnType
from tacita.risk.attribute.sensitive_values import missing
from tacita.risk.bounds import as_count
from tacita.risk.combinations import COUNT, NUMBER, combinations, of_each_record
from tacita.risk.frequencies import has_nulls
from tacita.risk.measure import RISK, ROW, Measure, Risks, stored_risks
from tacita.risk.sample import Sample

CLASSES, VIOLATING_CLASSES, VIOLATING_RECORDS = "classes", "violating_classes", "violating_records"
"""Figures of the file that all these measures have."""


@dataclass(frozen=True, slots=True)
class ClassFigure:
    """A figure of each class: a column of the risks."""

    name: str
    kind: ColumnType
    least_is_worst: bool = False

    def worst(self, term: exp.Expr) -> exp.Expr:
        """Return the worst of several."""
        return exp.Min(this=term) if self.least_is_worst else exp.Max(this=term)


def class_risks(
    sample: Sample,
    measure: Measure,
    columns: Sequence[ClassFigure],
    plans: Mapping[str, exp.Query],
    notes: Sequence[str] = (),
) -> Risks:
    """Return the risks of classes, by sensitive attribute; a measure without such has one plan, named with ``""``.

    A plan gives one tuple per class: its number ``id``, its ``risk``, and its figures as ``f0``, ``f1``, ... in the
    order of `columns`.
    """
    stored = {attribute: _stored(sample, plan, columns) for attribute, plan in plans.items()}
    worst = _worst(sample, list(stored.values()), columns)
    per_record = of_each_record(sample, worst, [RISK, *(column.name for column in columns)])
    kinds = {ROW: ColumnType.INTEGER, RISK: ColumnType.NUMBER, **{c.name: c.kind for c in columns}}
    records = stored_risks(sample.engine, per_record, kinds)
    figures = _figures(sample, worst, columns)
    tables = {"sensitive": [{"attribute": a, **_figures(sample, s, columns)} for a, s in stored.items() if a]}
    for relation in {relation.table: relation for relation in (*stored.values(), worst)}.values():
        sample.engine.drop(relation)
    counts_as = "as no value" if getattr(measure, "drops_missing", False) else "as a value of its own"
    notes = (*_about_missing(sample, [attribute for attribute in stored if attribute], counts_as), *notes)
    return Risks(measure.name, measure.threshold, records, figures, tables if "" not in plans else {}, notes)


def check(measure: Measure, sample: Sample) -> None:
    """Raise with all that a sample lacks."""
    if faults := measure.lacks(sample):
        raise UsageError(faults_text(faults), where=f"'{sample.microdata.name}', {measure.name}")


def _stored(sample: Sample, plan: exp.Query, columns: Sequence[ClassFigure]) -> Relation:
    terms = [RISK, *(f"f{i}" for i in range(len(columns)))]
    equal = exp.EQ(this=exp.column(NUMBER, table="g"), expression=exp.column(NUMBER, table="m"))
    sized = (
        exp.select(
            exp.column(NUMBER, table="g"),
            exp.column(COUNT, table="g"),
            *(exp.column(name, table="m") for name in terms),
        )
        .from_(plan.subquery("m"))
        .join(combinations(sample).source().as_("g"), on=equal, copy=False)
    )
    return sample.engine.store(sized, _described(columns))


def _described(columns: Sequence[ClassFigure]) -> list[Column]:
    return [
        Column(NUMBER, NUMBER, ColumnType.INTEGER),
        Column(COUNT, COUNT, ColumnType.INTEGER),
        Column(RISK, RISK, ColumnType.NUMBER),
        *(Column(column.name, f"f{i}", column.kind) for i, column in enumerate(columns)),
    ]


def _worst(sample: Sample, relations: list[Relation], columns: Sequence[ClassFigure]) -> Relation:
    if len(relations) == 1:
        return relations[0]
    all_of_them = exp.union(*(exp.select("*").from_(r.source()) for r in relations), distinct=False)
    plan = exp.select(
        NUMBER,
        exp.alias_(exp.Max(this=exp.column(COUNT)), COUNT),
        exp.alias_(exp.Max(this=exp.column(RISK)), RISK),
        *(exp.alias_(column.worst(exp.column(f"f{i}")), f"f{i}") for i, column in enumerate(columns)),
    )
    return sample.engine.store(plan.from_(all_of_them.subquery("a")).group_by(NUMBER), _described(columns))


def _figures(sample: Sample, relation: Relation, columns: Sequence[ClassFigure]) -> dict[str, Any]:
    at_risk = exp.GT(this=exp.column(RISK), expression=exp.Literal.number(0))
    terms = {f"f{i}": column.worst(exp.column(f"f{i}")) for i, column in enumerate(columns)}
    terms["classes"] = exp.Count(this=exp.Star())
    terms["violating"] = exp.Sum(this=_where(at_risk, exp.Literal.number(1)))
    terms["records"] = exp.Sum(this=_where(at_risk.copy(), exp.column(COUNT)))
    plan = exp.select(*(exp.alias_(term, name) for name, term in terms.items())).from_(relation.source())
    row = {name: value or 0 for name, value in sample.engine.run(plan)[0].items()}
    return {
        **{column.name: row[f"f{i}"] for i, column in enumerate(columns)},
        CLASSES: row["classes"],
        VIOLATING_CLASSES: int(row["violating"]),
        VIOLATING_RECORDS: int(row["records"]),
    }


def _where(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return as_count(exp.Case(ifs=[exp.If(this=condition, true=value)], default=exp.Literal.number(0)))


def _about_missing(sample: Sample, attributes: list[str], counts_as: str) -> list[str]:
    notes = []
    if attributes and not sample.nulls.are_values and has_nulls(sample):
        notes.append("a record with a hidden value is in a class with those hidden in the same places: no maybe-match")
    absent = {attribute: missing(sample, attribute) for attribute in attributes}
    notes += [f"{counted(n, 'record')} without '{a}': missing counts {counts_as}" for a, n in absent.items() if n]
    return notes
