"""Small terms that several plans use."""

from __future__ import annotations

from sqlglot import exp


def number(value: float) -> exp.Expr:
    """Return a number as a term.

    >>> number(-1.5).sql()
    '-1.5'
    """
    literal = exp.Literal.number(repr(abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal


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
