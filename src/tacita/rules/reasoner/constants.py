"""Constants in SQL."""

from __future__ import annotations

import datetime

from sqlglot import exp

from tacita.rules.logic.terms import Value
from tacita.rules.logic.types import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, TIMESTAMP, Scalar
from tacita.rules.reasoner.cells import as_type
from tacita.rules.reasoner.layout import sql_type

BIGINT = sql_type(INTEGER)
NO_LABEL = exp.Cast(this=exp.Null(), to=BIGINT.copy())


def constant_type(value: Value) -> Scalar:
    """Return the type of a constant."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return INTEGER
    if isinstance(value, float):
        return NUMBER
    if isinstance(value, datetime.datetime):
        return TIMESTAMP
    return DATE if isinstance(value, datetime.date) else TEXT


def literal(value: Value) -> exp.Expr:
    """Return a constant in SQL; never as text that could be read as anything else."""
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        return as_type(exp.Literal.number(value) if value >= 0 else exp.Neg(this=exp.Literal.number(-value)), BIGINT)
    if isinstance(value, float):
        # The exponent makes it a double; without it engines read a decimal.
        number = exp.Literal.number(repr(abs(value)) if "e" in repr(value) else f"{abs(value)!r}e0")
        return exp.paren(exp.Neg(this=number)) if value < 0 else number
    if isinstance(value, datetime.date):
        return as_type(exp.Literal.string(str(value)), sql_type(constant_type(value)))
    return exp.Literal.string(value)
