"""Small terms and joins that several plans use."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from tacita.engines.protocol import Relation


def number(value: float) -> exp.Expr:
    """Return a number as a term.

    >>> number(-1.5).sql()
    '-1.5'
    """
    literal = exp.Literal.number(repr(abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal


def named(term: exp.Expr, name: str) -> exp.Alias:
    """Return a term under one of our own names; unlike `exp.alias_` it neither copies the term nor parses the name.

    >>> named(exp.column("c1"), "n").sql()
    'c1 AS n'
    """
    return exp.Alias(this=term, alias=exp.Identifier(this=name, quoted=False))


def cell(physical: str) -> exp.Column:
    """Return the term of a column by its physical name; unlike `exp.column` it does not look into the name.

    >>> cell("c1") == exp.column("c1")
    True
    """
    return exp.Column(this=exp.Identifier(this=physical, quoted=False))


def as_double(term: exp.Expr) -> exp.Cast:
    """Return a term as a floating-point number."""
    return exp.Cast(this=term, to=exp.DataType(this=exp.DType.DOUBLE))


def as_text(term: exp.Expr) -> exp.Cast:
    """Return a term as text."""
    return exp.Cast(this=term, to=exp.DataType(this=exp.DType.TEXT))


def finite(value: exp.Expr) -> exp.Expr:
    """Return the condition that a number is neither infinite nor NaN.

    Neither a comparison nor ``isnan``: DuckDB folds both from the statistics of a Parquet file, which leave NaN out.
    """
    return exp.Anonymous(this="isfinite", expressions=[value.copy()])


def same(left: str, right: str, names: Iterable[str]) -> exp.Expr:
    """Return the condition that two tables agree on columns, a missing value being the same as a missing value.

    >>> same("a", "b", ["c1"]).sql()
    'a.c1 IS NOT DISTINCT FROM b.c1'
    """
    pairs = [exp.NullSafeEQ(this=exp.column(n, table=left), expression=exp.column(n, table=right)) for n in names]
    return exp.and_(*pairs, copy=False)


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
