"""Releases judged together: exact inference, a table with ten earlier ones, and two versions of a large file.

Loops are compiled before they are measured. The bare line of versions is DuckDB's join of the same two relations.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.measure import timed
from tacita.arithmetic.modular.basis import ModularBasis
from tacita.arithmetic.modular.kernel_vector import SparseRows, kernel_vector
from tacita.attacks.versions.changes import version_changes
from tacita.attacks.versions.counts import count_differences
from tacita.attacks.versions.released_version import ReleasedAttributeOf, ReleasedVersion
from tacita.engines.context import Context
from tacita.joint.case import JointCase
from tacita.joint.evidence import OutputLabel
from tacita.joint.recorded import RecordedRelease
from tacita.ledger.disclosures import (
    ROW_COLUMN,
    DisclosedCell,
    DisclosedDimension,
    DisclosedPopulation,
    DisclosedTable,
    Disclosures,
)
from tacita.settings import Settings

Line = tuple[str, str, str, str, str]
MILLION = 1_000_000
_RECORDS = 300_000
_TIMES = 5


def joint_exact(folder: Path) -> Iterator[Line]:
    """What follows from 1,000 random sums over 1,000 cells: all at once, and one more beside 999 known ones."""
    draw = np.random.default_rng(1)
    dense = [np.sort(draw.choice(1_000, int(draw.integers(2, 200)), replace=False)).tolist() for _ in range(1_000)]
    short = [np.sort(draw.choice(1_000, int(draw.integers(2, 12)), replace=False)).tolist() for _ in range(1_000)]
    for name, rows in (("2-200 cells each", dense), ("2-12 cells each", short)):
        system = SparseRows.of(rows, 1_000)
        kernel_vector(system)
        best = timed(lambda system=system: kernel_vector(system))[1]
        yield f"1,000 sums over 1,000 cells from nothing, {name}", f"{best * 1000:.0f} ms CPU", "", "", ""
    for name, rows in (("2-200 cells each", dense), ("2-12 cells each", short)):
        basis = ModularBasis(1_000)
        for row in rows[:-1]:
            basis.add(_indicator(row, 1_000))
        last = _indicator(rows[-1], 1_000)
        basis.known_with(last)
        best = min(timed(lambda basis=basis, last=last: basis.known_with(last))[1] for _ in range(_TIMES))
        what = f"one more sum judged with {basis.rank:,} known ones over 1,000 cells, {name}"
        yield what, f"{best * 1000:.2f} ms CPU", "", "", "at most 10 ms"


def _indicator(cells: Sequence[int], width: int) -> np.ndarray:
    """Return a sum over some cells as a row of factors."""
    row = np.zeros(width, np.int64)
    row[list(cells)] = 1
    return row


def joint_tables(folder: Path) -> Iterator[Line]:
    """A table of 10,000 cells judged with ten earlier ones, small cells withheld."""
    draw = np.random.default_rng(2)
    sizes = (99, 99, *range(5, 14))
    codes = [draw.integers(0, size, _RECORDS) for size in sizes[:2]]
    # Other groupings of the same cells.
    codes += [(codes[0] * at + codes[1]) % size for at, size in enumerate(sizes[2:], 3)]
    new = _release(0, codes, sizes, (0, 1))
    for what, dimensions in (
        ("of other groupings", [(0, at) for at in range(2, 11)] + [(1, 2)]),
        ("like it", [(0, 1)] * 10),
    ):
        earlier = tuple(_release(at, codes, sizes, some) for at, some in enumerate(dimensions, 1))
        with Context(Settings(threads=1)) as context:
            case = JointCase(earlier, 3, context.engine)
            case.judge(_release(0, codes, sizes, (2, 3)))
            started = time.perf_counter()
            result, cpu = timed(lambda case=case: case.judge(new))
            wall = time.perf_counter() - started
        ours = f"{cpu:.2f} s CPU, {wall:.2f} s"
        verdict = "passes" if result.passes else f"refused, {len(result.reasons) + result.more} reasons"
        yield f"10,000 cells with ten tables {what} ({verdict})", ours, "", "", "at most 10 s"


def _release(
    number: int, codes: Sequence[np.ndarray], sizes: Sequence[int], dimensions: tuple[int, int]
) -> RecordedRelease:
    one, two = dimensions
    counts = np.zeros((sizes[one] + 1, sizes[two] + 1), np.int64)
    np.add.at(counts, (codes[one], codes[two]), 1)
    counts[-1] = counts[:-1].sum(axis=0)
    counts[:, -1] = counts[:, :-1].sum(axis=1)
    sensitive = (counts > 0) & (counts < 15)
    # Two further cells of the row and of the column of each sensitive one.
    withheld = sensitive.copy()
    for row, column in zip(*np.nonzero(sensitive), strict=True):
        withheld[row, (column + 1) % sizes[two]] = withheld[(row + 1) % sizes[one], column] = True
        withheld[(row + 1) % sizes[one], (column + 1) % sizes[two]] = True
    names = [[*(f"c{at}" for at in range(sizes[some])), "Total"] for some in dimensions]
    cells = []
    for row, first in enumerate(names[0]):
        for column, second in enumerate(names[1]):
            value = None if withheld[row, column] else str(counts[row, column])
            width = "1" if sensitive[row, column] else None
            cells.append(
                DisclosedCell(
                    (first, second),
                    value,
                    value,
                    bool(withheld[row, column]),
                    bool(sensitive[row, column]),
                    sliding=width,
                )
            )
    shown = tuple(
        DisclosedDimension(f"x{some}", f"x{some}", {**{code: (code,) for code in own[:-1]}, "Total": tuple(own[:-1])})
        for some, own in zip(dimensions, names, strict=True)
    )
    table = DisclosedTable(f"t{number}", "", shown, tuple(cells), is_whole=True)
    frame = pa.table(
        {
            ROW_COLUMN: np.arange(1, _RECORDS + 1),
            **{
                f"d{at}": pa.DictionaryArray.from_arrays(
                    pa.array(codes[some].astype(np.int32)), pa.array(names[at][:-1])
                ).cast(pa.string())
                for at, some in enumerate(dimensions)
            },
        }
    )
    population = DisclosedPopulation(_RECORDS, tuple(one.name for one in shown), (), "")
    return RecordedRelease(OutputLabel(number), "source", Disclosures((table,), population=population), frame)


def joint_versions(folder: Path) -> Iterator[Line]:
    """Two versions of a file of 1M records: compared by key and without, beside the bare join."""
    draw = np.random.default_rng(3)
    columns = {name: draw.integers(0, size, MILLION) for name, size in (("a", 90), ("b", 2), ("c", 20), ("d", 8))}
    with Context(Settings(threads=1)) as context:
        engine = context.engine

        def version(persons: np.ndarray, values: dict[str, np.ndarray]) -> ReleasedVersion:
            table = pa.table(
                {
                    "row": np.arange(1, len(persons) + 1),
                    "person": persons,
                    **{name: pa.array(own.astype(str)) for name, own in values.items()},
                }
            )
            relation = engine.adopt(table.to_batches(), table.schema)
            attributes = {name: ReleasedAttributeOf(name) for name in values}
            return ReleasedVersion(relation, "row", "person", attributes, ("a", "b", "c"), ("d",))

        persons = np.arange(MILLION)
        before = version(persons[:-1000], {name: own[:-1000] for name, own in columns.items()})
        changed = {name: own.copy() for name, own in columns.items()}
        changed["c"][draw.integers(0, MILLION, 2000)] = 3
        now = version(persons[1000:], {name: own[1000:] for name, own in changed.items()})
        join = (
            f"SELECT count(*) AS n, count(e.c0) AS e, count(l.c0) AS l FROM {before.relation.table} e "
            f"FULL JOIN {now.relation.table} l ON e.c1 = l.c1"
        )
        import sqlglot

        plan = sqlglot.parse_one(join, dialect="duckdb")
        bare = min(timed(lambda: engine.run(plan))[1] for _ in range(_TIMES))  # type: ignore[arg-type]
        keyed = min(timed(lambda: version_changes(before, now, 10))[1] for _ in range(_TIMES))
        counts = min(timed(lambda: count_differences(before, now, 10))[1] for _ in range(_TIMES))
    shown = f"{bare * 1000:.0f} ms CPU"
    what = "versions of 1M records by key / bare join"
    yield what, f"{keyed * 1000:.0f} ms CPU", shown, f"{keyed / bare:.2f}", "at most 6"
    yield "without key / bare join", f"{counts * 1000:.0f} ms CPU", shown, f"{counts / bare:.2f}", "at most 6"
