"""Small plans over the tables of predicates: distinct facts, facts that are new, facts of a round."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacita.rules.logic.types import INTEGER
from tacita.rules.reasoner.plans.cells import any_row_of, both, named, null_safe
from tacita.rules.reasoner.plans.layout import ROUND, FactLayout, sql_type

AT_ONCE = 40
"""How many selects go into one statement: engines plan long unions slowly, and not at all beyond some depth."""


def union(selects: Sequence[exp.Query]) -> exp.Query:
    """Return all rows of some selects."""
    result = selects[0]
    for select in selects[1:]:
        result = exp.Union(this=result, expression=select, distinct=False)
    return result


def columns(layout: FactLayout, alias: str | None = None) -> list[exp.Expr]:
    """Return the columns of the facts of a predicate; a predicate without arguments has a column of its own."""
    return [exp.column(name, table=alias) for name in layout.columns()]


def empty(layout: FactLayout) -> exp.Select:
    """Return no facts, with the columns of the table."""
    terms = [
        exp.alias_(exp.Cast(this=exp.Null(), to=kind), name)
        for name, kind in zip(layout.columns(), layout.types(), strict=True)
    ]
    terms.append(exp.alias_(exp.Cast(this=exp.Null(), to=sql_type(INTEGER)), ROUND))
    return exp.select(*terms).where(exp.false())


def in_round(select: exp.Query, layout: FactLayout, number: int, *, is_unique: bool = False) -> exp.Select:
    """Return different facts with the round they came in; `is_unique` says that the select holds no doubles."""
    select = _allowed(select, layout)
    facts = exp.select(*columns(layout)).distinct() if layout.columns() else exp.select()
    inner = facts.from_(_named(select, "f")) if layout.columns() else None
    stamp = exp.alias_(exp.Cast(this=exp.Literal.number(number), to=sql_type(INTEGER)), ROUND)
    if is_unique and inner is not None:
        return exp.select(*columns(layout), stamp).from_(_named(select, "f"))
    if inner is None:  # p(): it holds or it does not
        return exp.select(stamp).from_(_named(select, "f")).limit(1)
    return exp.select(*columns(layout), stamp).from_(inner.subquery("d", copy=False))


def _named(select: exp.Query, alias: str) -> exp.Subquery:
    return exp.Subquery(this=select, alias=exp.TableAlias(this=exp.to_identifier(alias)))


def new_facts(select: exp.Query, layout: FactLayout, number: int, better: exp.Expr | None = None) -> exp.Select:
    """Return the facts of a select that the table does not hold yet, with their round.

    `better` says instead, over the aliases ``n`` (new) and ``o`` (old), when an old fact makes a new one useless.
    """
    names = layout.columns()
    select = _allowed(select, layout)
    stamp = exp.alias_(exp.Cast(this=exp.Literal.number(number), to=sql_type(INTEGER)), ROUND)
    known = any_row_of(named(layout.table, "o"))
    if not names:
        one = exp.select(stamp).from_(_named(select, "n")).where(exp.Not(this=exp.Exists(this=known)))
        return one.limit(1)
    same = (
        better
        if better is not None
        else both(*(_same(layout, name, exp.column(name, table="o"), exp.column(name, table="n")) for name in names))
    )
    distinct = exp.select(*columns(layout)).distinct().from_(_named(select, "f"))
    return (
        exp.select(*columns(layout, "n"), stamp)
        .from_(distinct.subquery("n", copy=False))
        .where(exp.Not(this=exp.Exists(this=known.where(same, copy=False))), copy=False)
    )


def _allowed(select: exp.Query, layout: FactLayout) -> exp.Query:
    """Return a select without the facts that are in quarantine."""
    if not layout.banned or not layout.columns():
        return select
    return exp.select(*columns(layout, "b")).from_(_named(select, "b")).where(is_free(layout, "b"))


def is_free(layout: FactLayout, alias: str) -> exp.Expr:
    """Return the condition that a fact is not in quarantine."""
    same = (null_safe(exp.column(n, table="q"), exp.column(n, table=alias)) for n in layout.columns())
    return exp.Not(this=exp.Exists(this=any_row_of(named(layout.banned, "q")).where(both(*same))))


def _same(layout: FactLayout, name: str, a: exp.Expr, b: exp.Expr) -> exp.Expr:
    is_plain = f"n{name[1:]}" not in layout.columns() and not name.startswith("n")
    return exp.EQ(this=a, expression=b) if is_plain else null_safe(a, b)
