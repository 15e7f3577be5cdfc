"""What a rule of a gate is.

A rule looks at one amount of a target: its excess F (`tacita.gate.picture.picture`), its evidence, or a number of
records. It accepts small amounts. Which amounts it accepts depends on what was released before.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar, Protocol

from tacita.gate.picture.picture import Picture


class Amount(StrEnum):
    """What a rule looks at."""

    EXCESS = "excess"
    EVIDENCE = "evidence"
    ORDINARY_EVIDENCE = "ordinary-evidence"
    RECORDS = "records"


class GateRule(Protocol):
    """A rule, with the state that it needs; the state changes with every released record."""

    name: ClassVar[str]
    amount: ClassVar[Amount]
    needs_start: ClassVar[bool]
    """Whether the rule, from the first record on, would never let anything pass."""
    has_state: ClassVar[bool]
    """Whether the rule has to hear of released records, beyond what the picture shows."""
    promise: ClassVar[str]
    """What holds at any time, in a sentence."""
    weakness: ClassVar[str]
    """What it does not promise, in a sentence."""
    picture: Picture

    def allows(self, target: int, value: int, excess: int) -> bool:
        """Return whether a record may be released; `excess` is F of its target with it."""

    def accepts(self, target: int, size: int, amount: int) -> bool:
        """Return whether a target may have so many records and this amount; if so, then any smaller amount too."""

    def amount_of(self, target: int, counts: Sequence[int]) -> int:
        """Return the amount of a target that has these counts; of evidence to about ten digits."""

    def released(self, target: int, value: int, excess: int) -> None:
        """Take note of the record that was judged last and is being released; the picture does not count it yet."""

    def add_target(self) -> None:
        """Add a target that has no records."""

    def limit(self, target: int) -> float | None:
        """Return up to where the amount may rise now, for people: bits, odds or records; None if there is no limit."""


class StatelessRule:
    """What rules have that need nothing but the picture."""

    has_state: ClassVar = False
    __slots__ = ()

    def released(self, target: int, value: int, excess: int) -> None:
        """Take note of nothing."""

    def add_target(self) -> None:
        """Take note of nothing."""
