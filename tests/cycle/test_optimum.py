"""The exact minimum of local suppression: all suppressions of tiny files, one by one; the limits of the search."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cycle.naive import Row, alpha_match, without

from tacita.cycle.optimum import Optimum, optimum
from tacita.errors import UsageError

Cells = tuple[tuple[int, int], ...]


def coded(rows: list[Row]) -> np.ndarray:
    """Rows as codes: the n-th value of an attribute is n, a null -1."""
    ranks = [
        {value: n for n, value in enumerate(sorted({row[j] for row in rows} - {None}))} for j in range(len(rows[0]))
    ]
    return np.array([[ranks[j].get(value, -1) for j, value in enumerate(row)] for row in rows])


def suppressed(rows: list[Row], cells: Cells) -> list[Row]:
    done = list(rows)
    for i, j in cells:
        done[i] = without(done[i], j)
    return done


def chosen(found: Optimum) -> Cells:
    return tuple((int(i), int(j)) for i, j in np.argwhere(found.cells))


def is_solution(rows: list[Row], cells: Cells, k: int, alpha: float, honest: bool) -> bool:
    """Whether everybody reaches k and, if it has to be honest, each changed record does by itself and by all its nulls."""
    after = suppressed(rows, cells)
    if min(alpha_match(after, alpha)) < k - 1e-9:
        return False
    if not honest:
        return True
    alone = alpha_match(after, 0.0)
    for i, j in cells:
        with_one_less = list(after)
        with_one_less[i] = (*after[i][:j], rows[i][j], *after[i][j + 1 :])
        if alone[i] < k or alpha_match(with_one_less, 0.0)[i] >= k:
            return False
    return True


def minimum(rows: list[Row], k: int, alpha: float, honest: bool, costs: list[int], keep: int | None) -> float | None:
    """The smallest cost of all suppressions there are; None if none does."""
    risky = [i for i, f in enumerate(alpha_match(rows, alpha)) if f < k - 1e-9]
    free = [(i, j) for i in risky for j, value in enumerate(rows[i]) if value is not None and j != keep]
    every = [
        tuple(cell for cell, on in zip(free, bits, strict=True) if on) for bits in product((0, 1), repeat=len(free))
    ]
    every.sort(key=lambda cells: sum(costs[j] for _, j in cells))
    best = next((cells for cells in every if is_solution(rows, cells, k, alpha, honest)), None)
    return None if best is None else sum(costs[j] for _, j in best)


@st.composite
def tiny_files(draw: st.DrawFn) -> list[Row]:
    width = draw(st.integers(1, 3))
    value = st.sampled_from([0, 0, 1, 2, None])
    return draw(st.lists(st.tuples(*[value] * width), min_size=2, max_size=10 // width + 1))


@settings(max_examples=30, deadline=None)
@given(
    rows=tiny_files(),
    k=st.integers(2, 3),
    alpha=st.sampled_from([0.0, 0.4, 1.0]),
    honest=st.booleans(),
    costs=st.sampled_from([[1, 1, 1], [3, 1, 2]]),
    keep=st.sampled_from([None, None, 0]),
)
def test_no_suppression_is_cheaper(
    rows: list[Row], k: int, alpha: float, honest: bool, costs: list[int], keep: int | None
) -> None:
    width = len(rows[0])
    expected = minimum(rows, k, alpha, honest, costs, keep)
    untouchable = np.array([j == keep for j in range(width)])
    asked = {"alpha": alpha, "importance": np.array(costs[:width]), "untouchable": untouchable, "honest": honest}
    if expected is None:
        with pytest.raises(UsageError, match="no suppression brings every record to k"):
            optimum(coded(rows), k, **asked)
        return
    found = optimum(coded(rows), k, **asked)
    assert (found.cost, found.bound, found.proven) == (expected, pytest.approx(expected), True)
    assert is_solution(rows, chosen(found), k, alpha, honest)
    assert not found.cells[:, untouchable].any()
