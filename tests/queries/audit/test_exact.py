"""Exact inference: the EMP example, random sequences against fractions, the attack on a fixed prime, limits."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from tests.long import LONG
from tests.queries.audit.cubes import HOUR, Span, count_of, cube_of, mask, policy_of, request, sum_of

from tacita.errors import LimitError
from tacita.queries.audit.exact import ExactJudge
from tacita.queries.audit.judge import QueryJudge
from tacita.queries.audit.sensitivity import SensitivityJudge
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy import QueryLimits, QueryPolicy
from tacita.queries.question import Mask

EMP = [[85, 3, 2], [4, 3, 3], [4, 3, 3]]
"""Document 002: Management, Administration, Services."""


def test_the_total_of_management_follows_in_the_emp_example() -> None:
    policy = policy_of(minimum=1, dominance=(2, Fraction(85)), knows_bounds=False)
    cube = cube_of(EMP, policy)
    judge = ExactJudge(cube, policy)
    for number, cell in ((1, 1), (2, 2)):
        query = request(sum_of(cube, mask(cube, cell)), number=number)
        assert judge.objections(query) == ()
        judge.learn(query)
    # q3 by itself is harmless: two of nine have 89 of 110.
    everything = request(sum_of(cube, np.ones(3, np.bool_)), number=3)
    assert [one.rule for one in SensitivityJudge(cube, policy).objections(everything)] == []
    objection, *others = judge.objections(everything)
    # Of what q3 leaves beside q1, and beside q2, two people have 88 % as well.
    assert [one.multipliers for one in others] == [((1, "-1"), (0, "1")), ((2, "-1"), (0, "1"))]
    assert objection.rule == "exact"
    assert objection.multipliers == ((1, "-1"), (2, "-1"), (0, "1"))
    assert objection.looks_at_values
    assert "3 records" in objection.sentence and "one has 94 %" in objection.sentence


def test_a_request_is_judged_as_a_whole() -> None:
    policy = policy_of(minimum=5)
    cube = cube_of([[1] * 6, [2] * 2, [3] * 7], policy)
    judge = ExactJudge(cube, policy)
    whole = sum_of(cube, mask(cube, 0, 1, 2))
    parts = [sum_of(cube, mask(cube, cell)) for cell in (0, 2)]
    assert judge.objections(request(whole, parts[0])) == ()
    (objection,) = judge.objections(request(whole, *parts))
    assert objection.places == (2,)
    assert objection.multipliers == ((0, "1"), (0, "-1"), (0, "-1"))


def test_what_follows_already_is_nothing_new() -> None:
    policy = policy_of(minimum=2)
    cube = cube_of([[1] * 4, [2] * 5, [3] * 7], policy)
    judge = ExactJudge(cube, policy)
    judge.learn(request(sum_of(cube, mask(cube, 0, 1)), sum_of(cube, mask(cube, 1, 2)), sum_of(cube, mask(cube, 1))))
    rank = judge.rank("salary")
    # (0 1) + (1 2) - 1
    query = request(sum_of(cube, mask(cube, 0, 1, 2)))
    assert judge.objections(query) == ()
    judge.learn(query)
    assert judge.rank("salary") == rank == 3


def test_objections_change_nothing() -> None:
    policy = policy_of(minimum=5)
    cube = cube_of([[1] * 6, [2] * 2, [3] * 7], policy)
    judge = ExactJudge(cube, policy)
    judge.learn(request(sum_of(cube, mask(cube, 0, 1))))
    for _ in range(3):
        assert len(judge.objections(request(sum_of(cube, mask(cube, 0))))) > 0
    assert judge.rank("salary") == 1
    # Had the refused one been learnt, this would give cell 1.
    assert judge.objections(request(sum_of(cube, mask(cube, 0, 2)))) == ()


def test_counts_are_judged_only_where_they_are_a_secret() -> None:
    for confidential in (True, False):
        policy = policy_of(minimum=3, counts_are_confidential=confidential)
        cube = cube_of([[1] * 6, [2] * 2, [3] * 7], policy)
        judge = ExactJudge(cube, policy)
        judge.learn(request(count_of(cube, mask(cube, 0, 1))))
        assert bool(judge.objections(request(count_of(cube, mask(cube, 0))))) is confidential


def test_a_union_of_small_classes_is_seen() -> None:
    policy = policy_of(minimum=4)
    cube = cube_of([[5] * 4, [6], [7], [8], [9] * 4], policy)
    judge = ExactJudge(cube, policy)
    # Four classes are cut apart first; cells 1 and 2 are never alone with each other in a question.
    judge.learn(request(sum_of(cube, mask(cube, 0, 1, 3)), sum_of(cube, mask(cube, 1, 4))))
    judge.learn(request(sum_of(cube, mask(cube, 0, 1, 2, 4))))
    # (0 1 2 4) - (0 4) = {1, 2}: two people.
    objections = judge.objections(request(sum_of(cube, mask(cube, 0, 4))))
    assert any("2 records" in one.sentence for one in objections)


def test_a_difference_of_nested_sets_is_judged_by_values() -> None:
    policy = policy_of(minimum=2, p_percent=Fraction(10), bounds=(0, 100_000))
    cells = [[10] * 5, [20] * 6, [90_000, 10], [30, 10, 20], [10] * 8]
    cube = cube_of(cells, policy)
    judge = ExactJudge(cube, policy)
    # Cells 2 and 3 are told apart, so that their union is no class; it is not small either.
    judge.learn(request(sum_of(cube, mask(cube, 0, 2)), number=1))
    judge.learn(request(sum_of(cube, mask(cube, 0, 1, 2, 3, 4)), number=2))
    objections = judge.objections(request(sum_of(cube, mask(cube, 0, 1, 4)), number=3))
    assert [one.multipliers for one in objections] == [((2, "1"), (0, "-1"))]
    assert "one has 99 %" in objections[0].sentence


def test_records_of_one_person_in_many_cells_are_one_contributor() -> None:
    policy = policy_of(minimum=3)
    cells = [[5], [6], [7], [8], *[[at] for at in range(1, 9)]]
    units = [1, 1, 1, 1, *range(2, 10)]
    cube = cube_of(cells, policy, units)
    judge = ExactJudge(cube, policy)
    some, more = mask(cube, *range(4, 8)), mask(cube, *range(8, 12))
    queries = [some | mask(cube, 0, 1), more | mask(cube, 2, 3), mask(cube, 0, 2, 5, 6, 9)]
    for number, cells_asked in enumerate(queries, 1):
        query = request(sum_of(cube, cells_asked), number=number)
        assert judge.objections(query) == ()
        judge.learn(query)
    # The first two less this are cells 0, 1, 2 and 3: four records of one person in four classes.
    objections = judge.objections(request(sum_of(cube, some | more), number=4))
    assert [one.multipliers for one in objections] == [((1, "1"), (2, "1"), (0, "-1"))]


def _brute_force(cube: Cube, least: int, span: Span) -> list[tuple[int, ...]]:
    """Return the sets of cells with fewer people than allowed whose sum follows."""
    weights = cube.n.tolist()
    return [
        cells
        for size in range(1, least)
        for cells in itertools.combinations(range(len(cube)), size)
        if sum(weights[cell] for cell in cells) < least and span.has([int(cell in cells) for cell in range(len(cube))])
    ]


def _sequence(seed: int) -> tuple[int, int]:
    """Ask random questions and hold what is answered against fractions; return how many were answered, and how many."""
    draw = np.random.default_rng(seed)
    least = int(draw.integers(1, 6))
    # With a minimum of 1 or 2 nobody's own sum may become known all the same.
    policy: QueryPolicy = policy_of(minimum=max(2, least), knows_bounds=False)
    least = policy.rules.minimum
    cells = [[int(value) for value in draw.integers(0, 50, draw.choice([1, 1, 1, 2, 3]))] for _ in range(9)]
    cube = cube_of(cells, policy)
    judges: tuple[QueryJudge, ...] = (SensitivityJudge(cube, policy), ExactJudge(cube, policy))
    span = Span()
    answered = 0
    for number in range(9):
        facts = [sum_of(cube, _some(draw, len(cube))) for _ in range(int(draw.choice([1, 1, 1, 2, 3])))]
        query = request(*facts, number=number)
        exact = judges[1].objections(query)
        if exact and number % 4 == 0:
            assert not all(span.has(fact.cells.astype(int).tolist()) for fact in facts)
        if exact or judges[0].objections(query):
            continue
        answered += 1
        for judge in judges:
            judge.learn(query)
        for fact in facts:
            span.add(fact.cells.astype(int).tolist())
    # What is known only grows: what does not follow at the end never did.
    assert _brute_force(cube, least, span) == []
    return answered, 9


def _some(draw: np.random.Generator, cells: int) -> Mask:
    return np.asarray(draw.random(cells) < draw.choice([0.3, 0.5, 0.8]))


@pytest.mark.long
def test_no_sequence_gives_a_sum_of_few() -> None:
    sequences = [_sequence(seed) for seed in range(10_000 if LONG else 200)]
    answered, everything = (sum(some) for some in zip(*sequences, strict=True))
    # Both happen: a judge that refuses everything, or nothing, proves nothing.
    assert 0.1 < answered / everything < 0.9


def test_every_refusal_has_a_reason_in_fractions() -> None:
    for seed in range(25):
        draw = np.random.default_rng(1000 + seed)
        policy = policy_of(minimum=3)
        cube = cube_of([[1] * int(size) for size in draw.choice([1, 2, 4], 8)], policy)
        judge, span = ExactJudge(cube, policy), Span()
        for number in range(1, 10):
            cells = _some(draw, 8)
            query = request(sum_of(cube, cells), number=number)
            row = cells.astype(int).tolist()
            with_it = span.copy()
            with_it.add(row)
            assert bool(judge.objections(query)) is bool(_brute_force(cube, 3, with_it))
            if not judge.objections(query):
                judge.learn(query)
                span = with_it


def test_the_memory_of_answers_is_limited() -> None:
    policy = policy_of(QueryLimits(memory=1, deadline=HOUR), minimum=1)
    cube = cube_of([[1] * 3 for _ in range(600)], policy)
    judge = ExactJudge(cube, policy)
    draw = np.random.default_rng(1)
    for number in range(1, 400):
        query = request(sum_of(cube, np.asarray(draw.random(600) < 0.5)), number=number)
        objections = judge.objections(query)
        if objections:
            assert [one.rule for one in objections] == ["memory"]
            break
        judge.learn(query)
    assert 20 < judge.rank("salary") < 200
    # What follows already needs no memory beyond that of its set.
    with pytest.raises(LimitError, match=r"MB"):
        judge.learn(request(*[sum_of(cube, np.asarray(draw.random(600) < 0.5)) for _ in range(200)]))


def test_an_audit_that_takes_too_many_steps_is_refused() -> None:
    policy = policy_of(QueryLimits(deadline=0), minimum=1)
    cube = cube_of([[1] * 3 for _ in range(5)], policy)
    judge = ExactJudge(cube, policy)
    assert [one.rule for one in judge.objections(request(sum_of(cube, mask(cube, 0, 1))))] == ["deadline"]
