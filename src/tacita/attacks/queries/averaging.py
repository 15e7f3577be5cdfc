"""Averaging: one question many times, and in many words; what is drawn anew each time cancels out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacita.attacks.queries.interrogation import AskFunction, Interrogation


@dataclass(frozen=True, slots=True)
class AveragedFigure:
    """What many answers to one question give together."""

    questions: int
    different: int
    """How many different figures there were: 1 if asking again gives nothing."""
    mean: float | None
    paid: float
    """What all of them cost, in all currencies together."""


def average_out(ask: AskFunction, questions: Sequence[str]) -> AveragedFigure:
    """Return the mean of the figures of questions that are about the same records."""
    asking = Interrogation(ask)
    figures, paid = [], 0.0
    for sql in questions:
        answer = asking.answer(sql)
        if answer is not None:
            figures.append(float(answer["rows"][0]["figures"][0]["value"]))
            paid += sum(float(amount) for amount in answer.get("cost", {}).values())
    mean = sum(figures) / len(figures) if figures else None
    return AveragedFigure(asking.questions, len(set(figures)), mean, paid)
