"""Records that a gate released count as one release of records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.joint.conftest import Office, Row

from tacita.api import gates, ledgers
from tacita.api.judging import JointStatus
from tacita.ledger.entry import NewEntry
from tacita.ledger.increments import INCREMENT, RELEASED
from tacita.ledger.settings_file import find_ledger_settings


def increments(*batches: Sequence[Row], key: str = "person", subject: str = "people", **more: Any) -> None:
    """Record batches as a gate does."""
    settings = find_ledger_settings(Path.cwd())
    assert settings is not None
    with settings.open() as ledger:
        for rows in batches:
            names = [name for name in rows[0] if name != key]
            payload = {
                "gate": "staff",
                "key": [key],
                "keys": [row[key] for row in rows],
                "attributes": names,
                "coarse": [],
                "cells": [[row[name] for row in rows] for name in names],
                **more,
            }
            ledger.append([NewEntry(INCREMENT, subject=subject, decision=RELEASED, payload=payload)])


@pytest.mark.slow
def test_increments_of_a_gate_are_one_release(office: Office) -> None:
    people = office.people()
    increments(people[:60], people[60:120], people[100:])  # some are handed out again
    verdict = office.judge(office.hidden())
    # Everything is known of everybody already.
    assert verdict.passes
    assert [str(one).partition(", 20")[0] for one in verdict.compared] == ["entry 3 ('staff, 3 increments'"]
    assert office.judge("people.csv").passes
    office.file("all", ["region", "group", "zone"])


POLICY = """
name = "staff"
source = "people"
key = "person"
attributes = ["region", "group"]
observer = {gathers = "all", holds = "silent", sizes = "unknown"}
[[dependency]]
target = "region"
targets = ["R1", "R2", "R3"]
x = "group"
baseline = {C1 = 3, C2 = 4, C3 = 3}
start = {records = 5}
"""


@pytest.mark.slow
def test_what_a_gate_released_is_judged_with_later_releases(office: Office) -> None:
    people = office.people()
    with gates.open_gate(gates.parse_policy(POLICY), Path("given")) as gate:
        answers = [one for some in (people[::2], people[1::2]) for one in gate.offer(some)]
    left = {one["key"] for one in answers if one["decision"] == "release"}
    assert 0 < len(left) < len(people)
    verdict = office.judge("people.csv")
    (compared,) = verdict.compared
    assert (compared.kind, compared.folder) == ("increment", "staff, 2 increments")
    assert verdict.status is not JointStatus.UNDECIDED
    # What left is known already; a held record that comes beside it is alone.
    shown = [row for row in people if row["person"] in left]
    office.write(shown, "later.csv")
    assert office.judge("later.csv").passes
    office.write([*shown, next(row for row in people if row["person"] not in left)], "later.csv")
    (reason,) = office.judge("later.csv").reasons
    assert "1 record was added since entry" in reason.sentence
    assert reason.records == (len(shown) + 1,)


@pytest.mark.slow
def test_records_that_a_gate_holds_are_isolated_by_a_later_release(office: Office) -> None:
    people = office.people()
    increments(people[:60], people[60:-1])
    table = office.judge(office.specification(["region"]))
    assert table.status is JointStatus.REFUSED
    assert table.reasons[0].records == (190,)
    file = office.judge("people.csv")
    assert [reason.kind for reason in file.reasons] == ["version"]
    assert "1 record was added since entry 2 ('staff, 2 increments'" in file.reasons[0].sentence
    assert file.reasons[0].records == (190,)


@pytest.mark.slow
def test_coarse_values_of_a_gate_are_no_changes(office: Office) -> None:
    people = [row | {"age": str(20 + at % 5)} for at, row in enumerate(office.people())]
    office.write(people)
    increments([row | {"age": "20 to 24"} for row in people], coarse=["age"])
    assert office.judge("people.csv").passes
    # Of one person, another value was given out.
    increments([people[0] | {"age": "20 to 24", "zone": "else"}], coarse=["age"])
    assert not office.judge("people.csv").passes


def test_records_of_a_gate_with_another_key_are_compared_by_frequencies(office: Office) -> None:
    people = [row | {"number": str(at)} for at, row in enumerate(office.people())]
    increments([{k: v for k, v in row.items() if k != "person"} for row in people[:-1]], key="number")
    verdict = office.judge("people.csv")
    assert [reason.kind for reason in verdict.reasons] == ["frequencies"]
    assert any("no key by which they could be matched" in note for note in verdict.notes)


def test_keys_that_are_written_otherwise_are_told(office: Office) -> None:
    increments([row | {"person": f"0{row['person']}"} for row in office.people()])
    verdict = office.judge("people.csv")
    assert any("has no record in common with this release" in note for note in verdict.notes)


def test_increments_of_an_unknown_source_are_told(office: Office) -> None:
    increments(office.people(), subject="staff")
    verdict = office.judge("people.csv")
    assert verdict.compared == ()
    assert verdict.notes[0].startswith("1 earlier entry of data in no file")


def test_increments_that_are_not_known_any_more_are_undecided(office: Office) -> None:
    increments(office.people()[:60], office.people()[60:])
    ledgers.purge([1], "the contract has ended")
    verdict = office.judge("people.csv")
    assert "its payload was purged" in verdict.reasons[-1].sentence
    assert not verdict.reasons[-1].is_decided
    ledgers.purge([2], "the contract has ended")
    assert office.judge("people.csv").status is JointStatus.UNDECIDED
