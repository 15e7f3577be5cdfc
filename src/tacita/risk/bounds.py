"""When a figure is above its bound: by more than floating point accounts for, so that threads cannot decide it."""

from __future__ import annotations

from sqlglot import exp

from tacita.engines.plans.terms import as_double, number
from tacita.errors import UsageError

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


def check_bound(measure: object) -> None:
    """Raise if a measure lets every record pass, whatever its data.

    >>> from tacita.risk.identity.k_anonymity import KAnonymity
    >>> check_bound(KAnonymity(1))
    Traceback (most recent call last):
        ...
    tacita.errors.UsageError: k-anonymity with k = 1 finds every record safe, unique ones as well
      what to do: take a k of at least 2
    """
    for part in getattr(measure, "measures", ()):  # several that hold together
        check_bound(part)
    name, k = getattr(measure, "name", "the measure"), getattr(measure, "k", None)
    if float(getattr(measure, "threshold", 0.0)) >= 1:
        raise UsageError(
            f"the threshold of {name} is 1: no risk is above it, so that every record passes, unique ones as well",
            do="take a threshold below 1",
        )
    if getattr(measure, "counts_look_alikes", False) and isinstance(k, int) and k < 2:
        raise UsageError(
            f"{name} with k = {k} finds every record safe, unique ones as well", do="take a k of at least 2"
        )
