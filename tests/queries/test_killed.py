"""Processes killed while they ask: what was seen is in the ledger, what was spent is spent, the chain is whole."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from tests.long import LONG

import tacita as tc
from tacita.api.querying import Database, open_for_questions, parse_query_policy

PLACES = 16
PROCESS = Path(__file__).with_name("asking_process.py")
Seen = dict[tuple[str, int], tuple[str, str]]
"""By analyst and number of the question: the figure, and what was paid."""


def _opened(folder: Path) -> Path:
    names = [f"W{place}" for place in range(PLACES)]
    rows = [
        ",".join([*("high" if record >> place % 5 & 1 else "low" for place in range(PLACES)), str(record)])
        for record in range(40)
    ]
    (folder / "firms.csv").write_text("\n".join([",".join([*names, "V"]), *rows]) + "\n", encoding="utf-8")
    filters = "".join(f'[[filter]]\nattribute = "{name}"\nvalues = ["low", "high"]\n' for name in names)
    text = f"""
name = "firms"
answers = "private"
{filters}
[[measure]]
attribute = "V"
lower = 0
upper = 100
[private]
total = 1000
"""
    return open_for_questions(tc.read(folder / "firms.csv"), parse_query_policy(text), folder / "firms.opened").folder


def _start(folder: Path, analyst: str, first: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROCESS), str(folder), analyst, str(first)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _read(process: subprocess.Popen[str], analyst: str, lines: int | None, seen: Seen) -> int:
    """Take in so many answers, or all that are left; return how many there were."""
    assert process.stdout is not None
    count = 0
    while lines is None or count < lines:
        line = process.stdout.readline()
        if not line.endswith("\n"):
            break  # killed in the middle of a line: nobody has seen it
        number, value, cost = json.loads(line)
        assert (analyst, number) not in seen
        seen[analyst, number] = value, cost
        count += 1
    return count


@pytest.mark.slow
@pytest.mark.long
def test_what_was_seen_and_spent_survives_every_kill(tmp_path: Path) -> None:
    folder = _opened(tmp_path)
    seen: Seen = {}
    for kill in range(20 if LONG else 2):
        # Nobody asks what was asked before: each process has questions of its own.
        first = {who: 1 + 1_600 * (2 * kill + place) for place, who in enumerate(("ann", "bob"))}
        # Two processes ask at the same time; both are killed after some answers, not always as many.
        processes = {who: _start(folder, who, start) for who, start in first.items()}
        for who, process in processes.items():
            _read(process, who, 1 + 3 * kill % 7, seen)
        for who, process in processes.items():
            process.kill()
            _read(process, who, None, seen)
            process.communicate()
        with Database(folder) as firms:
            recorded = {(one.analyst, one.number): one for one in firms._database.answers()}
            assert set(seen) <= set(recorded)
            for key, (value, cost) in seen.items():
                answer = recorded[key]
                assert answer.figures[0][0].value == value
                assert Fraction(answer.spent["epsilon"], 10**9) == Fraction(cost)
            # What nobody has seen may be in the ledger, and is spent: one question of each process that was killed.
            assert len(recorded) - len(seen) <= 2 * (kill + 1)
            state = firms._database.state
            assert state.spent["epsilon"] == sum(one.spent["epsilon"] for one in recorded.values())
            for who in first:
                numbers = sorted(number for analyst, number in recorded if analyst == who)
                assert numbers == list(range(1, len(numbers) + 1))
            assert firms._database.ledger.verify().holds
    assert len(seen) >= 2 * (20 if LONG else 2)
