"""Combining rules: closed forms, and intervals that cover what they should."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tacita.errors import UsageError
from tacita.masking.synthetic.combining import combined
from tacita.masking.synthetic.trees import SyntheticTrees
from tacita.model.records import Numbers, Records

ESTIMATES = [3.0, 5.0, 4.0, 6.0]  # mean 4.5, variance between 5/3
VARIANCES = [0.5, 0.7, 0.6, 0.6]  # mean 0.6


def test_fully_synthetic_files() -> None:
    found = combined(ESTIMATES, VARIANCES, "fully")
    wide = 1.25 * 5 / 3
    assert found.estimate == 4.5 and not found.is_adjusted
    assert math.isclose(found.variance, wide - 0.6)
    assert math.isclose(found.degrees_of_freedom, 3 * (1 - 0.6 / wide) ** 2)


def test_partially_synthetic_files() -> None:
    found = combined(ESTIMATES, VARIANCES, "partially")
    assert math.isclose(found.variance, 0.6 + 5 / 12)
    assert math.isclose(found.degrees_of_freedom, 3 * (1 + 0.6 / (5 / 12)) ** 2)
    assert math.isclose(found.standard_error, math.sqrt(0.6 + 5 / 12))


def test_the_interval_is_that_of_the_t_distribution() -> None:
    """With b = 5/3, u = 5/12 / 3 and m = 4: 3 (1 + 1/3)^2 = 16/3 degrees of freedom; with equal estimates, normal."""
    found = combined(ESTIMATES, [5 / 36] * 4, "partially")
    assert math.isclose(found.degrees_of_freedom, 16 / 3)
    same = combined([2.0, 2.0, 2.0], [0.25, 0.25, 0.25], "partially")
    assert math.isinf(same.degrees_of_freedom)
    assert np.allclose(same.interval, (2 - 1.959964 * 0.5, 2 + 1.959964 * 0.5))
    narrow = combined(ESTIMATES, VARIANCES, "partially", level=0.5).interval
    assert found.interval[0] < narrow[0] < narrow[1] < found.interval[1]


def test_a_negative_variance_is_replaced() -> None:
    found = combined([4.0, 4.1, 3.9], [0.6, 0.6, 0.6], "fully", size_ratio=2)
    assert found.is_adjusted and math.isclose(found.variance, 1.2) and found.degrees_of_freedom == 2


def test_one_file_of_a_large_sample() -> None:
    found = combined([4.0], [0.6], "large sample")
    assert math.isclose(found.variance, 1.2) and math.isinf(found.degrees_of_freedom)
    assert math.isclose(combined([4.0, 4.0], [0.6, 0.6], "large sample", size_ratio=0.5).variance, 0.6)


def covers(interval: tuple[float, float], truth: float) -> bool:
    return interval[0] <= truth <= interval[1]


@pytest.mark.parametrize(("files", "least", "most"), [(60, 0.93, 0.98), (5, 0.95, 1.0)])
def test_fully_synthetic_intervals_cover_as_often_as_they_say(files: int, least: float, most: float) -> None:
    """Means of normal samples; files come from the posterior predictive distribution of mean and variance.

    With few files the rule errs on the safe side.
    """
    draw = np.random.default_rng(1)
    count, times = 60, 1000
    means, variances = draw.normal(10, 2 / np.sqrt(count), times), 4 * draw.chisquare(count - 1, times) / (count - 1)
    covered = 0
    for mean, variance in zip(means, variances, strict=True):
        own = (count - 1) * variance / draw.chisquare(count - 1, files)
        estimates = draw.normal(draw.normal(mean, np.sqrt(own / count)), np.sqrt(own / count))
        told = combined(estimates, own * draw.chisquare(count - 1, files) / (count - 1) / count, "fully")
        covered += covers(told.interval, 10)
    assert least < covered / times <= most


def test_one_large_file_covers_as_often_as_it_says() -> None:
    draw = np.random.default_rng(1)
    count, covered = 200, 0
    for _ in range(1000):
        sample = draw.normal(10, 2, count)
        file = draw.normal(sample.mean(), sample.std(ddof=1), 2 * count)
        told = combined([file.mean()], [file.var(ddof=1) / len(file)], "large sample", size_ratio=2)
        covered += covers(told.interval, 10)
    assert 0.93 < covered / 1000 < 0.97


@pytest.mark.slow
def test_partially_synthetic_trees_cover_the_mean() -> None:
    """The mean of an attribute of which all values are replaced, from four files by trees."""
    draw = np.random.default_rng(3)
    covered = 0
    for _ in range(60):
        x = draw.normal(0, 1, 300)
        records = Records({"x": Numbers.of(x), "y": Numbers.of(5 + x + draw.normal(0, 1, 300))})
        found = SyntheticTrees(("y",), data_sets=4).treated(records, draw)
        files = [each.numbers("y").values for each in (found.records, *found.beside.values())]
        told = combined([f.mean() for f in files], [f.var(ddof=1) / 300 for f in files], "partially")
        covered += covers(told.interval, 5)
    assert covered >= 50


def test_what_makes_no_sense_is_refused() -> None:
    for estimates, variances, kind, options, told in (
        ([1.0], [1.0], "fully", {}, "1 synthetic files do not show"),
        ([1.0, 2.0], [1.0], "partially", {}, "not equally many"),
        ([1.0, 2.0], [1.0, -1.0], "partially", {}, "a variance is negative"),
        ([1.0, math.nan], [1.0, 1.0], "partially", {}, "not finite"),
        ([1.0, 2.0], [1.0, 1.0], "hybrid", {}, "no 'kind' is 'hybrid'"),
        ([1.0, 2.0], [1.0, 1.0], "fully", {"level": 1.0}, "'level'"),
        ([1.0, 2.0], [1.0, 1.0], "fully", {"size_ratio": 0.0}, "'size_ratio'"),
    ):
        with pytest.raises(UsageError, match=told):
            combined(estimates, variances, kind, **options)  # type: ignore[arg-type]
