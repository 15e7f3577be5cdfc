"""The gate: what it does with records that are strange, come again, or come too often."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.soldiers import AGES, COUNTS, LOCATIONS, policy_text, soldiers
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.gate.answers import GateReason, GateVerdict
from tacita.gate.explanation import explained
from tacita.gate.gate import Gate
from tacita.gate.picture.picture import Picture
from tacita.gate.policy.policy_file import parse_policy

POLICY = parse_policy(policy_text())
ANY = parse_policy(policy_text().replace('["L1", "L2", "L3", "L4", "L5"]', '"any"'))


def decisions(gate: Gate, *rows: tuple[str, str, str] | None) -> list[tuple[str, str]]:
    return [(str(answer.verdict), str(answer.reason)) for answer in gate.offer(rows).answers()]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (None, GateReason.UNREADABLE),
        (("", "25-29", "L1"), GateReason.NO_KEY),
        (("1", "25-29", ""), GateReason.NO_TARGET),
        (("1", "25-29", "L9"), GateReason.UNKNOWN_TARGET),
        (("1", "", "L1"), GateReason.MISSING_VALUE),
        (("1", "25-92", "L1"), GateReason.UNLISTED_VALUE),
    ],
)
def test_a_record_that_cannot_be_judged_is_refused(row: tuple[str, str, str] | None, reason: str) -> None:
    gate = Gate(POLICY)
    batch = gate.offer([row])
    (answer,) = batch.answers()
    assert (answer.verdict, answer.reason) == (GateVerdict.REFUSE, reason)
    assert explained(answer, POLICY, [LOCATIONS]).endswith(".")
    assert gate.judges[0].picture.total == 0
    assert gate.refusals == 1


def test_a_record_is_counted_once_by_its_key() -> None:
    gate = Gate(POLICY)
    assert decisions(gate, ("1", "25-29", "L1"), ("1", "25-29", "L1")) == [
        ("release", "safe"),
        ("release", "released-before"),
    ]
    assert decisions(gate, ("1", "30-34", "L1")) == [("refuse", "changed-since-release")]
    assert decisions(gate, ("1", "25-29", "L2")) == [("refuse", "changed-since-release")]
    assert gate.judges[0].picture.total == 1


def test_keys_of_several_attributes_are_never_taken_for_another() -> None:
    """The parts of a key are joined by a control character; a part that has it could pass for two."""
    text = policy_text().replace('key = "id"', 'key = ["id", "age"]')
    gate = Gate(parse_policy(text))
    assert gate.attributes == ("id", "age", "location")
    assert gate.key_of(("a", "20-24", "L1")) != gate.key_of(("a", "25-29", "L1"))
    assert gate.key_of(("a\x1fb", "20-24", "L1")) == gate.key_of(("", "20-24", "L1")) == ""


@pytest.mark.parametrize("policy", [POLICY, ANY], ids=["listed", "any"])
def test_spellings_of_a_target_are_one_target(policy: object) -> None:
    gate = Gate(policy)  # type: ignore[arg-type]
    for number, name in enumerate(("L2", "l2", "L2 ", "Ｌ２", " l2")):
        batch = gate.offer([(str(number), "25-29", name)])
        assert len(batch.released) == 1
        assert gate.cells.shown(batch.released[0][2]) == (str(number), "25-29", "L2")
    assert sorted(gate.judges[0].picture.sizes)[-1] == 5
    assert sum(size > 0 for size in gate.judges[0].picture.sizes) == 1


def test_targets_that_nobody_listed_are_taken_if_the_policy_says_so() -> None:
    gate = Gate(ANY)
    rows = [(str(number), "25-29", f"place {number % 7}") for number in range(35)]
    assert len(gate.offer(rows).released) == 35
    assert gate.cells.targets(0) == [f"place {number}" for number in range(7)]
    assert gate.judges[0].picture.sizes == [5] * 7


def test_asking_again_and_again_does_not_wear_the_gate_down() -> None:
    """Held records that are judged at every moment would leave at the moments that suit the most unusual targets."""
    calm, stormed = Gate(POLICY), Gate(POLICY)
    rows = soldiers(5)[:4000]
    calm.offer(rows)
    for row in rows:
        stormed.offer([row])
        held = [record.row for record in stormed.held_records.values()]
        stormed.offer(held[-20:])
    assert stormed.judges[0].picture.counts == calm.judges[0].picture.counts
    assert list(stormed.held_records) == list(calm.held_records)


def test_held_records_are_looked_at_when_the_released_ones_have_grown() -> None:
    gate = Gate(POLICY)
    late = []
    looks = []
    for row in soldiers(6)[:3000]:
        before = gate.next_look
        batch = gate.offer([row])
        late += sorted(batch.late)
        if gate.next_look != before:
            looks.append(before)
    assert late
    assert len(late) == len(set(late))
    steps = np.diff(looks)
    assert (steps >= np.maximum(10, 0.19 * np.array(looks[:-1]))).all()


def test_a_held_record_that_is_corrected_is_judged_anew() -> None:
    gate = Gate(POLICY)
    gate.offer(soldiers(1)[:3000])
    key, record = next((key, one) for key, one in gate.held_records.items() if one.row[2] == "L1")
    age = AGES[7]  # rare in L1: it brings L1 nearer
    batch = gate.offer([(key, age, "L1")])
    assert record.row[1] != age
    assert [(answer.verdict, answer.reason) for answer in batch.answers()] == [("release", "safe")]
    assert key not in gate.held_records


def test_other_cells_of_a_held_record_may_change_without_a_new_judgement() -> None:
    text = policy_text().replace('"id", "age", "location"]', '"id", "age", "location", "name"]')
    gate = Gate(parse_policy(text))
    rows = [(*row, "old") for row in soldiers(1)[:3000]]
    gate.offer(rows)
    key, record = next(iter(gate.held_records.items()))
    batch = gate.offer([(*record.row[:3], "new")])
    assert [answer.reason for answer in batch.answers()] == ["still-held"]
    assert gate.held_records[key].row[3] == "new"
    assert batch.replaced == [(3001, key, gate.held_records[key].row)]


@given(st.lists(st.tuples(st.sampled_from(LOCATIONS), st.sampled_from(AGES)), max_size=80), st.integers(1, 30))
@settings(max_examples=40)
def test_batches_do_not_matter(records: list[tuple[str, str]], size: int) -> None:
    rows = [(str(number), age, location) for number, (location, age) in enumerate(records)]
    whole, parts = Gate(POLICY), Gate(POLICY)
    whole.offer(rows)
    for start in range(0, len(rows), size):
        parts.offer(rows[start : start + size])
    assert whole.judges[0].picture.counts == parts.judges[0].picture.counts
    assert list(whole.held_records) == list(parts.held_records)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(LOCATIONS), st.sampled_from(AGES)), max_size=80))
@settings(max_examples=40)
def test_the_state_of_a_gate_is_that_of_its_counts(records: list[tuple[str, str]]) -> None:
    gate = Gate(POLICY)
    gate.offer([(str(number), age, location) for number, (location, age) in enumerate(records)])
    again = Picture(gate.judges[0].picture.baseline, 5)
    again.load(gate.judges[0].picture.counts)
    assert again.excess == gate.judges[0].picture.excess
    copy = gate.copy()
    assert [
        [one.verdict(target, value) for target in range(5) for value in range(10)]
        for one in (gate.judges[0], copy.judges[0])
    ] == [[gate.judges[0].verdict(target, value) for target in range(5) for value in range(10)]] * 2


def test_several_dependencies_at_once() -> None:
    text = policy_text().replace('"location"]', '"location", "sex"]') + (
        '\n[[dependency]]\ntarget = "location"\ntargets = ["L1", "L2", "L3", "L4", "L5"]\nx = "sex"\n'
        'baseline = {F = 1, M = 9}\nrule = "martingale"\nmartingale = {share_alarm = false}\n'
    )
    policy = parse_policy(text)
    gate = Gate(policy)
    rng = np.random.default_rng(1)
    rows = [(*row, "F" if rng.random() < (0.5 if row[2] == "L3" else 0.1) else "M") for row in soldiers(2)[:4000]]
    batch = gate.offer(rows)
    assert gate.judges[0].picture.sizes == gate.judges[1].picture.sizes
    held_by = {(answer.dependency, answer.reason) for answer, _ in batch.others}
    assert held_by == {(0, "crowd"), (1, "martingale")}
    alone = Gate(POLICY)
    alone.offer([row[:3] for row in rows])
    assert gate.judges[0].picture.sizes[2] < alone.judges[0].picture.sizes[2]


def test_a_hold_says_which_target_which_value_and_what_an_observer_would_conclude() -> None:
    gate = Gate(POLICY)
    batch = gate.offer(soldiers(1)[:3000])
    answer = next(answer for answer, _ in batch.others if answer.reason == "crowd" and answer.figures.limit)
    said = explained(answer, POLICY, [LOCATIONS])
    assert LOCATIONS[answer.target] in said
    assert AGES[answer.value] in said
    assert "an observer would name it as the most unusual one" in said
    assert answer.figures.distance > answer.figures.limit


@pytest.mark.parametrize(
    ("rule", "start", "more", "expected"),
    [
        ("definition-5", "{records = 50}", "", "The exposure of"),
        ("martingale", "", "martingale = {share_alarm = false}", "does not have the baseline distribution"),
        ("variation", "", "variation = {ordinary = 0.02}", "differs more than targets ordinarily do"),
    ],
)
def test_each_rule_has_words(rule: str, start: str, more: str, expected: str) -> None:
    policy = parse_policy(policy_text(rule, start, more))
    gate = Gate(policy)
    batch = gate.offer(soldiers(1))
    answer = next(answer for answer, _ in batch.others)
    assert expected in explained(answer, policy, [LOCATIONS])


@pytest.mark.slow
def test_known_sizes_keep_the_released_shares_level() -> None:
    sizes = ", ".join(f"{name} = {size}" for name, size in zip(LOCATIONS, COUNTS.sum(axis=1), strict=True))
    observer = 'gathers = "all"\nholds = "silent"\nsizes = "known"'
    gate = Gate(parse_policy(policy_text(more=f"slack = 0.02\nsizes = {{{sizes}}}", observer=observer)))
    for start in range(0, 10_000, 250):
        gate.offer(soldiers(3)[start : start + 250])
        shares = np.array(gate.judges[0].picture.sizes) / COUNTS.sum(axis=1)
        assert shares.max() - shares.min() <= 0.02 + 1e-9
    assert shares.min() > 0.3
