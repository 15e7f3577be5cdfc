"""How the values of a sensitive attribute spread over the classes of records that look alike.

All measures of attribute disclosure stand on two tables: how often each value occurs in the file, and in each class. A
class is a combination of values of the known attributes. Whatever nulls mean elsewhere, a record with a hidden value is
here in a class with those that are hidden in the same places and agree on the rest, as in sdcMicro: the smaller class
is the careful choice. A missing sensitive value counts as a value of its own, except for diversity. Records are
counted, not weighted.
"""

from __future__ import annotations

from sqlglot import exp

from tacita.engines.plans.terms import as_double, same
from tacita.engines.protocol import Relation
from tacita.model.relation import Column, ColumnType
from tacita.risk.combinations import COUNT, NUMBER, combinations
from tacita.risk.sample import Sample

CELL, VALUE, SIZE, SHARE = "v", "value", "size", "share"
"""Physical columns: the value itself, its place in the order of values from 1, records in its class, its share."""


def assessed(sample: Sample, sensitive: str | None) -> tuple[str, ...]:
    """Return the attributes to assess: the one named, or all sensitive ones that the intruder does not know."""
    if sensitive is not None:
        return (sample.microdata.attribute(sensitive).name,)
    judged = sample.sensitive if sample.judged is None else sample.judged
    return tuple(name for name in judged if name not in sample.known)


def lacking(sample: Sample, sensitive: str | None) -> list[str]:
    """Return why there is nothing to assess, if so."""
    if sensitive in sample.known:
        return [f"the intruder knows '{sensitive}' already: name another sensitive attribute, or another scenario"]
    if not assessed(sample, sensitive):
        return [
            f"no attribute of '{sample.microdata.name}' is sensitive, or the intruder knows it already: "
            "name what must not be learnt: --sensitive NAME, or in Python sensitive=..."
        ]
    return []


def values_of_file(sample: Sample, attribute: str) -> Relation:
    """Return the values of an attribute: ``v``, its place ``value`` from 1 (missing last), ``n`` and ``share``."""
    key = ("values of file", attribute)
    if key not in sample.cache:
        records = sample.records
        column = records.column(attribute)
        cell, count = exp.column(column.physical), exp.Count(this=exp.Star())
        counted = exp.select(exp.alias_(cell, CELL), exp.alias_(count, COUNT)).from_(records.source())
        counted = counted.group_by(cell.copy())
        order = exp.Order(expressions=[exp.Ordered(this=exp.column(CELL), nulls_first=False)])
        total = exp.Window(this=exp.Sum(this=exp.column(COUNT)))
        plan = exp.select(
            CELL,
            COUNT,
            exp.alias_(exp.Window(this=exp.RowNumber(), order=order), VALUE),
            exp.alias_(_ratio(exp.column(COUNT), total), SHARE),
        ).from_(counted.subquery("f"))
        columns = [
            Column(CELL, CELL, column.type, is_coded=column.is_coded),
            Column(COUNT, COUNT, ColumnType.INTEGER),
            Column(VALUE, VALUE, ColumnType.INTEGER),
            Column(SHARE, SHARE, ColumnType.NUMBER),
        ]
        sample.cache[key] = sample.engine.store(plan, columns)
    stored: Relation = sample.cache[key]
    return stored


def values_of_classes(sample: Sample, attribute: str) -> Relation:
    """Return how often each value occurs in each class: ``id``, ``value``, ``n``, and the ``size`` of the class."""
    key = ("values of classes", attribute)
    if key not in sample.cache:
        records, table, values = sample.records, combinations(sample), values_of_file(sample, attribute)
        keys = [records.column(name).physical for name in sample.known]
        grouping = [exp.column(key) for key in keys]
        cell, count = exp.column(records.column(attribute).physical), exp.Count(this=exp.Star())
        counted = exp.select(*grouping, exp.alias_(cell, CELL), exp.alias_(count, COUNT)).from_(records.source())
        counted = counted.group_by(*(term.copy() for term in grouping), cell.copy())
        plan = (
            exp.select(
                exp.column(NUMBER, table="g"),
                exp.column(VALUE, table="f"),
                exp.column(COUNT, table="r"),
                exp.alias_(exp.column(COUNT, table="g"), SIZE),
            )
            .from_(counted.subquery("r"))
            .join(table.source().as_("g"), on=same("r", "g", keys), copy=False)
            .join(values.source().as_("f"), on=same("r", "f", [CELL]), copy=False)
        )
        columns = [Column(name, name, ColumnType.INTEGER) for name in (NUMBER, VALUE, COUNT, SIZE)]
        sample.cache[key] = sample.engine.store(plan, columns)
    stored: Relation = sample.cache[key]
    return stored


def known_values(sample: Sample, attribute: str) -> exp.Select:
    """Return the same as a plan, a missing value counted as none: its ``n`` is 0, and ``size`` counts the others."""
    classes, values = values_of_classes(sample, attribute), values_of_file(sample, attribute)
    absent = exp.Is(this=exp.column(CELL), expression=exp.Null())
    rows = sample.engine.run(exp.select(VALUE).from_(values.source()).where(absent))
    count: exp.Expr = exp.column(COUNT)
    if rows:
        is_missing = exp.EQ(this=exp.column(VALUE), expression=exp.Literal.number(int(rows[0][VALUE])))
        count = exp.Case(ifs=[exp.If(this=is_missing, true=exp.Literal.number(0))], default=count)
    counted = exp.select(NUMBER, VALUE, exp.alias_(count, COUNT)).from_(classes.source())
    size = exp.Window(this=exp.Sum(this=exp.column(COUNT)), partition_by=[exp.column(NUMBER)])
    return exp.select(NUMBER, VALUE, COUNT, exp.alias_(size, SIZE)).from_(counted.subquery("n"))


def shares(sample: Sample, attribute: str) -> exp.Select:
    """Return the plan of the share of each value in each class, ``p``, beside its share in the file, ``q``."""
    classes, values = values_of_classes(sample, attribute), values_of_file(sample, attribute)
    share = _ratio(exp.column(COUNT, table="r"), exp.column(SIZE, table="r"))
    equal = exp.EQ(this=exp.column(VALUE, table="r"), expression=exp.column(VALUE, table="f"))
    return (
        exp.select(exp.column(NUMBER, table="r"), exp.alias_(share, "p"), exp.alias_(exp.column(SHARE, table="f"), "q"))
        .from_(classes.source().as_("r"))
        .join(values.source().as_("f"), on=equal, copy=False)
    )


def missing(sample: Sample, attribute: str) -> int:
    """Return how many records have no value of an attribute."""
    values = values_of_file(sample, attribute)
    absent = exp.Is(this=exp.column(CELL), expression=exp.Null())
    rows = sample.engine.run(exp.select(COUNT).from_(values.source()).where(absent))
    return int(rows[0][COUNT]) if rows else 0


def _ratio(part: exp.Expr, whole: exp.Expr) -> exp.Expr:
    return exp.Div(this=as_double(part), expression=as_double(whole))
