"""Variances: nobody is left alone within one, unless many other data sets agree."""

from __future__ import annotations

import numpy as np
from tests.queries.audit.cubes import cube_of, mask, policy_of, request, sum_of

from tacita.queries.audit.judge import AuditRequest
from tacita.queries.audit.squares import SquaresJudge
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy import QueryLimits


def variance(cube: Cube, *cells: int, number: int = 1) -> AuditRequest:
    chosen = mask(cube, *cells)
    return request(sum_of(cube, chosen), sum_of(cube, chosen, 2), number=number)


def test_a_sum_within_a_small_variance_must_leave_nobody_alone() -> None:
    # Found by brute force: 3, 0 and 3 have the mean 2 and the variance 2, so the one that another sum holds is 0 or 3.
    policy = policy_of(minimum=2, bounds=(0, 3))
    cube = cube_of([[3], [0], [3], [2], [1, 0]], policy)
    judge = SquaresJudge(cube, policy)
    assert judge.objections(variance(cube, 0, 1, 2)) == ()
    judge.learn(variance(cube, 0, 1, 2))
    (objection,) = judge.objections(request(sum_of(cube, mask(cube, 0, 1, 3)), number=2))
    assert objection.rule == "squares" and objection.looks_at_values and objection.places == (0,)
    assert judge.objections(request(sum_of(cube, mask(cube, 3, 4)), number=2)) == ()
    # The other way round: the sum comes first.
    judge = SquaresJudge(cube, policy)
    judge.learn(request(sum_of(cube, mask(cube, 0, 1, 3))))
    assert judge.objections(variance(cube, 0, 1, 2)) != ()


def test_equal_values_are_not_exchanged_for_others() -> None:
    policy = policy_of(minimum=2, bounds=(0, 3))
    assert SquaresJudge(cube := cube_of([[2, 2, 2, 2]], policy), policy).objections(variance(cube, 0)) != ()
    assert SquaresJudge(cube := cube_of([[2, 2, 2, 1]], policy), policy).objections(variance(cube, 0)) == ()


def test_many_other_records_protect_one_that_is_alone() -> None:
    draw = np.random.default_rng(3)
    policy = policy_of(minimum=2, bounds=(0, 1000))
    for size, is_refused in ((3, True), (40, False)):
        cube = cube_of([[700], draw.integers(0, 1001, size).tolist(), [5, 9]], policy)
        judge = SquaresJudge(cube, policy)
        judge.learn(variance(cube, 0, 1))
        assert bool(judge.objections(request(sum_of(cube, mask(cube, 0, 2)), number=2))) == is_refused


def test_too_many_variances_are_refused() -> None:
    policy = policy_of(QueryLimits(deadline=0), minimum=2, bounds=(0, 3))
    cube = cube_of([[3], [0], [3], [2]], policy)
    judge = SquaresJudge(cube, policy)
    judge.learn(request(sum_of(cube, mask(cube, 0, 3))))
    assert [one.rule for one in judge.objections(variance(cube, 0, 1, 2))] == ["deadline"]


def test_records_of_one_person_are_not_exchanged() -> None:
    policy = policy_of(minimum=2, bounds=(0, 3))
    for units, is_refused in (([1, 1, 2, 3], True), ([1, 4, 2, 3], False)):
        cube = cube_of([[3, 0], [1, 2]], policy, units)
        judge = SquaresJudge(cube, policy)
        judge.learn(variance(cube, 0, 1))
        assert bool(judge.objections(request(sum_of(cube, mask(cube, 0)), number=2))) == is_refused
