"""Multiplicative noise: factors of mean 1 and known variance, none of them near 1 if two-sided."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.errors import UsageError
from tacita.masking.noise.multiplicative import MultiplicativeNoise
from tacita.model.records import Numbers, Records

ONES = Records({"x": Numbers.of(np.full(200_000, 1.0)), "y": Numbers.of(np.full(200_000, -4.0))})


def factors(method: MultiplicativeNoise) -> np.ndarray:
    return method.treated(ONES, np.random.default_rng(1)).records.numbers("x").values


@pytest.mark.parametrize(
    "method",
    [
        MultiplicativeNoise(("x", "y"), least=0.1, most=0.3),
        MultiplicativeNoise(("x", "y"), least=0.2, most=0.2),
        MultiplicativeNoise(("x", "y"), distribution="log-normal", deviation=0.4),
    ],
)
def test_factors_have_mean_1_and_the_variance_told(method: MultiplicativeNoise) -> None:
    found = factors(method)
    assert found.min() > 0
    assert abs(found.mean() - 1) < 5 * found.std() / np.sqrt(len(found))
    assert np.isclose(found.var(), method.variance, rtol=0.03)
    told = method.treated(ONES, np.random.default_rng(1)).figures["mean square of the factors"]
    assert np.isclose((found**2).mean(), told, rtol=0.01)


def test_two_sided_factors_leave_nothing_almost_unchanged() -> None:
    away = np.abs(factors(MultiplicativeNoise(("x",), least=0.1, most=0.3)) - 1)
    assert away.min() >= 0.1 and away.max() <= 0.3 and np.isclose(away.mean(), 0.2, atol=0.001)


def test_log_normal_factors_are_log_normal() -> None:
    logs = np.log(factors(MultiplicativeNoise(("x",), distribution="log-normal", deviation=0.4)))
    standard = (logs - logs.mean()) / logs.std()
    assert np.isclose(logs.var(), np.log(1.16), rtol=0.02)
    assert abs((standard**3).mean()) < 0.03 and abs((standard**4).mean() - 3) < 0.06


def test_zeros_and_signs_stay() -> None:
    records = Records({"x": Numbers.of([0.0, -5.0, 5.0, None])})
    found = MultiplicativeNoise(("x",)).treated(records, np.random.default_rng(1)).records.numbers("x").values
    assert found[0] == 0 and found[1] < 0 < found[2] and np.isnan(found[3])


def test_one_factor_per_record_keeps_ratios() -> None:
    method = MultiplicativeNoise(("x", "y"), per_record=True)
    found = method.treated(ONES, np.random.default_rng(1)).records.matrix(("x", "y"))
    assert np.allclose(found[:, 1] / found[:, 0], -4)
    apart = MultiplicativeNoise(("x", "y")).treated(ONES, np.random.default_rng(1)).records.matrix(("x", "y"))
    assert abs(np.corrcoef(apart.T)[0, 1]) < 0.01


@pytest.mark.parametrize("wrong", [{"least": 0}, {"least": 0.5, "most": 0.4}, {"most": 1.0}])
def test_bounds_of_factors_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        MultiplicativeNoise(("x",), **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no 'distribution' is"):
        MultiplicativeNoise(("x",), distribution="uniform")  # type: ignore[arg-type]
