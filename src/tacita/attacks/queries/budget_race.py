"""Races: many clients ask at once, and hope that a budget is looked at before the others have spent it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tacita.attacks.queries.interrogation import AskFunction, Interrogation


@dataclass(frozen=True, slots=True)
class RaceResult:
    """What the clients of a race got together."""

    answered: int
    refused: int
    paid: Fraction
    """In all currencies together."""


def race(clients: Sequence[AskFunction], questions: Callable[[int, int], str], rounds: int) -> RaceResult:
    """Let each client ask so many questions at the same time as the others; `questions` gives that of client and round.

    Raises what a client raised that is not a refusal.
    """
    start = threading.Barrier(len(clients))
    answers: list[tuple[bool, Fraction]] = []
    faults: list[BaseException] = []

    def run(client: int) -> None:
        asking = Interrogation(clients[client])
        start.wait()
        try:
            for turn in range(rounds):
                answer = asking.answer(questions(client, turn))
                cost = sum((Fraction(one) for one in (answer or {}).get("cost", {}).values()), Fraction(0))
                answers.append((answer is not None, cost))
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=run, args=(client,)) for client in range(len(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    granted = sum(is_answered for is_answered, _ in answers)
    return RaceResult(granted, len(answers) - granted, sum((cost for _, cost in answers), Fraction(0)))
