"""Hybrid data: moments of every group to the last digit, and nothing else of its records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.masking.synthetic.samples import people

from tacita.errors import InputError, UsageError
from tacita.masking.synthetic.hybrid import Hybrid, redrawn
from tacita.model.records import Numbers, Records

XYZ = ("x", "y", "z")


def normal(count: int, seed: int = 1) -> Records:
    draw = np.random.default_rng(seed)
    mixed = draw.normal(0, 1, (count, 3)) @ np.array([[1, 0.8, 0], [0, 0.6, 0.5], [0, 0, 2.0]]) + [5, -3, 100]
    return Records({name: Numbers.of(mixed[:, place]) for place, name in enumerate(XYZ)})


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 12), st.integers(12, 80), st.sampled_from(["mdav", "v-mdav"]), st.integers(0, 99))
def test_means_and_covariances_of_groups_and_file_are_kept(k: int, count: int, grouping: str, seed: int) -> None:
    records = normal(count, seed)
    found = Hybrid(XYZ, k=k, grouping=grouping).treated(records, np.random.default_rng(seed))  # type: ignore[arg-type]
    before, after = records.matrix(XYZ), found.records.matrix(XYZ)
    assert found.groups is not None and np.bincount(found.groups).min() >= k
    for rows in [np.arange(count), *(np.flatnonzero(found.groups == g) for g in range(found.groups.max() + 1))]:
        assert np.allclose(before[rows].mean(axis=0), after[rows].mean(axis=0), rtol=1e-10)
        assert np.allclose(np.cov(before[rows].T), np.cov(after[rows].T), rtol=1e-8, atol=1e-10)
    assert found.origin is not None and np.array_equal(found.origin, np.arange(count))


def test_one_group_is_fully_synthetic_with_the_same_moments() -> None:
    records = normal(40)
    found = Hybrid(XYZ, k=40).treated(records, np.random.default_rng(1)).records
    assert np.allclose(np.cov(records.matrix(XYZ).T), np.cov(found.matrix(XYZ).T))
    new, own = found.matrix(XYZ)[:, 0], records.matrix(XYZ)[:, 0]
    assert abs(np.corrcoef(new, own)[0, 1]) < 0.5


def test_larger_groups_are_farther_from_the_original() -> None:
    records = normal(600)
    away = [
        np.abs(Hybrid(XYZ, k=k).treated(records, np.random.default_rng(1)).records.matrix(XYZ) - records.matrix(XYZ))
        for k in (3, 30, 600)
    ]
    assert away[0].mean() < 0.7 * away[1].mean() < 0.5 * away[2].mean()


def test_directions_are_uniform() -> None:
    """Of three values with a given mean and variance, the angle that says how they lie is uniform."""
    groups = np.tile(np.array([[[1.0], [2.0], [6.0]]]), (20_000, 1, 1))
    found = redrawn(groups, np.random.default_rng(1))[:, :, 0]
    assert np.allclose(found.mean(axis=1), 3) and np.allclose(found.var(axis=1), 14 / 3)
    away = found - 3
    angle = np.arctan2((away[:, 0] + away[:, 1] - 2 * away[:, 2]) / np.sqrt(6), (away[:, 0] - away[:, 1]) / np.sqrt(2))
    counts = np.histogram(angle, 20, (-np.pi, np.pi))[0]
    assert np.sum(np.square(counts - 1000) / 1000) < 55  # chi-square with 19 degrees of freedom


def test_linear_relations_hold() -> None:
    records = normal(60)
    whole = records.with_columns({"sum": Numbers.of(records.matrix(XYZ).sum(axis=1)), "one": Numbers.of(np.ones(60))})
    found = Hybrid((*XYZ, "sum", "one"), k=5).treated(whole, np.random.default_rng(1))
    assert np.allclose(found.records.matrix(XYZ).sum(axis=1), found.records.numbers("sum").values)
    assert np.allclose(found.records.numbers("one").values, 1)
    assert any("k = 5 is not above the 5 attributes" in note for note in found.notes)


def test_missing_values_stay_and_other_attributes_too() -> None:
    records = people(300)
    found = Hybrid(("income", "wealth"), k=4).treated(records, np.random.default_rng(1)).records
    for name in ("income", "wealth"):
        assert np.array_equal(found[name].missing, records[name].missing)
        own, new = (each.numbers(name).values for each in (records, found))
        assert np.isclose(np.nanmean(own), np.nanmean(new)) and np.isclose(np.nanvar(own), np.nanvar(new))
    assert found["job"] is records["job"]
    noted = Hybrid(("age", "income"), k=4).treated(records, np.random.default_rng(1)).notes
    assert any("up to rounding" in note for note in noted)


def test_bad_input() -> None:
    with pytest.raises(UsageError, match="'k' is below 3"):
        Hybrid(XYZ, k=2)
    with pytest.raises(UsageError, match="no 'grouping' is 'ward'"):
        Hybrid(XYZ, grouping="ward")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot form a group of 5"):
        Hybrid(XYZ, k=5).treated(normal(4), np.random.default_rng(1))
    with pytest.raises(InputError, match="infinite"):
        Hybrid(("x",), k=3).treated(Records({"x": Numbers.of([1.0, np.inf, 2, 3])}), np.random.default_rng(1))
