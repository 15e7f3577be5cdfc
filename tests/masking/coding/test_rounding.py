"""Rounding: multiples of the base, and without bias where that is promised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError, TacitaError, UsageError
from tacita.masking.catalogue import METHODS as CATALOGUE
from tacita.masking.coding.random_rounding import RandomRounding
from tacita.masking.coding.rounding import Rounding
from tacita.masking.contract import breaches
from tacita.model.records import Categories, Numbers, Records

METHODS = [Rounding, RandomRounding]


def rounded(method: Any, values: Any, seed: int = 0, *, is_whole: bool = False) -> np.ndarray[Any, Any]:
    records = Records({"x": Numbers.of(values, is_whole=is_whole)})
    found = method.treated(records, np.random.default_rng(seed)).records.numbers("x")
    assert found.is_whole == is_whole
    return np.asarray(found.values)


@pytest.mark.parametrize("method", METHODS)
def test_contract(method: Any) -> None:
    values = np.random.default_rng(1).normal(0, 50, 200)
    values[::9] = np.nan
    records = Records({"x": Numbers(values), "y": Categories(np.zeros(200, dtype=np.int32), ("here",))})
    assert breaches(method(("x",), base=7), records) == []


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.sampled_from([0.1, 0.25, 1, 3, 5, 1000]), st.booleans()
)
def test_a_multiple_within_a_base(values: list[float], base: float, is_random: bool) -> None:
    method = (RandomRounding if is_random else Rounding)(("x",), base)
    found = rounded(method, values)
    times = found / base
    np.testing.assert_allclose(times, np.rint(times), atol=1e-6)
    assert np.all(np.abs(found - values) <= base * (1 if is_random else 0.5) + 1e-6)


def test_random_rounding_has_no_bias_and_the_variance_it_says() -> None:
    for value in (1.0, 2.5, 4.0, -1.0, 12.3):
        found = rounded(RandomRounding(("x",), 5), np.full(40_000, value), seed=3)
        share = value / 5 % 1
        variance = 25 * share * (1 - share)
        assert abs(found.mean() - value) < 4 * np.sqrt(variance / len(found))
        assert found.var() == pytest.approx(variance, rel=0.05)
        assert set(found) == {5 * np.floor(value / 5), 5 * np.ceil(value / 5)}


def test_multiples_stay_and_zero_has_no_sign() -> None:
    for method in METHODS:
        assert rounded(method(("x",), 0.1), [0.3, 0.7, -0.4]).tolist() == [0.3, 0.7, -0.4]
        assert not np.signbit(rounded(method(("x",), 5), np.full(20, -1e-13)))[0]
    assert rounded(Rounding(("x",), 10), [15, 25, 14], is_whole=True).tolist() == [20, 20, 10]


@pytest.mark.parametrize("method", METHODS)
def test_bad_input(method: Any) -> None:
    with pytest.raises(InputError, match="infinite"):
        rounded(method(("x",), 5), [1, np.inf])
    with pytest.raises(UsageError, match="whole"):
        rounded(method(("x",), 2.5), [1, 2], is_whole=True)
    for base in (0, -1, np.nan, np.inf):
        with pytest.raises(UsageError, match="base"):
            method(("x",), base)
    with pytest.raises(TacitaError, match="not a number"):
        method(("x",), 5).treated(Records({"x": Categories.of(["a"])}), np.random.default_rng(1))


def test_recipes_name_them() -> None:
    for name, method in (("rounding", Rounding), ("random-rounding", RandomRounding)):
        assert isinstance(CATALOGUE.make(name, {"attributes": ["x"], "base": 5}), method)
