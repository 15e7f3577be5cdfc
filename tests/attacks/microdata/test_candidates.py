"""Candidates of an intruder who knows everything, against a count by hand."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import tacita as tc
from tacita.attacks.microdata.candidates import few_candidates
from tacita.cycle.plan import Plan
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.null_semantics import Nulls, Semantics

KNOWN = ("area", "job", "sex")


def people(seed: int, records: int = 60) -> tc.Dataset:
    drawn = random.Random(seed)
    columns = {
        "area": [drawn.choice("NNNSSE") for _ in range(records)],
        "job": [drawn.choice(["cook", "cook", "clerk", "judge", "pilot"]) for _ in range(records)],
        "sex": [drawn.choice("mf") for _ in range(records)],
    }
    return tc.read(pa.table(columns)).with_roles(quasi=list(KNOWN))


def by_hand(before: list[dict[str, str]], after: list[dict[str, str | None]], rows: list[int], k: int) -> int:
    def candidates(target: dict[str, str]) -> int:
        return sum(all(shown[a] is None or shown[a] == target[a] for a in KNOWN) for shown in after)

    return sum(candidates(before[row - 1]) < k for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("nulls", [Nulls(semantics=Semantics.ALPHA, alpha=0.0), Nulls()], ids=["strict", "maybe"])
@pytest.mark.parametrize("seed", range(3))
def test_few_candidates_are_those_counted_by_hand(seed: int, nulls: Nulls) -> None:
    outcome = tc.anonymize(people(seed), Plan(KAnonymity(3), nulls=nulls))
    before = pa.Table.from_batches(list(outcome.original.relation.batches())).to_pylist()
    after = pa.Table.from_batches(list(outcome.protected.relation.batches())).to_pylist()
    rows = [n for n, (a, b) in enumerate(zip(before, after, strict=True), 1) if a != b]
    assert rows
    expected = by_hand(before, after, rows, 3)
    assert outcome.after.few_candidates == expected
    assert any("candidates" in note for note in outcome.notes) is (expected > 0)


def test_too_many_patterns_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacita.attacks.microdata.candidates.MOST_PATTERNS", 1)
    outcome = tc.anonymize(people(1), k=3)
    rows = pa.array([1])
    assert few_candidates(outcome.original.relation, outcome.protected.relation, KNOWN, rows, 3) is None


def test_records_that_were_empty_before_are_left_out() -> None:
    table = pa.table({"area": ["N"] * 6 + ["S"], "job": ["cook"] * 6 + [None], "sex": ["m"] * 7})
    outcome = tc.anonymize(tc.read(table).with_roles(quasi=list(KNOWN)), k=2)
    assert outcome.nulls
    assert not outcome.after.few_candidates
