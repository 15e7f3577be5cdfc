"""The vectors of camouflage: an exact mixture with weights inside, wide for each record, narrow for tuned cells."""

from __future__ import annotations

import csv
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.queries.noise.questions import cube_with, policy_of

from tacita.errors import LimitError
from tacita.queries.camouflage.vectors import CamouflageVectors, VectorBatch, mirrored_pairs, vectors_of
from tacita.queries.cube.cube import Cube, CubeAttribute
from tacita.queries.policy.policy import AnswerMode, FilterAttribute, QueryMeasure, QueryPolicy

WIDTH = Fraction(1, 5)
POLICY = policy_of(AnswerMode.CAMOUFLAGE, {})
SECRET = b"s" * 32


def _mixture(vectors: CamouflageVectors, measure: str, places: np.ndarray) -> Fraction:
    whole = sum(vectors.parts)
    return sum(
        (
            Fraction(part, whole) * total
            for part, total in zip(vectors.parts, vectors.sums(measure, places), strict=True)
        ),
        Fraction(0),
    )


@given(
    values=st.lists(st.integers(0, 100), min_size=1, max_size=30),
    number=st.integers(3, 9),
    tuned=st.booleans(),
    secret=st.binary(min_size=32, max_size=32),
    cells=st.integers(1, 4),
)
def test_the_data_are_an_exact_mixture_with_weights_inside(
    values: list[int], number: int, tuned: bool, secret: bytes, cells: int
) -> None:
    cube = cube_with(POLICY, values, [f"c{place % cells}" for place in range(len(values))])
    vectors = vectors_of(cube, secret, number, WIDTH, tuned=tuned)
    whole = sum(vectors.parts)
    assert len(vectors) == number
    assert all(Fraction(1, 5 * number) < Fraction(part, whole) < Fraction(9, 10) for part in vectors.parts)
    for place in range(len(values)):
        one = np.array([place])
        assert _mixture(vectors, "x", one) == cube.values["x"][place]
        sums = vectors.sums("x", one)
        # Nobody can be told from nobody: both ends are at least a unit away, and as far apart as the holder said.
        assert min(sums) < cube.values["x"][place] < max(sums)
        assert max(sums) - min(sums) >= 2 * WIDTH * int(cube.values["x"][place]) - 1
    everything = np.arange(len(values))
    assert _mixture(vectors, "y", everything) == int(cube.values["y"].sum())


def test_the_same_secret_has_the_same_vectors_and_another_has_others() -> None:
    cube = cube_with(POLICY, list(range(1, 60)))
    one, same = (vectors_of(cube, SECRET, 6, WIDTH, tuned=True) for _ in range(2))
    other = vectors_of(cube, b"t" * 32, 6, WIDTH, tuned=True)
    assert one.parts == same.parts != other.parts
    assert np.array_equal(one.values["x"], same.values["x"])
    assert (one.values["x"] != other.values["x"]).mean() > 0.9
    assert repr(one) == "<CamouflageVectors: 6>"


def test_only_records_of_cells_that_are_large_enough_are_mirrored() -> None:
    values = [5, 7, *range(10, 21), *range(30, 36)]
    cells = ["small", "small", *["odd"] * 11, *["even"] * 6]
    cube = cube_with(POLICY, values, cells)
    x, cell_of = cube.values["x"], np.repeat(np.arange(len(cube)), cube.n)
    pairs = mirrored_pairs(VectorBatch("", np.arange(len(x)), cell_of), x, 6)
    assert (cell_of[pairs[:, 0]] == cell_of[pairs[:, 1]]).all()
    assert sorted(np.abs(np.diff(x[pairs], axis=1)).ravel().tolist()) == [1] * 8
    assert len(set(pairs.ravel().tolist())) == 16
    labels = cube.attributes[0].labels
    assert labels.index("small") not in cube.codes["c"][cell_of[pairs]].tolist()


def test_one_of_two_equal_records_does_not_learn_the_other() -> None:
    """Mirrored, both together would have a sum without any width, and each would know the other exactly."""
    cube = cube_with(POLICY, [80, 80])
    widths = []
    for number in range(50):
        sums = vectors_of(cube, number.to_bytes(32, "big"), 6, WIDTH, tuned=True).sums("x", np.arange(2))
        widths.append(float(max(sums) - min(sums)))
    assert min(widths) > 2


@pytest.mark.parametrize("tuned", [False, True])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 5), (0, 100), (-3, 3)])
def test_no_value_is_the_only_whole_number_in_its_interval_and_bounds(low: int, high: int, tuned: bool) -> None:
    """Of 300 records with values at their bounds, each alone in its cell, six followed exactly."""
    measure = QueryMeasure("x", Decimal(low), Decimal(high))
    policy = QueryPolicy("b", (FilterAttribute("c"),), (measure,))
    values = [low, high, (low + high) // 2, low] * 100
    cube = cube_with(policy, values, [str(at // 8) if at < 200 else f"own {at}" for at in range(400)])
    vectors = vectors_of(cube, SECRET, 6, WIDTH, tuned=tuned)
    numbers = vectors.numbers("x", np.arange(400))
    least, most = np.ceil(numbers.min(axis=0)).clip(low), np.floor(numbers.max(axis=0)).clip(None, high)
    assert (most - least >= 1).all()


def test_too_many_digits_are_refused() -> None:
    measure = QueryMeasure("x", Decimal(0), Decimal(10**13), 3)
    policy = QueryPolicy("b", (FilterAttribute("c"),), (measure,))
    cube = Cube(
        policy,
        (CubeAttribute("c", ("a",)),),
        {"c": np.zeros(1, np.int32)},
        np.array([4]),
        np.array([0, 4]),
        {"x": np.array([10**16, 1, 2, 3])},
    )
    with pytest.raises(LimitError, match="62 bits"):
        vectors_of(cube, SECRET, 6, WIDTH, tuned=True)


def _credit_limits(shared: Path, size: int) -> Cube:
    """Return the credit limits of 30,000 clients in cells of so many."""
    with (shared / "data" / "gdpr" / "UCI_Credit_Card.csv").open(encoding="utf-8") as file:
        limits = np.array([int(float(row["LIMIT_BAL"])) for row in csv.DictReader(file)], np.int64)
    cells = len(limits) // size
    policy = QueryPolicy("credit", (FilterAttribute("c"),), (QueryMeasure("limit", Decimal(0), Decimal(1_000_000)),))
    return Cube(
        policy,
        (CubeAttribute("c", tuple(map(str, range(cells)))),),
        {"c": np.arange(cells, dtype=np.int32)},
        np.full(cells, size),
        np.arange(cells + 1) * size,
        {"limit": limits[: cells * size]},
    )


@pytest.mark.parametrize(
    ("size", "tuned", "least", "most"),
    # Medians of the width over the answer, as they were measured, with room for another secret.
    [
        (10, True, 0.002, 0.06),
        (100, True, 0.0002, 0.006),
        (1_000, True, 0.0, 0.002),
        (10, False, 0.08, 0.25),
        (100, False, 0.025, 0.08),
        (1_000, False, 0.008, 0.025),
    ],
)
def test_tuned_cells_have_narrow_sums(shared: Path, size: int, tuned: bool, least: float, most: float) -> None:
    cube = _credit_limits(shared, size)
    vectors = vectors_of(cube, SECRET, 6, WIDTH, tuned=tuned)
    widths = []
    for cell in range(min(len(cube), 300)):
        places = np.arange(cell * size, (cell + 1) * size)
        sums = vectors.sums("limit", places)
        widths.append(float((max(sums) - min(sums)) / int(cube.values["limit"][places].sum())))
    assert least <= float(np.median(widths)) <= most, float(np.median(widths))
