"""Small terms of Spark's SQL, from which the functions are put together.

Arguments are used as they are the first time and copied after that.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

_SIMPLE = (exp.Column, exp.Literal, exp.Null, exp.Anonymous, exp.Paren, exp.Cast, exp.TryCast, exp.Boolean, exp.Dot)


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Return a call of a function."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def operand(term: exp.Expr) -> exp.Expr:
    """Return a term that can stand beside an operator."""
    return term if isinstance(term, _SIMPLE) else exp.paren(term, copy=False)


def cast(term: exp.Expr, type_: str) -> exp.Expr:
    """Return a cast that fails on what does not fit."""
    return exp.Cast(this=term, to=exp.DataType.build(type_, dialect="spark"))


def try_cast(term: exp.Expr, type_: str) -> exp.Expr:
    """Return a cast that gives NULL for what does not fit."""
    return exp.TryCast(this=term, to=exp.DataType.build(type_, dialect="spark"), safe=True)


def string(term: exp.Expr) -> exp.Expr:
    """Return a cast to text in Java's spelling; `texts.text` is the one that people see."""
    return call("string", term)


def number(value: int) -> exp.Expr:
    """Return a whole number."""
    return exp.Literal.number(value) if value >= 0 else exp.Neg(this=exp.Literal.number(-value))


def double(value: str) -> exp.Expr:
    """Return a floating-point number; without an exponent Spark reads a decimal."""
    return exp.Literal.number(value if "e" in value else f"{value}e0")


def text(value: str) -> exp.Expr:
    """Return a text."""
    return exp.Literal.string(value)


def when(condition: exp.Expr, then: exp.Expr, otherwise: exp.Expr | None = None) -> exp.Expr:
    """Return a choice; without `otherwise`, NULL."""
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def equals(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Return ``a = b``."""
    return exp.EQ(this=operand(a), expression=operand(b))


def less(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Return ``a < b``."""
    return exp.LT(this=operand(a), expression=operand(b))


def both(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Return ``a AND b``."""
    return exp.And(this=operand(a), expression=operand(b))


def missing(term: exp.Expr) -> exp.Expr:
    """Return ``term IS NULL``."""
    return exp.Is(this=operand(term), expression=exp.Null())


def infinity() -> exp.Expr:
    """Return the number above all others."""
    return call("double", text("Infinity"))


def is_finite(term: exp.Expr) -> exp.Expr:
    """Return the condition that a number is neither infinite nor NaN: to Spark, NaN is above infinity."""
    return less(call("abs", term), infinity())


def finite(term: exp.Expr) -> exp.Expr:
    """Return NULL instead of infinity and NaN: there is no such value."""
    return when(is_finite(term), term.copy())


def for_each(function: str, collection: exp.Expr, body: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Return ``function(collection, x -> body)``."""
    return call(function, collection, exp.Lambda(this=body(exp.column("x")), expressions=[exp.to_identifier("x")]))


def part(struct: exp.Expr, name: str) -> exp.Expr:
    """Return a field of a struct."""
    return exp.Dot(this=operand(struct), expression=exp.to_identifier(name))


def struct(**parts: exp.Expr) -> exp.Expr:
    """Return a struct of named fields."""
    return call("named_struct", *(term for name, value in parts.items() for term in (text(name), value)))


def array(*items: exp.Expr) -> exp.Expr:
    """Return an array."""
    return call("array", *items)
