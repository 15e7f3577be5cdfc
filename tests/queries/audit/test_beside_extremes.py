"""Extremes beside sums and variances: what follows from both together, and from neither alone."""

from __future__ import annotations

from typing import Any

import pytest
from tests.queries.audit.cubes import cube_of, extreme_of, mask, policy_of, request, sum_of

from tacita.queries.audit.beside_extremes import BesideExtremesJudge
from tacita.queries.audit.judge import AuditRequest
from tacita.queries.audit.judges import judges_of
from tacita.queries.cube.cube import Cube

ONE_STANDS_OUT = [[800] + [500] * 9, [500] * 20, list(range(0, 1000, 25))]


def _answered(cube: Cube, requests: list[AuditRequest]) -> list[bool]:
    judges = judges_of(cube, cube.policy)
    result = []
    for one in requests:
        result.append(not any(judge.objections(one) for judge in judges))
        for judge in judges if result[-1] else ():
            judge.learn(one)
    return result


def test_mean_variance_and_two_maxima_do_not_fix_values() -> None:
    """Only one value of 800 and 29 of 500 have this mean, variance and maximum; the second maximum says where it is."""
    cube = cube_of(ONE_STANDS_OUT, policy_of(minimum=5, bounds=(-1000, 1000)))
    both, part = mask(cube, 0, 1), mask(cube, 1)
    moments = request(sum_of(cube, both), sum_of(cube, both, power=2))
    maxima = [request(extreme_of(cube, some, "max")) for some in (both, part)]
    assert _answered(cube, [moments, *maxima]) == [True, False, False]
    assert _answered(cube, [*maxima, moments]) == [True, True, False]
    # Of other records nothing is known.
    assert _answered(cube, [moments, request(extreme_of(cube, mask(cube, 2), "max"))]) == [True, True]


@pytest.mark.parametrize("rules", [{"knows_bounds": False}, {"simulatable": True}, {}])
def test_a_mean_that_is_the_maximum_is_not_told(rules: dict[str, Any]) -> None:
    cube = cube_of([[500] * 12, [1, 2, 3, 4, 5, 6]], policy_of(minimum=5, **rules))
    largest, total = request(extreme_of(cube, mask(cube, 0), "max")), request(sum_of(cube, mask(cube, 0)))
    assert _answered(cube, [largest, total]) == [True, False]
    assert _answered(cube, [total, largest]) == [True, False]


def test_sums_beside_extremes_are_left_to_the_judge_of_intervals() -> None:
    cube = cube_of(ONE_STANDS_OUT, policy_of(minimum=5))
    largest, total = request(extreme_of(cube, mask(cube, 2), "max")), request(sum_of(cube, mask(cube, 2)))
    assert _answered(cube, [largest, total]) == [True, True]
    judge = BesideExtremesJudge(cube, cube.policy)
    (objection,) = judge.objections(
        request(extreme_of(cube, mask(cube, 2), "max"), sum_of(cube, mask(cube, 2), power=2))
    )
    assert (objection.places, objection.looks_at_values) == ((1,), False)
