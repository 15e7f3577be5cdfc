"""Refusals: is one question answered of one data set and refused of another, which has another value in one place?

It knows all values but one, as an attacker in the proof of simulatability does. Where the same questions are refused
whatever the last value is, refusals tell nothing of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacita.attacks.queries.interrogation import AskFunction, Interrogation


@dataclass(frozen=True, slots=True)
class RefusalLesson:
    """Which questions have a refusal that depends on a value."""

    questions: int
    refused: tuple[int, int]
    """How many were refused of either data set."""
    telling: tuple[int, ...]
    """Places of the questions that were refused of one data set only."""


def probe_refusals(ask: AskFunction, ask_other: AskFunction, questions: Sequence[str]) -> RefusalLesson:
    """Ask the same questions of two data sets in the same order, and compare what was refused."""
    one, other = Interrogation(ask), Interrogation(ask_other)
    telling = [
        place for place, sql in enumerate(questions) if (one.answer(sql) is None) is not (other.answer(sql) is None)
    ]
    return RefusalLesson(len(questions), (one.refusals, other.refusals), tuple(telling))
