"""The profile of one column: everything `describe` says of it comes from its frequency table.

One group-by gives distinct values, missing ones, values that occur once, entropy and the most frequent values; numbers
add moments, quantiles and a histogram between the first and the last percentile (one outlier must not flatten it).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacita.engines.plans.weights import finite
from tacita.engines.protocol import EngineRelation
from tacita.model.relation import Column, ColumnType

QUANTILES = (0.01, 0.25, 0.5, 0.75, 0.99)


def value_frequencies(relation: EngineRelation, column: Column) -> exp.Select:
    """Return the plan of the values ``v`` of a column with their frequency ``n``."""
    value = exp.column(column.physical)
    return (
        exp.select(exp.alias_(value, "v"), exp.alias_(exp.Count(this=exp.Star()), "n"))
        .from_(relation.source())
        .group_by(value.copy())
    )


def value_summary(relation: EngineRelation, column: Column) -> exp.Select:
    """Return the plan of one row: rows, missing, distinct, singles (values that occur once), Σ n·log2(n), length."""
    v, n = exp.column("v"), exp.column("n")
    present = exp.Not(this=exp.Is(this=v, expression=exp.Null()))
    n_log_n = exp.Mul(this=exp.Cast(this=n, to=exp.DataType.build("double")), expression=exp.func("log2", n))
    length = exp.Length(this=v) if column.type is ColumnType.TEXT else exp.Literal.number(0)
    figures = {
        "rows": _or_zero(exp.Sum(this=n)),
        "missing": _or_zero(exp.Sum(this=_when(exp.Is(this=v, expression=exp.Null()), n))),
        "distinct": exp.Count(this=v),
        "singles": _or_zero(
            exp.Sum(
                this=_when(exp.and_(present, exp.EQ(this=n, expression=exp.Literal.number(1))), exp.Literal.number(1))
            )
        ),
        "n_log_n": _or_zero(exp.Sum(this=_when(present, n_log_n))),
        "longest": _or_zero(exp.Max(this=length)),
        "least": exp.Cast(this=exp.Min(this=v), to=exp.DataType.build("text")),
        "greatest": exp.Cast(this=exp.Max(this=v), to=exp.DataType.build("text")),
    }
    return exp.select(*(exp.alias_(f.copy(), name) for name, f in figures.items())).from_(
        value_frequencies(relation, column).subquery("f")
    )


def most_frequent(relation: EngineRelation, column: Column, limit: int) -> exp.Select:
    """Return the plan of the most frequent values as text, ties in the order of the values."""
    v, n = exp.column("v"), exp.column("n")
    return (
        exp.select(exp.alias_(exp.Cast(this=v, to=exp.DataType.build("text")), "v"), n)
        .from_(value_frequencies(relation, column).subquery("f"))
        .where(exp.Not(this=exp.Is(this=v.copy(), expression=exp.Null())))
        .order_by(exp.Ordered(this=n.copy(), desc=True), exp.Ordered(this=exp.column("v", table="f")))
        .limit(limit)
    )


def number_summary(relation: EngineRelation, column: Column) -> exp.Select:
    """Return the plan of one row: mean, standard deviation and the list of `QUANTILES` of the finite values."""
    value = exp.Cast(this=exp.column(column.physical), to=exp.DataType.build("double"))
    shares = exp.Array(expressions=[exp.Literal.number(share) for share in QUANTILES])
    return (
        exp.select(
            exp.alias_(exp.Avg(this=value), "mean"),
            exp.alias_(exp.func("stddev_samp", value.copy()), "deviation"),
            exp.alias_(exp.func("quantile_disc", value.copy(), shares), "quantiles"),
        )
        .from_(relation.source())
        .where(finite(value))
    )


def histogram(relation: EngineRelation, column: Column, low: float, high: float, bins: int) -> exp.Select:
    """Return the plan of the non-empty bins (``bin`` from 0) of a number; what lies outside goes to the ends."""
    value = exp.Cast(this=exp.column(column.physical), to=exp.DataType.build("double"))
    place = exp.Mul(
        this=exp.Paren(this=exp.Sub(this=value, expression=_number(low))),
        expression=_number(bins / (high - low)),
    )
    bounded = exp.func("greatest", _number(0), exp.func("least", _number(bins - 1), exp.Floor(this=place)))
    bin_ = exp.Cast(this=bounded, to=exp.DataType.build("int"))
    return (
        exp.select(exp.alias_(bin_, "bin"), exp.alias_(exp.Count(this=exp.Star()), "n"))
        .from_(relation.source())
        .where(finite(value))
        .group_by(bin_.copy())
    )


def sample(relation: EngineRelation, columns: Sequence[Column], rows: int) -> exp.Select:
    """Return the plan of the first rows as text: evidence for formats, the same in every run."""
    terms = [
        exp.alias_(exp.Cast(this=exp.column(c.physical), to=exp.DataType.build("text")), c.physical) for c in columns
    ]
    return exp.select(*terms).from_(relation.source()).limit(rows)


def _number(value: float) -> exp.Expr:
    literal = exp.Literal.number(repr(abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal


def _when(condition: exp.Expr, value: exp.Expr) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])


def _or_zero(figure: exp.Expr) -> exp.Expr:
    return exp.func("coalesce", figure, exp.Literal.number(0))
