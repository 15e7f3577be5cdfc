"""Weights: totals stay after noise, known totals are met, and what cannot be is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tacita.errors import InputError, TacitaError, UsageError
from tacita.masking.catalogue import METHODS
from tacita.masking.contract import breaches
from tacita.masking.weights.calibration import calibrated, design
from tacita.masking.weights.weight_calibration import WeightCalibration
from tacita.masking.weights.weight_noise import WeightNoise, whole_weights
from tacita.masking.within import treated_within
from tacita.model.records import Categories, Numbers, Records

AREAS = ("east", "north", "south")


def people(count: int = 300, *, holes: bool = True) -> Records:
    draw = np.random.default_rng(6)
    weights = np.ceil(draw.gamma(3, 10, count))
    area = draw.integers(0, 3, count).astype(np.int32)
    income = draw.lognormal(3, 1, count)
    if holes:
        weights[::11], weights[5::11], area[::7], income[::9] = 0, np.nan, -1, np.nan
    sex = Categories(draw.integers(0, 2, count).astype(np.int32), ("female", "male"))
    return Records({"w": Numbers(weights), "area": Categories(area, AREAS), "income": Numbers(income), "sex": sex})


def weighted(records: Records, names: tuple[str, ...]) -> np.ndarray[Any, Any]:
    return np.asarray(np.nan_to_num(records.numbers("w").values) @ design(records, names))


@pytest.mark.parametrize("keep", [(), ("area", "sex", "income")])
def test_noise_keeps_the_totals(keep: tuple[str, ...]) -> None:
    records, method = people(), WeightNoise("w", 0.3, keep)
    assert breaches(method, records) == []
    found = method.treated(records, np.random.default_rng(1))
    np.testing.assert_allclose(weighted(found.records, keep), weighted(records, keep), rtol=1e-8)
    before, after = records.numbers("w").values, found.records.numbers("w").values
    assert np.array_equal(np.isnan(before), np.isnan(after)) and np.all(after[before == 0] == 0)
    changes = after[before > 0] / before[before > 0]
    assert np.all(changes > 0) and 0.1 < found.figures["mean relative change of weights"] < 0.2
    assert np.mean(changes == 1) == 0


def test_the_noise_is_even() -> None:
    records = Records({"w": Numbers(np.full(5000, 8.0))})
    found = WeightNoise("w", 0.2).treated(records, np.random.default_rng(2)).records.numbers("w").values / 8
    # The common factor of calibration is within a few thousandths of 1.
    assert stats.kstest(found, stats.uniform(0.8, 0.4).cdf).pvalue > 1e-3


def test_a_total_of_few_records_is_not_kept() -> None:
    area = Categories.of(["north"] * 9 + ["south"])
    records = Records({"w": Numbers.of([float(n) for n in range(1, 11)]), "area": area})
    with pytest.raises(InputError, match="1 of the totals to keep") as caught:
        WeightNoise("w", keep=("area",)).treated(records, np.random.default_rng(1))
    assert caught.value.do
    with pytest.raises(InputError, match="fewer than 3"):
        WeightNoise("w").treated(records.taken(np.arange(2)), np.random.default_rng(1))


def test_within_strata_each_keeps_its_sum() -> None:
    records = people(holes=False)
    found = treated_within(WeightNoise("w"), records, ["sex"], np.random.default_rng(1)).records
    np.testing.assert_allclose(weighted(found, ("sex",)), weighted(records, ("sex",)), rtol=1e-9)


@pytest.mark.parametrize("distance", ["raking", "linear"])
def test_known_totals_are_met_within_bounds(distance: Any) -> None:
    records = people()
    totals: Any = {"area": {"east": 2500, "north": 3000, "south": 2000}, "income": 300_000}
    method = WeightCalibration("w", totals, distance, lower=0.3, upper=3)
    assert breaches(method, records) == []
    found = method.treated(records, np.random.default_rng())
    reached = weighted(found.records, ("area", "income"))
    np.testing.assert_allclose(reached[[1, 2, 3, 5]], [2500, 3000, 2000, 300_000], rtol=1e-8)
    assert found.figures["smallest factor"] >= 0.3 and found.figures["largest factor"] <= 3


def test_raking_is_iterative_proportional_fitting_and_linear_is_the_regression_estimator() -> None:
    records, weights = people(holes=False), people(holes=False).numbers("w").values
    rows, columns = (records.categories(name).codes for name in ("area", "sex"))
    margins = [np.array([2000.0, 3500, 2500]), np.array([3000.0, 5000])]
    fitted = weights.copy()
    for _ in range(200):
        for codes, margin in ((rows, margins[0]), (columns, margins[1])):
            fitted = fitted * (margin / np.bincount(codes, fitted))[codes]
    totals = {"area": dict(zip(AREAS, margins[0], strict=True)), "sex": {"female": 3000.0, "male": 5000.0}}
    raked = WeightCalibration("w", totals, lower=0.0, upper=np.inf).treated(records, np.random.default_rng())
    np.testing.assert_allclose(raked.records.numbers("w").values, fitted, rtol=1e-6)
    added = np.column_stack([np.ones(len(weights)), records.numbers("income").values])
    wanted = np.array([8000.0, 250_000.0])
    b = np.linalg.solve((added.T * weights) @ added, wanted - weights @ added)
    linear = calibrated(weights, added, wanted, distance="linear", lower=-np.inf)
    np.testing.assert_allclose(linear, weights * (1 + added @ b), rtol=1e-8)


@pytest.mark.parametrize(
    ("totals", "said"),
    [
        ({"area": {"east": 1e9, "north": 3000, "south": 2000}}, "cannot be met"),
        ({"area": {"east": 1000, "north": 3000, "south": 2000}, "sex": {"female": 1, "male": 2}}, "cannot be met"),
        ({"area": {"east": 1000, "north": 3000}}, "1 values of 'area' have no total"),
        ({"area": {"east": 1000, "north": 3000, "south": 2000, "west": 1}}, "1 totals of 'area'"),
        ({"area": 5.0}, "must be one for each value"),
        ({"income": {"a": 5.0}}, "must be one number"),
    ],
)
@pytest.mark.parametrize("distance", ["raking", "linear"])
def test_totals_that_cannot_be_met(totals: Any, said: str, distance: Any) -> None:
    with pytest.raises(TacitaError, match=said) as caught:
        WeightCalibration("w", totals, distance).treated(people(), np.random.default_rng())
    assert caught.value.do


@pytest.mark.parametrize(("weights", "said"), [([1, -1, 2], "negative"), ([1, np.inf, 2], "infinite")])
def test_weights_that_cannot_be(weights: list[Any], said: str) -> None:
    records = Records({"w": Numbers.of(weights), "x": Numbers.of([1, 1, 1])})
    for method in (WeightNoise("w"), WeightCalibration("w", {"x": 4.0})):
        with pytest.raises(InputError, match=said):
            method.treated(records, np.random.default_rng(1))


def test_no_weight_above_zero() -> None:
    records = Records({"w": Numbers.of([0, 0, None]), "x": Numbers.of([1, 1, 1])})
    assert "nothing was changed" in WeightNoise("w").treated(records, np.random.default_rng(1)).notes[0]
    with pytest.raises(InputError, match="no weight above 0"):
        WeightCalibration("w", {"x": 4.0}).treated(records, np.random.default_rng(1))


def test_whole_weights_stay_whole_and_keep_their_noise() -> None:
    draw = np.random.default_rng(3)
    weights = draw.integers(1, 5, 2000).astype(float)
    records = Records({"w": Numbers(weights, is_whole=True), "area": Categories.of(list("ns") * 1000)})
    found = WeightNoise("w", 0.2, keep=("area",)).treated(records, np.random.default_rng(1))
    after = found.records.numbers("w")
    assert after.is_whole and np.all(after.values == np.rint(after.values))
    assert after.values.sum() == weights.sum()
    assert np.abs(weighted(found.records, ("area",)) - weighted(records, ("area",))).max() <= 1
    assert np.mean(after.values != weights) > 0.1 and len(found.notes) == 1
    known = WeightCalibration("w", {"area": {"n": 3000, "s": 2000}}).treated(records, np.random.default_rng(1))
    assert np.abs(weighted(known.records, ("area",))[1:3] - [3000, 2000]).max() <= 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 20), min_size=1, max_size=12), st.floats(0, 0.999), st.integers(0, 99))
def test_whole_weights_are_near_and_add_up(weights: list[float], start: float, seed: int) -> None:
    held = np.array(weights)
    found = whole_weights(held, np.random.default_rng(seed).permutation(len(held)), start)
    assert np.all((found == np.floor(held)) | (found == np.ceil(held)))
    assert abs(found.sum() - held.sum()) <= 1


def test_whole_weights_go_up_with_their_fraction() -> None:
    held, random = np.array([1.2, 2.5, 1.9, 3.4]), np.random.default_rng(5)
    runs = np.array([whole_weights(held, random.permutation(4), random.random()) for _ in range(4000)])
    assert np.all(runs.sum(axis=1) == 9)
    assert np.abs(runs.mean(axis=0) - held).max() < 4 * 0.5 / np.sqrt(len(runs))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("weight-noise", {"weight": ""}),
        ("weight-noise", {"noise": 1.0}),
        ("weight-noise", {"keep": ["w"]}),
        ("weight-noise", {"lower": 1.5}),
        ("weight-calibration", {"totals": {}}),
        ("weight-calibration", {"totals": {"w": 1}}),
        ("weight-calibration", {"totals": {"x": float("inf")}}),
        ("weight-calibration", {"totals": {"x": 1}, "upper": 0.5}),
    ],
)
def test_wrong_parameters(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(TacitaError) as caught:
        METHODS.make(name, {"weight": "w"} | parameters)
    assert caught.value.do
    with pytest.raises(UsageError, match="did you mean 'raking'"):
        WeightCalibration("w", {"x": 1.0}, distance="rakin")  # type: ignore[arg-type]


@pytest.mark.slow
@given(st.integers(12, 200), st.floats(0.01, 0.9), st.integers(0, 10_000), st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_weight_moves_by_more_than_the_noise(count: int, noise: float, seed: int, is_whole: bool) -> None:
    draw = np.random.default_rng(seed)
    weights = np.ceil(draw.gamma(1, 40, count)) if is_whole else draw.gamma(1, 40, count) + 1e-3
    area = Categories((np.arange(count) % 3).astype(np.int32), AREAS)
    income = Numbers(draw.lognormal(3, 2, count))
    records = Records({"w": Numbers(weights, is_whole), "area": area, "income": income})
    found = WeightNoise("w", noise, ("area", "income")).treated(records, draw).records.numbers("w").values
    assert np.all(np.abs(found - weights) < noise * weights * (1 + 1e-9) + is_whole)
    if not is_whole:
        keep = ("area", "income")
        assert np.allclose(found @ design(records, keep), weights @ design(records, keep), rtol=1e-7)


def test_totals_that_leave_no_noise_are_refused() -> None:
    draw = np.random.default_rng(1)
    columns = {f"x{place}": Numbers(draw.random(4)) for place in range(4)}
    records = Records({"w": Numbers(draw.random(4) + 1), **columns})
    with pytest.raises(InputError, match="no room for noise"):
        WeightNoise("w", keep=tuple(columns)).treated(records, draw)
