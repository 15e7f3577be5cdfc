"""The contract of a mechanism: how a question becomes figures, and what that costs.

A mechanism is told what may be seen; it never decides whether a question may be asked (`audit`, `answering`). What it
draws is written to the ledger before anybody sees it, and given again if the same is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Protocol, runtime_checkable

from tacita.queries.answer import Figure
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import DataQuestion, Mask, Statistic

NANO = 10**9
"""Budgets are whole numbers of a billionth."""
DELTA, DELTA_UNIT = "delta", 10**15
"""The currency of thresholds, of which a billionth would be too much: budgets are whole numbers of 10^-15."""


@dataclass(frozen=True, slots=True)
class AskedGroup:
    """One group of a question."""

    codes: tuple[int, ...]
    cells: Mask = field(repr=False)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with the cells of its groups, and how exact the analyst wants it."""

    question: DataQuestion
    groups: tuple[AskedGroup, ...] = field(repr=False)
    analyst: str
    epsilon: int | None = None
    """What the analyst wants to pay, in billionths of the currency."""
    accuracy: Fraction | None = None
    """How far a figure may be away with a probability of 95 %; the mechanism says what that costs."""


@dataclass(frozen=True, slots=True)
class Price:
    """What an answer costs, before it is given."""

    spent: Mapping[str, int] = field(default_factory=dict)
    """By currency: billionths of 'epsilon' or 'rho', and units of 'delta'."""
    errors: tuple[str | None, ...] = ()
    """For each figure of a row, how far it will be away with a probability of 95 %, as decimal text."""


@dataclass(frozen=True, slots=True)
class ReleasedGroup:
    """A group whose labels a mechanism released."""

    codes: tuple[int, ...]
    figures: tuple[Figure, ...]


class Mechanism(Protocol):
    """How a mode gives figures. Without state but its secrets: what was given is in the ledger."""

    mode: ClassVar[AnswerMode]

    @property
    def statistics(self) -> frozenset[Statistic]:
        """What can be answered in this mode at all."""

    @property
    def guarantee(self) -> str:
        """What holds of every figure, in a sentence for the analyst."""

    def price(self, wanted: AskedQuestion) -> Price:
        """Return what the answer would cost; raise `QueryRefused` if the mode cannot answer such a question."""

    def remark(self, question: DataQuestion, spent: Mapping[str, int]) -> str:
        """Return what else holds of the figures of one question, in a sentence; mostly nothing."""

    def figures(self, wanted: AskedQuestion, price: Price) -> tuple[tuple[Figure, ...], ...]:
        """Return the figures of each group, in the order of the aggregates."""


@runtime_checkable
class ReleasesLabels(Protocol):
    """A mechanism that decides which labels are shown, where these are confidential (`QueryPolicy.unlisted`)."""

    def released(self, wanted: AskedQuestion, price: Price) -> tuple[ReleasedGroup, ...]:
        """Return the groups that are shown; the question has one group, which stands for all of them."""
