"""Unions whose entries add up to zero, against all subsets; classes that are cut; audits that follow the ledger."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.queries.audit.cubes import cube_of, policy_of, request, sum_of

from tacita.queries.audit import unions
from tacita.queries.audit.exact import ExactJudge
from tacita.queries.audit.interval import IntervalJudge
from tacita.queries.audit.partition import CellClasses
from tacita.queries.audit.published import PublishedSets

PRIME = 10_007


def _zero_sets(entries: list[int], persons: list[int], least: int, most: int) -> set[tuple[int, ...]]:
    """Return the smallest sets of at most so many places that add up to zero."""
    result: list[tuple[int, ...]] = []
    for size in range(2, most + 1):
        for places in itertools.combinations(range(len(entries)), size):
            is_zero = sum(entries[at] for at in places) % PRIME == 0
            few = sum(persons[at] for at in places) < least
            if is_zero and few and not any(set(one) < set(places) for one in result):
                result.append(places)
    return set(result)


@pytest.mark.parametrize("steps", [300_000, 0])
def test_unions_are_those_of_all_subsets(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unions, "_MOST_STEPS", steps)
    total = 0
    for seed in range(30):
        draw = np.random.default_rng(seed)
        entries = draw.integers(1, PRIME, 12)
        entries[3] = PRIME - entries[1]
        entries[7] = (2 * PRIME - entries[4] - entries[5]) % PRIME or 1
        persons, least = draw.integers(1, 4, 12), int(draw.integers(3, 9))
        # Without steps for a full search, pairs and triples are left.
        most = 12 if steps else 3
        wanted = _zero_sets(entries.tolist(), persons.tolist(), least, most)
        reached = {tuple(one.tolist()) for one in unions.known_unions(entries, persons, least, PRIME)}
        assert wanted <= reached
        for places in reached:
            assert sum(entries[list(places)].tolist()) % PRIME == 0
            assert persons[list(places)].sum() < least
        total += len(wanted)
    assert total > 10


def test_classes_are_those_of_equal_answers() -> None:
    draw = np.random.default_rng(3)
    classes, masks = CellClasses.of(40), []
    for _ in range(5):
        some = [np.asarray(draw.random(40) < 0.5) for _ in range(2)]
        before = classes.of_cell
        classes = classes.cut(some)
        masks += some
        patterns = np.unique(np.stack(masks, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        pairs = np.unique(np.stack([patterns, classes.of_cell], axis=1), axis=0)
        assert len(pairs) == classes.count == len(np.unique(patterns))
        # What was cut off says what it was cut off from.
        assert (classes.roots[classes.of_cell] == before).all()


def test_published_sets_are_nested_as_sets_are() -> None:
    draw = np.random.default_rng(4)
    sets, masks = PublishedSets(9, most_bytes=1 << 20), []
    for number in range(60):
        one = np.asarray(draw.random(9) < draw.random())
        sets.add(one, number)
        if not any((one == other).all() for other in masks):
            masks.append(one)
    assert len(sets) == len(masks)
    asked_about = np.asarray(draw.random(9) < 0.5)
    nested = {(outer, inner): left.tolist() for outer, inner, left in sets.nested(asked_about)}
    for at, one in enumerate(masks):
        is_inside, holds = not (one & ~asked_about).any(), not (asked_about & ~one).any()
        if holds and not is_inside:
            assert nested.pop((at, None)) == (one & ~asked_about).tolist()
        elif is_inside and not holds:
            assert nested.pop((None, at)) == (asked_about & ~one).tolist()
    assert nested == {}


def test_processes_that_read_one_ledger_judge_alike() -> None:
    """Each draws a prime of its own, and one of them judged before it learnt."""
    draw = np.random.default_rng(6)
    policy = policy_of(minimum=3)
    cube = cube_of([draw.integers(1, 900, draw.integers(1, 5)).tolist() for _ in range(12)], policy)
    for kind in (ExactJudge, IntervalJudge):
        one, other = kind(cube, policy), kind(cube, policy)
        refused = 0
        for number in range(1, 15):
            query = request(*[sum_of(cube, np.asarray(draw.random(12) < 0.5)) for _ in range(2)], number=number)
            objections = one.objections(query)
            if number % 3 == 0:
                again = other.objections(query)
                assert [item.rule for item in objections] == [item.rule for item in again]
                refused += bool(again)
            if not objections:
                one.learn(query)
                other.learn(query)
        assert kind is IntervalJudge or refused
