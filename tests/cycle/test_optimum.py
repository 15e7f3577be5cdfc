"""The exact minimum of local suppression: all suppressions of tiny files, one by one; the limits of the search."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cycle.naive import Row, alpha_match, nulls, plain_greedy, violators, without
from tests.cycle.test_naive import records

from tacita.cycle.suppression import optimum_model
from tacita.cycle.suppression.optimum import SmallestSuppression, optimum
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


def chosen(found: SmallestSuppression) -> Cells:
    return tuple((int(i), int(j)) for i, j in np.argwhere(found.cells))


def is_solution(rows: list[Row], cells: Cells, k: int, alpha: float, honest: bool) -> bool:
    """Whether everybody reaches k and, if honest, each changed record does by itself and by all of its nulls only."""
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


def minimum(
    rows: list[Row], k: int, alpha: float, honest: bool, costs: list[int], keep: set[tuple[int, int]]
) -> float | None:
    """The smallest cost of all suppressions there are; None if none does."""
    risky = [i for i, f in enumerate(alpha_match(rows, alpha)) if f < k - 1e-9]
    free = [(i, j) for i in risky for j, value in enumerate(rows[i]) if value is not None and (i, j) not in keep]
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
    keep=st.sampled_from(["nothing", "nothing", "an attribute", "cells"]),
)
def test_no_suppression_is_cheaper(
    rows: list[Row], k: int, alpha: float, honest: bool, costs: list[int], keep: str
) -> None:
    width = len(rows[0])
    untouchable = {
        "nothing": np.zeros(width, dtype=bool),
        "an attribute": np.arange(width) == 0,
        "cells": np.add.outer(np.arange(len(rows)), np.arange(width)) % 3 == 0,
    }[keep]
    kept = {(int(i), int(j)) for i, j in np.argwhere(np.broadcast_to(untouchable, (len(rows), width)))}
    expected = minimum(rows, k, alpha, honest, costs, kept)
    asked = {"alpha": alpha, "importance": np.array(costs[:width]), "untouchable": untouchable, "honest": honest}
    if expected is None:
        with pytest.raises(UsageError, match="no suppression brings every record to k"):
            optimum(coded(rows), k, **asked)
        return
    found = optimum(coded(rows), k, **asked)
    assert (found.cost, found.bound, found.proven) == (expected, pytest.approx(expected), True)
    assert is_solution(rows, chosen(found), k, alpha, honest)
    assert not kept & set(chosen(found))


ALL_DIFFERENT: list[Row] = [(i, i % 3, i % 2, i // 2) for i in range(8)]


def test_the_free_problem_is_gamed_by_wildcards() -> None:
    """One record without anything repairs seven that stay as they were; honest ones stand on their own."""
    free, honest = (optimum(coded(ALL_DIFFERENT), 2, honest=honest) for honest in (False, True))
    assert free.nulls == 4
    assert sorted(free.cells.sum(axis=1)) == [0] * 7 + [4]
    assert len(violators(suppressed(ALL_DIFFERENT, chosen(free)), 2, "strict")) == 7
    after = suppressed(ALL_DIFFERENT, chosen(honest))
    assert violators(after, 2) == []
    assert all(None not in after[i] for i in violators(after, 2, "strict"))


def test_no_greedy_is_below_the_minimum() -> None:
    rows: list[Row] = [(i * 7 % 3, i * i % 4, i % 2) for i in range(14)]
    assert optimum(coded(rows), 3, honest=False).nulls <= nulls(plain_greedy(rows, 3))


def test_nulls_that_are_there_cost_nothing() -> None:
    """The second record could be the first one: both are safe as they are."""
    found = optimum(coded([(0, 0), (0, None), (1, 1), (1, 1)]), 2)
    assert (found.nulls, found.cost, found.bound, found.proven) == (0, 0, 0, True)


@pytest.mark.slow
def test_testdata_needs_a_null_for_each_unique(shared: Path) -> None:
    """sdcMicro leaves 21 records to lean on the nulls of others with as many nulls; nobody has to."""
    rows = records(shared / "data/sdcmicro/testdata.csv")
    found = optimum(coded(rows), 2, alpha=0.0)
    assert (found.nulls, found.bound, found.proven) == (157, 157, True)
    assert violators(suppressed(rows, chosen(found)), 2, "strict") == []


@pytest.mark.parametrize("limit", ["MOST_STATES", "MOST_WEIGHTS"])
def test_large_data_are_refused(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(optimum_model, limit, 20)
    with pytest.raises(UsageError, match="8 records below k with 4 attributes") as refused:
        optimum(coded(ALL_DIFFERENT), 2)
    assert "sample" in str(refused.value)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"k": 9}, "no suppression brings every record to k = 9"),
        ({"k": 9, "untouchable": np.ones(4, dtype=bool)}, "no suppression brings every record to k = 9"),
        ({"k": 0}, "k is 0"),
        ({"k": 2, "alpha": 1.5}, "alpha is 1.5"),
        ({"k": 2, "importance": np.array([1, 1, 0, 1])}, "not above 0"),
        ({"k": 2, "importance": np.ones(3)}, "3 numbers for 4 attributes"),
        ({"k": 2, "seconds": 0.0}, "no suppression was found within 0 s"),
    ],
)
def test_what_cannot_be_asked_is_told(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        optimum(coded(ALL_DIFFERENT), **asked)


@pytest.mark.slow
def test_time_that_is_up_leaves_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is up after some nodes of the search: they are counted, so that no machine is too slow."""
    milp = scipy.optimize.milp

    def stopped(*program: Any, options: dict[str, Any], **more: Any) -> Any:
        return milp(*program, options={"node_limit": 1, "mip_rel_gap": options["mip_rel_gap"]}, **more)

    monkeypatch.setattr(scipy.optimize, "milp", stopped)
    rows: list[Row] = [(i * 5 % 4, i * i % 5, i * 7 % 3, i % 4) for i in range(24)]
    found = optimum(coded(rows), 3)
    assert not found.proven
    assert 0 < found.bound <= found.cost == found.nulls == found.cells.sum()
    assert found.proven == (found.bound == found.cost)
    assert violators(suppressed(rows, chosen(found)), 3) == []
