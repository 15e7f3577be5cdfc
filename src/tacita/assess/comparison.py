"""Side by side: frequencies as they are, under other meanings of a null, and without one attribute."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from tacita.engines.plans.terms import as_double
from tacita.model.dictionary import MissingAs
from tacita.risk.bounds import fewer_than
from tacita.risk.combinations import COUNT, codes, combinations
from tacita.risk.frequencies import frequencies_of_records, has_nulls
from tacita.risk.null_semantics import STRICT, Distribution, Nulls, Semantics
from tacita.risk.sample import Sample

_MANY = 5_000_000
SIZES = (1, 2, 3, 5, 10, 20)
"""Records are counted by how many look like them: 1, 2, 3 to 4, 5 to 9, 10 to 19, 20 and more."""


@dataclass(frozen=True, slots=True)
class Alike:
    """How many records look alike under one meaning of nulls."""

    nulls: Nulls
    smallest: float
    """The k that the file has."""
    uniques: int
    """Records that nobody else looks like (a frequency below 2)."""
    under: int
    """Records of which fewer than k look alike."""
    by_size: tuple[int, ...] = ()
    """Records by the sizes above."""


@dataclass(frozen=True, slots=True)
class AttributeRisk:
    """What one attribute adds: how many records would be unsafe if the intruder did not know it."""

    attribute: str
    unsafe_without: int
    saved: int
    """Records that are unsafe only because of it."""


def alike(sample: Sample, k: int) -> Alike:
    """Return how many records look alike."""
    f = as_double(exp.column("c1"))
    terms: dict[str, exp.Expr] = {
        "smallest": exp.func("coalesce", exp.Min(this=f), exp.Literal.number(0)),
        "uniques": _sum(fewer_than(f, 2)),
        "under": _sum(fewer_than(f, k)),
    }
    for i, low in enumerate(SIZES):
        at_least = exp.Not(this=fewer_than(f, low))
        below = [fewer_than(f, high) for high in SIZES[i + 1 : i + 2]]
        terms[f"size{i}"] = _sum(exp.and_(at_least, *below))
    plan = exp.select(*(exp.alias_(term, name) for name, term in terms.items()))
    row = sample.engine.run(plan.from_(frequencies_of_records(sample).subquery("f")))[0]
    sizes = tuple(int(row[f"size{i}"]) for i in range(len(SIZES)))
    return Alike(sample.nulls, float(row["smallest"]), int(row["uniques"]), int(row["under"]), sizes)


def null_semantics(sample: Sample, k: int) -> tuple[Alike, ...]:
    """Return how many look alike under each meaning of a null, the sample's own first."""
    as_ = MissingAs.EMPTY if sample.nulls.missing_as is MissingAs.EMPTY else MissingAs.UNKNOWN
    others = [
        replace(STRICT, missing_as=as_),
        Nulls(as_, Semantics.MAYBE_MATCH),
        Nulls(as_, Semantics.STANDARD),
        Nulls(as_, Semantics.ALPHA, 0.5),
        Nulls(as_, Semantics.EXPECTED),
        Nulls(as_, Semantics.EXPECTED, distribution=Distribution.MARGINAL),
        Nulls(MissingAs.CATEGORY),
    ]
    shown = {nulls.in_words: nulls for nulls in (sample.nulls, *others)}
    return tuple(alike(sample.with_nulls(nulls), k) for nulls in shown.values())


def takes_long(sample: Sample) -> bool:
    """Return whether matching nulls once for each attribute would take minutes: many combinations, many patterns."""
    if sample.nulls.are_values or not has_nulls(sample):
        return False
    from tacita.risk.null_patterns import Patterns

    coded = codes(sample)
    return len(coded.counts) * len(Patterns.of(coded).slices) > _MANY


def without_each(sample: Sample, k: int, unsafe: int) -> tuple[AttributeRisk, ...]:
    """Return what each known attribute adds, most first."""
    if len(sample.known) == 1:  # without it all records look alike
        records = sample.records.count()
        left = records if records < k else 0
        return (AttributeRisk(sample.known[0], left, max(0, unsafe - left)),)
    risks = []
    if not sample.nulls.are_values and has_nulls(sample):
        if takes_long(sample):
            return ()
        for name in sample.known:
            left = alike(sample.with_known([other for other in sample.known if other != name]), k).under
            risks.append(AttributeRisk(name, left, max(0, unsafe - left)))
        return tuple(sorted(risks, key=lambda risk: -risk.saved))
    table = combinations(sample)
    for name in sample.known:
        others = table.physical([other for other in sample.known if other != name])
        total = exp.Sum(this=exp.column(COUNT))
        grouped = exp.select(exp.alias_(total, "f")).from_(table.source()).group_by(*others)
        few = exp.LT(this=exp.column("f"), expression=exp.Literal.number(k))
        count = exp.func("coalesce", exp.Sum(this=exp.column("f")), exp.Literal.number(0))
        plan = exp.select(exp.alias_(count, "n")).from_(grouped.subquery("g")).where(few)
        left = int(sample.engine.run(plan)[0]["n"])
        risks.append(AttributeRisk(name, left, max(0, unsafe - left)))
    return tuple(sorted(risks, key=lambda risk: -risk.saved))


def _sum(condition: exp.Expr) -> exp.Expr:
    case = exp.Case(ifs=[exp.If(this=condition, true=exp.Literal.number(1))], default=exp.Literal.number(0))
    return exp.func("coalesce", exp.Sum(this=case), exp.Literal.number(0))
