"""The smallest pieces of plans, made without parsing text."""

from __future__ import annotations

from sqlglot import exp


def named(table: str, alias: str | None = None) -> exp.Table:
    """Return a table, under an alias if one is given."""
    node = exp.Table(this=exp.to_identifier(table))
    if alias is not None:
        node.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return node


def everything(table: str) -> exp.Select:
    """Return all rows of a table."""
    return exp.Select(expressions=[exp.Star()]).from_(named(table), copy=False)


def found_in(source: exp.Expr) -> exp.Select:
    """Return a select that asks whether there is something."""
    return exp.Select(expressions=[exp.alias_(exp.Literal.number(1), "found")]).from_(source, copy=False)


def ascending(term: exp.Expr) -> exp.Ordered:
    """Return a term to order by: smaller first, nulls last, on every engine."""
    return exp.Ordered(this=term, nulls_first=False)
