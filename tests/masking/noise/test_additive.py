"""Additive noise: its distribution, what it keeps, and what sdcMicro 5.8.1 finds for the same amount."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.masking.noise.samples import mixed, normal, read

from tacita.errors import InputError
from tacita.masking.noise.additive import CorrelatedNoise, UncorrelatedNoise
from tacita.masking.noise.linear_transformation import NoiseWithLinearTransformation
from tacita.masking.noise.nonlinear_transformation import NoiseWithNonLinearTransformation
from tacita.model.records import Numbers, Records

XY = ("x", "y")


def test_uncorrelated_noise_has_its_variances_and_no_correlation() -> None:
    records = normal(200_000, 1)
    before = records.matrix(XY)
    noise = UncorrelatedNoise(XY, alpha=0.25).treated(records, np.random.default_rng(2)).records.matrix(XY) - before
    assert np.allclose(noise.std(axis=0), 0.5 * before.std(axis=0), rtol=0.01)
    assert np.all(np.abs(noise.mean(axis=0)) < 5 * noise.std(axis=0) / np.sqrt(len(noise)))
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.01
    assert abs(np.corrcoef(noise[:, 0], before[:, 0])[0, 1]) < 0.01


def test_correlated_noise_has_alpha_times_the_covariance() -> None:
    records = normal(200_000, 1)
    before = records.matrix(XY)
    after = CorrelatedNoise(XY, alpha=0.5).treated(records, np.random.default_rng(2)).records.matrix(XY)
    assert np.allclose(np.cov((after - before).T), 0.5 * np.cov(before.T), rtol=0.02)
    assert np.allclose(np.corrcoef(after.T), np.corrcoef(before.T), atol=0.01)


def test_uncorrelated_noise_shrinks_correlations_as_said() -> None:
    records = normal(200_000, 1)
    after = UncorrelatedNoise(XY, alpha=0.5).treated(records, np.random.default_rng(2)).records.matrix(XY)
    assert np.isclose(np.corrcoef(after.T)[0, 1], np.corrcoef(records.matrix(XY).T)[0, 1] / 1.5, atol=0.01)


def test_sums_survive_a_singular_covariance() -> None:
    records = normal(50, 1)
    parts = records.matrix(XY)
    whole = records.with_columns({"sum": Numbers.of(parts.sum(axis=1)), "same": Numbers.of(parts[:, 0])})
    names = (*XY, "sum", "same")
    for method in (CorrelatedNoise(names, alpha=1), NoiseWithLinearTransformation(names, alpha=1)):
        after = method.treated(whole, np.random.default_rng(2)).records.matrix(names)
        assert np.allclose(after[:, 0] + after[:, 1], after[:, 2])
        assert np.allclose(after[:, 0], after[:, 3])
        assert np.abs(after - whole.matrix(names)).min() > 0


@pytest.mark.slow
def test_linear_transformation_keeps_means_exactly_and_the_covariance_on_average() -> None:
    records = normal(6, 4)
    before = records.matrix(XY)
    method = NoiseWithLinearTransformation(XY, alpha=1.0)
    draw = np.random.default_rng(5)
    covariances = []
    for _ in range(1500):
        after = method.treated(records, draw).records.matrix(XY)
        assert np.allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-12)
        covariances.append(np.cov(after.T))
    error = np.std(covariances, axis=0) / np.sqrt(len(covariances))
    assert np.all(np.abs(np.mean(covariances, axis=0) - np.cov(before.T)) < 4 * error)
    # The constant often printed, (n - 1) / (n (1 + alpha) - 1), would be told apart here.
    printed = 5 / (6 * 2 - 1) * 2
    assert np.abs(np.mean(covariances, axis=0) * printed - np.cov(before.T))[0, 0] > 4 * error[0, 0]


def test_linear_transformation_with_missing_values_keeps_means() -> None:
    records = mixed()
    method = NoiseWithLinearTransformation(("age", "income", "wealth"), alpha=0.5)
    after = method.treated(records, np.random.default_rng(1)).records
    for name in ("age", "income", "wealth"):
        assert np.isclose(np.nanmean(after.numbers(name).values), np.nanmean(records.numbers(name).values))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from([1.0, 2.0, 2.5, 7.0, None]), min_size=8, max_size=8), min_size=1, max_size=3))
def test_non_linear_transformation_keeps_every_distribution(columns: list[list[float | None]]) -> None:
    records = Records({f"x{i}": Numbers.of([1.0, 3.0, *column]) for i, column in enumerate(columns)})
    found = NoiseWithNonLinearTransformation(records.names, alpha=1).treated(records, np.random.default_rng(1)).records
    for name in records.names:
        own, new = records.numbers(name).values, found.numbers(name).values
        assert np.array_equal(np.isnan(own), np.isnan(new))
        assert np.array_equal(np.sort(own), np.sort(new), equal_nan=True)


def test_non_linear_transformation_keeps_rank_correlations_of_a_normal_copula() -> None:
    records = normal(100_000, 3)
    skewed = records.with_columns({"x": Numbers.of(np.exp(records.numbers("x").values / 10))})
    method = NoiseWithNonLinearTransformation(XY, alpha=1.0)
    after = method.treated(skewed, np.random.default_rng(2)).records.matrix(XY)
    before = skewed.matrix(XY)

    def rank_correlation(values: np.ndarray) -> float:
        return float(np.corrcoef(values.argsort(axis=0).argsort(axis=0).T)[0, 1])

    assert np.isclose(rank_correlation(after), rank_correlation(before), atol=0.015)
    moved = np.stack([before[:, 0], after[:, 0]], axis=1)
    assert np.isclose(rank_correlation(moved), 6 / np.pi * np.arcsin(np.sqrt(0.5) / 2), atol=0.01)


def test_correlations_of_too_few_complete_records_are_refused() -> None:
    records = Records({"x": Numbers.of([1.0, 2, None, None]), "y": Numbers.of([None, 1.0, 2, 3])})
    for kind in (CorrelatedNoise, NoiseWithLinearTransformation, NoiseWithNonLinearTransformation):
        with pytest.raises(InputError, match="fewer than two records have all"):
            kind(XY).treated(records, np.random.default_rng(1))


def test_an_attribute_that_varies_only_among_incomplete_records_gets_noise() -> None:
    records = Records({"x": Numbers.of([1.0, 1, 5, 9]), "y": Numbers.of([1.0, 2, None, None])})
    found = CorrelatedNoise(XY).treated(records, np.random.default_rng(1)).records
    assert np.all(found.numbers("x").values != records.numbers("x").values)


@pytest.mark.slow
def test_amounts_agree_with_sdcmicro(shared: Path) -> None:
    """sdcMicro's additive noise of 150 has 1.5 times the deviation, its correlated one 1.5 times the covariance."""
    reference = json.loads((shared / "sdcmicro" / "addnoise.json").read_text())
    records = read(shared / "data" / "sdcmicro" / "CASCrefmicrodata.csv")
    before = records.matrix(records.names)
    for ours, theirs in (
        (UncorrelatedNoise(records.names, alpha=1.5**2), reference["additive"]),
        (CorrelatedNoise(records.names, alpha=1.5), reference["correlated"]),
    ):
        distances = []
        for seed in range(40):
            after = ours.treated(records, np.random.default_rng(seed)).records.matrix(records.names)
            distances.append(np.linalg.norm(np.corrcoef(after.T) - np.corrcoef(before.T)))
        ratio = (after - before).std(axis=0) / before.std(axis=0)
        # Of 1080 draws: each ratio within 4.5 standard errors of theirs, both being random.
        assert np.allclose(ratio, theirs["sd_ratio_noise"], rtol=4.5 * np.sqrt(2 / (2 * 1080)))
        assert np.isclose(ratio.mean(), np.mean(theirs["sd_ratio_noise"]), rtol=0.03)
        assert min(distances) < theirs["cor_frob_diff"] < max(distances)
