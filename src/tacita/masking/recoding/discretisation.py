"""Discretisation: numbers become intervals, between given bounds, of one width, or with about as many records each.

Labels are those of interval hierarchies: ``<18``, ``18-64``, ``65+`` for whole numbers, otherwise ``[0.5, 1)``. The
first and the last class are open, so that the lowest and the highest value of the file are not told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Literal, get_args

from sqlglot import exp

from tacita.engines.plans.terms import number
from tacita.errors import UsageError, did_you_mean
from tacita.masking.recoding.masked import RECORD, Masked, Rewriting, rewritten
from tacita.model.attribute import Kind
from tacita.model.hierarchy import ValueHierarchy
from tacita.model.hierarchy.classes import Ends, Number, class_label, exact
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType

Method = Literal["width", "frequency"]
_MOST = 1000  # classes: more of them hide nothing, and a plan has a branch for each


def discretised(
    microdata: Microdata,
    name: str,
    *,
    bounds: Sequence[int | float] = (),
    width: int | float | None = None,
    start: int | float = 0,
    classes: int | None = None,
    by: Method = "width",
) -> Masked:
    """Return microdata with the numbers of an attribute as intervals; missing values stay missing.

    One of three ways: `bounds`, lowest first; `width`, counted from `start`; or a number of `classes`, by equal width
    or by equal frequency. Bounds that are found in the data are rounded, so that they tell no value of it (whole
    numbers stay as they are). Fewer classes by frequency come out where a value is very frequent.

    >>> import tacita as tc
    >>> firms = tc.sample("figure-1").microdata
    >>> found = discretised(firms, "W", bounds=[60, 300]).microdata
    >>> found.attribute("W").order
    ('<60', '60-299', '300+')
    """
    column = microdata.column(name)
    if not column.type.is_numeric:
        raise UsageError(f"the values of '{name}' are no numbers", do="use grouping, or recoding along a hierarchy")
    if sum((bool(bounds), width is not None, classes is not None)) != 1:
        raise UsageError(f"intervals of '{name}' must be given in one way", do="give bounds, or width, or classes")
    if bounds:
        cuts = _given(column, bounds)
    elif width is not None:
        cuts = _of_width(microdata, column, width, start)
    else:
        cuts = _of_number(microdata, column, classes or 0, by)
    if not cuts:
        raise UsageError(f"'{name}' has too few different values for classes", do="recode or suppress it instead")
    return _cut(microdata, column, cuts)


def _cut(microdata: Microdata, column: Column, cuts: Sequence[Number]) -> Masked:
    whole = column.type is ColumnType.INTEGER
    ends: list[Ends] = [(None, cuts[0]), *pairwise(cuts), (cuts[-1], None)]
    labels = [class_label(end, whole=whole) for end in ends]
    value = exp.column(column.physical, table=RECORD)
    missing = exp.If(this=exp.Is(this=value, expression=exp.Null()), true=exp.Null())
    ifs = [
        exp.If(this=exp.LT(this=value.copy(), expression=_literal(cut)), true=exp.Literal.string(label))
        for cut, label in zip(cuts, labels, strict=False)
    ]
    term = exp.Case(ifs=[missing, *ifs], default=exp.Literal.string(labels[-1]))
    attribute = microdata.attribute(column.name).with_(
        kind=Kind.ORDINAL, order=tuple(labels), labels={}, hierarchy="", hierarchy_rule={}, format=""
    )
    hierarchy = ValueHierarchy.from_paths(column.name, [[label] for label in labels], star=True)
    change = Rewriting(term, ColumnType.TEXT, attribute, hierarchy)
    return Masked(rewritten(microdata, {column.name: change}), whole=(column.name,))


def _literal(cut: Number) -> exp.Expr:
    return number(cut if isinstance(cut, int) else float(cut))


def _given(column: Column, bounds: Sequence[int | float]) -> list[Number]:
    numbers = [exact(bound) for bound in bounds]
    if any(bound is None for bound in numbers):
        raise UsageError(f"a bound of '{column.name}' is no finite number", do="give numbers only")
    cuts = [bound for bound in numbers if bound is not None]
    if any(low >= high for low, high in pairwise(cuts)):
        raise UsageError(f"the bounds of '{column.name}' do not increase", do="give them lowest first, each once")
    if column.type is ColumnType.INTEGER and not all(isinstance(cut, int) for cut in cuts):
        raise UsageError(f"'{column.name}' has whole numbers, but a bound is not whole", do="give whole bounds")
    _check_number(column, len(cuts) + 1)
    return cuts


def _check_number(column: Column, classes: int) -> None:
    if classes > _MOST:
        raise UsageError(f"'{column.name}' would have {classes:,} classes", do=f"ask for at most {_MOST:,}")


def _extremes(microdata: Microdata, column: Column) -> tuple[Number, Number] | None:
    relation = microdata.relation
    term = exp.column(column.physical)
    plan = exp.select(exp.alias_(exp.Min(this=term), "low"), exp.alias_(exp.Max(this=term.copy()), "high"))
    extremes = relation.engine.run(plan.from_(relation.source()))[0]
    low, high = exact(extremes["low"]), exact(extremes["high"])
    return None if low is None or high is None else (low, high)


def _of_width(microdata: Microdata, column: Column, width: int | float, start: int | float) -> list[Number]:
    step, first = exact(width), exact(start)
    if step is None or first is None or step <= 0:
        raise UsageError(f"the width for '{column.name}' is not above 0", do="give a positive width")
    if column.type is ColumnType.INTEGER and not (isinstance(step, int) and isinstance(first, int)):
        raise UsageError(f"'{column.name}' has whole numbers, but width or start is not whole", do="give whole numbers")
    ends = _extremes(microdata, column)
    if ends is None:
        return []
    low, high = (math.floor((end - first) / Fraction(step)) for end in ends)
    _check_number(column, high - low + 1)
    return [first + place * step for place in range(low + 1, high + 1)] or [first + (high + 1) * step]


def _of_number(microdata: Microdata, column: Column, classes: int, by: str) -> list[Number]:
    if by not in get_args(Method):
        raise UsageError(f"no classes by '{by}'{did_you_mean(by, get_args(Method))}", do="use width or frequency")
    if classes < 2:
        raise UsageError(f"{classes} classes are asked for '{column.name}'", do="give a number of classes from 2 on")
    _check_number(column, classes)
    if by == "frequency":
        return _quantiles(microdata, column, classes)
    ends = _extremes(microdata, column)
    if ends is None or ends[0] == ends[1]:
        return []
    low, high = ends
    if column.type is ColumnType.INTEGER:
        span = int(high) + 1 - int(low)
        cuts: list[Number] = [int(low) + span * place // classes for place in range(1, classes)]
    else:
        span_ = float(high - low)
        cuts = [exact(_short(float(low) + span_ * place / classes, span_)) or 0 for place in range(1, classes)]
    return [cut for cut in sorted(set(cuts)) if cut > low]


def _short(bound: float, span: float) -> float:
    """Return a bound with three digits below the span: nobody reads 17 of them."""
    return round(bound, 3 - math.floor(math.log10(span)))


def _quantiles(microdata: Microdata, column: Column, classes: int) -> list[Number]:
    """Return the values at which the records fall into parts of about the same size."""
    relation = microdata.relation
    value = exp.column(column.physical)
    known = exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))
    counted = (
        exp.select(exp.alias_(value, "v"), exp.alias_(exp.Count(this=exp.Star()), "n"))
        .from_(relation.source())
        .where(known)
        .group_by(value.copy())
        .subquery("g")
    )
    before = exp.Window(this=exp.Sum(this=exp.column("n")), order=exp.Order(expressions=[exp.column("v")]))
    below = exp.Sub(this=before, expression=exp.column("n"))
    total = exp.Window(this=exp.Sum(this=exp.column("n")))
    # A value opens a class if the records below it pass the next multiple of n / classes.
    share = exp.Mul(this=exp.Paren(this=below), expression=exp.Literal.number(classes))
    part = exp.Floor(this=exp.Div(this=exp.Cast(this=share, to=exp.DataType(this=exp.DType.DOUBLE)), expression=total))
    parts = exp.select("v", exp.alias_(part, "part")).from_(counted).subquery("p")
    first = exp.select(exp.alias_(exp.Min(this=exp.column("v")), "v")).from_(parts).group_by("part").order_by("v")
    cuts = [row["v"] for row in relation.engine.run(first)][1:]
    if column.type is not ColumnType.INTEGER and len(cuts) > 1:
        cuts = [_short(cut, cuts[-1] - cuts[0]) for cut in cuts]
    return sorted({cut for cut in map(exact, cuts) if cut is not None})
