"""Frequencies of combinations of values: the group-by under every risk measure.

Missing values count as a category of their own here: GROUP BY puts them together. What a labelled null means is up to
the risk measures.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacita.engines.protocol import Relation


def frequencies(relation: Relation, names: Sequence[str]) -> exp.Select:
    """Return the plan of all combinations of values of the named columns with their frequency ``n``."""
    terms = relation.physical(names)
    count = exp.alias_(exp.Count(this=exp.Star()), "n")
    return exp.select(*terms, count).from_(relation.source()).group_by(*(t.copy() for t in terms))


def sample_uniques(relation: Relation, names: Sequence[str], thresholds: Sequence[int] = (2, 3, 5)) -> exp.Select:
    """Return the plan of one row: tuples, combinations, sample uniques, and tuples under each threshold (``under_k``).

    A sample unique is a combination of values that occurs once.
    """
    n = exp.column("n")
    total = exp.func("coalesce", exp.Sum(this=n), exp.Literal.number(0))
    figures = [exp.alias_(total, "tuples"), exp.alias_(exp.Count(this=exp.Star()), "combinations")]
    figures.append(exp.alias_(_sum_where(exp.EQ(this=n.copy(), expression=exp.Literal.number(1))), "uniques"))
    figures += [
        exp.alias_(_sum_where(exp.LT(this=n.copy(), expression=exp.Literal.number(k))), f"under_{k}")
        for k in thresholds
    ]
    return exp.select(*figures).from_(frequencies(relation, names).subquery("f"))


def _sum_where(condition: exp.Expr) -> exp.Expr:
    case = exp.Case(ifs=[exp.If(this=condition, true=exp.column("n"))], default=exp.Literal.number(0))
    return exp.func("coalesce", exp.Sum(this=case), exp.Literal.number(0))
