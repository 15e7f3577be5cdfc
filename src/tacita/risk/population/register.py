"""How many of a population have the combination of each record: a register that the intruder has, or the whole truth.

Attributes are matched by their names. What a null of a record may be is the sample's `Nulls`: as a category it is like
a null of the population and nothing else; as an unknown it may be any value, so that a record is matched on the
attributes that it shows (maybe-match, one join per pattern of nulls), unless the semantics is standard: it is like
nobody then. A null of the population is like a null only: it
does not hide anybody, and the smaller frequency is the careful one. The population is counted, not weighted.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacita.engines.plans.terms import as_double, as_text, same
from tacita.engines.protocol import Relation
from tacita.errors import counted, did_you_mean
from tacita.model.relation import Column, ColumnType
from tacita.risk.bounds import as_count
from tacita.risk.combinations import COUNT, NUMBER, combinations
from tacita.risk.frequencies import has_nulls
from tacita.risk.null_semantics import Semantics
from tacita.risk.sample import Sample

POPULATION_FREQUENCY = "population_frequency"
_MOMENTS = {ColumnType.DATE, ColumnType.TIMESTAMP}


def lacking(sample: Sample) -> list[str]:
    """Return why the records cannot be looked up in a population, if so."""
    population = sample.population
    if population is None:
        return [
            "there is no population to look the records up in: give --population FILE (a register), or population=..."
        ]
    if population.engine is not sample.engine:
        return ["the population lives in another engine than the records: read both with the same engine"]
    names = [column.name for column in population.columns]
    faults = []
    for name in sample.known:
        if name not in names:
            near = did_you_mean(name, names)
            faults.append(
                f"the population has no '{name}'{near}: rename its column, or leave '{name}' out of the known"
            )
            continue
        ours, theirs = sample.records.column(name).type, population.column(name).type
        if not _comparable(ours, theirs):
            faults.append(
                f"'{name}' is {ours} in the records and {theirs} in the population: read both with the same type"
            )
    return faults


def population_frequencies(sample: Sample) -> Relation:
    """Return how many of the population have each combination: ``id`` and ``population_frequency``."""
    key = "population frequencies"
    if key not in sample.cache:
        parts = [_of_pattern(sample, shown) for shown in _patterns(sample)]
        plan = exp.union(*parts, distinct=False) if len(parts) > 1 else parts[0]
        columns = [Column(name, name, ColumnType.INTEGER) for name in (NUMBER, POPULATION_FREQUENCY)]
        sample.cache[key] = sample.engine.store(plan, columns)
    stored: Relation = sample.cache[key]
    return stored


def absent_from_sample(sample: Sample) -> tuple[int, int]:
    """Return the combinations of the population that no record may have, and how many of the population have them."""
    plan = exp.select(
        exp.alias_(exp.Count(this=exp.Star()), "combinations"),
        exp.alias_(as_count(exp.func("coalesce", exp.Sum(this=exp.column(COUNT)), exp.Literal.number(0))), "people"),
    ).from_(_population(sample).source().as_("p"))
    for shown in _patterns(sample):
        keys = [_key(place) for place in shown]
        there = (
            exp.select(exp.Literal.number(1)).from_(_records(sample, shown).subquery("s")).where(_agree(sample, keys))
        )
        plan = plan.where(exp.Not(this=exp.Exists(this=there)), copy=False)
    row = sample.engine.run(plan)[0]
    return int(row["combinations"]), int(row["people"])


def misfits(sample: Sample) -> list[str]:
    """Return notes on records that the population cannot hold: nobody has their combination, or too few have."""
    table, count = population_frequencies(sample), exp.column(COUNT, table="g")
    frequency = exp.column(POPULATION_FREQUENCY, table="p")
    nobody = exp.EQ(this=frequency, expression=exp.Literal.number(0))
    too_few = exp.and_(exp.GT(this=count, expression=frequency.copy()), exp.Not(this=nobody.copy()))
    terms = {
        name: exp.func(
            "coalesce", exp.Sum(this=exp.Case(ifs=[exp.If(this=where, true=count.copy())])), exp.Literal.number(0)
        )
        for name, where in {"nobody": nobody, "too_few": too_few}.items()
    }
    plan = exp.select(*(exp.alias_(as_count(term), name) for name, term in terms.items())).from_(
        combinations(sample).source().as_("g")
    )
    equal = exp.column(NUMBER, table="g").eq(exp.column(NUMBER, table="p"))
    row = sample.engine.run(plan.join(table.source().as_("p"), on=equal, copy=False))[0]
    notes = {
        "nobody": "with a combination that nobody in the population has",
        "too_few": "with a combination that fewer in the population than in the data have",
    }
    said = [
        f"{counted(row[name], 'record')} {note}: do the two go together?" for name, note in notes.items() if row[name]
    ]
    exact = sample.nulls.are_values or sample.nulls.semantics in {Semantics.MAYBE_MATCH, Semantics.STANDARD}
    if not exact and has_nulls(sample):
        said.append("a null is looked up in the population by maybe-match, whatever it counts for among the records")
    return said


def _population(sample: Sample) -> Relation:
    """Return the combinations of the population: ``k0``, ``k1``, ..., comparable with the records', and ``n``."""
    key = "population"
    if key not in sample.cache:
        population = sample.population
        assert population is not None
        terms = [_term(sample, population, name) for name in sample.known]
        aliased = [exp.alias_(term, _key(place)) for place, term in enumerate(terms)]
        plan = exp.select(*aliased, exp.alias_(exp.Count(this=exp.Star()), COUNT)).from_(population.source())
        plan = plan.group_by(*(term.copy() for term in terms))
        columns = [
            *(Column(_key(i), _key(i), population.column(name).type) for i, name in enumerate(sample.known)),
            Column(COUNT, COUNT, ColumnType.INTEGER),
        ]
        sample.cache[key] = sample.engine.store(plan, columns)
    stored: Relation = sample.cache[key]
    return stored


def _records(sample: Sample, shown: Sequence[int]) -> exp.Select:
    """Return the combinations of the records that show these attributes and no others."""
    table = combinations(sample)
    terms = [_term(sample, table, name) for name in sample.known]
    plan = exp.select(NUMBER, *(exp.alias_(terms[i], _key(i)) for i in shown)).from_(table.source())
    if sample.nulls.are_values:
        return plan
    for place, name in enumerate(sample.known):
        absent: exp.Expr = exp.Is(this=table.physical([name])[0], expression=exp.Null())
        plan = plan.where(exp.Not(this=absent) if place in shown else absent, copy=False)
    return plan


def _of_pattern(sample: Sample, shown: Sequence[int]) -> exp.Select:
    """Return the plan of the population frequency of combinations that show these attributes."""
    if len(shown) < len(sample.known) and sample.nulls.semantics is Semantics.STANDARD:  # a null is like nobody
        none = exp.alias_(as_count(exp.Literal.number(0)), POPULATION_FREQUENCY)
        return exp.select(NUMBER, none).from_(_records(sample, shown).subquery("s"))
    keys = [_key(place) for place in shown]
    total = as_count(exp.func("coalesce", exp.Sum(this=exp.column(COUNT)), exp.Literal.number(0)))
    grouped = exp.select(*keys, exp.alias_(total, COUNT)).from_(_population(sample).source())
    grouped = grouped.group_by(*keys) if keys else grouped
    frequency = exp.func("coalesce", exp.column(COUNT, table="p"), exp.Literal.number(0))
    plan = exp.select(exp.column(NUMBER, table="s"), exp.alias_(frequency, POPULATION_FREQUENCY))
    plan = plan.from_(_records(sample, shown).subquery("s"))
    return plan.join(grouped.subquery("p"), on=_agree(sample, keys), join_type="left", copy=False)


def _patterns(sample: Sample) -> list[tuple[int, ...]]:
    """Return the sets of attributes that combinations show."""
    everything = tuple(range(len(sample.known)))
    if sample.nulls.are_values:
        return [everything]
    table = combinations(sample)
    shown = [
        exp.alias_(exp.Not(this=exp.Is(this=key, expression=exp.Null())), _key(place))
        for place, key in enumerate(table.physical(sample.known))
    ]
    rows = sample.engine.run(exp.select(*shown).distinct().from_(table.source()))
    return sorted(tuple(i for i in everything if row[_key(i)]) for row in rows) or [everything]


def _agree(sample: Sample, keys: Sequence[str]) -> exp.Expr:
    if not keys:
        return exp.true()
    if sample.nulls.are_values:
        return same("s", "p", keys)
    return exp.and_(*(exp.column(key, table="s").eq(exp.column(key, table="p")) for key in keys), copy=False)


def _key(place: int) -> str:
    return f"k{place}"


def _comparable(ours: ColumnType, theirs: ColumnType) -> bool:
    return ours == theirs or (ours.is_numeric and theirs.is_numeric) or {ours, theirs} <= _MOMENTS


def _term(sample: Sample, relation: Relation, name: str) -> exp.Expr:
    """Return an attribute as both sides hold it: coded text as text, numbers of two types as floating-point numbers."""
    population = sample.population
    assert population is not None
    kinds = {sample.records.column(name).type, population.column(name).type}
    term = relation.physical([name])[0]
    if kinds == {ColumnType.TEXT}:
        return as_text(term)
    if kinds == _MOMENTS:
        return exp.Cast(this=term, to=exp.DataType(this=exp.DType.TIMESTAMP))
    return as_double(term) if ColumnType.NUMBER in kinds else term
