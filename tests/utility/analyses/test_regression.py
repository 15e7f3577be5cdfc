"""Models before and after: formulas, closed forms, and what happens when a model no longer holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.utility.samples import mixed

from tacita.errors import InputError, UsageError
from tacita.model.records import Categories, Numbers, Records
from tacita.utility.analyses.fit import fitted
from tacita.utility.analyses.formula import Factor, Formula
from tacita.utility.analyses.regression import Regression


def test_a_formula_is_read() -> None:
    found = Formula.parsed("`net income` ~ age + C(region) + age:C(`home town`) + age")
    assert found.response == "net income"
    assert found.terms == (
        (Factor("age"),),
        (Factor("region", as_categories=True),),
        (Factor("age"), Factor("home town", as_categories=True)),
    )
    assert found.has_constant
    assert not Formula.parsed("y ~ a - 1").has_constant
    assert not Formula.parsed("y ~ 0 + a").has_constant
    assert Formula.parsed("y ~ 1").terms == ()
    assert Formula.parsed("y ~ `a + b`").terms == ((Factor("a + b"),),)


@pytest.mark.parametrize(
    "wrong", ["", "y", "y ~", "~ a", "y ~ a +", "y ~ a * b", "y ~ log(a)", "y ~ 0", "a + b ~ c", "y ~ C(", "y ~ a ~ b"]
)
def test_what_is_no_formula_is_told(wrong: str) -> None:
    with pytest.raises(UsageError, match="is not a formula"):
        Formula.parsed(wrong)


def test_a_response_does_not_explain_itself() -> None:
    with pytest.raises(UsageError, match="explains itself"):
        Formula.parsed("y ~ a + C(y)")


def test_group_means_and_their_errors() -> None:
    """A linear model of two groups: the difference of means, and its error from the pooled variance."""
    draw = np.random.default_rng(1)
    one, two = draw.normal(3, 1, 30), draw.normal(5, 1, 20)
    held = Records({"y": Numbers(np.concatenate([one, two])), "g": Categories.of(["first"] * 30 + ["second"] * 20)})
    found = Regression("y ~ g").lost(held, held, []).attributes
    assert found["(constant)"]["before"] == pytest.approx(one.mean())
    assert found["g[2]"]["before"] == pytest.approx(two.mean() - one.mean())
    pooled = (one.var() * 30 + two.var() * 20) / 48
    assert found["g[2]"]["standard error before"] == pytest.approx(math.sqrt(pooled * (1 / 30 + 1 / 20)))


def test_weighted_means_and_weights_of_zero() -> None:
    y, w = np.array([1.0, 2.0, 6.0, 100.0]), np.array([1.0, 1.0, 2.0, 0.0])
    held = Records({"y": Numbers(y), "w": Numbers(w)})
    found = Regression("y ~ 1", weights="w").lost(held, held, []).attributes["(constant)"]
    mean = (1 + 2 + 12) / 4
    assert found["before"] == pytest.approx(mean)
    spread = ((1 - mean) ** 2 + (2 - mean) ** 2 + 2 * (6 - mean) ** 2) / 2
    assert found["standard error before"] == pytest.approx(math.sqrt(spread / 4))


def test_a_logistic_model_of_a_table_is_its_odds_ratio() -> None:
    a, b, c, d = 30, 10, 15, 25
    x = np.repeat([1.0, 1.0, 0.0, 0.0], [a, b, c, d])
    y = np.repeat([1.0, 0.0, 1.0, 0.0], [a, b, c, d])
    held = Records({"x": Numbers(x), "y": Numbers(y)})
    found = Regression("y ~ x", kind="logistic").lost(held, held, []).attributes["x"]
    assert found["before"] == pytest.approx(math.log(a * d / (b * c)))
    assert found["standard error before"] == pytest.approx(math.sqrt(1 / a + 1 / b + 1 / c + 1 / d))


def test_a_poisson_model_of_two_groups_is_the_ratio_of_means() -> None:
    one, two = np.array([0.0, 1, 2, 5]), np.array([3.0, 4, 8])
    found = fitted("poisson", np.concatenate([one, two]), [np.ones(7), np.repeat([0.0, 1.0], [4, 3])], np.ones(7))
    assert found is not None
    assert found.coefficients == pytest.approx([math.log(2), math.log(5 / 2)])
    assert found.errors == pytest.approx([math.sqrt(1 / 8), math.sqrt(1 / 8 + 1 / 15)])


def test_weights_of_a_survey_do_not_pretend_to_be_records() -> None:
    draw = np.random.default_rng(2)
    x = draw.normal(size=200)
    y = (draw.random(200) < 1 / (1 + np.exp(-x))).astype(float)
    columns = [np.ones(200), x]
    plain, large = (fitted("logistic", y, columns, np.full(200, weight)) for weight in (1.0, 5000.0))
    assert plain is not None
    assert large is not None
    assert large.errors == pytest.approx(plain.errors)


@given(seed=st.integers(0, 500))
def test_least_squares_are_those_of_numpy(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = np.column_stack([np.ones(30), draw.normal(size=(30, 3)) * [1, 1e6, 1e-6]])
    y = draw.normal(size=30)
    found = fitted("linear", y, list(x.T), np.ones(30))
    assert found is not None
    own, rest = np.linalg.lstsq(x, y, rcond=None)[:2]
    assert found.coefficients == pytest.approx(own, rel=1e-6)
    errors = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * rest[0] / 26)
    assert found.errors == pytest.approx(errors, rel=1e-4)


def test_the_overlap_by_hand() -> None:
    """A mean of n equal-variance numbers moved by a third of its interval: two thirds of both intervals are shared."""
    y = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    width = 2 * 2.7764451051977987 * y.std(ddof=1) / math.sqrt(5)  # Student's t with 4 degrees, 97.5 %
    before, after = Records({"y": Numbers(y)}), Records({"y": Numbers(y + width / 3)})
    found = Regression("y ~ 1").lost(before, after, [])
    assert found.figures["overlap lost"] == pytest.approx(1 / 3)
    assert found.figures["standardised difference"] == pytest.approx(2 * 2.7764451051977987 / 3)
    assert found.figures["fitted mean"] == pytest.approx(width / 3 / 3)
    far = Records({"y": Numbers(y + 2 * width)})
    assert Regression("y ~ 1").lost(before, far, []).figures["overlap lost"] == 1


def test_signs_and_significance() -> None:
    draw = np.random.default_rng(3)
    x = draw.normal(size=300)
    before = Records({"x": Numbers(x), "y": Numbers(x + draw.normal(size=300))})
    turned = before.with_columns({"x": Numbers(-x)})
    found = Regression("y ~ 0 + x").lost(before, turned, []).figures
    assert (found["signs changed"], found["significance changed"], found["overlap lost"]) == (1, 0, 1)
    noise = before.with_columns({"x": Numbers(draw.normal(size=300))})
    assert Regression("y ~ 0 + x").lost(before, noise, []).figures["significance changed"] == 1


def test_a_category_that_is_gone_is_lost() -> None:
    before = Records({"y": Numbers.of([1.0, 2, 3, 4, 5, 7]), "g": Categories.of(["a", "a", "b", "b", "c", "c"])})
    after = before.with_columns({"g": Categories.of(["a", "a", "b", "b", "b", "b"])})
    found = Regression("y ~ g").lost(before, after, []).attributes
    assert math.isnan(found["g[3]"]["after"])
    assert found["g[3]"]["overlap"] == 0


def test_a_column_that_others_determine_has_no_coefficient() -> None:
    held = mixed()
    twice = held.with_columns({"double": Numbers(held.numbers("income").values * 2)})
    found = Regression("spent ~ income + double").lost(twice, twice, [])
    assert set(found.attributes) == {"(constant)", "income"}
    assert found.figure == 0


def test_a_model_by_subgroup() -> None:
    draw = np.random.default_rng(4)
    x, g = draw.normal(size=200), np.repeat(["north", "south"], 100)
    y = np.where(g == "north", 1.0, -1.0) * x + draw.normal(0, 0.1, 200)
    before = Records({"x": Numbers(x), "y": Numbers(y), "g": Categories.of(list(g))})
    found = Regression("y ~ x", by=("g",)).lost(before, before, [])
    assert found.attributes["g[1]: x"]["before"] == pytest.approx(1, abs=0.05)
    assert found.attributes["g[2]: x"]["before"] == pytest.approx(-1, abs=0.05)
    only = before.taken(np.flatnonzero(g == "north"))
    lost = Regression("y ~ x", by=("g",)).lost(before, only, [])
    assert lost.figure == pytest.approx(0.5)
    assert lost.notes == ("the model of a subgroup can no longer be estimated (1 time): all of it is lost",)


def test_interactions_multiply() -> None:
    draw = np.random.default_rng(5)
    x, z, g = draw.normal(size=300), draw.normal(size=300), draw.integers(0, 2, 300)
    y = 2 * x * z + 3 * x * g
    held = Records({"x": Numbers(x), "z": Numbers(z), "g": Categories.of([int(v) for v in g]), "y": Numbers(y)})
    found = Regression("y ~ x + z + x:z + x:g").lost(held, held, []).attributes
    assert found["x:z"]["before"] == pytest.approx(2)
    assert found["x:g[2]"]["before"] == pytest.approx(3)
    assert found["x"]["before"] == pytest.approx(0, abs=1e-9)


def test_missing_and_infinite_values_are_left_out_and_told() -> None:
    before = Records({"x": Numbers.of([1.0, 2, 3, 4, 5]), "y": Numbers.of([1.0, 3, 2, 5, 4])})
    after = Records({"x": Numbers.of([1.0, 2, 3, None, np.inf]), "y": Numbers.of([1.0, 3, 2, 5, 4])})
    found = Regression("y ~ x").lost(before, after, [])
    assert found.notes == ("the model leaves out 2 records after with a missing or infinite value",)
    expected = fitted("linear", np.array([1.0, 3, 2]), [np.ones(3), np.array([1.0, 2, 3])], np.ones(3))
    assert expected is not None
    assert found.attributes["x"]["after"] == pytest.approx(expected.coefficients[1])


def test_a_response_that_can_be_told_without_error_has_no_logistic_model() -> None:
    x = np.arange(20.0)
    y = (x > 9).astype(float)
    assert fitted("logistic", y, [np.ones(20), x], np.ones(20)) is None
    mixed_up = Records({"x": Numbers(x), "y": Numbers(np.arange(20) % 2)})
    told = Regression("y ~ x", kind="logistic").lost(mixed_up, Records({"x": Numbers(x), "y": Numbers(y)}), [])
    assert told.figure == 1
    assert told.notes == ("the model can no longer be estimated (1 time): all of it is lost",)
    unknown = Regression("y ~ x", kind="logistic").lost(Records({"x": Numbers(x), "y": Numbers(y)}), mixed_up, [])
    assert math.isnan(unknown.figure)
    assert unknown.notes == ("the model cannot be estimated before (1 time), and is left out",)


def test_a_perfect_fit_is_a_point() -> None:
    held = Records({"x": Numbers.of([0.0, 1.0, 2.0]), "y": Numbers.of([0.0, 1.0, 2.0])})
    assert Regression("y ~ 0 + x").lost(held, held, []).figure == 0


def test_faults_of_a_model_are_told() -> None:
    held = mixed()
    with pytest.raises(InputError, match="did you mean 'income'"):
        Regression("incom ~ wealth").lost(held, held, [])
    with pytest.raises(UsageError, match="not a number"):
        Regression("area ~ income").lost(held, held, [])
    with pytest.raises(UsageError, match="has 3 values"):
        Regression("area ~ income", kind="logistic").lost(held, held, [])
    with pytest.raises(UsageError, match="makes the subgroups"):
        Regression("income ~ area", by=("area",))
    with pytest.raises(UsageError, match="no kind 'cubic'"):
        Regression("income ~ area", kind="cubic")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="confidence"):
        Regression("income ~ area", confidence=95)
    recoded = held.with_columns({"income": Categories.of(["low"] * len(held))})
    with pytest.raises(UsageError, match="number before and not after"):
        Regression("spent ~ income").lost(held, recoded, [])


def test_counts_below_zero_have_no_poisson_model() -> None:
    assert fitted("poisson", np.array([-1.0, 2, 3]), [np.ones(3)], np.ones(3)) is None


def test_too_many_coefficients_are_refused() -> None:
    many = Records({"y": Numbers(np.arange(600.0)), "id": Categories.of([f"person {i}" for i in range(600)])})
    with pytest.raises(UsageError, match="600 categories"):
        Regression("y ~ id").lost(many, many, [])
    crossed = Records(
        {
            "y": Numbers(np.arange(900.0)),
            "a": Categories.of([i % 30 for i in range(900)]),
            "b": Categories.of([i // 30 for i in range(900)]),
        }
    )
    with pytest.raises(UsageError, match="841 coefficients"):
        Regression("y ~ a:b").lost(crossed, crossed, [])


def test_many_subgroups_are_fitted_at_once() -> None:
    draw = np.random.default_rng(6)
    group = np.concatenate([np.arange(500), np.arange(500), draw.integers(0, 500, 4000)])
    held = Records({"y": Numbers(draw.normal(size=5000)), "g": Categories.of([int(g) for g in group])})
    found = Regression("y ~ 1", by=("g",)).lost(held, held, [])
    assert len(found.attributes) == len(np.unique(group))
    place = held.categories("g").codes[0]
    own = held.numbers("y").values[held.categories("g").codes == place]
    assert found.attributes[f"g[{place + 1}]: (constant)"]["before"] == pytest.approx(own.mean())
