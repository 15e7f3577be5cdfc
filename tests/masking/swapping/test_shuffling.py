"""Data shuffling: the values stay, the ranks follow the predictors, and nothing else of the record is used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.masking.noise.samples import mixed, normal, read

from tacita.errors import InputError, UsageError
from tacita.masking.contract import breaches
from tacita.masking.swapping.shuffling import DataShuffling
from tacita.model.records import Categories, Numbers, Records


def ranks(values: np.ndarray) -> np.ndarray:
    return values.argsort(axis=0).argsort(axis=0)


def test_contract() -> None:
    assert breaches(DataShuffling(("income", "wealth", "one"), predictors=("age", "job", "school")), mixed()) == []
    assert breaches(DataShuffling(("income", "wealth")), mixed()) == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from([1.0, 2.0, 3.5, None])] * 3), min_size=6, max_size=20))
def test_every_distribution_is_kept(rows: list[tuple[float | None, ...]]) -> None:
    records = Records({name: Numbers.of([row[i] for row in rows]) for i, name in enumerate("xys")})
    found = DataShuffling(("x", "y"), predictors=("s",)).treated(records, np.random.default_rng(1)).records
    for name in "xy":
        own, new = records.numbers(name).values, found.numbers(name).values
        assert np.array_equal(np.isnan(own), np.isnan(new))
        assert np.array_equal(np.sort(own), np.sort(new), equal_nan=True)


def test_rank_correlations_are_kept_and_nothing_more_is_told() -> None:
    draw = np.random.default_rng(4)
    base = normal(50_000, 3)
    s = base.numbers("x").values
    x = np.exp(0.08 * s + draw.normal(0, 0.5, len(s)))
    z = base.numbers("y").values + 0.3 * draw.normal(0, 1, len(s)) + np.log(x)
    records = Records({"s": Numbers.of(s), "x": Numbers.of(x), "z": Numbers.of(z)})
    found = DataShuffling(("x", "z"), predictors=("s",)).treated(records, np.random.default_rng(5)).records
    before, after = (np.corrcoef(ranks(each.matrix(("s", "x", "z"))).T) for each in (records, found))
    assert np.allclose(before, after, atol=0.015)
    # Given s, the masked value does not depend on the record's own: residuals of ranks are uncorrelated.
    from scipy.special import ndtri

    scores = ndtri((ranks(np.stack([s, x, found.numbers("x").values], axis=1)) + 0.5) / len(s))
    residuals = scores[:, 1:] - np.outer(scores[:, 0], np.array([np.corrcoef(scores.T)[0, 1]] * 2))
    assert abs(np.corrcoef(residuals.T)[0, 1]) < 0.02


def test_categories_predict() -> None:
    draw = np.random.default_rng(4)
    group = draw.integers(0, 3, 20_000)
    records = Records(
        {"g": Categories.of([["b", "c", "a"][i] for i in group]), "x": Numbers.of(group + draw.normal(0, 0.3, 20_000))}
    )
    found = DataShuffling(("x",), predictors=("g",)).treated(records, np.random.default_rng(5)).records
    for code in range(3):
        own, new = (each.numbers("x").values[group == code] for each in (records, found))
        assert np.isclose(own.mean(), new.mean(), atol=0.06)
        assert abs(np.corrcoef(own, new)[0, 1]) < 0.05


def test_a_rare_category_does_not_let_the_model_follow_its_records() -> None:
    draw = np.random.default_rng(4)
    value = draw.normal(0, 1, 500)
    value[0] = 50.0
    labels = ["only" if i == 0 else "many" for i in range(500)]
    records = Records({"g": Categories.of(labels), "x": Numbers.of(value)})
    method = DataShuffling(("x",), predictors=("g",))
    places = [
        int((method.treated(records, np.random.default_rng(seed)).records.numbers("x").values == 50).argmax())
        for seed in range(60)
    ]
    assert places.count(0) <= 3


def test_without_predictors_only_the_own_dependence_is_kept() -> None:
    records = normal(20_000, 1)
    found = DataShuffling(("x", "y")).treated(records, np.random.default_rng(2)).records
    assert np.isclose(np.corrcoef(found.matrix(("x", "y")).T)[0, 1], 0.6, atol=0.03)
    assert abs(np.corrcoef(found.numbers("x").values, records.numbers("x").values)[0, 1]) < 0.03


@pytest.mark.slow
def test_correlations_as_in_sdcmicro(shared: Path) -> None:
    """Of 93 records both shuffles are random: theirs lies among ours, and ours, unlike theirs, keep the values."""
    theirs = json.loads((shared / "sdcmicro" / "shuffle_testdata2.json").read_text())
    records = read(shared / "data" / "sdcmicro" / "testdata2.csv")
    names = ("expend", "income", "savings")
    assert np.allclose(np.corrcoef(records.matrix(names).T), theirs["cor_orig"])
    method = DataShuffling(names, predictors=("age", "sex"))
    ours = np.array(
        [np.corrcoef(method.treated(records, np.random.default_rng(s)).records.matrix(names).T) for s in range(200)]
    )
    off = ~np.eye(3, dtype=bool)
    assert np.all((ours.min(axis=0) < theirs["cor_shuf"])[off]) and np.all((ours.max(axis=0) > theirs["cor_shuf"])[off])
    assert np.allclose(ours.mean(axis=0), theirs["cor_orig"], atol=0.05)


def test_bad_input() -> None:
    with pytest.raises(UsageError, match="x is to be shuffled and predicts"):
        DataShuffling(("x",), predictors=("x",))
    few = Records({"x": Numbers.of([1.0, 2, 3]), "s": Numbers.of([1.0, 2, 3])})
    with pytest.raises(InputError, match="too few for a model"):
        DataShuffling(("x",), predictors=("s",)).treated(few, np.random.default_rng(1))
    with pytest.raises(InputError, match="infinite"):
        DataShuffling(("x",)).treated(Records({"x": Numbers.of([1.0, np.inf, 2, 3])}), np.random.default_rng(1))
