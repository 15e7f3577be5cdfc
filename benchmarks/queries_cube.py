"""Cubes of queries: a count of some of 10 million records from the cube, against a scan of the records by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.measure import timed
from tacita.queries.cube.cube import Cube, CubeAttribute
from tacita.queries.language.parse import parse_question
from tacita.queries.policy.policy import FilterAttribute, QueryPolicy

Line = tuple[str, str, str, str, str]
_RECORDS = 10_000_000
_SIZES = {"age": 10, "area": 25, "sector": 15, "sex": 2, "size": 6}
_TIMES = 9


def queries_count(folder: Path) -> Iterator[Line]:
    """COUNT over 10M records in 38,250 to 45,000 cells."""
    draw = np.random.default_rng(1)
    codes = {name: draw.integers(0, size, _RECORDS).astype(np.int32) for name, size in _SIZES.items()}
    cell_of = np.ravel_multi_index(tuple(codes.values()), tuple(_SIZES.values()))
    present, n = np.unique(cell_of, return_counts=True)
    by_cell = np.unravel_index(present, tuple(_SIZES.values()))
    policy = QueryPolicy("people", tuple(FilterAttribute(name) for name in _SIZES))
    cube = Cube(
        policy,
        tuple(CubeAttribute(name, tuple(map(str, range(size)))) for name, size in _SIZES.items()),
        dict(zip(_SIZES, (part.astype(np.int32) for part in by_cell), strict=True)),
        n.astype(np.int64),
        np.concatenate([[0], np.cumsum(n)]).astype(np.int64),
    )
    connection = duckdb.connect()
    connection.register("arrow", pa.table(codes))
    connection.execute("CREATE TABLE people AS SELECT * FROM arrow")
    sql = "SELECT count(*) FROM people WHERE age < {} AND area IN (1, 2, 3, 7) AND sex = 1"

    def ours(number: int) -> int:
        question = parse_question(sql.format(number), cube)
        return int(cube.n[cube.cells_of(question)].sum())

    def bare(number: int) -> int:
        row = connection.execute(sql.format(number)).fetchone()
        assert row is not None
        return int(row[0])

    assert all(ours(number) == bare(number) for number in range(1, 9))
    cheapest = [min(timed(lambda work=work: work(4))[1] for _ in range(_TIMES)) for work in (ours, bare)]
    figures = [f"{1000 * seconds:.2f} ms" for seconds in cheapest]
    what = f"COUNT of 10M, {len(cube):,} cells / scan"
    yield what, figures[0], figures[1], f"{cheapest[0] / cheapest[1]:.3f}", "at most 0.1"
