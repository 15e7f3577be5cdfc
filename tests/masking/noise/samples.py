"""Records for tests of noise and swapping: numbers, whole numbers, missing values, categories, areas, households."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from tacita.model.records import Categories, Numbers, Records


def mixed(count: int = 60, seed: int = 7) -> Records:
    """Numbers that depend on each other, whole and not, with missing values; a constant; categories of every kind."""
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 80, count).astype(float)
    income = 100 * age + draw.normal(0, 800, count)
    wealth = draw.lognormal(3, 1, count)
    wealth[draw.random(count) < 0.15] = np.nan
    area = draw.choice(["north1", "north2", "south1", "south2"], count).tolist()
    return Records(
        {
            "age": Numbers.of(age, is_whole=True),
            "income": Numbers.of(income),
            "wealth": Numbers.of(wealth),
            "one": Numbers.of(np.ones(count)),
            "job": Categories.of(
                [None if i % 17 == 3 else ["miner", "cook", "baker"][i * i % 3] for i in range(count)]
            ),
            "school": Categories.of(
                [None if i % 13 == 5 else ["none", "basic", "high"][i % 3] for i in range(count)],
                order=["none", "basic", "high"],
            ),
            "region": Categories.of([name[:5] for name in area]),
            "area": Categories.of(area),
        }
    )


def normal(count: int, seed: int, correlation: float = 0.6) -> Records:
    """Two normal attributes."""
    draw = np.random.default_rng(seed)
    first = draw.normal(0, 1, count)
    second = correlation * first + np.sqrt(1 - correlation**2) * draw.normal(0, 1, count)
    return Records({"x": Numbers.of(50 + 10 * first), "y": Numbers.of(-5 + 2 * second)})


def read(file: Path) -> Records:
    """A CSV file of numbers."""
    with file.open(encoding="utf-8") as lines:
        names, *rows = csv.reader(lines)
    columns = zip(*rows, strict=True)
    return Records(
        {
            n: Numbers.of([float(v) if v not in {"", "NA"} else None for v in c])
            for n, c in zip(names, columns, strict=True)
        }
    )
