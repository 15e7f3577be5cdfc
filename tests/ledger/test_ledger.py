"""The contract of every store: what is appended stays, in its order, and any change is noticed where it is."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import asdict

import pytest

from tacita.errors import LedgerBusy, LedgerMoved, UsageError
from tacita.ledger.entry import LedgerHead, NewEntry, first_previous
from tacita.ledger.ledger import Ledger

Make = Callable[..., NewEntry]


def test_an_empty_ledger_is_whole(ledger: Ledger) -> None:
    assert ledger.head == LedgerHead(0, first_previous("bank", ledger.identity.id))
    assert list(ledger.entries()) == []
    assert ledger.verify().holds
    assert ledger.append([]) == ()


def test_entries_come_back_as_they_were_appended(ledger: Ledger, entry: Make) -> None:
    appended = ledger.append([entry(1), entry(2, recipient="", subject="")])
    appended += ledger.append([entry(3, kind="note", source="", decision="")])
    assert [one.sequence for one in appended] == [1, 2, 3]
    assert tuple(ledger.entries()) == appended
    assert [ledger.payload(one) for one in appended] == [entry(number).payload for number in (1, 2, 3)]
    assert ledger.entry(2) == appended[1]
    assert ledger.head == LedgerHead(3, appended[2].hash)
    assert appended[0].previous == first_previous("bank", ledger.identity.id)
    assert [one.previous for one in appended[1:]] == [one.hash for one in appended[:2]]


def test_the_hash_is_over_canonical_json(ledger: Ledger, entry: Make) -> None:
    (appended,) = ledger.append([entry(decision='said "yes" \\ é')])
    fields = asdict(appended)
    expected = fields.pop("hash")
    text = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == expected


def test_equal_payloads_have_different_hashes(ledger: Ledger, entry: Make) -> None:
    one, other = ledger.append([entry(1), entry(1)])
    assert one.payload_hash != other.payload_hash


def test_entries_are_chosen_by_what_they_say(ledger: Ledger, entry: Make) -> None:
    ledger.append(
        [
            entry(),
            entry(kind="note"),
            entry(subject="census"),
            entry(recipient=""),
            entry(source="c" * 64),
        ]
    )

    def numbers(**query: object) -> list[int]:
        return [one.sequence for one in ledger.entries(**query)]  # type: ignore[arg-type]

    assert numbers(kinds=["note"]) == [2]
    assert numbers(kinds=["note", "table release"]) == [1, 2, 3, 4, 5]
    assert numbers(subject="survey", kinds=("table release",)) == [1, 4, 5]
    assert numbers(recipients=[""]) == [4]
    assert numbers(recipients=["", "university"]) == [1, 2, 3, 4, 5]
    assert numbers(recipients=[]) == []
    assert numbers(source="c" * 64) == [5]
    assert numbers(after=2, upto=4) == [3, 4]


@pytest.mark.slow
def test_many_entries_are_read_in_parts(ledger: Ledger, entry: Make) -> None:
    for _ in range(3):
        ledger.append([entry(number) for number in range(4_001)])
    assert [one.sequence for one in ledger.entries()] == list(range(1, 12_004))
    assert len(list(ledger.entries(after=5))) == 11_998
    assert ledger.verify().payloads == 12_003


def test_an_entry_that_cannot_be_encoded_leaves_nothing_behind(ledger: Ledger, entry: Make) -> None:
    with pytest.raises(UsageError):
        ledger.append([entry(1), entry(2, payload={"x": 0.5})])
    assert ledger.head.size == 0


@pytest.mark.slow
@pytest.mark.parametrize("field", ["kind", "source", "subject", "recipient", "policy", "decision"])
@pytest.mark.parametrize("text", ["a\nb", "a\x1b[2J", "\u202e", "\ud800", "x" * 501, 5])
def test_texts_of_the_chain_are_printable(ledger: Ledger, entry: Make, field: str, text: object) -> None:
    with pytest.raises(UsageError, match=f"'{field}' of an entry"):
        ledger.append([entry(**{field: text})])
    assert ledger.head.size == 0


def test_an_entry_needs_a_kind(ledger: Ledger, entry: Make) -> None:
    with pytest.raises(UsageError, match="no kind"):
        ledger.append([entry(kind="")])


def test_whoever_decided_by_an_older_state_must_decide_again(ledger: Ledger, entry: Make) -> None:
    before = ledger.head
    ledger.append([entry(1)], expecting=before)
    with pytest.raises(LedgerMoved):
        ledger.append([entry(2)], expecting=before)
    assert ledger.head.size == 1
    ledger.append([entry(2)], expecting=ledger.head)
    assert ledger.head.size == 2


def test_a_purged_payload_is_gone_and_the_chain_is_whole(ledger: Ledger, entry: Make) -> None:
    ledger.append([entry(number) for number in range(1, 6)])
    purged = ledger.purge([4, 2, 2], "the respondent withdrew")
    assert (purged.sequence, purged.kind) == (6, "purge")
    payload = ledger.payload(6)
    assert payload is not None
    assert (payload["sequences"], payload["why"]) == ([2, 4], "the respondent withdrew")
    assert [ledger.payload(number) for number in (2, 4)] == [None, None]
    verification = ledger.verify()
    assert verification.holds
    assert (verification.payloads, verification.purged) == (4, 2)


@pytest.mark.parametrize(
    ("sequences", "why", "words"),
    [([9], "x", "no entry 9"), ([0], "x", "no entry 0"), ([3], "x", "records a purge"), ([1], "x", "gone already")],
)
def test_what_cannot_be_purged(ledger: Ledger, entry: Make, sequences: list[int], why: str, words: str) -> None:
    ledger.append([entry(1), entry(2)])
    ledger.purge([1], "x")
    with pytest.raises(UsageError, match=words):
        ledger.purge(sequences, why)
    assert ledger.head.size == 3
    assert ledger.payload(2) is not None


def test_a_purge_needs_a_reason(ledger: Ledger, entry: Make) -> None:
    ledger.append([entry(1)])
    with pytest.raises(UsageError, match="reason"):
        ledger.purge([1], "  ")
    with pytest.raises(UsageError, match="named"):
        ledger.purge([], "x")


def test_threads_append_one_after_the_other(ledger: Ledger, entry: Make) -> None:
    threads = [
        threading.Thread(target=lambda: [ledger.append([entry(n) for n in range(5)]) for _ in range(10)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.head.size == 200
    assert ledger.verify().holds


def test_a_lock_belongs_to_one(ledger: Ledger) -> None:
    with ledger.lock("gate"), ledger.lock("another"):
        pass
    with ledger.lock("gate"):
        pass


def test_nothing_of_a_payload_is_in_a_repr(ledger: Ledger, entry: Make) -> None:
    secret = entry(payload={"name": "Ann Smith"})
    (appended,) = ledger.append([secret])
    for shown in (repr(ledger), repr(secret), repr(appended), repr(ledger.identity), repr(ledger.verify())):
        assert "Smith" not in shown
        assert ledger.identity.person_key.hex() not in shown


def test_busy_is_an_error_of_output() -> None:
    assert LedgerBusy.exit_code == LedgerMoved.exit_code == 4
