"""The first rows where a condition holds: where to look, without saying what is there."""

from __future__ import annotations

from sqlglot import exp

from tacita.engines.protocol import Relation


def rows_where(relation: Relation, condition: exp.Expr, limit: int = 9) -> exp.Select:
    """Return the plan of the numbers ``row`` of the first rows, counted from 1, where a condition holds."""
    hit = exp.Case(ifs=[exp.If(this=condition, true=exp.Literal.number(1))])
    numbered = exp.select(exp.alias_(exp.Window(this=exp.RowNumber()), "row"), exp.alias_(hit, "hit"))
    return (
        exp.select("row")
        .from_(numbered.from_(relation.source()).subquery("n"))
        .where(exp.EQ(this=exp.column("hit"), expression=exp.Literal.number(1)))
        .order_by("row")
        .limit(limit)
    )
