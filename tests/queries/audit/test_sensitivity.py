"""Questions by themselves: contributors on both sides, dominance, p %, squares, overlap, rules of the holder's own."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.queries.audit.cubes import count_of, cube_of, extreme_of, mask, policy_of, request, sum_of

from tacita.queries.audit.sensitivity import OverlapJudge, SensitivityJudge
from tacita.queries.policy.policy import QueryLimits


def _rules(cells: list[list[int]], chosen: tuple[int, ...], power: int = 1, **rules: Any) -> list[str]:
    policy = policy_of(bounds=(-100_000, 100_000), **rules)
    cube = cube_of(cells, policy)
    return [
        one.rule for one in SensitivityJudge(cube, policy).objections(request(sum_of(cube, mask(cube, *chosen), power)))
    ]


def test_both_sides_need_contributors() -> None:
    cells = [[1] * 4, [2] * 6, [3] * 3]
    assert _rules(cells, (0,), minimum=5) == ["minimum"]
    assert _rules(cells, (1,), minimum=5) == []
    # All but three are in it.
    assert _rules(cells, (0, 1), minimum=5) == ["minimum"]
    assert _rules(cells, (0, 1, 2), minimum=5) == []
    assert _rules(cells, (), minimum=5) == ["minimum"]


def test_a_person_with_many_records_is_one_contributor() -> None:
    policy = policy_of(minimum=3)
    units = [1, 1, 1, 1, 2, 3, 4, 5, 6]
    cube = cube_of([[1] * 5, [2] * 4], policy, units)
    judge = SensitivityJudge(cube, policy)
    assert [one.rule for one in judge.objections(request(sum_of(cube, mask(cube, 0))))] == ["minimum"]
    assert judge.objections(request(sum_of(cube, mask(cube, 1)))) != ()
    many = cube_of([[1] * 5000, [2] * 5], policy, [1] * 4998 + [2, 3, *range(4, 9)])
    assert SensitivityJudge(many, policy).objections(request(sum_of(many, mask(many, 0)))) == ()


@pytest.mark.parametrize(
    ("values", "rules", "broken"),
    [
        ([85, 3, 2], {"dominance": (2, Fraction(85))}, ["dominance"]),
        ([50, 30, 20], {"dominance": (2, Fraction(85))}, []),
        # 100 + 40 + 9: the second largest estimates the largest to within 9 %.
        ([100, 40, 9], {"p_percent": Fraction(10)}, ["p_percent"]),
        ([100, 40, 10], {"p_percent": Fraction(10)}, []),
        # Absolute values count where some are negative.
        ([100, -40, -10], {"p_percent": Fraction(10)}, []),
        ([-100, 4, 1], {"dominance": (1, Fraction(80))}, ["dominance"]),
    ],
)
def test_rules_on_contributions(values: list[int], rules: dict[str, Any], broken: list[str]) -> None:
    assert _rules([values, [1] * 9], (0,), minimum=2, **rules) == broken
    assert _rules([values, [1] * 9], (0,), minimum=2, simulatable=True, **rules) == []


def test_squares_are_judged_so_that_values_are_as_safe() -> None:
    p = {"p_percent": Fraction(10)}
    others = [20] * 9
    # Of sums the error is 20 %; of squares it is 4 %, which is 2 % of the value.
    assert _rules([[100, 10, *[5] * 4], others], (0,), minimum=2, **p) == []
    assert "p_percent" in _rules([[100, 10, *[5] * 4], others], (0,), 2, minimum=2, **p)
    assert _rules([[10, 9, 8, 8, 7, 2], others], (0,), 2, minimum=2, **p) == []


def test_mean_and_variance_bound_the_largest() -> None:
    # By Samuelson's inequality the largest of 100 and nine times 30 is at most 100.
    p = {"p_percent": Fraction(10)}
    assert _rules([[100, *[30] * 9], [1, 2] * 9], (0,), minimum=2, **p) == []
    assert "p_percent" in _rules([[100, *[30] * 9], [1, 2] * 9], (0,), 2, minimum=2, **p)
    assert "p_percent" in _rules([[-100, *[-30] * 9], [1, 2] * 9], (0,), 2, minimum=2, **p)
    assert _rules([[7] * 9, [1, 2] * 9], (0,), 2, minimum=2) == ["exact"]


def test_two_values_follow_from_sum_and_squares() -> None:
    for minimum in (1, 2):
        assert _rules([[5, 9], [1, 2] * 9], (0,), 2, minimum=minimum) == ["minimum"]
        assert _rules([[5, 9], [1, 2] * 9], (0,), minimum=minimum) == []


def test_what_must_not_be_summed_has_no_extreme() -> None:
    policy = policy_of(minimum=2, dominance=(1, Fraction(80)))
    cube = cube_of([[90, 3, 2], [5, 6, 7]], policy)
    judge = SensitivityJudge(cube, policy)
    objections = judge.objections(
        request(extreme_of(cube, mask(cube, 0), "max"), extreme_of(cube, mask(cube, 1), "max"))
    )
    assert [(one.rule, one.places) for one in objections] == [("dominance", (0,))]


def test_no_sentence_shows_a_value() -> None:
    policy = policy_of(minimum=2, dominance=(1, Fraction(80)), bounds=(0, 1_000_000))
    cube = cube_of([[123_457, 1_003], [5, 6, 7]], policy)
    (objection,) = SensitivityJudge(cube, policy).objections(request(sum_of(cube, mask(cube, 0))))
    assert "99 %" in objection.sentence
    assert not any(word in objection.sentence + repr(cube) for word in ("123457", "123,457", "1003", "1,003"))


def test_counts_that_are_no_secret_are_not_judged() -> None:
    for confidential in (True, False):
        policy = policy_of(minimum=5, counts_are_confidential=confidential)
        cube = cube_of([[1], [2] * 9], policy)
        objections = SensitivityJudge(cube, policy).objections(request(count_of(cube, mask(cube, 0))))
        assert bool(objections) is confidential


def test_rules_of_the_holder_are_asked(tmp_path: Path) -> None:
    program = tmp_path / "own.vada"
    program.write_text('Cell(I, V, N), V > 100 -> Sensitive(I, "too much").\n')
    cells = [[60, 60], [20, 20, 20]]
    assert _rules(cells, (0,), minimum=1, program=program) == ["program"]
    assert _rules(cells, (1,), minimum=1, program=program) == []


def test_overlap_is_limited() -> None:
    policy = policy_of(minimum=1, overlap=5)
    cube = cube_of([[1] * 4, [2] * 3, [3] * 2, [4] * 9], policy)
    judge = OverlapJudge(cube, policy)
    first = request(sum_of(cube, mask(cube, 0, 1)), number=1)
    assert judge.objections(first) == ()
    judge.learn(first)
    # The same records again are no overlap.
    assert judge.objections(request(count_of(cube, mask(cube, 0, 1)))) == ()
    assert judge.objections(request(sum_of(cube, mask(cube, 0, 2)))) == ()
    (objection,) = judge.objections(request(sum_of(cube, mask(cube, 3)), sum_of(cube, mask(cube, 0, 1, 2))))
    assert (objection.rule, objection.places) == ("overlap", (1,))
    assert "7 of its records are in answer 1" in objection.sentence
    # Two questions of one request.
    assert judge.objections(request(sum_of(cube, mask(cube, 3)), sum_of(cube, mask(cube, 2, 3)))) != ()


def test_the_memory_of_overlaps_is_limited() -> None:
    policy = policy_of(QueryLimits(memory=0), minimum=1, overlap=100)
    cube = cube_of([[1] * 3, [2] * 3], policy)
    judge = OverlapJudge(cube, policy)
    judge.learn(request(sum_of(cube, mask(cube, 0))))
    assert [one.rule for one in judge.objections(request(sum_of(cube, np.ones(2, np.bool_))))] == ["memory"]
