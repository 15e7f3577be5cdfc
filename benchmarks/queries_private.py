"""Private answers: totals that fit their groups against figures as they were drawn, and two ways to a median."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

from tacita.queries.cube.cube import Cube, CubeAttribute
from tacita.queries.mechanism import AskedGroup, AskedQuestion
from tacita.queries.noise.consistent import Axes, GroupingSets
from tacita.queries.noise.private import PrivateFigures
from tacita.queries.policy.policy import AnswerMode, FilterAttribute, QueryMeasure, QueryPolicy
from tacita.queries.question import AskedStatistic, DataQuestion, Statistic

Line = tuple[str, str, str, str, str]
_DRAWS, _SCALE, _LARGEST = 400, 20.0, 10_000
_ROLLUP: tuple[Axes, ...] = ((0, 1), (0,), ())


def queries_totals(folder: Path) -> Iterator[Line]:
    """Mean square error of each grouping set, finest first, over that of figures as drawn and cut at 0."""
    draw = np.random.default_rng(0)
    reach = math.ceil(_SCALE * math.log(20)), math.ceil(_SCALE * math.log(60))
    for name, sizes, levels in (
        ("ROLLUP 10 x 10", (10, 10), _ROLLUP),
        ("ROLLUP 5 x 5 x 5", (5, 5, 5), ((0, 1, 2), (0, 1), (0,), ())),
        ("CUBE 20 x 20", (20, 20), ((0, 1), (0,), (1,), ())),
    ):
        sets = GroupingSets(sizes, levels)
        few = np.where(draw.random(sizes) < 0.1, draw.poisson(100, sizes), 0)
        for groups, true in (("about 200", draw.poisson(200, sizes)), ("a tenth about 100", few)):
            exact = [true.sum(axis=tuple({*range(len(sizes))} - {*level})).ravel() for level in levels]
            before, after, outside = (np.zeros(len(levels)) for _ in range(3))
            for _ in range(_DRAWS):
                noisy = [np.rint(figures + draw.laplace(0, _SCALE, figures.shape)).astype(int) for figures in exact]
                tables = sets.made_consistent(
                    [table.tolist() for table in noisy], reach, np.zeros(sizes), np.full(sizes, np.inf)
                )
                for place, (drawn, table, figures) in enumerate(zip(noisy, tables, exact, strict=True)):
                    errors = np.abs(np.array([one.value for one in table], float) - figures)
                    before[place] += np.mean((np.maximum(drawn, 0) - figures) ** 2)
                    after[place] += np.mean(errors**2)
                    outside[place] += np.mean(errors > [one.error for one in table])
            ratios = ", ".join(f"{ratio:.2f}" for ratio in after / before)
            covered = f"{100 * (1 - outside.sum() / _DRAWS / len(levels)):.1f} % within errors"
            yield f"{name}, {groups} / as drawn", covered, "", ratios, "below 1"


def queries_median(folder: Path) -> Iterator[Line]:
    """Root mean square error of a median of means over that by the exponential mechanism: epsilon 0.5, other values."""
    draw = np.random.default_rng(1)
    for records in (100, 1_000):
        for name, values in (
            ("uniform", draw.integers(0, _LARGEST + 1, records)),
            ("lognormal", np.clip(draw.lognormal(7, 0.8, records), 0, _LARGEST).astype(np.int64)),
            ("half 2,000, half 8,000", np.where(draw.random(records) < 0.5, 2_000, 8_000)),
        ):
            sizes = (5, math.isqrt(records), records // 10, records // 4)
            chosen, *means = (_error(values, size) for size in (None, *sizes))
            ratios = ", ".join(f"{one / chosen:.2f}" for one in means)
            yield f"median, {name}, n = {records:,}", f"k = {sizes}", f"{chosen:.1f}", ratios, ""


def _error(values: np.ndarray, size: int | None) -> float:
    policy = QueryPolicy(
        "b",
        (FilterAttribute("c"),),
        (QueryMeasure("x", Decimal(0), Decimal(_LARGEST), 0, (Statistic.QUANTILE,)),),
        answers=AnswerMode.PRIVATE,
        options={"currency": "epsilon", "records_per_unit": 1, "neighbours": "values", "microaggregate": size},
    )
    cube = Cube(
        policy,
        (CubeAttribute("c", ("a",)),),
        {"c": np.zeros(1, np.int32)},
        np.array([len(values)]),
        np.array([0, len(values)]),
        {"x": values.astype(np.int64)},
    )
    median = AskedStatistic(Statistic.QUANTILE, "x", share=Fraction(1, 2))
    wanted = AskedQuestion(DataQuestion((median,)), (AskedGroup((), np.ones(1, np.bool_)),), "ann", 500_000_000)
    mechanism = PrivateFigures(cube)
    price = mechanism.price(wanted)
    errors = [
        float(mechanism.figures(wanted, price)[0][0].value or 0) - float(np.median(values)) for _ in range(_DRAWS)
    ]
    return float(np.sqrt(np.mean(np.square(errors))))
