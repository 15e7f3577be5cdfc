"""Faulty sampling weights: a weight stands for a number of respondents, so it is finite and more than zero."""

from __future__ import annotations

from sqlglot import exp

from tacita.engines.plans.terms import as_double, finite
from tacita.engines.protocol import Relation
from tacita.model.relation import Column


def faulty_weights(relation: Relation, column: Column, limit: int = 9) -> tuple[exp.Select, exp.Select]:
    """Return two plans: how many (``n``) weights have which ``fault``, and the first rows (from 1) that have any."""
    value = as_double(exp.column(column.physical))
    w = exp.column("w")
    numbered = exp.select(exp.alias_(exp.Window(this=exp.RowNumber()), "row"), exp.alias_(value, "w")).from_(
        relation.source()
    )
    fault = exp.Case(
        ifs=[
            exp.If(this=exp.Is(this=w, expression=exp.Null()), true=exp.Literal.string("missing")),
            exp.If(this=exp.Not(this=finite(w)), true=exp.Literal.string("not finite")),
            exp.If(this=exp.EQ(this=w, expression=exp.Literal.number(0)), true=exp.Literal.string("zero")),
            exp.If(this=exp.LT(this=w, expression=exp.Literal.number(0)), true=exp.Literal.string("negative")),
        ]
    )
    faults = exp.select(exp.column("row"), exp.alias_(fault, "fault")).from_(numbered.subquery("n"))
    plan = (
        exp.select("row", "fault")
        .from_(faults.subquery("f"))
        .where(exp.Not(this=exp.Is(this=exp.column("fault"), expression=exp.Null())))
    )
    count = exp.alias_(exp.Count(this=exp.Star()), "n")
    counted = exp.select("fault", count).from_(plan.subquery("w")).group_by("fault").order_by("fault")
    return counted, plan.order_by("row").limit(limit)
