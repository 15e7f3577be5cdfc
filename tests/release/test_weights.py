"""Blurred weights: as noisy as asked for, above 0, with the totals and the decimals of the source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.release.outcomes import outcome

import tacita as tc
from tacita.errors import UsageError
from tacita.options import Given
from tacita.release.kinds.microdata.weights import blur_weights
from tacita.release.options import ReleaseOptions, WeightBlur
from tacita.release.writing import write_release
from tacita.settings import Settings


def weighted(weights: list[float], areas: list[str] | None = None) -> tc.Dataset:
    areas = areas or ["a"] * len(weights)
    return tc.read(pa.table({"area": areas, "w": weights})).with_roles(quasi=["area"], weight="w")


rows = st.lists(st.tuples(st.integers(1, 5000), st.sampled_from("abc"), st.sampled_from("xy")), min_size=1, max_size=40)


@given(rows, st.sampled_from([0, 1, 2]), st.integers(0, 1000))
@settings(max_examples=8, deadline=None)
def test_totals_hold_by_every_margin(found: list[tuple[int, str, str]], decimals: int, seed: int) -> None:
    weights = np.array([w for w, _, _ in found]) / 10**decimals
    table = pa.table({"area": [a for _, a, _ in found], "sex": [s for _, _, s in found], "w": weights})
    data = tc.read(table).with_roles(quasi=["area", "sex"], weight="w")
    made = blur_weights(data.microdata, WeightBlur(30, ((), ("area",))), seed).columns["weight"]
    unit = 10.0**-decimals
    assert (made > 0).all()
    assert (np.abs(made - weights) <= 0.3 * weights + unit * 1.001).all(), "no weight moves by more than the noise"
    assert np.allclose(made / unit, np.round(made / unit)), "decimals of the source"
    floored = (made <= unit * 1.001).sum() * unit  # a weight that would be 0 is lifted to one unit
    for area in "abc":
        here = [a == area for _, a, _ in found]
        assert abs(made[here].sum() - weights[here].sum()) <= unit * 1.001 + floored
    assert abs(made.sum() - weights.sum()) <= unit * 0.501 + floored


def test_raking_meets_two_margins_at_once() -> None:
    rng = np.random.default_rng(4)
    n = 2000
    table = pa.table(
        {
            "area": rng.choice(list("abcd"), n).tolist(),
            "sex": rng.choice(list("mf"), n).tolist(),
            "w": (rng.integers(1_000_000, 9_000_000, n) / 1e4).tolist(),
        }
    )
    data = tc.read(table).with_roles(quasi=["area", "sex"], weight="w")
    found = blur_weights(data.microdata, WeightBlur(20, (("area",), ("sex",))), 1)
    assert found.largest_deviation < 1e-6
    new, old = found.columns["weight"], np.array(table["w"])
    for name in ("area", "sex"):
        for value in set(table[name].to_pylist()):
            here = np.array(table[name]) == value
            assert new[here].sum() == pytest.approx(old[here].sum(), rel=1e-6)


def test_noise_is_even_and_as_large_as_asked_for() -> None:
    old = np.full(20_000, 1000.0001)
    new = blur_weights(weighted(old.tolist()).microdata, WeightBlur(10), 3).columns["weight"]
    factor = new / old
    assert 0.899 < factor.min() < 0.905
    assert 1.095 < factor.max() < 1.101
    assert np.histogram(factor, bins=4, range=(0.9, 1.1))[0] == pytest.approx([5000] * 4, abs=5 * 61)
    again = blur_weights(weighted(old.tolist()).microdata, WeightBlur(10), 3).columns["weight"]
    assert (new == again).all()


def test_whole_weights_stay_whole_and_are_released(tmp_path: Path, settings: Settings) -> None:
    data = weighted([10, 20, 30, 40])
    options = ReleaseOptions(shuffle=False, check=False, seed=2, weights=WeightBlur(50))
    done = write_release(outcome(data), tmp_path / "release", options, settings=settings)
    new = tc.read(done.data).to_arrow()["w"].to_pylist()
    assert sum(new) == 100
    assert new != [10, 20, 30, 40]
    assert all(isinstance(each, int) and each > 0 for each in new)


def test_without_a_weight_nothing_can_be_blur_weights() -> None:
    data = tc.read(pa.table({"area": ["a"]})).with_roles(quasi=["area"])
    with pytest.raises(UsageError, match="no attribute is the weight"):
        blur_weights(data.microdata, WeightBlur(10), 1)
    for percent in (0, 100, -5):
        with pytest.raises(UsageError):
            WeightBlur(percent)
    with pytest.raises(UsageError):
        WeightBlur(10, ())


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ({"weight_noise": 5.0}, WeightBlur(5.0, (("region",),))),
        ({"weight_totals": ["area,sex"]}, WeightBlur(10.0, (("area", "sex"),))),
    ],
)
def test_an_option_beside_a_plan_leaves_the_rest_of_the_blur(typed: dict[str, object], expected: WeightBlur) -> None:
    plan = ReleaseOptions(weights=WeightBlur(10.0, (("region",),)))
    assert Given(ReleaseOptions, typed).value(plan).weights == expected
