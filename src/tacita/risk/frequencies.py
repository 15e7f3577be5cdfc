"""How many records look like each one, and how many of the population these stand for.

``frequency`` (the literature's f_k) counts records that agree on the known attributes; ``population`` (F_k, estimated)
adds up their weights. What a null agrees with is said by the sample's `Nulls`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.plans.terms import as_double
from tacita.engines.protocol import Relation
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, silent
from tacita.risk.bounds import TOLERANCE
from tacita.risk.combinations import COUNT, NUMBER, WEIGHT, adopted, codes, combinations, of_each_record
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

FREQUENCY, POPULATION = "frequency", "population"
_OWN, _SHARED = "own", "shared"


def frequencies(sample: Sample, progress: Progress = silent) -> Relation:
    """Return ``frequency`` and ``population`` of each combination, by its number ``id``.

    Where a record with a null counts itself otherwise than others, there are ``own`` and ``shared`` instead of the
    population, see `matching`; `frequencies_of_records` puts them together.
    """
    if "frequencies" not in sample.cache:
        sample.cache["frequencies"] = _counted(sample, progress)
    stored: Relation = sample.cache["frequencies"]
    return stored


def frequencies_of_records(sample: Sample, progress: Progress = silent) -> exp.Select:
    """Return the plan of the number ``c0`` of each record, its frequency ``c1`` and its population ``c2``."""
    counted = frequencies(sample, progress)
    if POPULATION in {column.name for column in counted.columns}:
        return of_each_record(sample, counted, [FREQUENCY, POPULATION])
    also = [sample.weight] if sample.weight else []
    plan = of_each_record(sample, counted, [FREQUENCY, _OWN, _SHARED], also=also)
    weight: exp.Expr = as_double(exp.column("c4")) if also else exp.Literal.number(1)
    whole = exp.Add(this=exp.Mul(this=exp.column("c2"), expression=weight), expression=exp.column("c3"))
    return exp.select("c0", "c1", exp.alias_(whole, "c2")).from_(plan.subquery("m"))


def frequency_type(sample: Sample) -> ColumnType:
    """Return whether frequencies are whole numbers."""
    return ColumnType.INTEGER if sample.nulls.are_whole or not has_nulls(sample) else ColumnType.NUMBER


def has_nulls(sample: Sample) -> bool:
    """Return whether a known attribute is missing in some record."""
    if "has_nulls" not in sample.cache:
        table = combinations(sample)
        keys = table.physical(sample.known)
        absent = exp.or_(*(exp.Is(this=key, expression=exp.Null()) for key in keys), copy=False)
        plan = exp.select(exp.alias_(exp.Literal.number(1), "found")).from_(table.source()).where(absent).limit(1)
        sample.cache["has_nulls"] = bool(sample.engine.run(plan))
    return bool(sample.cache["has_nulls"])


def _counted(sample: Sample, progress: Progress) -> Relation:
    if not sample.nulls.are_values and has_nulls(sample):
        from tacita.risk.matching import matched

        matches = matched(codes(sample), sample.nulls, progress)
        frequency = _snapped(matches.frequency)
        frequency = frequency.astype("int64") if sample.nulls.are_whole else frequency
        if not matches.own.any():
            return adopted(sample, {FREQUENCY: frequency, POPULATION: matches.shared})
        return adopted(sample, {FREQUENCY: frequency, _OWN: matches.own, _SHARED: matches.shared})
    table = combinations(sample)
    columns = (
        Column(NUMBER, NUMBER, ColumnType.INTEGER),
        Column(FREQUENCY, COUNT, ColumnType.INTEGER),
        Column(POPULATION, WEIGHT, ColumnType.NUMBER),
    )
    return Relation(table.engine, table.table, columns)


def _snapped(frequency: Array) -> Array:
    """Return whole numbers where sums of shares missed them by a rounding: 2.9999999999999996 is 3."""
    import numpy as np

    whole = frequency.round()
    snapped: Array = np.where(np.abs(frequency - whole) <= TOLERANCE * np.maximum(whole, 1), whole, frequency)
    return snapped
