"""Distances between distributions, against scipy, by hand and by their properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import ks_2samp, wasserstein_distance
from tests.utility.samples import as_records, mixed

from tacita.errors import InputError, UsageError
from tacita.model.records import Categories, Numbers, Records
from tacita.utility.classes import classes
from tacita.utility.distributions.class_distances import Hellinger, JensenShannon, TotalVariation
from tacita.utility.distributions.kolmogorov_smirnov import KolmogorovSmirnov
from tacita.utility.distributions.wasserstein import Wasserstein

shares = st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any).map(lambda n: np.array(n) / sum(n))


@given(one=shares, two=shares)
def test_formulas_of_shares(one: np.ndarray, two: np.ndarray) -> None:
    h, tv = Hellinger.distance(one, two), TotalVariation.distance(one, two)
    assert h**2 == pytest.approx(1 - np.sqrt(one * two).sum(), abs=1e-12)
    assert h**2 <= tv + 1e-12 <= h * np.sqrt(2) + 1e-11
    assert JensenShannon.distance(one, two) == pytest.approx(jensenshannon(one, two, base=2), abs=1e-7)
    for distance in (Hellinger.distance, TotalVariation.distance, JensenShannon.distance):
        assert distance(one, two) == pytest.approx(distance(two, one))
        assert distance(one, one) == 0


values = st.lists(st.integers(-5, 5), min_size=3, max_size=30)


@pytest.mark.slow
@given(one=values, two=values)
def test_against_scipy(one: list[int], two: list[int]) -> None:
    before, after = Records({"x": Numbers.of(one)}), Records({"x": Numbers.of(two)})
    found = KolmogorovSmirnov().lost(before, after, ["x"]).figure
    assert found == pytest.approx(ks_2samp(one, two, method="asymp").statistic)
    if np.std(one) > 0:
        expected = wasserstein_distance(one, two) / np.std(one)
        assert Wasserstein().lost(before, after, ["x"]).figure == pytest.approx(expected)


@pytest.mark.slow
@given(one=values, seed=st.integers(0, 99))
def test_weights_are_repetitions(one: list[int], seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, 3, len(one))
    weights[0] = 1
    held = Records({"x": Numbers.of(one), "w": Numbers(weights.astype(float))})
    repeated = Records({"x": Numbers(np.repeat(np.array(one, dtype=float), weights))})
    repeated = repeated.with_columns({"w": Numbers(np.ones(len(repeated)))})
    for measure in (KolmogorovSmirnov(weights="w"), TotalVariation(weights="w"), Hellinger(weights="w")):
        assert measure.lost(repeated, held, ["x"]).figure == pytest.approx(0, abs=1e-12)


def test_pairs_see_what_attributes_do_not() -> None:
    held = mixed(400)
    broken = held.with_columns({"spent": held["spent"].taken(np.random.default_rng(1).permutation(len(held)))})
    names = ["income", "spent"]
    for measure, least in (
        (Hellinger(classes=5), 0.3),
        (TotalVariation(classes=5), 0.3),
        (JensenShannon(classes=5), 0.3),
        (KolmogorovSmirnov(), 0.1),
        (Wasserstein(pairs=True), 0.1),
    ):
        found = measure.lost(held, broken, names).figures
        assert found["attributes"] == pytest.approx(0, abs=1e-12)
        assert found["pairs"] > least
    assert np.isnan(Hellinger(pairs=False).lost(held, broken, names).figures["pairs"])


def test_the_distance_of_pairs_by_hand() -> None:
    before = Records({"x": Numbers.of([1.0, 1, 2, 2]), "y": Numbers.of([1.0, 2, 1, 2])})
    after = Records({"x": Numbers.of([1.0, 1, 2, 2]), "y": Numbers.of([1.0, 1, 2, 2])})
    assert TotalVariation().lost(before, after, ["x", "y"]).figures["pairs"] == 0.5
    # F(1, 1) is 1/4 before and 1/2 after
    assert KolmogorovSmirnov().lost(before, after, ["x", "y"]).figures["pairs"] == 0.25


def test_ordered_categories_have_places_and_others_none() -> None:
    order = ("low", "middle", "high")
    before = Records({"s": Categories.of(["low", "middle", "high"], order=order), "a": Categories.of(["x", "y", "x"])})
    after = before.with_columns({"s": Categories.of(["low", "low", "high"], order=order)})
    found = KolmogorovSmirnov().lost(before, after, ["s", "a"])
    assert found.attributes == {"s": {"distance": pytest.approx(1 / 3)}}
    assert "left out, without an order in both files: a" in found.notes


def test_a_generalised_attribute_is_as_far_as_can_be() -> None:
    before = Records({"x": Numbers.of([1.0, 2.0, 3.0])})
    after = Records({"x": Categories.of(["1-3", "1-3", "1-3"])})
    assert TotalVariation().lost(before, after, ["x"]).figure == 1
    assert "left out, without an order in both files: x" in Wasserstein().lost(before, after, ["x"]).notes


def test_missing_values_are_a_class_or_left_out() -> None:
    before = Records({"x": Numbers.of([1.0, 2.0, 3.0, 4.0])})
    after = Records({"x": Numbers.of([1.0, 2.0, 3.0, None])})
    assert TotalVariation().lost(before, after, ["x"]).figure == 0.25
    found = KolmogorovSmirnov().lost(before, after, ["x"])
    assert found.figure == pytest.approx(0.25)
    assert found.notes == ("left out 1 missing value after",)


def test_infinite_values() -> None:
    before = Records({"x": Numbers.of([1.0, 2.0, 3.0, np.inf])})
    after = Records({"x": Numbers.of([1.0, 2.0, np.inf, np.inf])})
    assert KolmogorovSmirnov().lost(before, after, ["x"]).figure == 0.25
    assert TotalVariation(classes=2).lost(before, after, ["x"]).figure == 0
    assert "left out, with infinite values or a single one before: x" in Wasserstein().lost(before, after, ["x"]).notes


def test_quantile_classes_hold_about_the_same_number() -> None:
    x = np.random.default_rng(1).lognormal(size=1000)
    found = classes(as_records(x[:, None]), as_records(x[:, None]), "x0", 20)
    counts = np.bincount(found.before, minlength=found.number)
    assert counts[:-1].tolist() == [50] * 20
    assert counts[-1] == 0


def test_a_value_of_most_records_is_a_class_of_its_own() -> None:
    x = np.concatenate([np.zeros(900), np.arange(1, 101)])
    found = classes(as_records(x[:, None]), as_records(x[:, None]), "x0", 10)
    assert np.bincount(found.before).tolist() == [900, 100]


def test_weights_that_are_none_are_told() -> None:
    held = mixed()
    for wrong in (-1.0, np.nan, np.inf):
        bad = held.with_columns({"weight": Numbers(np.full(len(held), wrong))})
        with pytest.raises(InputError, match="negative, infinite or missing in 120 records"):
            Hellinger(weights="weight").lost(held, bad, ["income"])
    with pytest.raises(UsageError, match="classes"):
        Hellinger(classes=1)
