"""Profiles computed by the engine: one frequency table per attribute says nearly everything."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from tacita.describe.kinds import are_labelled, kind_of, natural_order
from tacita.engines.plans import profile as plans
from tacita.engines.protocol import Relation
from tacita.model.attribute import Attribute, Kind
from tacita.model.profile import AttributeProfile, Moments
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, Step, silent

BINS = 12
_SHOWN = 12
_LONG = 200_000
_FEW = 20
_CELLS = 4_000_000
"""Cells that are counted at once in a wide table."""
_STRIP = 400
_NUMBERS = 50
"""Numbers that are summarised by one plan."""
_BREAKABLE = 4_000_000
"""Rows whose quantiles an engine computes in so little time that nobody waits for it after an interrupt."""
_SAMPLED = 400_000
_MARGIN = 0.005
"""How far the quantiles of a sample may be off: more than six standard deviations."""
_EVERYTHING = [(-sys.float_info.max, sys.float_info.max)]


def profiles(
    relation: Relation, attributes: Sequence[Attribute], progress: Progress = silent
) -> dict[str, AttributeProfile]:
    """Return the profile of every attribute, by name."""
    by_name: dict[str, AttributeProfile] = {}
    # A long table is read once per column, which keeps memory low; a wide one is cut into strips, because a plan over
    # a strip costs what the strip has columns, and a plan over the whole what the whole has.
    rows = relation.count() if len(attributes) > _FEW else _LONG + 1
    wide = rows <= _LONG
    width = max(_FEW, min(_STRIP, _CELLS // max(1, rows))) if wide else 1
    for start in range(0, len(attributes), width):
        progress(Step("looking at each attribute", start, len(attributes)))
        part = attributes[start : start + width]
        if not wide:
            by_name |= _strip_profiles(relation, part)
            continue
        strip = relation.engine.store(*_columns_alone(relation, [a.name for a in part]))
        counted = relation.engine.store(plans.frequencies_of_all(strip, strip.columns), [])
        by_name |= _strip_profiles(strip, part, counted)
        relation.engine.drop(counted)
        relation.engine.drop(strip)
    progress(Step("looking at each attribute", len(attributes), len(attributes)))
    return by_name


def _columns_alone(relation: Relation, names: Sequence[str]) -> tuple[exp.Select, list[Column]]:
    plan = exp.select(*relation.physical(names), copy=False).from_(relation.source(), copy=False)
    return plan, [relation.column(n) for n in names]


def _strip_profiles(
    relation: Relation, attributes: Sequence[Attribute], counted: Relation | None = None
) -> dict[str, AttributeProfile]:
    """Return the profiles of some attributes; `counted` are the frequencies of all columns of the relation."""
    columns = [relation.column(attribute.name) for attribute in attributes]
    values, numbers = _value_figures(relation, columns, counted), _number_figures(relation, columns)
    shown = [column for column in columns if not _all_different(values[column.name])]
    frequent = _most_frequent(relation, columns if counted else shown, counted)
    frequent = {column.name: frequent.get(column.name, []) for column in shown}
    drawn = _histograms(counted, columns, values, numbers) if counted else {}
    return {
        attribute.name: _profile(
            relation,
            column,
            attribute,
            values[column.name] | numbers.get(column.name, {}),
            tuple(frequent.get(column.name, ())),
            drawn.get(column.name),
        )
        for attribute, column in zip(attributes, columns, strict=True)
    }


def _value_figures(
    relation: Relation, columns: Sequence[Column], counted: Relation | None
) -> dict[str, dict[str, Any]]:
    nothing = dict.fromkeys(("rows", "missing", "distinct", "singles", "n_log_n", "longest"), 0)
    figures = {column.name: nothing | {"least": None, "greatest": None} for column in columns}
    for row in relation.engine.run(plans.value_summaries(relation, columns, counted)):
        column = columns[row.pop("k")]
        figures[column.name] = row | ({"longest": 0} if column.type.is_numeric else {})
    return figures


def _number_figures(relation: Relation, columns: Sequence[Column]) -> dict[str, dict[str, Any]]:
    numbers = [column for column in columns if column.type.is_numeric]
    if not numbers:
        return {}
    if relation.count() > _BREAKABLE:
        return {column.name: _long_number_figures(relation, column) for column in numbers}
    names = ("mean", "deviation", "quantiles", "least", "greatest")
    figures: dict[str, dict[str, Any]] = {}
    for start in range(0, len(numbers), _NUMBERS):
        part = numbers[start : start + _NUMBERS]
        row = relation.engine.run(plans.number_summaries(relation, part))[0]
        figures |= {column.name: {name: row[f"{name}_{k}"] for name in names} for k, column in enumerate(part)}
    return figures


def _long_number_figures(relation: Relation, column: Column) -> dict[str, Any]:
    row = relation.engine.run(plans.number_summaries(relation, [column], quantiles=False))[0]
    figures = {name: row[f"{name}_0"] for name in ("mean", "deviation", "least", "greatest")}
    return figures | {"quantiles": _quantiles(relation, column) if figures["mean"] is not None else None}


def _quantiles(relation: Relation, column: Column) -> list[float]:
    """Return the same quantiles as `plans.number_summaries`, of counts around those of a sample.

    An engine gives up counting at once when it is interrupted, and not the quantiles of many values.
    """
    shares = [share + side * _MARGIN for share in plans.QUANTILES for side in (-1, 1)]
    part = min(1.0, _SAMPLED / relation.count())
    sampled = relation.engine.run(plans.sampled_quantiles(relation, column, shares, part))[0]["quantiles"]
    ranges = list(zip(sampled[::2], sampled[1::2], strict=True)) if sampled else _EVERYTHING
    quantiles = _counted_quantiles(relation, column, ranges)
    if None in quantiles:  # outside what the sample led to expect
        quantiles = _counted_quantiles(relation, column, _EVERYTHING)
    return [quantile for quantile in quantiles if quantile is not None]


def _counted_quantiles(relation: Relation, column: Column, ranges: Sequence[tuple[float, float]]) -> list[float | None]:
    """Return the quantiles that lie within ranges, and None for the others."""
    counts = relation.engine.store(plans.counts_around(relation, column, ranges), [])
    try:
        values = int(relation.engine.run(exp.select("sum(n) AS n").from_(counts.source()))[0]["n"])
        ranks = [max(1, -(-values * round(100 * share) // 100)) for share in plans.QUANTILES]
        rows = relation.engine.run(plans.values_at(counts, ranks))
    finally:
        relation.engine.drop(counts)
    return [next(row["v"] for row in rows if row["first"] <= rank <= row["last"]) for rank in ranks]


def _profile(
    relation: Relation,
    column: Column,
    attribute: Attribute,
    figures: dict[str, Any],
    top: tuple[tuple[str, int], ...],
    drawn: tuple[int, ...] | None,
) -> AttributeProfile:
    rows, missing, distinct = (int(figures[name]) for name in ("rows", "missing", "distinct"))
    present = rows - missing
    kind = attribute.kind
    if kind is None:
        coded = are_labelled([value for value, _ in top], distinct, attribute.labels)
        kind = Kind.CATEGORICAL if coded else kind_of(column.type, distinct, present, [value for value, _ in top])
    moments = _moments(figures)
    showable = distinct < present or column.type is not ColumnType.TEXT
    return AttributeProfile(
        name=column.name,
        type=column.type,
        kind=kind,
        rows=rows,
        missing=missing,
        distinct=distinct,
        singles=int(figures["singles"]),
        # H = log2 N - (1/N) Σ n log2 n, rounded where the order of a parallel sum would show.
        entropy=round(math.log2(present) - figures["n_log_n"] / present, 9) + 0.0 if present else 0.0,
        longest=int(figures["longest"]),
        most_frequent=top,
        least=_text(figures["least"]) if showable else None,
        greatest=_text(figures["greatest"]) if showable else None,
        moments=moments,
        histogram=drawn if drawn is not None else _histogram(relation, column, moments, top, kind, distinct),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _all_different(figures: dict[str, Any]) -> bool:
    """Return whether every value occurs once: showing some would show identifiers."""
    return bool(figures["distinct"] == figures["singles"] and figures["singles"] != 1)


def _most_frequent(
    relation: Relation, columns: Sequence[Column], counted: Relation | None
) -> dict[str, list[tuple[str, int]]]:
    frequent: dict[str, list[tuple[str, int]]] = {}
    if columns:
        for row in relation.engine.run(plans.most_frequent(relation, columns, _SHOWN, counted)):
            column = columns[row["k"]]
            frequent.setdefault(column.name, []).append((row["v"], int(row["n"])))
    return frequent


def _moments(figures: dict[str, Any]) -> Moments | None:
    if figures.get("mean") is None:
        return None
    first, lower, middle, upper, last = (float(quantile) + 0.0 for quantile in figures["quantiles"])
    deviation = _steady(figures["deviation"] or 0.0)
    # A mean near zero of large values has fewer steady digits: those above a billionth of the deviation.
    mean = figures["mean"]
    if 0 < deviation < math.inf and math.isfinite(mean):
        mean = round(mean, max(0, 9 - math.floor(math.log10(deviation)))) + 0.0
    return Moments(_steady(mean), deviation, (first, lower, middle, upper, last))


def _steady(figure: float) -> float:
    """Return a figure to 12 digits: the last ones of a parallel sum depend on its order."""
    return float(f"{figure:.12g}")


def _histograms(
    counted: Relation,
    columns: Sequence[Column],
    values: Mapping[str, dict[str, Any]],
    numbers: Mapping[str, dict[str, Any]],
) -> dict[str, tuple[int, ...]]:
    """Return the histograms of all numbers with more values than bins, counted by one plan."""
    bounds: dict[int, tuple[float, float]] = {}
    for place, column in enumerate(columns):
        moments = _moments(numbers.get(column.name, {}))
        if moments is not None and int(values[column.name]["distinct"]) > BINS:
            low, high = moments.quantiles[0], moments.quantiles[-1]
            if high > low:
                bounds[place] = (low, high)
    drawn = {columns[place].name: [0] * BINS for place in bounds}
    for row in counted.engine.run(plans.histograms(counted, bounds, BINS)) if bounds else ():
        drawn[columns[int(row["k"])].name][int(row["bin"])] = int(row["n"])
    return {name: tuple(bins) for name, bins in drawn.items()}


def _histogram(
    relation: Relation,
    column: Column,
    moments: Moments | None,
    top: tuple[tuple[str, int], ...],
    kind: Kind,
    distinct: int,
) -> tuple[int, ...]:
    if moments is not None and distinct > BINS:
        low, high = moments.quantiles[0], moments.quantiles[-1]
        if not high > low:
            return ()
        rows = relation.engine.run(plans.histogram(relation, column, low, high, BINS))
        counts = {int(row["bin"]): int(row["n"]) for row in rows}
        return tuple(counts.get(i, 0) for i in range(BINS))
    if distinct < 2:
        return ()
    ordered = sorted(top, key=lambda pair: natural_order(pair[0])) if moments or kind is Kind.ORDINAL else top
    return tuple(n for _, n in ordered)
