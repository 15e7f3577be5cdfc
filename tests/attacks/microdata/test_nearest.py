"""Nearest records against brute force: numbers and labels, gaps on either side, ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.attacks.microdata import nearest as room
from tacita.attacks.microdata.nearest import Nearest, nearest, same
from tacita.attacks.microdata.space import Space, space_of
from tacita.model.hierarchy import ValueHierarchy
from tacita.model.records import Categories, Numbers, Records


def brute(space: Space) -> Nearest:
    """All distances, as a matrix."""
    rows, others = len(space.numbers[0]), len(space.numbers[1])
    pairs = np.indices((rows, others)).reshape(2, -1)
    distances = space.apart(pairs[0], pairs[1]).reshape(rows, others)
    least = distances.min(axis=1)
    near = same(distances, least[:, None])
    beyond = np.where(near, np.inf, distances)
    second = beyond.min(axis=1)
    more = np.where(np.isfinite(second), same(beyond, second[:, None]).sum(axis=1), 0)
    return Nearest(least, near.sum(axis=1).astype(float), second, more.astype(float))


def records(random: np.random.Generator, number: int, gaps: float, digits: int, labels: int) -> Records:
    columns: dict[str, Numbers | Categories] = {}
    for place in range(2):
        values = np.round(random.normal(size=number), digits)
        columns[f"x{place}"] = Numbers(np.where(random.random(number) < gaps, np.nan, values))
    for place in range(labels):
        codes = np.where(random.random(number) < gaps, -1, random.integers(0, 3, number))
        columns[f"c{place}"] = Categories(codes.astype(np.int32), ("a", "b", "c"))
    return Records(columns)


def assert_same(found: Nearest, expected: Nearest) -> None:
    np.testing.assert_allclose(found.distance, expected.distance, atol=1e-9)
    np.testing.assert_array_equal(found.ties, expected.ties)
    np.testing.assert_allclose(found.second, expected.second, atol=1e-9)
    np.testing.assert_array_equal(found.second_ties, expected.second_ties)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.tuples(st.integers(1, 30), st.integers(1, 30)),
    gaps=st.sampled_from([0.0, 0.3]),
    digits=st.sampled_from([0, 1, 9]),
    labels=st.integers(0, 2),
)
def test_nearest_is_what_brute_force_finds(
    seed: int, sizes: tuple[int, int], gaps: float, digits: int, labels: int
) -> None:
    random = np.random.default_rng(seed)
    one, two = (records(random, size, gaps, digits, labels) for size in sizes)
    space = space_of(one, two, one.names)
    assert_same(nearest(space), brute(space))
    assert_same(nearest(space.reversed), brute(space.reversed))


def test_tree_and_scan_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    one, two = (
        Records({f"x{i}": Numbers.of(np.round(random.normal(size=900), 1)) for i in range(3)}) for _ in range(2)
    )
    space = space_of(one, two, one.names)
    by_tree = nearest(space)
    monkeypatch.setattr(room, "_MOST_AXES", 0)
    assert_same(nearest(space), by_tree)
    assert by_tree.ties.max() > 1


def test_every_attribute_weighs_the_same() -> None:
    random = np.random.default_rng(4)
    codes = [random.choice(4, 4000, p=[0.7, 0.1, 0.1, 0.1]).astype(np.int32) for _ in range(2)]
    one, two = (
        Records({"x": Numbers.of(random.normal(5, 100, 4000)), "c": Categories(side, ("a", "b", "c", "d"))})
        for side in codes
    )
    for name in one.names:
        distances = space_of(one, two, [name]).apart(np.arange(4000), random.permutation(4000))
        assert distances.mean() == pytest.approx(2, abs=0.15)


def test_missing_is_as_far_as_the_mean_of_all_others() -> None:
    one = Records({"x": Numbers.of([1.0, None, 4.0]), "c": Categories.of(["a", "b", None])})
    two = Records({"x": Numbers.of([0.0, 2.0, 7.0, None]), "c": Categories.of(["a", "a", "b", None])})
    for name in one.names:
        space = space_of(one, two, [name])
        known = [space.apart(np.full(3, row), np.arange(3)) for row in range(3)]
        gap = space.apart(np.arange(3), np.full(3, 3))
        np.testing.assert_allclose(gap, [part.mean() for part in known], atol=1e-12)
        unknown = 1 if name == "x" else 2
        assert not known[unknown].any()
        assert gap[unknown] == 0


def test_a_taxonomy_says_what_is_near() -> None:
    tree = ValueHierarchy.from_paths(
        "town",
        [("Milano", "North", "*"), ("Torino", "North", "*"), ("Roma", "Center", "*"), ("Prato", "Center", "*")],
    )
    one = Records({"town": Categories.of(["Milano", "North", "Roma"], hierarchy=tree)})
    two = Records({"town": Categories.of(["Milano", "Torino", "Roma"], hierarchy=tree)})
    space = space_of(one, two, ["town"])
    table = np.array([space.apart(np.full(3, row), np.arange(3)) for row in range(3)])
    unit = table[0, 1]  # the same area
    np.testing.assert_allclose(table / unit, [[0, 1, 4], [1, 1, 4], [4, 4, 0]])


def test_ordered_categories_are_near_by_rank() -> None:
    order = ["low", "middle", "high"]
    one = Records({"size": Categories.of(["low", "middle", "high"], order=order)})
    two = Records({"size": Categories.of(["low", "high"], order=["low", "high"])})
    space = space_of(one, two, ["size"])
    assert space.numbers[0].shape[1] == 1
    distances = space.apart(np.array([0, 1, 0]), np.array([0, 0, 1]))
    assert distances[0] == 0
    assert distances[2] == pytest.approx(4 * distances[1])


def test_what_tells_nobody_apart_is_left_out_with_a_note() -> None:
    one = Records({"k": Numbers.of([7.0, 7.0]), "c": Categories.of(["a", "b"]), "d": Categories.of(["u", "u"])})
    two = one.with_columns({"c": Categories.of(["x", "y"])})
    space = space_of(one, two, one.names)
    assert space.width == 0
    assert space.notes == ("the same in all records, and no help: k, d", "no value is in both files, and no help: c")
    assert nearest(space).ties.tolist() == [2, 2]


def test_infinite_numbers_are_missing() -> None:
    one = Records({"x": Numbers.of([1.0, np.inf, -np.inf, 2.0])})
    space = space_of(one, one, ["x"])
    assert np.isfinite(nearest(space).distance).all()
    assert np.isnan(space.numbers[0][1:3]).all()


def test_standardising_apart_undoes_a_change_of_scale() -> None:
    random = np.random.default_rng(5)
    values = random.normal(size=200)
    one, two = Records({"x": Numbers(values * 3 + 50)}), Records({"x": Numbers(values)})
    assert space_of(one, two, ["x"], "apart").apart(np.arange(200), np.arange(200)).max() < 1e-18
    assert space_of(one, two, ["x"], "together").apart(np.arange(200), np.arange(200)).min() > 0.1
