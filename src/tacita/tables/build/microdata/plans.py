"""What the engine computes for a table: group-bys over leaf combinations, and over contributors inside them.

The dimensions are called ``d0, d1, ...`` in results; the other columns as each plan says.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacita.engines.plans.terms import as_double, as_text, finite
from tacita.engines.protocol import Relation
from tacita.tables.build.microdata.layout import MicrodataLayout

DECIMALS = (0, 1, 2, 3, 4, 6)
"""Numbers of decimals that a column is tried for."""

_NO = ("", "0", "0.0", "no", "n", "false", "f")
"""What neither asks for protection nor consents, in a column that says who does."""


def checks(relation: Relation, layout: MicrodataLayout) -> exp.Select:
    """Return the plan of one row: how many records there are, and how many are unusable in which way.

    ``response_2`` counts the responses that need more than 2 decimals.
    """
    figures: dict[str, exp.Expr] = {"records": exp.Count(this=exp.Star())}
    for name, column in (("response", layout.response), ("weight", layout.weight), ("frequency", layout.frequency)):
        if column is None:
            continue
        value = as_double(relation.physical([column])[0])
        missing = exp.Is(this=value, expression=exp.Null())
        figures[f"{name}_missing"] = _count(missing)
        figures[f"{name}_infinite"] = _count(exp.and_(exp.Not(this=missing.copy()), exp.Not(this=finite(value))))
        figures[f"{name}_negative"] = _count(exp.LT(this=value, expression=exp.Literal.number(0)))
        figures[f"{name}_zero"] = _count(exp.EQ(this=value, expression=exp.Literal.number(0)))
        for places in DECIMALS:
            rounded = exp.func("round", value.copy(), exp.Literal.number(places))
            figures[f"{name}_{places}"] = _count(exp.NEQ(this=rounded, expression=value.copy()))
    for name, column in (("contributor", layout.contributor), ("holding", layout.holding)):
        if column is not None:
            figures[f"{name}_missing"] = _count(exp.Is(this=relation.physical([column])[0], expression=exp.Null()))
    return exp.select(*(exp.alias_(term, name) for name, term in figures.items())).from_(relation.source())


def leaf_totals(relation: Relation, layout: MicrodataLayout, columns: Sequence[str]) -> exp.Select:
    """Return the plan of leaf combinations: weighted ``value``, number of ``records``, the ``first`` record's number.

    The latter tells who stands behind a cell of one record. ``absolute`` is the value without signs.
    """
    records = _records(relation, layout, columns, numbered=layout.response is None)
    weighted = exp.Mul(this=exp.column("x"), expression=exp.column("w"))
    figures: dict[str, exp.Expr] = {
        "value": exp.Sum(this=weighted),
        "records": exp.Sum(this=exp.column("times")),
    }
    if layout.negative:
        figures["absolute"] = exp.Sum(this=exp.Abs(this=weighted.copy()))
    if layout.response is None:
        some = exp.GT(this=exp.column("times"), expression=exp.Literal.number(0))
        figures["first"] = exp.Min(this=exp.Case(ifs=[exp.If(this=some, true=exp.column("number"))]))
    return _grouped(records, _dimensions(columns), figures)


def leaf_contributors(
    relation: Relation, layout: MicrodataLayout, columns: Sequence[str], by: str, *, alone: bool
) -> exp.Select:
    """Return the plan of what each contributor ``who`` gives in each leaf combination.

    ``response``, ``weighted``, ``weight`` and ``records`` are sums, ``requested`` and ``waived`` 1 or 0. With `alone`,
    a record without a contributor is one of its own, numbered in ``alone`` (or the contributor is, if `by` names
    holdings and it belongs to none).
    """
    records = _records(relation, layout, columns, numbered=alone, by=by)
    x, w = exp.column("x"), exp.column("w")
    figures: dict[str, exp.Expr] = {
        "response": exp.Sum(this=x),
        "weighted": exp.Sum(this=exp.Mul(this=x.copy(), expression=w)),
        "weight": exp.Sum(this=w.copy()),
        "records": exp.Sum(this=exp.column("times")),
    }
    if layout.request is not None:
        figures["requested"] = exp.Max(this=exp.column("requested"))
    if layout.waiver is not None:
        figures["waived"] = exp.Min(this=exp.column("waived"))
    keys = [*_dimensions(columns), "who", *(["alone"] if alone else [])]
    return _grouped(records, keys, figures)


def leaf_largest(relation: Relation, layout: MicrodataLayout, columns: Sequence[str]) -> exp.Select:
    """Return the plan of the records with the largest absolute responses in each leaf combination.

    Without contributors each record is one, so these are enough for every sub-total too.
    """
    records = _records(relation, layout, columns, numbered=True)
    size = exp.Ordered(this=exp.Abs(this=exp.column("x")), desc=True)
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=[exp.column(name) for name in _dimensions(columns)],
        order=exp.Order(expressions=[size, exp.Ordered(this=exp.column("number"))]),
    )
    placed = exp.select("*", exp.alias_(place, "place")).from_(records.subquery("r"))
    figures: dict[str, exp.Expr] = {
        "response": exp.column("x"),
        "weighted": exp.Mul(this=exp.column("x"), expression=exp.column("w")),
        "weight": exp.column("w"),
        "records": exp.column("times"),
        "who": exp.column("number"),
    }
    flags = [name for name, column in (("requested", layout.request), ("waived", layout.waiver)) if column]
    figures |= {name: exp.column(name) for name in flags}
    terms: list[exp.Expr] = [exp.column(name) for name in _dimensions(columns)]
    terms += [exp.alias_(as_double(term), name) for name, term in figures.items()]
    within = exp.LTE(this=exp.column("place"), expression=exp.Literal.number(layout.largest))
    return exp.select(*terms).from_(placed.subquery("p")).where(within)


def _records(
    relation: Relation, layout: MicrodataLayout, columns: Sequence[str], *, numbered: bool, by: str = ""
) -> exp.Select:
    """Return the plan of the records: dimensions, response ``x``, weight ``w``, how often each counts (``times``)."""
    one: exp.Expr = as_double(exp.Literal.number(1))

    def column(name: str | None) -> exp.Expr:
        return one.copy() if name is None else as_double(relation.physical([name])[0])

    response = column(layout.response or layout.frequency)
    if layout.response is not None and layout.missing_response == "zero":
        response = exp.func("coalesce", response, as_double(exp.Literal.number(0)))
    terms: dict[str, exp.Expr] = dict(zip(_dimensions(columns), relation.physical(columns), strict=True))
    terms |= {"x": response, "w": column(layout.weight), "times": column(layout.frequency)}
    if by:
        who = relation.physical([by])[0]
        terms["who"] = who
        if numbered:
            own = layout.contributor if layout.contributor not in {None, by} else None
            alone = relation.physical([own])[0] if own else relation.engine.numbered(relation)
            absent = exp.Is(this=who.copy(), expression=exp.Null())
            terms["alone"] = exp.Case(ifs=[exp.If(this=absent, true=as_text(alone))])
    elif numbered:
        terms["number"] = relation.engine.numbered(relation)
    if layout.request is not None:
        terms["requested"] = _says_yes(relation, layout.request, layout.request_codes)
    if layout.waiver is not None:
        terms["waived"] = _says_yes(relation, layout.waiver, ())
    plan = exp.select(*(exp.alias_(term, name) for name, term in terms.items())).from_(relation.source())
    if layout.response is not None and layout.missing_response == "leave_out":
        there = exp.Not(this=exp.Is(this=relation.physical([layout.response])[0], expression=exp.Null()))
        plan = plan.where(there)
    return plan


def _says_yes(relation: Relation, column: str, codes: Sequence[str]) -> exp.Expr:
    """Return 1 where a column says yes, else 0."""
    said = exp.func("lower", exp.func("trim", as_text(relation.physical([column])[0])))
    among = [exp.Literal.string(code.strip().lower()) for code in (codes or _NO)]
    said = exp.func("coalesce", said, exp.Literal.string(""))
    test = exp.In(this=said, expressions=among)
    yes, no = exp.Literal.number(1), exp.Literal.number(0)
    return exp.Case(ifs=[exp.If(this=test, true=yes if codes else no)], default=no.copy() if codes else yes.copy())


def _grouped(records: exp.Select, keys: Sequence[str], figures: dict[str, exp.Expr]) -> exp.Select:
    terms: list[exp.Expr] = [exp.column(name) for name in keys]
    terms += [exp.alias_(as_double(term), name) for name, term in figures.items()]
    return exp.select(*terms).from_(records.subquery("r")).group_by(*(exp.column(name) for name in keys))


def _dimensions(columns: Sequence[str]) -> list[str]:
    return [f"d{at}" for at in range(len(columns))]


def _count(condition: exp.Expr) -> exp.Expr:
    return exp.Count(this=exp.Case(ifs=[exp.If(this=condition, true=exp.Literal.number(1))]))
