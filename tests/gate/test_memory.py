"""A gate that remembers: its state after a restart is that before, whatever the batches; purges, two gates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from experiments.soldiers import policy_text, soldiers

from tacita.errors import LedgerBusy, LedgerError, UsageError
from tacita.gate.gate import Gate
from tacita.gate.memory import RecordedGate
from tacita.gate.policy.policy import GatePolicy
from tacita.gate.policy.policy_file import parse_policy
from tacita.ledger.ledger import Ledger
from tacita.ledger.recipients import Recipient, Recipients
from tacita.ledger.stores.sqlite import SqliteStore

POLICY = parse_policy(policy_text())
ROWS = soldiers(1)[:1500]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(SqliteStore.create(tmp_path / "ledger.sqlite", "army")) as opened:
        yield opened


def state(gate: Gate) -> tuple[object, ...]:
    """Everything by which a gate decides."""
    return (
        [(judge.picture.counts, judge.picture.excess, judge.start.is_accurate) for judge in gate.judges],
        gate.released,
        {key: (one.number, one.row, one.codes) for key, one in gate.held_records.items()},
        list(gate.held_records),
        gate.next_look,
        gate.number,
    )


@pytest.mark.parametrize("policy", ["crowd", "accuracy"])
def test_a_gate_that_is_opened_again_goes_on_as_if_nothing_had_been(
    ledger: Ledger, tmp_path: Path, policy: str
) -> None:
    text = policy_text()
    if policy == "accuracy":
        (tmp_path / "all.csv").write_text("id,age,location\n" + "".join(",".join(row) + "\n" for row in soldiers(0)))
        text = policy_text("definition-5", "{accuracy = 0.1}", 'population = "all.csv"')
    given = parse_policy(text, folder=tmp_path)
    straight = Gate(given)
    expected = list(straight.offer(ROWS).answers())
    answers = []
    for start, end in ((0, 1), (1, 400), (400, 401), (401, 1500)):
        with RecordedGate(given, ledger) as recorded:
            batch, _ = recorded.offer(ROWS[start:end])
            answers += batch.answers()
            before = state(recorded.gate)
        with RecordedGate(given, ledger) as again:
            assert state(again.gate) == before
    assert state(straight) == before
    assert sorted(answers, key=str) == sorted(expected, key=str)
    assert ledger.verify().faults == ()


def test_what_is_handed_out_is_what_was_released_in_its_order(ledger: Ledger) -> None:
    with RecordedGate(POLICY, ledger) as recorded:
        handed = [one for start in range(0, 1500, 500) for one in recorded.offer(ROWS[start : start + 500])[1]]
        read_back = [pair for _, keys, rows in recorded.handed_out() for pair in zip(keys, rows, strict=True)]
    assert read_back == handed
    assert len({key for key, _ in handed}) == len(handed) == recorded.gate.judges[0].picture.total


def test_a_released_record_is_counted_once_and_handed_out_once(ledger: Ledger) -> None:
    with RecordedGate(POLICY, ledger) as recorded:
        batch, handed = recorded.offer([ROWS[0], ROWS[0]])
        assert [answer.reason for answer in batch.answers()] == ["safe", "released-before"]
        assert len(handed) == 1
        _, later = recorded.offer([ROWS[0]])
        assert later == []
        assert recorded.gate.judges[0].picture.total == 1


def test_two_gates_on_one_ledger(ledger: Ledger) -> None:
    with RecordedGate(POLICY, ledger), pytest.raises(LedgerBusy, match="gate"), RecordedGate(POLICY, ledger, wait=0.05):
        pass


def test_an_edited_policy_is_recorded_and_old_decisions_stand(ledger: Ledger) -> None:
    with RecordedGate(POLICY, ledger) as recorded:
        recorded.offer(ROWS[:500])
        before = set(recorded.gate.released)
    other = parse_policy(policy_text("martingale", ""))
    with RecordedGate(other, ledger) as recorded:
        assert set(recorded.gate.released) == before
        assert "not the one of the last run" in recorded.notes[0]
        recorded.offer(ROWS[500:600])
    with RecordedGate(other, ledger) as recorded:
        assert recorded.notes == []
    kinds = [(entry.kind, entry.decision, entry.policy) for entry in ledger.entries(kinds=("policy",))]
    assert kinds == [("policy", "opened", POLICY.hash), ("policy", "changed", other.hash)]
    comment = parse_policy("# another layout\n" + policy_text("martingale", ""))
    assert comment.hash == other.hash


def test_a_policy_that_cannot_count_what_was_released_is_refused(ledger: Ledger) -> None:
    with RecordedGate(POLICY, ledger) as recorded:
        recorded.offer(ROWS[:500])
    fewer = policy_text().replace('"45-49" = 400, ', "")
    with pytest.raises(LedgerError, match="does not know any more"), RecordedGate(parse_policy(fewer), ledger):
        pass
    other = policy_text().replace('x = "age"', 'x = "rank"').replace('"id", "age"', '"id", "age", "rank"')
    with pytest.raises(LedgerError, match="did not count"), RecordedGate(parse_policy(other), ledger):
        pass


def test_the_picture_survives_a_purge_of_the_records(ledger: Ledger) -> None:
    with RecordedGate(POLICY, ledger) as recorded:
        recorded.offer(ROWS[:500])
        counts = recorded.gate.judges[0].picture.counts
    released = [entry.sequence for entry in ledger.entries() if entry.decision == "released"]
    ledger.purge(released, "a request")
    with RecordedGate(POLICY, ledger) as recorded:
        assert recorded.gate.judges[0].picture.counts == counts
        assert "purged" in recorded.notes[0]
    ledger.purge([released[0] + 1], "a mistake")
    with pytest.raises(LedgerError, match="counts of entry"), RecordedGate(POLICY, ledger):
        pass


def test_records_of_another_gate_on_the_same_source_count(ledger: Ledger) -> None:
    shared = 'source = "army"'
    one = parse_policy(policy_text(top=shared))
    two = parse_policy(policy_text(top=shared).replace('name = "soldiers"', 'name = "others"'))
    with RecordedGate(one, ledger) as recorded:
        recorded.offer(ROWS[:300])
        counts = recorded.gate.judges[0].picture.counts
    with RecordedGate(two, ledger) as recorded:
        assert recorded.gate.judges[0].picture.counts == counts
        assert recorded.gate.held_records == {}
        batch, handed = recorded.offer(ROWS[:1])
        assert [answer.reason for answer in batch.answers()] == ["released-before"]
        assert len(handed) == 1  # counted once, and handed out by this gate for the first time
        assert recorded.gate.judges[0].picture.counts == counts
    apart = parse_policy(policy_text(top='source = "navy"'))
    with RecordedGate(apart, ledger) as recorded:
        assert recorded.gate.judges[0].picture.total == 0


RECIPIENTS = Recipients(
    {name: Recipient(name, colludes_with=others) for name, others in {"a": ("b",), "b": (), "c": ()}.items()}
)


def test_who_gathers_what(ledger: Ledger) -> None:
    apart = _policy_for("recipient")
    with RecordedGate(apart, ledger, "a", RECIPIENTS) as recorded:
        recorded.offer(ROWS[:300])
        total = recorded.gate.judges[0].picture.total
    with RecordedGate(apart, ledger, "b", RECIPIENTS) as recorded:
        assert recorded.gate.judges[0].picture.total == total  # they collude
    with RecordedGate(apart, ledger, "c", RECIPIENTS) as recorded:
        assert recorded.gate.judges[0].picture.total == 0
    with pytest.raises(UsageError, match="no recipient is named"):
        RecordedGate(apart, ledger, "", RECIPIENTS)
    together = _policy_for("all")
    with RecordedGate(together, ledger, "c", RECIPIENTS) as recorded:
        assert recorded.gate.judges[0].picture.total == total


def _policy_for(reach: str) -> GatePolicy:
    observer = f'gathers = "{reach}"\nholds = "silent"\nsizes = "unknown"'
    return parse_policy(policy_text(observer=observer))


def test_a_recipient_unknown_to_the_policy(ledger: Ledger) -> None:
    named = parse_policy(policy_text(top='recipients = ["hospital", "court"]'))
    with pytest.raises(UsageError, match="did you mean 'hospital'"):
        RecordedGate(named, ledger, "hospitl")
    with pytest.raises(UsageError, match="no recipient is named"):
        RecordedGate(named, ledger)


def test_a_gate_whose_batch_was_not_recorded_decides_nothing_more(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RecordedGate(POLICY, ledger) as recorded:
        recorded.offer(ROWS[:100])
        with monkeypatch.context() as patched:
            patched.setattr(Ledger, "append", _fail)
            with pytest.raises(OSError, match="full"):
                recorded.offer(ROWS[100:200])
        with pytest.raises(LedgerError, match="could not be recorded"):
            recorded.offer(ROWS[100:200])
    with RecordedGate(POLICY, ledger) as recorded:
        assert recorded.gate.number == 100


def _fail(*_: object, **__: object) -> None:
    raise OSError("full")
