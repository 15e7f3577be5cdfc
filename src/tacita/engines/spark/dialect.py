"""Plans in Spark's SQL: sqlglot says most of it, and this file what sqlglot does not know or says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from tacita.engines.spark import texts
from tacita.engines.spark.correlation import carried, sources
from tacita.engines.spark.words import array, call, cast, is_finite, number, when

DIALECT = "spark"


def spark_sql(plan: exp.Query) -> str:
    """Return a plan as text; a plan that is run round after round is written once."""
    written = plan.meta.get(DIALECT)
    if not isinstance(written, _Written) or not written.text:
        written = plan.meta[DIALECT] = _Written(prepared(plan).sql(DIALECT))
    return written.text


class _Written:
    """The text of a plan, which a copy of the plan does not inherit: copies are made to be changed."""

    __slots__ = ("text",)

    def __init__(self, text: str = "") -> None:
        self.text = text

    def __deepcopy__(self, memo: Any) -> _Written:
        return _Written()


def prepared(plan: exp.Query) -> exp.Query:
    """Return a plan in which everything has a name that Spark knows.

    >>> prepared(exp.select("isfinite(c0)").from_("r1")).sql("spark")
    "SELECT ABS(c0) < DOUBLE('Infinity') FROM r1"
    """
    plan = plan.copy()
    # Collected first: what is put in holds terms of the same kinds. From the inside out: a term that is changed is
    # copied into the new one as it is then.
    for node in reversed([node for node in plan.walk() if type(node) in _REWRITTEN]):
        changed = _REWRITTEN[type(node)](node)
        if changed is not node:
            node.replace(changed)
    carried(plan)
    return plan


def _anonymous(node: exp.Anonymous) -> exp.Expr:
    name = node.name.lower()
    if name == "isfinite":
        return is_finite(node.expressions[0].copy())
    if name == "quantile_disc":
        return _quantiles(*node.expressions)
    if name == "len":
        return call("size", node.expressions[0].copy())
    return node


def _quantiles(value: exp.Expr, shares: exp.Expr) -> exp.Expr:
    """Return several quantiles as an array; NULL if there are no values."""
    order = exp.Order(expressions=[exp.Ordered(this=value.copy(), nulls_first=True)])
    terms = [
        exp.WithinGroup(this=call("percentile_disc", share.copy()), expression=order.copy())
        for share in shares.expressions
    ]
    return when(exp.GT(this=exp.Count(this=value.copy()), expression=number(0)), array(*terms))


def _window(node: exp.Window) -> exp.Expr:
    """Rows are numbered as they come, which Spark wants to be told, and counted in wide numbers."""
    if not isinstance(node.this, exp.RowNumber):
        return node
    if not node.args.get("order"):
        place = exp.Ordered(this=call("monotonically_increasing_id"), nulls_first=True)
        node.set("order", exp.Order(expressions=[place]))
    return cast(node.copy(), "bigint")


def _cast(node: exp.Cast) -> exp.Expr:
    """Text that people see: the same on every engine."""
    to = node.args["to"]
    is_text = isinstance(to, exp.DataType) and to.this in exp.DataType.TEXT_TYPES
    return texts.text(node.this.copy()) if is_text and not isinstance(node.this, exp.Literal | exp.Null) else node


def _try_cast(node: exp.TryCast) -> exp.Expr:
    """A cast that may fail: without this word sqlglot writes one that must not."""
    node.set("safe", True)
    return node


def _unnest(node: exp.Unnest) -> exp.Expr:
    """The members of an array in FROM; a function of the tables before it, if it names one."""
    rows, alias = call("explode", node.expressions[0].copy()), node.args.get("alias")
    around = node.find_ancestor(exp.Select)
    near = sources(around) if isinstance(around, exp.Select) else set()
    if isinstance(node.parent, exp.Join) and any(column.table in near for column in rows.find_all(exp.Column)):
        return exp.Lateral(this=rows, alias=alias.copy() if alias else None)
    return exp.Table(this=rows, alias=alias.copy() if alias else None)


_REWRITTEN: dict[type[exp.Expr], Callable[[Any], exp.Expr]] = {
    exp.Anonymous: _anonymous,
    exp.Window: _window,
    exp.Cast: _cast,
    exp.TryCast: _try_cast,
    exp.Unnest: _unnest,
}
