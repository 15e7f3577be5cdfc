"""The profile of one column: everything `describe` says of it comes from its frequency table.

One group-by gives distinct values, missing ones, values that occur once, entropy and the most frequent values; numbers
add moments, quantiles and a histogram between the first and the last percentile (one outlier must not flatten it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from tacita.engines.plans.terms import as_double, as_text, cell, finite, named, number
from tacita.engines.protocol import Relation
from tacita.model.relation import Column, ColumnType

QUANTILES = (0.01, 0.25, 0.5, 0.75, 0.99)


def frequencies_of_all(relation: Relation, columns: Sequence[Column]) -> exp.Select:
    """Return the plan of how often ``n`` each value ``v`` (as text) of each column ``k`` occurs: one group-by for all.

    It holds every cell of the columns as a row on the way: for tables that are wide and not long.
    """
    cells = []
    for k, column in enumerate(columns):
        value: exp.Expr = exp.column(column.physical)
        if column.type is ColumnType.NUMBER:  # -0.0 and 0.0 are one number and two texts
            value = exp.Add(this=value, expression=number(0.0))
        fields = {"k": exp.Literal.number(k), "v": as_text(value)}
        cells.append(
            exp.Struct(
                expressions=[exp.PropertyEQ(this=exp.to_identifier(n), expression=term) for n, term in fields.items()]
            )
        )
    cell = exp.alias_(exp.Explode(this=exp.Array(expressions=cells)), "cell", copy=False)
    rows = exp.select(cell, copy=False).from_(relation.source(), copy=False).subquery("rows", copy=False)
    place, text = (exp.Dot(this=exp.column("cell"), expression=exp.to_identifier(name)) for name in ("k", "v"))
    absent = exp.Is(this=text.copy(), expression=exp.Null())
    terms: dict[str, exp.Expr] = {"k": place, "v": text, "absent": absent, "n": exp.Count(this=exp.Star())}
    counted = exp.select(*(exp.alias_(term, name, copy=False) for name, term in terms.items()), copy=False)
    return counted.from_(rows, copy=False).group_by(place.copy(), text.copy(), copy=False)


def value_summaries(relation: Relation, columns: Sequence[Column], frequencies: Relation | None = None) -> exp.Select:
    """Return the plan of one row per column, numbered ``k`` from 0.

    rows, missing, distinct, singles (values that occur once), n_log_n (Σ n·log2 n over the values), and for what is not
    a number longest, least and greatest as text. `frequencies` is the result of `frequencies_of_all`.
    """
    tagged: exp.Expr
    if frequencies is not None:
        tagged = frequencies.source()
    else:
        # The text of a number is not needed here, and costs much.
        tagged = _all_tagged([_tagged(k, relation, c, shown=not c.type.is_numeric) for k, c in enumerate(columns)])
    n, v = exp.column("n"), exp.column("v")
    one, absent = exp.Literal.number(1), exp.column("absent")
    present = exp.Not(this=absent)
    n_log_n = exp.Mul(this=as_double(n), expression=exp.func("log2", n))
    figures = {
        "rows": exp.Sum(this=n),
        "missing": exp.Sum(this=_when(absent, n)),
        "distinct": exp.Sum(this=_when(present, one)),
        "singles": exp.Sum(this=_when(exp.and_(present, exp.EQ(this=n, expression=one)), one)),
        "n_log_n": exp.Sum(this=_when(present, n_log_n)),
        "longest": exp.Max(this=exp.Length(this=v)),
    }
    terms = [exp.alias_(_or_zero(figure.copy()), name) for name, figure in figures.items()]
    terms += [exp.alias_(exp.Min(this=v.copy()), "least"), exp.alias_(exp.Max(this=v.copy()), "greatest")]
    return exp.select(exp.column("k"), *terms).from_(tagged, copy=False).group_by("k")


def most_frequent(
    relation: Relation, columns: Sequence[Column], limit: int, frequencies: Relation | None = None
) -> exp.Select:
    """Return the plan of the most frequent values ``v`` (as text) of each column ``k`` with their frequency ``n``.

    Ties go in the order of the text, so that every run shows the same.
    """
    tagged: exp.Expr
    if frequencies is not None:
        tagged = frequencies.source()
    else:
        tagged = _all_tagged([_tagged(k, relation, c, shown=True) for k, c in enumerate(columns)])
    k, v, n = exp.column("k"), exp.column("v"), exp.column("n")
    order = [exp.Ordered(this=n.copy(), desc=True), exp.Ordered(this=v.copy())]
    present = exp.Not(this=exp.column("absent"))
    if len(columns) == 1:  # no window needed, and a limit is much cheaper than one over a long table
        return exp.select(k, v, n).from_(tagged, copy=False).where(present).order_by(*order).limit(limit)
    place = exp.Window(this=exp.RowNumber(), partition_by=[k.copy()], order=exp.Order(expressions=order))
    placed = exp.select(k, v, n, exp.alias_(place, "place")).from_(tagged, copy=False).where(present)
    within = exp.LTE(this=exp.column("place"), expression=exp.Literal.number(limit))
    return exp.select("k", "v", "n").from_(placed.subquery("p", copy=False)).where(within).order_by("k", "place")


def _tagged(k: int, relation: Relation, column: Column, *, shown: bool) -> exp.Select:
    """Return the frequencies ``n`` of the values ``v`` of one column under its number."""
    value: exp.Expr = exp.column(column.physical) if shown else exp.Null()
    absent = exp.Is(this=exp.column(column.physical), expression=exp.Null())
    terms = {
        "k": exp.Literal.number(k),
        "v": as_text(value),
        "absent": absent,
        "n": exp.Count(this=exp.Star()),
    }
    return (
        exp.select(*(exp.alias_(term, name, copy=False) for name, term in terms.items()), copy=False)
        .from_(relation.source(), copy=False)
        .group_by(exp.column(column.physical), copy=False)
    )


def _all_tagged(parts: Sequence[exp.Query]) -> exp.Subquery:
    together = parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False, copy=False)
    return together.subquery("f", copy=False)


def number_summaries(relation: Relation, columns: Sequence[Column], *, quantiles: bool = True) -> exp.Select:
    """Return the plan of one row with, for the k-th column: least_k, greatest_k, and of the finite values mean_k,
    deviation_k and the list quantiles_k of `QUANTILES`.

    `quantiles` of a long table are better computed with `counts_around`: an engine finishes those here without a break.
    """
    terms: list[exp.Expr] = []
    for k, column in enumerate(columns):
        value = as_double(exp.column(column.physical))
        usable = exp.Case(ifs=[exp.If(this=finite(value), true=value)])
        figures: dict[str, exp.Expr] = {"mean": exp.Avg(this=usable), "deviation": exp.StddevSamp(this=usable.copy())}
        if quantiles:
            figures["quantiles"] = _quantiles(usable.copy(), QUANTILES)
        figures["least"] = exp.Min(this=exp.column(column.physical))
        figures["greatest"] = exp.Max(this=exp.column(column.physical))
        terms += [exp.alias_(figure, f"{name}_{k}", copy=False) for name, figure in figures.items()]
    return exp.select(*terms, copy=False).from_(relation.source(), copy=False)


def sampled_quantiles(relation: Relation, column: Column, shares: Sequence[float], part: float) -> exp.Select:
    """Return the plan of the list ``quantiles`` of the finite values in a random part of the rows."""
    value = as_double(exp.column(column.physical))
    drawn = exp.LT(this=exp.Rand(), expression=number(part))
    quantiles = exp.alias_(_quantiles(value, shares), "quantiles")
    return exp.select(quantiles).from_(relation.source()).where(drawn, finite(value.copy()))


def counts_around(relation: Relation, column: Column, ranges: Sequence[tuple[float, float]]) -> exp.Select:
    """Return the plan of how often ``n`` each finite value ``v`` within ranges occurs, and how many lie between them.

    ``zone`` is even outside the ranges, where ``v`` is null, and odd inside; it ascends as the values do.
    """
    value = as_double(exp.column(column.physical))
    zone, shown = exp.Case(), exp.Case()
    for place, (low, high) in enumerate(ranges):
        below, within = exp.LT(this=value, expression=number(low)), exp.LTE(this=value, expression=number(high))
        zone = zone.when(below, number(2 * place)).when(within, number(2 * place + 1))
        shown = shown.when(below, exp.Null()).when(within, value)
    zone = zone.else_(number(2 * len(ranges)))
    terms = {"zone": zone, "v": shown, "n": exp.Count(this=exp.Star())}
    counted = exp.select(*(exp.alias_(term, name) for name, term in terms.items())).from_(relation.source())
    return counted.where(finite(value)).group_by(zone.copy(), shown.copy())


def values_at(counts: Relation, ranks: Sequence[int]) -> exp.Select:
    """Return the plan of the values ``v`` at ranks from 1 (``first`` to ``last`` of a value) of `counts_around`."""
    n, order = exp.column("n"), [exp.Ordered(this=exp.column(name)) for name in ("zone", "v")]
    last = exp.Window(this=exp.Sum(this=n), order=exp.Order(expressions=order))
    placed = exp.select("v", "n", exp.alias_(last, "last")).from_(counts.source()).subquery("p")
    before = exp.Sub(this=exp.column("last"), expression=n.copy())
    hit = [
        exp.and_(exp.LT(this=before, expression=number(r)), exp.GTE(this=exp.column("last"), expression=number(r)))
        for r in ranks
    ]
    first = exp.alias_(exp.Add(this=before.copy(), expression=number(1)), "first")
    return exp.select("v", first, "last").from_(placed).where(exp.or_(*hit))


def _quantiles(value: exp.Expr, shares: Sequence[float]) -> exp.Expr:
    listed = exp.Array(expressions=[exp.Literal.number(share) for share in shares])
    return exp.Anonymous(this="quantile_disc", expressions=[value, listed])


def histogram(relation: Relation, column: Column, low: float, high: float, bins: int) -> exp.Select:
    """Return the plan of the non-empty bins (``bin`` from 0) of a number; what lies outside goes to the ends."""
    value = as_double(exp.column(column.physical))
    place = exp.Mul(
        this=exp.Paren(this=exp.Sub(this=value, expression=number(low))),
        expression=number(bins / (high - low)),
    )
    bounded = exp.func("greatest", number(0), exp.func("least", number(bins - 1), exp.Floor(this=place)))
    bin_ = exp.Cast(this=bounded, to=exp.DataType.build("int"))
    return (
        exp.select(exp.alias_(bin_, "bin"), exp.alias_(exp.Count(this=exp.Star()), "n"))
        .from_(relation.source())
        .where(finite(value))
        .group_by(bin_.copy())
    )


def histograms(frequencies: Relation, bounds: Mapping[int, tuple[float, float]], bins: int) -> exp.Select:
    """Return the plan of the non-empty bins of columns ``k``, each between its bounds, of `frequencies_of_all`."""
    k = exp.column("k", "f")
    # An engine may look at the values before it joins: those of other columns need not be numbers.
    value = exp.TryCast(this=exp.column("v", "f"), to=exp.DataType(this=exp.DType.DOUBLE))
    rows = [(place, low, bins / (high - low)) for place, (low, high) in bounds.items()]
    given = exp.values([tuple(map(number, row)) for row in rows], alias="b", columns=["k", "low", "factor"])
    low, factor = as_double(exp.column("low", "b")), as_double(exp.column("factor", "b"))
    at = exp.Mul(this=exp.Paren(this=exp.Sub(this=value, expression=low)), expression=factor)
    bounded = exp.func("greatest", number(0), exp.func("least", number(bins - 1), exp.Floor(this=at)))
    bin_ = exp.Cast(this=bounded, to=exp.DataType.build("int"))
    return (
        exp.select(exp.alias_(k, "k"), exp.alias_(bin_, "bin"), exp.alias_(exp.Sum(this=exp.column("n", "f")), "n"))
        .from_(exp.alias_(frequencies.source(), "f", table=True))
        .join(given, on=exp.EQ(this=k.copy(), expression=exp.column("k", "b")))
        .where(finite(value))
        .group_by(k.copy(), bin_.copy())
    )


def sample(relation: Relation, columns: Sequence[Column], rows: int, *, present: bool = False) -> exp.Select:
    """Return the plan of the first rows as text: evidence for formats, the same in every run.

    With `present`, of those rows where the columns have values.
    """
    terms = [named(as_text(cell(c.physical)), c.physical) for c in columns]
    plan = exp.select(*terms, copy=False).from_(relation.source(), copy=False).limit(rows, copy=False)
    if present:
        plan = plan.where(*(exp.Not(this=exp.Is(this=exp.column(c.physical), expression=exp.Null())) for c in columns))
    return plan


def _when(condition: exp.Expr, value: exp.Expr) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])


def _or_zero(figure: exp.Expr) -> exp.Expr:
    return exp.func("coalesce", figure, exp.Literal.number(0))
