"""Intervals: the EMP example with its proof, random sequences against linear programmes of their own, deadlines."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.long import LONG
from tests.queries.audit.cubes import HOUR, count_of, cube_of, extreme_of, mask, policy_of, request, sum_of

from tacita.queries.audit.interval import IntervalJudge
from tacita.queries.audit.partition import CellClasses
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy import QueryLimits
from tacita.queries.question import Mask

EMP = [[85, 3, 2], [4, 3, 3], [4, 3, 3]]
"""Document 002: Management, Administration, Services."""


@pytest.mark.parametrize(
    "rules", [{"dominance": (2, Fraction(85))}, {"dominance": (1, Fraction(85))}, {"p_percent": Fraction(10)}]
)
def test_q3_is_refused_with_its_proof_in_the_emp_example(rules: dict[str, Any]) -> None:
    policy = policy_of(minimum=1, **rules)
    cube = cube_of(EMP, policy)
    judge = IntervalJudge(cube, policy)
    for number, cell in ((1, 1), (2, 2)):
        query = request(sum_of(cube, mask(cube, cell)), number=number)
        assert judge.objections(query) == ()
        judge.learn(query)
    # The total of Management is 90, and id1 has 85 of it.
    objections = judge.objections(request(sum_of(cube, np.ones(3, np.bool_)), number=3))
    assert [(one.rule, one.multipliers) for one in objections] == [("interval", ((1, "-1"), (2, "-1"), (0, "1")))]
    assert objections[0].looks_at_values
    assert "90" not in objections[0].sentence and "85" not in objections[0].sentence


def test_a_bound_tells_what_no_sum_does() -> None:
    # Cells 0 and 1 have one record each; their sum is twice the upper bound, so both are at it.
    policy = policy_of(minimum=1, bounds=(0, 100))
    cube = cube_of([[100], [100], [50, 20, 30]], policy)
    judge = IntervalJudge(cube, policy)
    assert judge.objections(request(sum_of(cube, mask(cube, 0, 1)))) != ()
    assert judge.objections(request(sum_of(cube, mask(cube, 1, 2)))) == ()


def test_a_largest_value_bounds_every_record() -> None:
    policy = policy_of(minimum=1, bounds=(0, 1000))
    cube = cube_of([[40, 40, 40, 40], [7, 9, 3]], policy)
    judge = IntervalJudge(cube, policy)
    total = request(sum_of(cube, mask(cube, 0)), number=2)
    assert judge.objections(total) == ()
    judge.learn(request(extreme_of(cube, mask(cube, 0), "max"), number=1))
    # Four records of at most 40 add up to 160.
    assert judge.objections(total) != ()


def test_an_extreme_at_a_bound_tells_every_value() -> None:
    policy = policy_of(minimum=1, bounds=(0, 100))
    cube = cube_of([[100, 100, 100], [7, 9, 3]], policy)
    judge = IntervalJudge(cube, policy)
    assert judge.objections(request(extreme_of(cube, mask(cube, 0), "min"))) != ()
    assert judge.objections(request(extreme_of(cube, mask(cube, 0, 1), "max"))) == ()


def test_two_extremes_leave_nobody_between_ends_within_p_per_cent() -> None:
    policy = policy_of(minimum=1, bounds=(0, 1000), p_percent=Fraction(10))
    for values, is_refused in (([500, 510, 520], True), ([500, 600, 900], False)):
        cube = cube_of([values, [0, 1000, 300]], policy)
        judge = IntervalJudge(cube, policy)
        least, most = (request(extreme_of(cube, mask(cube, 0), end)) for end in ("min", "max"))
        assert judge.objections(least) == ()
        judge.learn(least)
        assert bool(judge.objections(most)) == is_refused


@pytest.mark.parametrize("with_least", [True, False])
def test_somebody_has_a_least_value(with_least: bool) -> None:
    # Three of 0 to 2 add up to 4, and one of them has 0. If the last is at most 1, it has 0, and the others have 2.
    policy = policy_of(minimum=1, bounds=(0, 2))
    cube = cube_of([[2, 2], [0], [1], [1]], policy)
    judge = IntervalJudge(cube, policy)
    least = [extreme_of(cube, mask(cube, 0, 1), "min")] if with_least else []
    for one in (sum_of(cube, mask(cube, 0, 1)), *least):
        assert judge.objections(request(one)) == ()
        judge.learn(request(one))
    assert bool(judge.objections(request(extreme_of(cube, mask(cube, 1, 2, 3), "max")))) == with_least


def test_a_refusal_does_not_tell_who_has_the_largest_value() -> None:
    policy = policy_of(minimum=1, bounds=(0, 10))
    refused = []
    for largest in ([9, 4, 4, 4], [4, 9, 4, 4], [4, 4, 9, 4]):
        cube = cube_of([[value] for value in largest] + [[1, 2], [3, 3]], policy)
        judge = IntervalJudge(cube, policy)
        judge.learn(request(extreme_of(cube, mask(cube, 0, 1, 2, 3), "max")))
        refused.append(bool(judge.objections(request(sum_of(cube, mask(cube, 0, 4))))))
    assert refused == [False, False, False]


def test_counts_need_two_possible_whole_numbers() -> None:
    policy = policy_of(minimum=3)
    cube = cube_of([[1] * 2, [1] * 7, [1] * 9], policy)
    judge = IntervalJudge(cube, policy)
    judge.learn(request(count_of(cube, mask(cube, 0, 1)), number=1))
    assert judge.objections(request(count_of(cube, mask(cube, 0, 1, 2)), number=2)) == ()
    (objection,) = judge.objections(request(count_of(cube, mask(cube, 1)), number=2))
    assert objection.multipliers == ((1, "1"), (0, "-1"))


def test_no_verdict_in_time_is_a_refusal() -> None:
    policy = policy_of(QueryLimits(deadline=0), minimum=1, p_percent=Fraction(10))
    cube = cube_of(EMP, policy)
    judge = IntervalJudge(cube, policy)
    assert [one.rule for one in judge.objections(request(sum_of(cube, mask(cube, 0))))] == ["deadline"]


def test_what_was_answered_has_a_limit_of_memory() -> None:
    policy = policy_of(QueryLimits(memory=0, deadline=HOUR), minimum=1)
    cube = cube_of(EMP, policy)
    query = request(sum_of(cube, mask(cube, 0, 1)))
    assert [one.rule for one in IntervalJudge(cube, policy).objections(query)] == ["memory"]


def test_witnesses_save_programmes() -> None:
    draw = np.random.default_rng(5)
    policy = policy_of(minimum=1, p_percent=Fraction(10), bounds=(0, 10_000))
    cube = cube_of([draw.integers(1, 9_000, 2).tolist() for _ in range(30)], policy)
    judge = IntervalJudge(cube, policy)
    judged = 0
    for number in range(1, 15):
        query = request(sum_of(cube, np.asarray(draw.random(30) < 0.5)), number=number)
        objections = judge.objections(query)
        judged += 2 * len(judge._states["salary"].needs)
        if not objections:
            judge.learn(query)
    assert judge.programmes < judged / 3


@pytest.mark.parametrize("seed", range(6))
def test_classes_that_are_not_suspected_need_nothing(seed: int) -> None:
    draw = np.random.default_rng(seed)
    rules: list[dict[str, Any]] = [{}, {"p_percent": Fraction(15)}, {"dominance": (2, Fraction(80))}]
    low = int(draw.choice([-50, 0, 5]))
    policy = policy_of(minimum=2, bounds=(low, 100), **rules[seed % 3])
    cells = [draw.integers(low, 101, draw.integers(1, 9)).tolist() for _ in range(40)]
    records = sum(map(len, cells))
    units = draw.integers(0, records // 3, records).tolist() if seed % 2 else None
    cube = cube_of(cells, policy, units)
    judge = IntervalJudge(cube, policy)
    classes = CellClasses.of(40).cut([np.asarray(draw.random(40) < share) for share in (0.5, 0.3, 0.3, 0.5)])
    bounds = judge._state("salary").bounds
    every = list(range(classes.count))
    for measure in ("salary", ""):
        needed = [one for one in every if judge._need(measure, classes, one, bounds)]
        suspects = judge._suspects(measure, classes, every, bounds)
        assert set(needed) <= set(suspects)
    assert len(judge._suspects("", classes, every, bounds)) < len(every)


def _sequence(seed: int) -> tuple[int, int, int]:
    """Ask random questions; compare each verdict with programmes over records. Return verdicts of both kinds."""
    draw = np.random.default_rng(seed)
    p, bounds = 20, (0, 100)
    policy = policy_of(minimum=1, p_percent=Fraction(p), bounds=bounds)
    cells = [draw.choice([0, 5, 20, 60, 90, 100], draw.choice([1, 1, 2, 3])).tolist() for _ in range(5)]
    cube = cube_of(cells, policy)
    judge = IntervalJudge(cube, policy)
    rows: list[Mask] = []
    yes = no = 0
    for number in range(1, 7):
        cells_asked = np.asarray(draw.random(5) < 0.6)
        if not cells_asked.any():
            continue
        query = request(sum_of(cube, cells_asked), number=number)
        refused = bool(judge.objections(query))
        near = _is_too_near(cube, [*rows, cells_asked], bounds, p)
        assert refused is near, (seed, number)
        yes, no = yes + (not refused), no + refused
        if not refused:
            judge.learn(query)
            rows.append(cells_asked)
    return yes, no, judge.programmes


def _is_too_near(cube: Cube, rows: list[Mask], bounds: tuple[int, int], p: int) -> bool:
    """Return whether somebody in the same class, or nobody, estimates a record to within p per cent."""
    classes: dict[tuple[bool, ...], list[int]] = {}
    cell_of = np.repeat(np.arange(len(cube)), cube.n)
    for record, cell in enumerate(cell_of.tolist()):
        classes.setdefault(tuple(bool(row[cell]) for row in rows), []).append(record)
    values = cube.values["salary"].astype(float)
    for records in classes.values():
        low, high = _of_class(cube, rows, records, bounds)
        for record in records:
            x = values[record]
            room = max(p / 100 * abs(x), 1.0)
            # Not the value of the insider alone: their knowledge of the class, not of other classes, is what counts.
            for insider in [one for one in records if one != record] or [None]:
                others = [one for one in records if one not in (record, insider)]
                own = 0.0 if insider is None else values[insider]
                up = min(high - own - bounds[0] * len(others), bounds[1])
                down = max(low - own - bounds[1] * len(others), bounds[0])
                if up < min(x + room, bounds[1]) - 1e-6 or down > max(x - room, bounds[0]) + 1e-6:
                    return True
    return False


def _of_class(cube: Cube, rows: list[Mask], records: list[int], bounds: tuple[int, int]) -> tuple[float, float]:
    """Return the whole numbers between which the sum of a class lies, by a programme over records."""
    values = cube.values["salary"]
    cell_of = np.repeat(np.arange(len(cube)), cube.n)
    members = np.array([row[cell_of] for row in rows], float)
    right = members @ values
    ends = []
    for sign in (1, -1):
        price = np.zeros(len(values))
        price[records] = sign
        best = linprog(price, A_eq=members, b_eq=right, bounds=[bounds] * len(values), method="highs")
        assert best.status == 0
        ends.append(sign * best.fun)
    return float(np.ceil(ends[0] - 1e-6)), float(np.floor(ends[1] + 1e-6))


@pytest.mark.long
def test_verdicts_agree_with_programmes_over_records() -> None:
    outcome = [_sequence(seed) for seed in range(2_000 if LONG else 25)]
    yes, no, programmes = (sum(some) for some in zip(*outcome, strict=True))
    assert yes > 10 and no > 10 and programmes > 0
