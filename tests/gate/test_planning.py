"""Plans: the largest safe subset against brute force, orders in which every record passes, remedies that work."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from experiments.soldiers import AGES, policy_text, soldiers
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import UsageError
from tacita.gate.gate import Gate
from tacita.gate.picture.picture import Picture
from tacita.gate.planning.plan import plan_release
from tacita.gate.planning.remedy import remedy_for
from tacita.gate.planning.subset import largest_subset
from tacita.gate.policy.policy_file import parse_policy
from tacita.gate.rules.crowd import CrowdRule
from tacita.gate.rules.definition_5 import Definition5
from tacita.gate.rules.evidence_limits import MartingaleRule
from tacita.gate.rules.judge import ALLOWED, Judge
from tacita.gate.rules.making import judge_of
from tacita.gate.rules.start import Start, StartOptions

SHARES = np.array([0.5, 0.3, 0.2])
COUNTS = st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=4, max_size=4)
OFFERED = st.lists(st.integers(0, 4), min_size=3, max_size=3)
RULES = {
    "definition-5": Definition5,
    "martingale": lambda picture: MartingaleRule(picture, 4.0, 4.0),
    "crowd": lambda picture: CrowdRule(picture, comparable=0.0),
}


def judge(rule: str, counts: list[list[int]]) -> Judge:
    picture = Picture(SHARES, len(counts))
    picture.load(counts)
    return Judge(picture, Start(picture, StartOptions(records=1)), [RULES[rule](picture)])


def is_safe(gate: Judge, added: tuple[int, ...]) -> bool:
    """Whether target 0 may have more records, by the rule itself."""
    if not sum(added):
        return True
    picture, rule = gate.picture, gate.rules[0]
    counts = [before + more for before, more in zip(picture.counts[0], added, strict=True)]
    amount = rule.amount_of(0, counts)
    if rule.accepts(0, sum(counts), amount):
        return True
    nearer = picture.sizes[0] and amount // sum(counts) <= picture.distance_units(0)
    return bool(rule.name == "crowd" and nearer)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@given(counts=COUNTS, offered=OFFERED)
@settings(max_examples=60)
def test_the_subset_is_the_largest_one(rule: str, counts: list[list[int]], offered: list[int]) -> None:
    gate = judge(rule, counts)
    cells = {(0, value): number for value, number in enumerate(offered) if number}
    chosen = largest_subset([gate], cells)
    best = max(sum(added) for added in product(*(range(number + 1) for number in offered)) if is_safe(gate, added))
    assert chosen.records == best if chosen.is_best else chosen.records <= best
    assert is_safe(gate, tuple(chosen.counts.get((0, value), 0) for value in range(3)))


@given(counts=COUNTS, offered=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 3)), max_size=5))
@settings(max_examples=40)
def test_a_subset_for_two_dependencies_keeps_both(counts: list[list[int]], offered: list[tuple[int, int, int]]) -> None:
    one, two = judge("martingale", counts), judge("martingale", [row[::-1] for row in counts])
    cells = {(0, first, 0, second): number for first, second, number in offered}
    chosen = largest_subset([one, two], cells)
    for place, gate in enumerate((one, two)):
        added = [0, 0, 0]
        for codes, number in chosen.counts.items():
            added[codes[2 * place + 1]] += number
        assert is_safe(gate, tuple(added))
    options = product(*(range(number + 1) for number in cells.values()))
    best = 0
    for numbers in options:
        sums = [[0, 0, 0], [0, 0, 0]]
        for codes, number in zip(cells, numbers, strict=True):
            for place in range(2):
                sums[place][codes[2 * place + 1]] += number
        if is_safe(one, tuple(sums[0])) and is_safe(two, tuple(sums[1])):
            best = max(best, sum(numbers))
    assert chosen.records == best


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "start"), [("crowd", "{records = 10}"), ("martingale", ""), ("definition-5", "{records = 50}")]
)
def test_a_plan_is_carried_out_as_planned(rule: str, start: str) -> None:
    gate = Gate(parse_policy(policy_text(rule, start)))
    rows = soldiers(4)
    gate.offer(rows[:1500])
    batch = rows[1500:2100]
    before = [judge.picture.counts[0].copy() for judge in gate.judges]
    plan = plan_release(gate, batch)
    assert [judge.picture.counts[0] for judge in gate.judges] == before  # only a copy was tried
    assert plan.in_order <= plan.planned <= len(batch)
    assert len(set(plan.order)) == plan.planned
    done = gate.offer([batch[number - 1] for number in plan.order])
    assert done.others == []


@pytest.mark.slow
def test_a_plan_for_a_new_gate_begins_with_the_start() -> None:
    gate = Gate(parse_policy(policy_text()))
    plan = plan_release(gate, soldiers(8)[:300])
    assert plan.planned >= plan.in_order > 50
    assert sum(one.planned for one in plan.targets) == plan.planned
    assert sum(one.records for one in plan.holds) == 300 - plan.planned


@pytest.mark.slow
def test_records_that_were_decided_on_are_not_planned() -> None:
    gate = Gate(parse_policy(policy_text()))
    rows = soldiers(4)
    gate.offer(rows[:500])
    plan = plan_release(gate, [*rows[:600], ("", "25-29", "L1"), ("x", "25-29", "L9")])
    assert (plan.decided, plan.refused, plan.records) == (500, 2, 602)
    assert min(plan.order) > 500


def test_too_many_records_to_plan() -> None:
    gate = Gate(parse_policy(policy_text()))
    with pytest.raises(UsageError, match="too many to plan"):
        plan_release(gate, [("1", "25-29", "L1")] * 200_001)


def test_a_remedy_works_and_is_the_smallest() -> None:
    """Releasing 14 records of age 25-29 first would make this safe: tried, and with fewer it is not."""
    policy = parse_policy(policy_text())
    gate = Gate(policy)
    gate.offer(soldiers(1)[:3000])
    dependency, one = policy.dependencies[0], gate.judges[0]
    counts = [row.copy() for row in one.picture.counts]
    counts[1][AGES.index("45-49")] += 4  # the headquarters are farther out than all others
    far = judge_of(dependency, one.picture.growth, counts)
    value = AGES.index("50-54")
    assert far.verdict(1, value) != ALLOWED
    remedy = remedy_for(dependency, far, 1, value)
    assert remedy is not None
    assert remedy.number > 1
    trial = judge_of(dependency, one.picture.growth, counts)
    steps = sorted(step for step, number in remedy.records.items() for _ in range(number))
    for step in steps:
        assert trial.admit(1, step) == ALLOWED
    assert trial.verdict(1, value) == ALLOWED
    for step in set(steps):  # with one record less it is not safe
        fewer = judge_of(dependency, one.picture.growth, counts)
        shorter = steps.copy()
        shorter.remove(step)
        for other in shorter:
            fewer.admit(1, other)
        assert fewer.verdict(1, value) != ALLOWED


def test_no_remedy_is_needed_for_what_may_leave() -> None:
    policy = parse_policy(policy_text())
    remedy = remedy_for(policy.dependencies[0], Gate(policy).judges[0], 1, 3)
    assert remedy is not None
    assert remedy.number == 0
