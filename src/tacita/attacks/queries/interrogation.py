"""Questions as an attacker puts them: figures as numbers, refusals as nothing, and a count of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tacita.errors import TacitaError

AskFunction = Callable[[str], Mapping[str, Any]]
"""What an attacker has: a question in, an answer out, as JSON values. It may raise for what is refused."""
_NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True)
class SeenFigure:
    """The first figure of an answer as an attacker reads it; `value` is None if it was refused."""

    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    error: float | None = None

    @property
    def deviation(self) -> float:
        """How large its noise is, if it is normal."""
        return 0.0 if self.error is None else self.error / _NORMAL_95


class Interrogation:
    """Asks, and counts. Mutable: every question counts."""

    def __init__(self, ask: AskFunction) -> None:
        self._ask = ask
        self.questions = 0
        self.refusals = 0

    def answer(self, sql: str) -> Mapping[str, Any] | None:
        """Return an answer; None if it was refused."""
        self.questions += 1
        try:
            answer: Mapping[str, Any] | None = self._ask(sql)
        except TacitaError:
            answer = None
        if answer is None or answer["status"] == "refused":
            self.refusals += 1
            return None
        return answer

    def figure(self, sql: str) -> SeenFigure:
        """Return the first figure of an answer."""
        answer = self.answer(sql)
        if answer is None:
            return SeenFigure()
        first = answer["rows"][0]["figures"][0]
        return SeenFigure(*(_number(first.get(part)) for part in ("value", "lower", "upper", "error")))

    def value(self, sql: str) -> float | None:
        """Return the first figure as a number; None if it was refused."""
        return self.figure(sql).value


@dataclass(frozen=True, slots=True)
class QueryLesson:
    """What an attacker learnt."""

    attack: str
    knows: str
    """What it has to know beforehand."""
    secrets: int
    """How many values it was after."""
    concluded: int
    """Of how many it claims to know the value."""
    right: int
    """How many of these claims are true."""
    guessing: float
    """The share that is right of somebody who asks nothing and guesses."""
    questions: int = 0
    refusals: int = 0

    @property
    def share(self) -> float:
        """The share of secrets that it knows."""
        return self.right / self.secrets if self.secrets else 0.0


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)
