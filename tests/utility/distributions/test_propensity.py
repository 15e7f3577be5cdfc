"""Propensity scores: what a model that tells files apart says."""

from __future__ import annotations

import numpy as np
import pytest
from tests.utility.samples import as_records, mixed

from tacita.errors import UsageError
from tacita.model.records import Categories, Numbers, Records
from tacita.utility.distributions.propensity import Propensity


@pytest.mark.slow
def test_the_score_of_one_category_is_its_share() -> None:
    """With a single attribute of two values the logistic model is saturated: p is the share of released records."""
    before = Records({"a": Categories.of(["x"] * 60 + ["y"] * 40)})
    after = Records({"a": Categories.of(["x"] * 30 + ["y"] * 70)})
    expected = (90 * (30 / 90 - 0.5) ** 2 + 110 * (70 / 110 - 0.5) ** 2) / 200
    found = Propensity(model="logistic").lost(before, after, ["a"]).figures
    assert found["pMSE"] == pytest.approx(expected, rel=1e-4)
    assert found["share of worst"] == pytest.approx(4 * expected, rel=1e-4)
    unit = 0.25 * 0.5 / 200  # (1 - c)^2 c / N, one parameter beside the constant
    assert found["ratio"] == pytest.approx(expected / unit, rel=1e-4)
    assert found["standardised"] == pytest.approx((expected - unit) / (unit * np.sqrt(2)), rel=1e-4)


@pytest.mark.parametrize("model", ["logistic", "tree"])
def test_files_without_a_value_in_common_are_told_apart_without_error(model: str) -> None:
    x = np.random.default_rng(1).normal(size=(200, 2))
    found = Propensity(model=model, permutations=3).lost(as_records(x), as_records(x + 100), ["x0", "x1"])  # type: ignore[arg-type]
    assert found.figure == pytest.approx(1, abs=1e-3)


def test_the_ratio_is_about_1_for_a_file_of_the_same_distribution() -> None:
    """The null expectation of Snoke et al.: an original as a synthesis would draw it from the same distribution."""
    ratios = []
    for seed in range(60):
        draw = np.random.default_rng(seed)
        one, two = draw.normal(size=(150, 4)), draw.normal(size=(150, 4))
        # both files vary here, which doubles what only a synthesis varies
        ratios.append(
            Propensity(model="logistic")
            .lost(as_records(one), as_records(two), ["x0", "x1", "x2", "x3"])
            .figures["ratio"]
        )
    assert np.mean(ratios) == pytest.approx(2, abs=0.4)


def test_a_tree_sees_interactions_that_main_effects_do_not() -> None:
    draw = np.random.default_rng(2)
    a, b = draw.integers(0, 2, 400), draw.integers(0, 2, 400)
    before, after = as_records(np.column_stack([a, b])), as_records(np.column_stack([a, a]))
    names = ["x0", "x1"]
    plain = Propensity(model="logistic").lost(before, after, names).figure
    crossed = Propensity(model="logistic", interactions=True).lost(before, after, names).figure
    tree = Propensity(model="tree", permutations=5).lost(before, after, names).figures
    assert plain < 0.02
    assert crossed > 0.1
    assert tree["share of worst"] > 0.1
    assert tree["ratio"] > 5


def test_missing_values_can_give_a_file_away() -> None:
    held = mixed()
    holes = held.with_columns({"income": Numbers(np.full(len(held), np.nan))})
    assert Propensity(model="logistic").lost(held, holes, ["income"]).figure == pytest.approx(1, abs=0.01)


def test_a_large_file_is_sampled_by_seed_and_told() -> None:
    x = np.random.default_rng(3).normal(size=(500, 2))
    before, after = as_records(x), as_records(x + 0.5)
    one, again, other = (
        Propensity(model="logistic", records=100, seed=s).lost(before, after, ["x0", "x1"]) for s in (1, 1, 2)
    )
    assert one.figures == again.figures != other.figures
    assert one.notes == ("a sample of 100 records was taken of a larger file",)
    assert Propensity(records=100).lost(before, before, ["x0", "x1"]).figure == 0


def test_bad_parameters() -> None:
    with pytest.raises(UsageError, match="forest"):
        Propensity(model="forest")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="leaf"):
        Propensity(leaf=0)


def test_very_many_values_do_not_make_very_many_columns() -> None:
    names = [f"person {i}" for i in range(300)]
    before, after = Records({"a": Categories.of(names)}), Records({"a": Categories.of(names[:150] * 2)})
    found = Propensity(model="logistic").lost(before, after, ["a"]).figures
    assert 0 < found["share of worst"] < 1
    wide = as_records(np.random.default_rng(1).normal(size=(60, 51)))
    with pytest.raises(UsageError, match="too many interactions"):
        Propensity(model="logistic", interactions=True).lost(wide, wide, wide.names)


def test_a_tree_sees_what_keeps_means() -> None:
    """Groups of five replaced by their mean: main effects see nothing, a tree sees that values are no longer spread."""
    x = np.random.default_rng(4).lognormal(0, 1, (500, 1))
    grouped = np.empty_like(x)
    order = np.argsort(x[:, 0])
    grouped[order] = np.repeat(x[order].reshape(100, 5).mean(axis=1), 5)[:, None]
    before, after = as_records(x), as_records(grouped)
    assert Propensity(model="logistic").lost(before, after, ["x0"]).figure == pytest.approx(0, abs=1e-9)
    assert Propensity(leaf=2).lost(before, after, ["x0"]).figure > 0.2
