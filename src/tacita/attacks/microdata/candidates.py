"""The intruder who knows every original value of a record whose cells were suppressed.

Who meets a record with empty cells counts look-alikes on what is left of it. An intruder who knows the hidden values as
well, and that the respondent is in the file, can rule out records that show other values: a record is a *candidate* if
each of its known cells is empty or equal to the original value. A suppressed cell protects from such an intruder only
as far as other records have empty cells there, too. No local suppression counts for that by itself, so it is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.engines.plans.terms import as_text, number
from tacita.engines.protocol import EngineRelation

if TYPE_CHECKING:
    import pyarrow as pa

MOST_PATTERNS = 256
"""More patterns of empty cells than these are not looked at: each costs a join."""


def few_candidates(
    original: EngineRelation, released: EngineRelation, known: Sequence[str], rows: pa.Array, k: int
) -> int | None:
    """Return how many records have fewer than k candidates for an intruder who knows all of their original values.

    Both relations are in one engine. `rows` are the numbers of the records to look at, from 1, in both of them. Records
    that were empty in a known attribute before are left out. None if there are too many patterns of empty cells.
    """
    import pyarrow as pa

    engine = released.engine
    names = [f"k{i}" for i in range(len(known))]
    shown = exp.select(
        *(exp.alias_(as_text(term), name) for name, term in zip(names, released.physical(known), strict=True))
    ).from_(released.source())
    classes = engine.new_table()
    total = exp.alias_(exp.Count(this=exp.Star()), "n")
    engine.replace(classes, exp.select(*map(exp.column, names), total).from_(shown.subquery("s")).group_by(*names))
    batch = pa.RecordBatch.from_arrays([rows.cast(pa.int64())], names=["row"])
    asked = engine.adopt([batch], batch.schema)
    targets = engine.new_table()
    try:
        engine.replace(targets, _targets(original, known, names, asked))
        is_shown = [exp.Not(this=exp.Is(this=exp.column(name), expression=exp.Null())) for name in names]
        flags = [exp.alias_(term, f"f{i}") for i, term in enumerate(is_shown)]
        found = engine.run(exp.select(*flags).distinct().from_(exp.to_table(classes)).limit(MOST_PATTERNS + 1))
        if len(found) > MOST_PATTERNS:
            return None
        patterns = sorted(tuple(bool(row[f"f{i}"]) for i in range(len(names))) for row in found)
        counts = [_candidates(targets, classes, names, pattern) for pattern in patterns]
        together: exp.Query = counts[0]
        for more in counts[1:]:
            together = exp.union(together, more, distinct=False)
        per_record = (
            exp.select("r", exp.alias_(exp.Sum(this=exp.column("n")), "n"))
            .from_(together.subquery("c"))
            .group_by("r")
            .having(exp.LT(this=exp.Sum(this=exp.column("n")), expression=number(k)))
        )
        plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(per_record.subquery("q"))
        return int(engine.run(plan)[0]["n"])
    finally:
        engine.drop(asked)
        engine.forget(classes)
        engine.forget(targets)


def _targets(original: EngineRelation, known: Sequence[str], names: Sequence[str], asked: EngineRelation) -> exp.Select:
    """Return the plan of the records that are looked for: their numbers and their original values."""
    terms = [exp.alias_(as_text(term), name) for name, term in zip(names, original.physical(known), strict=True)]
    everybody = exp.select(exp.alias_(original.engine.numbered(original), "r"), *terms).from_(original.source())
    wanted = exp.EQ(this=exp.column("r", table="o"), expression=exp.column(asked.column("row").physical, table="a"))
    columns = [exp.column(name, table="o") for name in ("r", *names)]
    there = [exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null())) for column in columns]
    return exp.select(*columns).from_(everybody.subquery("o")).join(asked.source().as_("a"), on=wanted).where(*there)


def _candidates(targets: str, classes: str, names: Sequence[str], pattern: Sequence[bool]) -> exp.Select:
    """Return the plan that counts, for each record looked for, the candidates that show exactly these attributes."""
    shown = list(compress(names, pattern))
    there = [exp.Not(this=exp.Is(this=exp.column(name, table="c"), expression=exp.Null())) for name in shown] + [
        exp.Is(this=exp.column(name, table="c"), expression=exp.Null()) for name in names if name not in shown
    ]
    agree = [exp.EQ(this=exp.column(name, table="c"), expression=exp.column(name, table="t")) for name in shown]
    return (
        exp.select(exp.alias_(exp.column("r", table="t"), "r"), exp.alias_(exp.column("n", table="c"), "n"))
        .from_(exp.to_table(targets).as_("t"))
        .join(exp.to_table(classes).as_("c"), on=exp.and_(*there, *agree))
    )
