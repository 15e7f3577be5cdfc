"""The intruder who knows every original value of a record whose cells were suppressed.

Who meets a record with empty cells counts look-alikes on what is left of it. An intruder who knows the hidden values as
well, and that the respondent is in the file, can rule out records that show other values: a record is a *candidate* if
each of its known cells is empty or equal to the original value. A suppressed cell protects from such an intruder only
as far as other records have empty cells there, too. No local suppression counts for that by itself, so it is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacita.engines.arrow import as_codes, as_numpy
from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Relation

if TYPE_CHECKING:
    import pyarrow as pa

MOST_PATTERNS = 1024
"""More patterns of empty cells than these are not looked at: each costs a look at every record."""
_HASHES = 20_261_118
"""Where the numbers begin that stand for values: two combinations share a sum with a chance of one in 2^64."""


def few_candidates(original: Relation, released: Relation, known: Sequence[str], rows: pa.Array, k: int) -> int | None:
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
    total = exp.alias_(exp.Count(this=exp.Star()), "n")
    grouped = exp.select(*map(exp.column, names), total).from_(shown.subquery("s")).group_by(*names)
    batch = pa.RecordBatch.from_arrays([rows.cast(pa.int64())], names=["row"])
    adopted = engine.adopt([batch], batch.schema)
    try:
        classes = pa.Table.from_batches(engine.stream(grouped, 1_000_000))
        batches = list(engine.stream(_targets(original, known, names, adopted), 1_000_000))
    finally:
        engine.drop(adopted)
    if not any(len(part) for part in batches):
        return 0
    targets = pa.Table.from_batches(batches)
    class_hashes, target_hashes = _hashed(classes, targets, len(names))
    is_shown = np.column_stack([class_hashes[:, i] != 0 for i in range(len(names))])
    patterns, pattern_of = np.unique(is_shown, axis=0, return_inverse=True)
    if len(patterns) > MOST_PATTERNS:
        return None
    counts = as_numpy(classes.column(len(names))).astype(np.int64)
    sums = class_hashes.sum(axis=1, dtype=np.uint64)
    candidates = np.zeros(len(target_hashes), dtype=np.int64)
    for number, pattern in enumerate(patterns):
        members = np.flatnonzero(pattern_of.ravel() == number)
        members = members[np.argsort(sums[members])]
        wanted = target_hashes[:, pattern].sum(axis=1, dtype=np.uint64)
        places = np.minimum(np.searchsorted(sums[members], wanted), len(members) - 1)
        candidates += np.where(sums[members][places] == wanted, counts[members][places], 0)
    return int((candidates < k).sum())


def _targets(original: Relation, known: Sequence[str], names: Sequence[str], rows: Relation) -> exp.Select:
    """Return the plan of the original values of the records that are looked for."""
    terms = [exp.alias_(as_text(term), name) for name, term in zip(names, original.physical(known), strict=True)]
    everybody = exp.select(exp.alias_(original.engine.numbered(original), "r"), *terms).from_(original.source())
    wanted = exp.EQ(this=exp.column("r", table="o"), expression=exp.column(rows.column("row").physical, table="a"))
    columns = [exp.column(name, table="o") for name in names]
    there = [exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null())) for column in columns]
    return exp.select(*columns).from_(everybody.subquery("o")).join(rows.source().as_("a"), on=wanted).where(*there)


def _hashed(classes: pa.Table, targets: pa.Table, attributes: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the values of both as numbers that are random and equal for equal values; 0 stands for an empty cell."""
    import pyarrow as pa

    random = np.random.default_rng(_HASHES)
    hashes = []
    for i in range(attributes):
        both = pa.chunked_array([*classes.column(i).chunks, *targets.column(i).chunks], pa.string()).combine_chunks()
        coded = both.dictionary_encode()
        codes = as_codes(coded.indices, len(coded.dictionary))
        numbers = random.integers(1, 2**63, len(coded.dictionary) + 1, dtype=np.uint64)
        numbers[-1] = 0
        hashes.append(numbers[codes])
    together = np.column_stack(hashes)
    return together[: classes.num_rows], together[classes.num_rows :]
