"""What an auditor is told to follow: against fractions, against linear programmes, and what is left out is said."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.queries.audit.cubes import Span, count_of, cube_of, mask, policy_of, request, sum_of

from tacita.queries.audit import inferred as module
from tacita.queries.audit.exact import ExactJudge
from tacita.queries.audit.interval import IntervalJudge


@pytest.mark.parametrize("seed", range(8))
def test_what_is_listed_follows_by_its_factors_and_no_class_is_missed(seed: int) -> None:
    draw = np.random.default_rng(seed)
    policy = policy_of(minimum=2)
    cube = cube_of([draw.integers(0, 100, draw.integers(1, 4)).tolist() for _ in range(7)], policy)
    judge, span = ExactJudge(cube, policy), Span()
    asked = [np.asarray(draw.random(7) < 0.5) for _ in range(6)]
    for number, cells in enumerate(asked, 1):
        judge.learn(request(sum_of(cube, cells), number=number))
        span.add(cells.astype(int).tolist())
    ((key, result),) = judge.inferred().items()
    assert key == ("salary", 1) and result.is_complete and result.count == len(result.sums)
    listed = []
    for one in result.sums:
        parts = [Fraction(factor) * asked[number - 1].astype(int) for number, factor in one.multipliers]
        row = sum(parts, np.zeros(7, object))
        assert set(row.tolist()) <= {0, 1}
        cells = row.astype(bool)
        assert (one.records, one.contributors) == (int(cube.n[cells].sum()),) * 2
        assert bool(one.broken) == (one.contributors < 2)
        listed.append(cells.tolist())
    assert [one.contributors for one in result.sums] == sorted(one.contributors for one in result.sums)
    classes = {tuple(bool(cells[at]) for cells in asked): [] for at in range(7)}
    for at in range(7):
        classes[tuple(bool(cells[at]) for cells in asked)].append(at)
    for members in classes.values():
        cells = mask(cube, *members)
        is_asked = any((cells == one).all() for one in asked)
        assert (cells.tolist() in listed) == (span.has(cells.astype(int).tolist()) and not is_asked)


def test_squares_and_counts_are_listed_by_themselves() -> None:
    policy = policy_of(minimum=2)
    cube = cube_of([[1, 2], [3, 4, 5], [6]], policy)
    judge = ExactJudge(cube, policy)
    whole, part = np.ones(3, np.bool_), mask(cube, 0, 1)
    judge.learn(request(*(f for one in (whole, part) for f in (sum_of(cube, one, 2), count_of(cube, one)))))
    listed = {key: [(one.records, len(one.broken)) for one in sums.sums] for key, sums in judge.inferred().items()}
    assert listed == {("salary", 2): [(1, 1)], ("", 1): [(1, 1)]}


def test_what_takes_too_long_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_STEPS", 0)
    policy = policy_of(minimum=1)
    cube = cube_of([[1, 2], [3, 4, 5], [6]], policy)
    judge = ExactJudge(cube, policy)
    judge.learn(request(sum_of(cube, np.ones(3, np.bool_)), sum_of(cube, mask(cube, 0, 1))))
    (result,) = judge.inferred().values()
    assert not result.is_complete and [one.records for one in result.sums] == [1]


def test_bounds_are_those_of_linear_programmes() -> None:
    draw = np.random.default_rng(4)
    policy = policy_of(minimum=1, bounds=(0, 100))
    cube = cube_of([draw.integers(0, 101, 2).tolist() for _ in range(8)], policy)
    judge = IntervalJudge(cube, policy)
    asked = [np.asarray(draw.random(8) < 0.5) for _ in range(5)]
    for number, cells in enumerate(asked, 1):
        judge.learn(request(sum_of(cube, cells), number=number))
    result = judge.bounds()["salary"]
    state = judge._states["salary"]
    ends = [(0, 100 * int(cube.n[state.classes.of_cell == at].sum())) for at in range(state.classes.count)]
    expected = []
    for at in range(state.classes.count):
        costs = np.zeros(state.classes.count)
        costs[at] = 1
        low, high = (
            sign * linprog(sign * costs, A_eq=state.answers.rows, b_eq=state.answers.right, bounds=ends).fun
            for sign in (1, -1)
        )
        if 0.5 < high - low < ends[at][1] - 0.5:
            expected.append((math.ceil(low - 1e-6), math.floor(high + 1e-6)))
    assert expected and sorted((one.lower, one.upper) for one in result.classes) == sorted(expected)
    assert (result.count, result.is_late) == (state.classes.count, False)
