"""Probabilistic losses, bounded distances and robust eigenvalues."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.utility.samples import as_records, mixed

from tacita.errors import UsageError
from tacita.model.records import Categories, Numbers, Records
from tacita.utility.continuous.bounded_distance import BoundedDistance
from tacita.utility.continuous.eigenvalues import Eigenvalues
from tacita.utility.continuous.probabilistic import Probabilistic
from tacita.utility.continuous.robust_eigenvalues import RobustEigenvalues, robust_covariance


def test_the_probabilistic_loss_of_a_mean_and_a_variance_by_hand() -> None:
    x = np.random.default_rng(1).exponential(size=400)
    found = Probabilistic().lost(as_records(x[:, None]), as_records(x[:, None] * 1.05 + 0.02), ["x0"]).figures
    moved = 0.05 * x.mean() + 0.02
    assert found["means"] == pytest.approx(math.erf(moved / (x.std() / 20) / math.sqrt(2)))
    m2, m4 = x.var(), ((x - x.mean()) ** 4).mean()
    moved = (1.05**2 - 1) * m2
    assert found["variances"] == pytest.approx(math.erf(moved / math.sqrt((m4 - m2**2) / 400) / math.sqrt(2)))


def test_the_deviation_of_a_correlation_is_the_bivariate_normal_one() -> None:
    """(1 - r^2) / sqrt(n) for normal data, which the general formula must come near to."""
    draw = np.random.default_rng(2)
    n, rho = 200_000, 0.6
    x = draw.normal(size=n)
    y = rho * x + math.sqrt(1 - rho**2) * draw.normal(size=n)
    other = (rho + 0.001) * x + math.sqrt(1 - (rho + 0.001) ** 2) * (y - rho * x) / math.sqrt(1 - rho**2)
    before, after = as_records(np.column_stack([x, y])), as_records(np.column_stack([x, other]))
    r, s = np.corrcoef(x, y)[0, 1], np.corrcoef(x, other)[0, 1]
    expected = math.erf(abs(s - r) / ((1 - r**2) / math.sqrt(n)) / math.sqrt(2))
    assert Probabilistic().lost(before, after, ["x0", "x1"]).figures["correlations"] == pytest.approx(
        expected, rel=0.02
    )


def test_a_quantile_varies_as_theory_says() -> None:
    """sqrt(q(1-q)/n) / f(Q) for the uniform density, whose f is 1."""
    n = 10_000
    x = (np.arange(n) + 0.5) / n
    moved = 0.004
    found = Probabilistic(quantiles=(0.5,)).lost(as_records(x[:, None]), as_records(x[:, None] + moved), ["x0"])
    expected = math.erf(moved / math.sqrt(0.25 / n) / math.sqrt(2))
    assert found.figures["quantiles"] == pytest.approx(expected, rel=0.01)


@pytest.mark.slow
@given(seed=st.integers(0, 1000), noise=st.floats(0, 10))
def test_probabilistic_losses_lie_between_0_and_1_and_have_no_unit(seed: int, noise: float) -> None:
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(50, 3))
    y = x + noise * draw.normal(size=x.shape)
    unit = np.array([1.0, 1e5, 1e-4])
    names = ["x0", "x1", "x2"]
    found = Probabilistic().lost(as_records(x), as_records(y), names).figures
    again = Probabilistic().lost(as_records(x * unit), as_records(y * unit), names).figures
    assert all(0 <= figure <= 1 for figure in found.values())
    assert found == pytest.approx(again, abs=1e-6)


def test_a_statistic_that_cannot_vary_is_kept_or_lost() -> None:
    before = as_records(np.column_stack([np.full(20, 3.0), np.arange(20)]))
    same = before.taken(np.arange(20)[::-1])
    assert Probabilistic().lost(before, same, ["x0", "x1"]).figure == 0
    moved = before.with_columns({"x0": Numbers(np.full(20, 4.0))})
    found = Probabilistic().lost(before, moved, ["x0", "x1"])
    assert found.attributes["x0"] == {"quantiles": 1.0, "means": 1.0, "variances": 0.0}


def test_quantiles_must_be_shares() -> None:
    with pytest.raises(UsageError, match="quantiles"):
        Probabilistic(quantiles=(0.5, 1.0))


def test_bounded_distance_of_each_kind() -> None:
    order = ("low", "middle", "high")
    before = Records(
        {
            "number": Numbers.of([0.0, None, np.inf, 1.0]),
            "school": Categories.of(["low", "low", "high", "high"], order=order),
            "area": Categories.of(["north", "north", None, None]),
        }
    )
    after = Records(
        {
            "number": Numbers.of([1.0, 1.0, np.inf, 1.0]),
            "school": Categories.of(["low", "middle", "low", "high"], order=order),
            "area": Categories.of(["north", "south", "south", None]),
        }
    )
    found = BoundedDistance().lost(before, after, before.names).attributes
    assert found["number"]["distance"] == pytest.approx((0.5 + 1 + 0 + 0) / 4)
    assert found["school"]["distance"] == pytest.approx((0 + 0.5 + 1 + 0) / 4)
    assert found["area"]["distance"] == pytest.approx((0 + 1 + 1 + 0) / 4)


def test_outliers_have_no_say_in_robust_eigenvalues() -> None:
    draw = np.random.default_rng(3)
    x = draw.normal(size=(2000, 3)) @ np.array([[1, 0.8, 0], [0, 0.6, 0], [0, 0, 1]])
    spoilt = x.copy()
    spoilt[:40] += 500
    before, after = as_records(x), as_records(spoilt)
    names = before.names
    assert RobustEigenvalues().lost(before, after, names).figure < 0.15
    assert Eigenvalues().lost(before, after, names).figure > 2
    lost = as_records(np.column_stack([x[:, 0], draw.permutation(x[:, 1]), x[:, 2]]))
    assert RobustEigenvalues().lost(before, lost, names).figure > 1


def test_the_robust_covariance_of_normal_data_is_their_covariance() -> None:
    draw = np.random.default_rng(4)
    root = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, -0.5], [0.0, 0.0, 3.0]])
    x = draw.normal(size=(30_000, 3)) @ root
    assert robust_covariance(x) == pytest.approx(root.T @ root, rel=0.06, abs=0.08)


def test_an_attribute_mostly_of_one_value_has_no_robust_scale() -> None:
    held = mixed()
    flat = held.with_columns({"spent": Numbers(np.where(np.arange(len(held)) % 3 == 0, 1.0, 0.0))})
    found = RobustEigenvalues().lost(flat, flat, ["income", "spent", "wealth"])
    assert found.figure == 0
    assert "left out, more than half of the records share a value: spent" in found.notes
