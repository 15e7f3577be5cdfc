"""How many records look like each one, and how many of the population these stand for.

``frequency`` (the literature's f_k) counts records that agree on the known attributes; ``population`` (F_k, estimated)
adds up their weights. What a null agrees with is said by the sample's `Nulls`.
"""

from __future__ import annotations

from sqlglot import exp

from tacita.engines.protocol import EngineRelation
from tacita.model.relation import Column, ColumnType
from tacita.risk.combinations import COUNT, NUMBER, WEIGHT, adopted, codes, combinations
from tacita.risk.sample import Sample

FREQUENCY, POPULATION = "frequency", "population"


def frequencies(sample: Sample) -> EngineRelation:
    """Return ``frequency`` and ``population`` of each combination, by its number ``id``."""
    if "frequencies" not in sample.made:
        sample.made["frequencies"] = _counted(sample)
    found: EngineRelation = sample.made["frequencies"]
    return found


def has_nulls(sample: Sample) -> bool:
    """Return whether a known attribute is missing in some record."""
    if "has_nulls" not in sample.made:
        table = combinations(sample)
        keys = table.physical(sample.known)
        absent = exp.or_(*(exp.Is(this=key, expression=exp.Null()) for key in keys), copy=False)
        plan = exp.select(exp.alias_(exp.Literal.number(1), "found")).from_(table.source()).where(absent).limit(1)
        sample.made["has_nulls"] = bool(sample.engine.run(plan))
    return bool(sample.made["has_nulls"])


def _counted(sample: Sample) -> EngineRelation:
    table = combinations(sample)
    kind = ColumnType.INTEGER
    if not sample.nulls.are_values and has_nulls(sample):
        from tacita.risk.matching import matched

        frequency, population = matched(codes(sample), sample.nulls)
        if sample.nulls.are_whole:
            frequency = frequency.round().astype("int64")
        return adopted(sample, {FREQUENCY: frequency, POPULATION: population})
    columns = (
        Column(NUMBER, NUMBER, ColumnType.INTEGER),
        Column(FREQUENCY, COUNT, kind),
        Column(POPULATION, WEIGHT, ColumnType.NUMBER),
    )
    return EngineRelation(table.engine, table.table, columns)
