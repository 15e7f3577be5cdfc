"""Measures of loss on a million records: against the bare arithmetic that they cannot do without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import timed

Line = tuple[str, str, str, str, str]
RECORDS, ATTRIBUTES = 1_000_000, 10


def losses(_: Path) -> Iterator[Line]:
    """X, V, R, RF, C and F of 1M x 10 against two covariance matrices of numpy, and every other measure beside."""
    from tacita.model.records import Categories, Numbers, Records
    from tacita.utility.catalogue import LOSSES

    draw = np.random.default_rng(1)
    x = draw.normal(size=(RECORDS, ATTRIBUTES)) @ draw.normal(size=(ATTRIBUTES, ATTRIBUTES))
    y = x + 0.1 * draw.normal(size=x.shape)
    codes = draw.integers(0, 12, RECORDS).astype(np.int32)
    areas = Categories(codes, tuple(f"area {i}" for i in range(12)))
    before = Records({**{f"x{i}": Numbers(x[:, i]) for i in range(ATTRIBUTES)}, "area": areas})
    moved = np.where(draw.random(RECORDS) < 0.1, draw.integers(0, 12, RECORDS), codes).astype(np.int32)
    after = Records({**{f"x{i}": Numbers(y[:, i]) for i in range(ATTRIBUTES)}, "area": areas.with_codes(moved)})
    numbers = [f"x{i}" for i in range(ATTRIBUTES)]
    _, bare = timed(lambda: (np.cov(x, rowvar=False), np.cov(y, rowvar=False), np.abs(x - y).mean()))

    def matrices() -> None:
        for name in ("data", "matrices"):
            LOSSES.make(name, {}).lost(before, after, numbers)

    matrices()
    _, ours = timed(matrices)
    bar = "in seconds"
    yield (
        "X, V, R, RF, C, F 1M x 10 / cov of numpy",
        f"{ours:6.2f} s CPU",
        f"{bare:6.2f} s CPU",
        f"{ours / bare:.1f}",
        bar,
    )
    for name in LOSSES.names():
        if name in {"data", "matrices", "regression"}:
            continue
        _, cpu = timed(lambda name=name: LOSSES.make(name, {}).lost(before, after, before.names))  # type: ignore[misc]
        yield f"{name} 1M x 11", f"{cpu:6.2f} s CPU", f"{bare:6.2f} s CPU", f"{cpu / bare:.1f}", ""
    model = LOSSES.make("regression", {"formula": "x0 ~ x1 + x2 + x3 + area"})
    _, cpu = timed(lambda: model.lost(before, after, []))
    yield "regression 1M, 15 coefficients", f"{cpu:6.2f} s CPU", f"{bare:6.2f} s CPU", f"{cpu / bare:.1f}", ""
