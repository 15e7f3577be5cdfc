"""Records for tests of synthesis: numbers that depend on each other and on categories, with ties, gaps and extremes."""

from __future__ import annotations

import numpy as np

from tacita.model.records import Categories, Numbers, Records


def people(count: int = 3000, seed: int = 7) -> Records:
    """Age, income that depends on age and job, wealth with many zeros and some missing, school ordered, job not."""
    draw = np.random.default_rng(seed)
    age = np.rint(draw.normal(45, 14, count).clip(18, 90))
    job = draw.integers(0, 4, count)
    income = 800 + 30 * age + np.array([0, 900, -400, 300])[job] + draw.normal(0, 300, count)
    wealth = np.where(draw.random(count) < 0.3, 0, draw.lognormal(3, 1, count))
    wealth[draw.random(count) < np.where(age > 60, 0.3, 0.05)] = np.nan
    school = np.digitize(income + draw.normal(0, 300, count), [1700, 2600])
    jobs = np.array(["miner", "cook", "baker", "judge"])[job].tolist()
    return Records(
        {
            "age": Numbers.of(age, is_whole=True),
            "job": Categories.of([None if draw.random() < 0.1 else each for each in jobs]),
            "income": Numbers.of(income),
            "wealth": Numbers.of(wealth),
            "school": Categories.of([["none", "basic", "high"][s] for s in school], order=["none", "basic", "high"]),
        }
    )


def odd(count: int = 60) -> Records:
    """Columns that have nothing to model: constant, all missing, one category, one value beside missing ones."""
    draw = np.random.default_rng(3)
    return Records(
        {
            "x": Numbers.of(draw.normal(0, 1, count)),
            "one": Numbers.of(np.full(count, 7.5)),
            "gone": Numbers.of(np.full(count, np.nan)),
            "absent": Categories.of([None] * count),
            "same": Categories.of(["here"] * count),
            "rarely": Categories.of(["here" if i % 9 == 0 else None for i in range(count)]),
            "huge": Numbers.of(draw.normal(0, 1, count) * 1e250),
        }
    )
