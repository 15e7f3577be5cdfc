"""Top and bottom coding: values beyond a bound become the bound, a label such as ``65+``, or their mean.

Extreme values are the ones that people know of each other. The method is `topBotCoding` of sdcMicro; the mean of the
coded values keeps totals as they were.
"""

from __future__ import annotations

from typing import Literal, get_args

from sqlglot import exp

from tacita.engines.plans.terms import as_text, number
from tacita.errors import UsageError, did_you_mean, listed
from tacita.masking.recoding.labels import distinct_values
from tacita.masking.recoding.masked import (
    RECORD,
    Masked,
    Rewriting,
    changed_rows,
    rewritten,
    value_term,
)
from tacita.model.attribute import Kind
from tacita.model.hierarchy import ValueHierarchy, text_of
from tacita.model.hierarchy.classes import class_label, exact, number_text
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType

Replacement = Literal["bound", "label", "mean"]
Bound = int | float | str


def top_bottom_coded(
    microdata: Microdata,
    name: str,
    *,
    top: Bound | None = None,
    bottom: Bound | None = None,
    by: Replacement = "bound",
    top_label: str = "",
    bottom_label: str = "",
) -> Masked:
    """Return microdata with the values of an attribute cut at a bound, or at two.

    Numbers are compared as numbers, values of an ordinal attribute by the `order` of the dictionary. `by` says what
    stands for values from `top` on, and up to `bottom`: the bound itself; a label (``65+`` and ``<=18``, or the ones
    given), which turns numbers into text; or the mean of these values. Missing values stay missing.

    >>> import tacita as tc
    >>> firms = tc.sample("figure-1").microdata
    >>> found = top_bottom_coded(firms, "W", top=100)
    >>> max(row["W"] for batch in found.microdata.relation.batches() for row in batch.to_pylist())
    100
    """
    column = microdata.column(name)
    if by not in get_args(Replacement):
        raise UsageError(
            f"no replacement '{by}'{did_you_mean(by, get_args(Replacement))}", do="use bound, label or mean"
        )
    if top is None and bottom is None:
        raise UsageError(f"no bound is given for '{name}'", do="give a top, a bottom, or both")
    if top_label or bottom_label:
        by = "label"
    if column.type.is_numeric:
        change = _of_numbers(microdata, column, top, bottom, by, (top_label, bottom_label))
    elif microdata.attribute(name).order:
        change = _of_order(microdata, column, top, bottom, by, (top_label, bottom_label))
    else:
        raise UsageError(
            f"the values of '{name}' have no order",
            where=f"dictionary of '{microdata.name}'",
            do="give numbers, or the 'order' of its values in the dictionary, lowest first",
        )
    columns = {name: change}
    return Masked(rewritten(microdata, columns), changed=changed_rows(microdata, columns))


def _of_numbers(
    microdata: Microdata, column: Column, top: Bound | None, bottom: Bound | None, by: str, labels: tuple[str, str]
) -> Rewriting:
    high, low = (None if bound is None else _number(column, bound) for bound in (top, bottom))
    if high is not None and low is not None and low >= high:
        raise UsageError(f"the bottom of '{column.name}' is not below its top", do="give a bottom below the top")
    value = exp.column(column.physical, table=RECORD)
    by_label = by == "label"
    # Whoever is at the bound gets the label too: "65+" beside 65 would say who is exactly 65.
    at_top, at_bottom = (exp.GTE, exp.LTE) if by_label else (exp.GT, exp.LT)
    parts: list[tuple[exp.Expr, exp.Expr]] = []
    if high is not None:
        label = labels[0] or class_label((exact(high), None), whole=column.type is ColumnType.INTEGER)
        above = at_top(this=value.copy(), expression=number(high))
        parts.append((above, _instead(microdata, column, above, high, by, label)))
    if low is not None:
        label = labels[1] or f"<={number_text(exact(low) or 0)}"
        below = at_bottom(this=value.copy(), expression=number(low))
        parts.append((below, _instead(microdata, column, below, low, by, label)))
    kind = ColumnType.TEXT if by_label else ColumnType.NUMBER if by == "mean" else column.type
    default: exp.Expr = as_text(value.copy()) if by_label else value.copy()
    if by_label and column.type is ColumnType.NUMBER:
        # 39.0 is written 39, as hierarchies and files write it
        default = exp.func("regexp_replace", default, exp.Literal.string(r"\.0$"), exp.Literal.string(""))
    term = exp.Case(ifs=[exp.If(this=where.copy(), true=then) for where, then in parts], default=default)
    attribute, hierarchy = microdata.attribute(column.name), microdata.hierarchies.get(column.name)
    if by_label:
        attribute = attribute.with_(kind=Kind.CATEGORICAL, labels={}, hierarchy="", hierarchy_rule={}, format="")
        hierarchy = None
    return Rewriting(term, kind, attribute, hierarchy, where=exp.or_(*(where for where, _ in parts)))


def _instead(
    microdata: Microdata, column: Column, where: exp.Expr, bound: int | float, by: str, label: str
) -> exp.Expr:
    if by == "label":
        return exp.Literal.string(label)
    if by == "bound":
        return number(bound)
    relation = microdata.relation
    mean = exp.alias_(exp.Avg(this=exp.column(column.physical, table=RECORD)), "m")
    plan = exp.select(mean).from_(relation.source().as_(RECORD)).where(where.copy())
    average = relation.engine.run(plan)[0]["m"]
    return number(bound if average is None else float(average))


def _number(column: Column, bound: Bound) -> int | float:
    number = exact(bound)
    if number is None:
        raise UsageError(f"a bound of '{column.name}' is no number", do="give a number")
    if column.type is ColumnType.INTEGER and not isinstance(number, int):
        raise UsageError(f"'{column.name}' has whole numbers, but a bound is not whole", do="give a whole number")
    return number if isinstance(number, int) else float(number)


def _of_order(
    microdata: Microdata, column: Column, top: Bound | None, bottom: Bound | None, by: str, labels: tuple[str, str]
) -> Rewriting:
    attribute = microdata.attribute(column.name)
    order = attribute.order
    if by == "mean":
        raise UsageError(f"the values of '{column.name}' have no mean", do="use bound or label")
    for bound in (top, bottom):
        if bound is not None and str(bound) not in order:
            raise UsageError(
                f"a bound of '{column.name}' is no value of its order{did_you_mean(str(bound), order)}",
                do=f"use one of: {listed(order, 20)}",
            )
    places = {value: i for i, value in enumerate(order)}
    high = len(order) if top is None else places[str(top)]
    low = -1 if bottom is None else places[str(bottom)]
    if low >= high:
        raise UsageError(f"the bottom of '{column.name}' is not below its top", do="give a bottom below the top")
    strangers = sum(text_of(value) not in places for value in distinct_values(microdata, column.name))
    if strangers:
        raise UsageError(
            f"{strangers:,} distinct values of '{column.name}' are not in its order",
            where=f"dictionary of '{microdata.name}'",
            do="complete the 'order' of the attribute, or declare them missing",
        )
    by_label = by == "label"
    upper = labels[0] or f"{top}+" if by_label else str(top)
    lower = labels[1] or f"<={bottom}" if by_label else str(bottom)
    above, below = order[high + (not by_label) :], order[: max(low + by_label, 0)]
    value = value_term(column)
    parts = []
    for values, label in ((above, upper), (below, lower)):
        if values:
            among = [exp.Literal.string(spelling) for spelling in values]
            parts.append(exp.If(this=exp.In(this=value.copy(), expressions=among), true=exp.Literal.string(label)))
    kept = tuple(v for v in order if v not in above and v not in below)
    new_order = ((lower,) if by_label and below else ()) + kept + ((upper,) if by_label and above else ())
    hierarchy = microdata.hierarchies.get(column.name)
    if by_label:
        attribute = attribute.with_(hierarchy="", hierarchy_rule={}, order=new_order)
        hierarchy = ValueHierarchy.from_paths(column.name, [[label] for label in new_order], star=True)
    else:
        attribute = attribute.with_(order=new_order)
    if not parts:
        return Rewriting(value, column.type, attribute, hierarchy, where=exp.false())
    where = exp.or_(*(part.this.copy() for part in parts))
    return Rewriting(exp.Case(ifs=parts, default=value), column.type, attribute, hierarchy, where=where)
