"""Sixteen clients spend one budget at the same time, and not a billionth more than there is."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tests.attacks.queries.opened import asker, opened, policy_text, write_people

from tacita.api.querying import Database
from tacita.attacks.queries.budget_race import race

pytestmark = pytest.mark.slow

CLIENTS, ROUNDS, GRANTED = 16, 3, 20
WORDS = [f"age = '{age}'" for age in ("young", "middle", "old")] + [
    f"job = '{job}'" for job in ("clerk", "nurse", "smith", "judge", "pilot")
]
QUESTIONS = [
    f"SELECT {what} FROM staff WHERE {one} OR {other}"
    for what in ("COUNT(*)", "SUM(salary)", "SUM(ill)")
    for place, one in enumerate(WORDS)
    for other in WORDS[place + 1 :]
]


def test_sixteen_clients_with_two_open_databases_do_not_overspend(tmp_path: Path) -> None:
    write_people(tmp_path, 60)
    total = Fraction(GRANTED, 1_000)
    policy = policy_text(f"[private]\ntotal = {float(total)}", top='answers = "private"')
    folder = opened(tmp_path, policy)
    with Database(folder) as one, Database(folder) as other:
        clients = [asker((one, other)[place % 2], f"client {place}", epsilon="0.001") for place in range(CLIENTS)]
        result = race(clients, lambda client, turn: QUESTIONS[client * ROUNDS + turn], ROUNDS)
    assert (result.answered, result.refused) == (GRANTED, CLIENTS * ROUNDS - GRANTED)
    assert result.paid == total
    with Database(folder) as again:
        assert again.audit().spent == {"epsilon": "0.02"}
        assert sum(answer.status == "answered" for _, answer in again.history().answers) == GRANTED
