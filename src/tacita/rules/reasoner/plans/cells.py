"""A term compiled: its value, and the label of the null that may stand in its place.

With the smallest pieces of plans, made without parsing text.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from tacita.rules.logic.types import Type


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a select: what it is where it is known, and its label where it is a null."""

    type: Type
    value: exp.Expr
    label: exp.Expr | None = None
    """None: this is never a labelled null."""
    is_partial: bool = False
    """Whether there may be no value at all: a division by zero, an attribute that a record lacks."""
    row: tuple[tuple[str, Cell], ...] = ()
    """The attributes of a record that has a column each."""

    def is_known(self) -> exp.Expr:
        """Return the condition that there is a value or a null."""
        known = not_null(self.value)
        return known if self.label is None else exp.paren(exp.Or(this=known, expression=not_null(self.label)))


def not_null(term: exp.Expr) -> exp.Expr:
    """Return ``term IS NOT NULL``."""
    return exp.Not(this=exp.Is(this=wrapped(term), expression=exp.Null()))


def is_null(term: exp.Expr) -> exp.Expr:
    """Return ``term IS NULL``."""
    return exp.Is(this=wrapped(term), expression=exp.Null())


def wrapped(term: exp.Expr) -> exp.Expr:
    """Return a term so that it can stand as an operand."""
    simple = isinstance(term, (exp.Column, exp.Literal, exp.Null, exp.Anonymous, exp.Paren, exp.Cast, exp.Boolean))
    return own(term) if simple else exp.paren(own(term), copy=False)


def own(term: exp.Expr) -> exp.Expr:
    """Return a term for use inside another: itself the first time, a copy if it is inside something already.

    A term is made of terms again and again; copying all of them at every level would take a square of their number.
    """
    return term if term.parent is None else term.copy()


def both(*conditions: exp.Expr) -> exp.Expr:
    """Return the conjunction of conditions; true if there are none."""
    if not conditions:
        return exp.true()
    result = wrapped(conditions[0])
    for condition in conditions[1:]:
        result = exp.And(this=result, expression=wrapped(condition))
    return result


def null_safe(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Return equality in which NULL equals NULL."""
    return exp.NullSafeEQ(this=wrapped(a), expression=wrapped(b))


def as_type(term: exp.Expr, kind: exp.DataType) -> exp.Expr:
    """Return a cast."""
    return exp.Cast(this=own(term), to=kind.copy())


def when(condition: exp.Expr, then: exp.Expr) -> exp.Expr:
    """Return a term under a condition; without it, no value."""
    return exp.Case(ifs=[exp.If(this=own(condition), true=own(then))])


def named(table: str, alias: str | None = None) -> exp.Table:
    """Return a table, under an alias if one is given."""
    node = exp.Table(this=exp.to_identifier(table))
    if alias is not None:
        node.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return node


def everything(table: str) -> exp.Select:
    """Return all rows of a table."""
    return exp.Select(expressions=[exp.Star()]).from_(named(table), copy=False)


def any_row_of(source: exp.Expr) -> exp.Select:
    """Return a select that asks whether there is something."""
    return exp.Select(expressions=[exp.alias_(exp.Literal.number(1), "found")]).from_(source, copy=False)


def ascending(term: exp.Expr) -> exp.Ordered:
    """Return a term to order by: smaller first, nulls last, on every engine."""
    return exp.Ordered(this=term, nulls_first=False)
