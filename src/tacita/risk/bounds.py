"""When a figure is above its bound: by more than floating point accounts for, so that threads cannot decide it."""

from __future__ import annotations

from sqlglot import exp

from tacita.engines.plans.terms import as_double, number

TOLERANCE = 1e-9
"""A figure that differs from its bound by less, relatively, meets it: what is equal in fractions is not in floats."""


def exceeds(figure: exp.Expr, bound: exp.Expr) -> exp.Expr:
    """Return the condition that a figure is above its bound."""
    most = exp.Add(
        this=exp.Mul(this=exp.paren(bound.copy()), expression=number(1 + TOLERANCE)), expression=number(TOLERANCE)
    )
    return exp.GT(this=figure.copy(), expression=most)


def is_above(figure: float, bound: float) -> bool:
    """Return whether a figure is above its bound.

    >>> is_above(0.1 + 0.2, 0.3), is_above(0.31, 0.3)
    (False, True)
    """
    return figure > bound * (1 + TOLERANCE) + TOLERANCE


def fewer_than(figure: exp.Expr, needed: int) -> exp.Expr:
    """Return the condition that a count, which may be an expected one, is below what is needed."""
    return exp.LT(this=figure.copy(), expression=number(needed - TOLERANCE * needed))


def risk_where(condition: exp.Expr) -> exp.Expr:
    """Return risk 1 where a condition holds, 0 elsewhere."""
    case = exp.Case(ifs=[exp.If(this=condition, true=exp.Literal.number(1))], default=exp.Literal.number(0))
    return as_double(case)


def as_count(term: exp.Expr) -> exp.Expr:
    """Return a sum of counts as a whole number; engines widen sums."""
    return exp.Cast(this=term, to=exp.DataType(this=exp.DType.BIGINT))
