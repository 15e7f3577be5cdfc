"""Ways to protect a table other than suppression, beside the CPU seconds of the prototype and of the peers' packages.

The prototype's tables are not known cell by cell: these are
of the same sizes, with the seeds below.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import timed
from benchmarks.risk import SHARED
from tacita.model.table import Dimension, Equations, Levels, Table, table_of_leaves
from tacita.tables.adjustment.adjust import adjust
from tacita.tables.cell_key.cell_keys import cell_keys
from tacita.tables.cell_key.perturbation_table import design, perturb
from tacita.tables.cell_key.record_keys import record_keys
from tacita.tables.intervals.publication import publish_intervals
from tacita.tables.rounding.controlled import round_controlled
from tacita.tables.rounding.small_counts import round_small_counts

Line = tuple[str, str, str, str, str]


def grid(inner: NDArray[Any], *, is_count: bool) -> Table:
    dimensions = [Dimension.flat(f"d{d}", [f"c{i}" for i in range(n)]) for d, n in enumerate(inner.shape)]
    return table_of_leaves("grid", dimensions, inner, is_count=is_count)


def beside(what: str, seconds: float, theirs: float | None, told: str) -> Line:
    ratio = "" if theirs is None else f"{seconds / theirs:.2f}"
    return what, f"{seconds:6.2f} s CPU", "" if theirs is None else f"{theirs:6.2f} s CPU", ratio, told


def rounding(_: Path) -> Iterator[Line]:
    """Controlled rounding to the proven optimum."""
    for shape, base, theirs in (((100, 100), 5, 0.12), ((10, 10, 10), 5, 0.57), ((10, 10, 10), 3, 0.57)):
        spent, gaps = [], []
        for seed in range(3):
            table = grid(np.random.default_rng(seed).poisson(8, shape), is_count=True)
            result, seconds = timed(lambda table=table, base=base: round_controlled(table, base))
            spent.append(seconds)
            gaps.append(result.gap)
        name = "x".join(map(str, shape))
        yield beside(
            f"controlled rounding {name}, base {base}", float(np.median(spent)), theirs, f"gap {max(gaps):.1%}"
        )


def adjustment(_: Path) -> Iterator[Line]:
    """Controlled adjustment; levels of 10 % on some inner cells."""
    for size, share, theirs, limit in ((50, 0.03, 46.0, 60.0), (50, 0.06, 46.0, 60.0), (100, 0.03, 84.0, 84.0)):
        draw = np.random.default_rng(0)
        table = grid(np.floor(draw.lognormal(4, 1, (size, size))) + 1, is_count=False)
        inner = np.flatnonzero((table.codes > 0).all(axis=1))
        sensitive = draw.choice(inner, int(share * len(inner)), replace=False)
        levels = Levels.of(len(table), sensitive, 0, 0)
        distance = np.where(levels.sensitive, np.ceil(0.1 * table.values), 0.0)
        levels = replace(levels, lower=distance, upper=distance)
        result, seconds = timed(lambda table=table, levels=levels, limit=limit: adjust(table, levels, seconds=limit))
        yield beside(f"adjustment {size}x{size}, {share:.0%} sensitive", seconds, theirs, f"gap {result.gap:.2%}")


def intervals(_: Path) -> Iterator[Line]:
    """Published intervals, all widths together."""
    draw = np.random.default_rng(0)
    table = grid(draw.integers(5, 500, (20, 20)), is_count=False)
    levels = Levels.of(len(table), draw.choice(len(table), 40, replace=False), 0, 0)
    distance = np.where(levels.sensitive, 0.1 * table.values, 0.0)
    levels = replace(levels, lower=distance, upper=distance)
    result, seconds = timed(lambda: publish_intervals(table, levels))
    yield beside("intervals 20x20, 40 sensitive", seconds, None, f"{int((~result.exact).sum())} cells not exact")


def small_counts(_: Path) -> Iterator[Line]:
    """Small-count rounding of a large sparse table."""
    table = grid(np.random.default_rng(0).poisson(1.2, (100, 60)), is_count=True)
    result, seconds = timed(lambda: round_small_counts(table, 3, seconds=5))
    yield beside("small-count rounding 100x60, base 3, 5 s", seconds, None, f"largest {result.largest:g}")


def keys(_: Path) -> Iterator[Line]:
    """Cell keys of a million records."""
    draw = np.random.default_rng(0)
    codes = draw.integers(1, 41, (1_000_000, 2)).astype(np.int32)
    inner = np.zeros((40, 40))
    np.add.at(inner, (codes[:, 0] - 1, codes[:, 1] - 1), 1)
    table = grid(inner, is_count=True)
    names = [str(each) for each in range(len(codes))]
    secret, seconds = timed(lambda: record_keys(names, b"a secret of some length"))
    yield beside("record keys of 1M records", seconds, None, "")
    noise = design(5, 2.0)
    _, seconds = timed(lambda: perturb(table, cell_keys(table, codes, secret), noise))
    yield beside("cell keys and noise, 1M records, 41x41", seconds, None, "")


def published_adjustment(_: Path) -> Iterator[Line]:
    """The 3-D instance of the reference data, optimum 2420."""
    folder = SHARED / "tables/cta"
    if not folder.is_dir():
        return
    sheets = [[row for row in csv.reader((folder / f"Sheet{n}.csv").open()) if any(row)] for n in (1, 2)]
    cells = {
        (row[0], row[1], column): (float(value), float(level or 0))
        for row, levels in zip(sheets[0][1:], sheets[1][1:], strict=True)
        for column, value, level in zip(sheets[0][0][2:], row[2:], levels[2:], strict=True)
        if value
    }
    place = {key: at for at, key in enumerate(cells)}
    codes = [list(dict.fromkeys(key[d] for key in cells if key[d] != "total")) for d in range(3)]
    dimensions = tuple(Dimension.flat(f"d{d}", codes[d], "total") for d in range(3))
    sums = [
        (place[key], parts)
        for key in cells
        for d in range(3)
        if key[d] == "total"
        and (parts := [place[one] for code in codes[d] if (one := (*key[:d], code, *key[d + 1 :])) in place])
    ]
    distance = np.array([level for _, level in cells.values()])
    table = Table(
        "published",
        dimensions,
        np.array([[dimensions[d].position(key[d]) for d in range(3)] for key in cells], np.int32),
        np.array([value for value, _ in cells.values()]),
        Equations.of(sums),
        is_count=False,
    )
    levels = replace(Levels.of(len(table), np.flatnonzero(distance > 0), 0, 0), lower=distance, upper=distance)
    result, seconds = timed(lambda: adjust(table, levels))
    yield beside("adjustment, 194 cells in 3-D", seconds, 1.2, f"distance {result.distance:g}")
