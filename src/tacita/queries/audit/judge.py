"""The contract of a judge: facts that would be published in, objections out; a fact that was published is learnt.

A request is judged as a whole: all its facts become known together. A judge changes only in `learn`, which is called
when the answer is in the ledger, in the order of the ledger; so every process that reads the ledger has the same state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, Protocol

from tacita.ledger.entry import Entry
from tacita.queries.question import EVERYTHING, Mask, Predicate


@dataclass(frozen=True, slots=True, eq=False)
class ToldSum:
    """One sum that an exact answer tells: of records, of a measure, or of its squares.

    AVG with its count tells a sum, VARIANCE a sum and a sum of squares; a ratio tells one sum as a multiple of another,
    and is judged as both. An extreme is a fact of its own (`extreme`).
    """

    measure: str
    """Empty: records are counted."""
    cells: Mask = field(repr=False)
    """The cells of the sum."""
    value: int = field(repr=False)
    """In units of the last decimal (squares: of its square)."""
    power: int = 1
    """2: squares are summed. 0: people are counted, each once, of whom some have several of the records."""
    extreme: str = ""
    """'min' or 'max': the value is the least or largest, not a sum."""
    where: Predicate = field(default=EVERYTHING, repr=False)
    """What selects these cells, in any data."""


@dataclass(frozen=True, slots=True, eq=False)
class AuditRequest:
    """What would be published at once."""

    facts: tuple[ToldSum, ...] = field(repr=False)
    number: int = 0
    """The number that the answer would have, for explanations."""
    version: int = 1
    """The number of the version of the data that it is about."""


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a request must not be answered. It is for the auditor: an analyst never sees any of it."""

    rule: str
    """The rule that objects: 'minimum', 'dominance', 'p_percent', 'overlap', 'exact', 'interval', 'extreme',
    'beside_extremes', 'squares', 'program', 'answers', 'budget', 'refusals', 'memory', 'deadline', 'releases'."""
    sentence: str
    """What would follow, in words with figures of size and share, without a value of the data."""
    places: tuple[int, ...] = ()
    """The facts of the request that are to blame (in the ledger: groups of the question); none: all together."""
    multipliers: tuple[tuple[int, str], ...] = ()
    """How it would follow: the numbers of earlier answers (0: this one) with their factors, such as (3, '-1')."""
    looks_at_values: bool = False
    """Whether a value of the data decided: the refusal itself then tells something."""


class QueryJudge(Protocol):
    """Says what would become known. Mutable: it learns."""

    name: ClassVar[str]

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return why a request must not be answered; nothing is changed, and nothing is learnt."""

    def learn(self, request: AuditRequest) -> None:
        """Take in what was published."""


class EntryOf(Enum):
    """Whose entry of the ledger it is, for a database that is judged together with releases."""

    THIS_VERSION = "this version"
    """An answer of the database itself."""
    EARLIER_VERSION = "earlier version"
    """An answer of a version that it follows: the records of its cells are those of that version."""
    OTHERS = "others"


class ReleasesJudge(Protocol):
    """Says what would become known together with releases that are in the ledger. Mutable: it follows the ledger."""

    def follow(self, entry: Entry, whose: EntryOf) -> None:
        """Take notice of an entry of the ledger."""

    def read(self) -> None:
        """Read the releases that count, if there are others than before."""

    def notes(self) -> tuple[str, ...]:
        """Return what a person who opens the data set should know, in sentences."""

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return why figures that are told exactly must not be; nothing is learnt."""

    def learn(self, request: AuditRequest) -> None:
        """Take in what was told exactly."""
