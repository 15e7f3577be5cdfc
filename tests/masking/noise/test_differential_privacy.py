"""Differential privacy: sensitivities that hold, noise of the right scale, and what microaggregation gains.

The noise does not follow a seed: bounds are wide enough to fail by chance less than once in 10^9 runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError, UsageError
from tacita.masking.noise import after_microaggregation, laplace
from tacita.masking.noise.after_microaggregation import NoiseAfterMicroaggregation
from tacita.masking.noise.differential_privacy import DifferentialPrivacyNoise
from tacita.masking.noise.laplace import STEPS, epsilon_of_each, on_the_grid, with_laplace_noise
from tacita.model.records import Categories, Numbers, Records

pytestmark = pytest.mark.slow

ANY = np.random.default_rng(1)
FAR = 6.5
"""Standard errors that a normal variable exceeds once in 10^10."""


def test_noise_has_the_laplace_distribution() -> None:
    noise = with_laplace_noise(np.zeros(40_000, dtype=np.int64), STEPS, 0.5) / STEPS
    scale, error = 2.0, 1 / np.sqrt(40_000)
    assert abs(np.abs(noise).mean() / scale - 1) < FAR * error  # the absolute value is exponential
    assert abs((noise > 0).mean() - 0.5) < FAR * error / 2
    for share in (0.1, 0.5, 0.9):  # and all of its quantiles
        below = (np.abs(noise) < -scale * np.log(1 - share)).mean()
        assert abs(below - share) < FAR * error * np.sqrt(share * (1 - share))


def test_the_spent_epsilon_is_never_more_than_given() -> None:
    for epsilon in (0.1, 1 / 3, 0.7, 1e-3):
        parts = epsilon_of_each(epsilon, {"a": 0.1, "b": 0.2, "c": 0.7}, ["a", "b", "c"])
        assert sum(parts.values()) <= epsilon and sum(parts.values()) > 0.999 * epsilon


def test_values_beyond_the_bounds_are_moved_and_not_told() -> None:
    records = Records({"x": Numbers.of([-1e9, 1e9] * 2000)})
    found = DifferentialPrivacyNoise({"x": (0, 10)}, epsilon=20).treated(records, ANY)
    values = found.records.numbers("x").values
    error = FAR * np.sqrt(2) * 0.5 / np.sqrt(2000)
    assert abs(values[::2].mean()) < error and abs(values[1::2].mean() - 10) < error
    assert set(found.figures) == {"epsilon", "scale of x"} and not found.notes


def test_epsilon_is_divided_among_attributes() -> None:
    records = Records({"x": Numbers.of(np.zeros(4000)), "y": Numbers.of(np.zeros(4000))})
    method = DifferentialPrivacyNoise({"x": (0, 1), "y": (-5, 5)}, epsilon=1, shares={"x": 1, "y": 3})
    found = method.treated(records, ANY)
    assert found.figures["scale of x"] == 4 and np.isclose(found.figures["scale of y"], 10 / 0.75)
    for name in ("x", "y"):
        spread = np.abs(found.records.numbers(name).values).mean()
        assert abs(spread / found.figures[f"scale of {name}"] - 1) < FAR / np.sqrt(4000)


def test_the_likelihood_of_a_result_changes_by_at_most_e_to_epsilon() -> None:
    """For the events by which two extreme values are told apart best: the result lies above a threshold."""
    method = DifferentialPrivacyNoise({"x": (0, 1)}, epsilon=1.0)
    low, high = (
        method.treated(Records({"x": Numbers.of(np.full(30_000, value))}), ANY).records.numbers("x").values
        for value in (0.0, 1.0)
    )
    for threshold in (-1.0, 0.0, 0.5, 1.0, 2.0):
        one, two = (low > threshold).mean(), (high > threshold).mean()
        error = FAR * np.sqrt((one * (1 - one) + 7.4 * two * (1 - two)) / 30_000)
        assert one <= np.e * two + error and two <= np.e * one + error
    # and at a threshold of 1 the bound is reached: the noise is no larger than it has to be
    assert (high > 1).mean() / (low > 1).mean() > 2.5


@pytest.mark.parametrize(
    "bounds", [{}, {"x": (1, 1)}, {"x": (0, np.inf)}, {"x": (2, 1)}, {"x": (np.nan, 1)}, {"x": (-1.7e308, 1.7e308)}]
)
def test_bounds_are_checked(bounds: dict[str, tuple[float, float]]) -> None:
    for kind in (DifferentialPrivacyNoise, lambda b, epsilon: NoiseAfterMicroaggregation(b, epsilon, k=2)):
        with pytest.raises(UsageError):
            kind(bounds, epsilon=1)


def test_epsilon_and_shares_are_checked() -> None:
    for epsilon in (0.0, -1.0, np.inf, np.nan, 1e-305, 1e9):
        with pytest.raises(UsageError, match="epsilon"):
            DifferentialPrivacyNoise({"x": (0, 1)}, epsilon)
    for shares in ({"y": 1.0}, {"x": 0.0}, {}):
        with pytest.raises(UsageError, match="shares"):
            DifferentialPrivacyNoise({"x": (0, 1)}, 1, shares)


def test_missing_values_are_refused_unless_they_may_be_seen() -> None:
    records = Records({"x": Numbers.of([0.5, None])})
    with pytest.raises(InputError, match="1 missing value"):
        DifferentialPrivacyNoise({"x": (0, 1)}, 1).treated(records, ANY)
    found = DifferentialPrivacyNoise({"x": (0, 1)}, 1, missing="shown").treated(records, ANY)
    assert found.records["x"].missing.tolist() == [False, True]
    with pytest.raises(InputError, match="1 missing value"):
        NoiseAfterMicroaggregation({"x": (0, 1)}, 1, k=1).treated(records, ANY)


# --- after microaggregation ---


def sums_of(method: NoiseAfterMicroaggregation, records: Records) -> list[tuple[np.ndarray, int]]:
    """The sums to which noise is added, and the sensitivity for which it is made."""
    seen: list[tuple[np.ndarray, int]] = []

    def spy(values: np.ndarray, sensitivity: int, *rest: Any) -> np.ndarray:
        seen.append((values.copy(), sensitivity))
        return values

    held = after_microaggregation.with_laplace_noise
    after_microaggregation.with_laplace_noise = spy
    try:
        method.treated(records, np.random.default_rng(1))
    finally:
        after_microaggregation.with_laplace_noise = held
    return seen


VALUE = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(-0.2, 1.2))


@settings(max_examples=80, deadline=None)
@given(
    rows=st.lists(st.tuples(VALUE, VALUE), min_size=4, max_size=24),
    other=st.tuples(VALUE, VALUE),
    k=st.integers(1, 4),
    data=st.data(),
)
@pytest.mark.parametrize("way", ["individual", "joint", "by"])
def test_one_record_changes_all_sums_by_no_more_than_the_sensitivity(
    way: str, rows: list[tuple[float, float]], other: tuple[float, float], k: int, data: st.DataObject
) -> None:
    changed = list(rows)
    changed[data.draw(st.integers(0, len(rows) - 1))] = other
    bounds = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    public = {"area": Categories.of([["b", "a", None][i * 7 % 3] for i in range(len(rows))])} if way == "by" else {}
    method = (
        NoiseAfterMicroaggregation(bounds, 1, k, by=("area",))
        if way == "by"
        else NoiseAfterMicroaggregation(bounds, 1, k, ranking=way)  # type: ignore[arg-type]
    )
    one, two = (
        sums_of(method, Records({"x": Numbers.of([x for x, _ in r]), "y": Numbers.of([y for _, y in r]), **public}))
        for r in (rows, changed)
    )
    for place, ((before, sensitivity), (after, _)) in enumerate(zip(one, two, strict=True)):
        assert len(before) == len(rows) // k
        assert np.abs(before - after).sum() <= sensitivity
        groups = len(rows) // k
        assert sensitivity == STEPS * (groups if way == "joint" and place == 1 else 1)


def test_the_sensitivities_are_reached() -> None:
    """They could not be smaller: the last record, made the first of the joint order, moves one over each border."""
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    y = np.array([0.0, 1, 0, 1, 0, 1, 0, 1])
    moved = x.copy()
    moved[-1] = 0.0
    method = NoiseAfterMicroaggregation({"x": (0, 1), "y": (0, 1)}, 1, k=1, ranking="joint")
    (_, (before, sensitivity)), (_, (after, _)) = (
        sums_of(method, Records({"x": Numbers.of(each), "y": Numbers.of(y)})) for each in (x, moved)
    )
    assert np.abs(before - after).sum() == sensitivity == 8 * STEPS


def people(count: int) -> Records:
    draw = np.random.default_rng(3)
    age = draw.integers(18, 90, count)
    income = np.clip(400 + 30 * age + draw.normal(0, 300, count), 0, 10000)
    return Records({"age": Numbers.of(age, is_whole=True), "income": Numbers.of(income)})


def test_the_same_epsilon_costs_less_after_microaggregation() -> None:
    records, bounds, epsilon = people(3000), {"income": (0.0, 10000.0)}, 1.0
    income = records.numbers("income").values

    def lost(method: Any) -> float:
        return float(np.abs(method.treated(records, ANY).records.numbers("income").values - income).mean())

    single = lost(DifferentialPrivacyNoise(bounds, epsilon))
    grouped = lost(NoiseAfterMicroaggregation(bounds, epsilon, k=30, by=("age",)))
    assert abs(single - 10000) < FAR * 10000 / np.sqrt(3000)  # the mean of |Laplace(D / epsilon)|
    assert grouped < 0.1 * single
    # Sorted by itself, as an invented file: the distributions are compared.
    alone = records.only(["income"])
    found = NoiseAfterMicroaggregation(bounds, epsilon, k=30).treated(alone, ANY)
    noisy = DifferentialPrivacyNoise(bounds, epsilon).treated(alone, ANY).records.numbers("income").values
    distances = [np.abs(np.sort(v) - np.sort(income)).mean() for v in (found.records.numbers("income").values, noisy)]
    assert distances[0] < 0.1 * distances[1]
    assert found.origin is None


def test_scales_are_told_and_true() -> None:
    records = Records({"x": Numbers.of(np.zeros(20_000)), "y": Numbers.of(np.zeros(20_000))})
    method = NoiseAfterMicroaggregation({"x": (0, 1), "y": (0, 4)}, 1, k=10, shares={"x": 1, "y": 1})
    found = method.treated(records, ANY)
    for name, scale in (("x", 0.2), ("y", 0.8)):
        assert np.isclose(found.figures[f"scale of {name}"], scale)
        spread = np.abs(found.records.numbers(name).values).mean()
        assert abs(spread / scale - 1) < FAR / np.sqrt(2000)
    joint = NoiseAfterMicroaggregation({"x": (0, 1), "y": (0, 4)}, 1, k=500, ranking="joint")
    assert joint.scales(20_000) == {"x": 0.004, "y": 0.016 * 40}
    assert (
        joint.scales(20_000)["y"]
        < DifferentialPrivacyNoise({"x": (0, 1), "y": (0, 4)}, 1)
        .treated(records.taken(np.arange(2)), ANY)
        .figures["scale of y"]
    )


def test_groups_are_cut_by_public_attributes_only() -> None:
    records = people(101)
    method = NoiseAfterMicroaggregation({"income": (0, 10000)}, 1, k=10, by=("age",))
    found = method.treated(records, ANY)
    assert found.groups is not None and set(np.bincount(found.groups)) == {10, 11}
    age = records.numbers("age").values
    tops = [age[found.groups == g].max() for g in range(10)]
    assert all(age[found.groups == g + 1].min() >= tops[g] for g in range(9))
    for group in range(10):
        assert len(set(found.records.numbers("income").values[found.groups == group])) == 1
    assert found.records["age"] is records["age"]


def test_what_would_tell_who_is_in_which_group_is_refused() -> None:
    with pytest.raises(UsageError, match="such as age, would tell"):
        NoiseAfterMicroaggregation({"income": (0, 10000)}, 1, k=10).treated(people(50), ANY)
    with pytest.raises(UsageError, match="makes the groups in the open"):
        NoiseAfterMicroaggregation({"income": (0, 10000)}, 1, k=10, by=("income",))
    with pytest.raises(InputError, match="fewer than k = 10"):
        NoiseAfterMicroaggregation({"income": (0, 10000)}, 1, k=10, by=("age",)).treated(people(9), ANY)
    with pytest.raises(UsageError, match="'k' is below 1"):
        NoiseAfterMicroaggregation({"income": (0, 10000)}, 1, k=0)


def test_the_grid_covers_wide_and_far_bounds() -> None:
    for bounds in ((-1e300, 1e300), (1e15, 1e15 + 8), (-1e-300, 1e-300)):
        steps = on_the_grid(np.array([bounds[0], bounds[1]]), bounds)
        assert steps.tolist() == [0, STEPS]
        assert np.allclose(laplace.off_the_grid(steps.astype(float), bounds), bounds)


def test_equals_in_the_public_attributes_are_grouped_by_chance_not_by_the_order_of_the_file() -> None:
    people = Records({"sex": Categories.of(["f"] * 40), "income": Numbers.of(np.arange(40.0))})
    method = NoiseAfterMicroaggregation({"income": (0, 40)}, epsilon=1, k=20, by=("sex",))
    groups = method.treated(people, np.random.default_rng(1)).groups
    assert groups is not None
    assert 5 < groups[:20].sum() < 15  # in the order of the file the first twenty would be one group
