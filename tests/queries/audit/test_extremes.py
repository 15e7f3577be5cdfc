"""Extremes: against all data sets, distinct values and equal ones, the trap of the advice, and simulatability."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.long import LONG
from tests.queries.audit.cubes import cube_of, extreme_of, mask, policy_of, request

from tacita.queries.audit.extremes import ExtremesJudge
from tacita.queries.audit.judges import judges_of

DISTINCT = np.array(list(itertools.permutations(range(14), 4)), np.int8)
"""All data of four records with different values."""
EQUAL = np.array(list(itertools.product(range(8), repeat=4)), np.int8)


def test_one_of_many_may_be_the_largest_and_one_of_one_may_not() -> None:
    policy = policy_of(minimum=1)
    cube = cube_of([[7], [9], [3], [5]], policy)
    judge = ExtremesJudge(cube, policy)
    first = request(extreme_of(cube, mask(cube, 0, 1, 2), "max"))
    assert judge.objections(first) == ()
    judge.learn(first)
    assert judge.objections(first) == ()
    # If the largest of 1 and 2 were smaller, record 0 would be 9; nobody looks whether it is.
    (objection,) = judge.objections(request(extreme_of(cube, mask(cube, 1, 2), "max")))
    assert (objection.rule, objection.looks_at_values) == ("extreme", False)
    assert judge.objections(request(extreme_of(cube, mask(cube, 1), "max"))) != ()


def test_records_of_one_person_are_one_witness() -> None:
    policy = policy_of(minimum=1)
    judge_of = {
        units: ExtremesJudge(cube_of([[7], [9], [3]], policy, list(units)), policy) for units in ((1, 1, 2), (1, 2, 3))
    }
    cube = cube_of([[7], [9], [3]], policy)
    query = request(extreme_of(cube, mask(cube, 0, 1), "max"))
    assert judge_of[1, 1, 2].objections(query) != ()
    assert judge_of[1, 2, 3].objections(query) == ()


def test_equal_values_on_both_sides_are_refused() -> None:
    for simulatable in (False, True):
        policy = policy_of(minimum=1, simulatable=simulatable)
        cube = cube_of([[4, 4, 4], [1, 9]], policy)
        judge = ExtremesJudge(cube, policy)
        judge.learn(request(extreme_of(cube, mask(cube, 0), "max")))
        (objection,) = judge.objections(request(extreme_of(cube, mask(cube, 0), "min")))
        assert objection.looks_at_values is not simulatable


@pytest.mark.parametrize("simulatable", [False, True])
@pytest.mark.long
def test_no_sequence_fixes_a_value(simulatable: bool) -> None:
    answered = refused = 0
    for seed in range(2_000 if LONG else 60):
        draw = np.random.default_rng(seed)
        policy = policy_of(minimum=1, simulatable=simulatable)
        data, values = (EQUAL, draw.integers(1, 7, 4)) if simulatable else (DISTINCT, draw.permutation([2, 5, 8, 11]))
        cube = cube_of([[int(value)] for value in values], policy)
        judge = ExtremesJudge(cube, policy)
        other = ExtremesJudge(cube, policy)
        possible = data
        for _ in range(5):
            cells = np.asarray(draw.random(4) < 0.7)
            if not cells.any():
                continue
            side = str(draw.choice(["max", "max", "min"]))
            query = request(extreme_of(cube, cells, side))
            objections = judge.objections(query)
            # Other data with the same answers get the same verdict.
            another = cube_of([[int(value)] for value in possible[draw.integers(len(possible))]], policy)
            same = other.objections(request(extreme_of(another, cells, side)))
            if not any(one.looks_at_values for one in (*objections, *same)):
                assert bool(objections) is bool(same)
            if objections:
                refused += 1
                continue
            answered += 1
            for one in (judge, other):
                one.learn(query)
            ends = possible[:, cells].max(axis=1) if side == "max" else possible[:, cells].min(axis=1)
            possible = possible[ends == query.facts[0].value]
            assert (possible.min(axis=0) < possible.max(axis=0)).all(), seed
    assert answered > 20 and refused > 20


def test_candidates_differ_from_every_answer() -> None:
    """The trap: the candidate below an answer must not be another answer by chance."""
    policy = policy_of(minimum=1)
    # The least of cells 3 to 5 is 6, one below the largest of cells 0 to 2.
    cube = cube_of([[7], [1], [2], [6], [8], [9]], policy)
    judge = ExtremesJudge(cube, policy)
    judge.learn(request(extreme_of(cube, mask(cube, 0, 1, 2), "max")))
    judge.learn(request(extreme_of(cube, mask(cube, 3, 4, 5), "min")))
    assert judge.objections(request(extreme_of(cube, mask(cube, 0, 1), "max"))) != ()


def test_simulatable_policies_have_no_judge_that_looks_at_values() -> None:
    rules: dict[str, Any] = {"minimum": 3, "dominance": (1, Fraction(50)), "p_percent": Fraction(10), "overlap": 4}
    policy = policy_of(**rules)
    cube = cube_of([[1] * 9], policy)
    names = [judge.name for judge in judges_of(cube, policy)]
    assert names == ["sensitivity", "overlap", "beside_extremes", "extreme", "exact", "squares", "interval"]
    policy = policy_of(**rules, simulatable=True)
    assert [judge.name for judge in judges_of(cube, policy)] == names[:-2]
