"""What a gate answers: release, hold or refuse, and why."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class GateVerdict(StrEnum):
    """The answer to a record."""

    RELEASE = "release"
    HOLD = "hold"
    """Not now: it is looked at again when the picture has changed."""
    REFUSE = "refuse"
    """The record cannot be judged as it is."""


class GateReason(StrEnum):
    """Why; a record that is held by a rule has the name of the rule as its reason instead."""

    SAFE = "safe"
    AGAIN = "released-before"
    STILL_HELD = "still-held"
    UNREADABLE = "unreadable"
    NO_KEY = "no-key"
    CHANGED = "changed-since-release"
    NO_TARGET = "no-target"
    UNKNOWN_TARGET = "unknown-target"
    MISSING_VALUE = "missing-value"
    UNLISTED_VALUE = "value-not-in-baseline"
    NOT_A_NUMBER = "not-a-number"


class HoldFigures(NamedTuple):
    """What would have been seen with a record that was held; distances and exposures are in bits."""

    records: int
    """Records of the target with this one."""
    of_value: int
    """Records of the target and the value with this one."""
    expected_share: float
    """The share of the value in the baseline."""
    distance: float
    distance_before: float
    exposure: float
    evidence: float
    """log2 of the Bayes factor against the target, an unusual distribution against the baseline."""
    limit: float | None
    """Up to where the rule goes, in the unit of the rule."""


class GateAnswer(NamedTuple):
    """The answer to one record. It names target and value, and is for the steward."""

    number: int
    """The record, counted from 1 in the order in which records were offered."""
    key: str
    verdict: GateVerdict
    reason: str
    """A `GateReason`, or the name of the rule that holds the record."""
    dependency: int = -1
    """The dependency that the reason is about; -1: none."""
    target: int = -1
    value: int = -1
    is_late: bool = False
    """Whether the record was held before, and leaves now."""
    figures: HoldFigures | None = None


Row = tuple[str, ...]
"""The cells of a record as they were offered."""


class DecidedBatch:
    """What was decided about some records. Most are released: an answer for each is made when somebody wants it."""

    __slots__ = ("first", "keys", "late", "numbers", "others", "replaced", "rows")

    def __init__(self, first: int) -> None:
        self.first = first
        """The number of its first record."""
        # Lists beside each other: a tuple for each record would keep the collector of garbage busy.
        self.numbers: list[int] = []
        """The numbers of the records that leave, in the order in which they do."""
        self.keys: list[str] = []
        """Their keys."""
        self.rows: list[Row] = []
        """Their cells."""
        self.late: set[int] = set()
        """The numbers of those that were held before."""
        self.others: list[tuple[GateAnswer, Row]] = []
        """The answers to all other records, in their order, with their cells."""
        self.replaced: list[tuple[int, str, Row]] = []
        """Held records that were offered again with other cells, in which targets and values are the same."""

    @property
    def released(self) -> list[tuple[int, str, Row]]:
        """Number, key and cells of the records that leave, in the order in which they do."""
        return list(zip(self.numbers, self.keys, self.rows, strict=True))

    def leave(self, number: int, key: str, row: Row) -> None:
        """Let a record leave."""
        self.numbers.append(number)
        self.keys.append(key)
        self.rows.append(row)

    def answers(self) -> Iterator[GateAnswer]:
        """Yield the answers in the order of the records; records that were held before come last."""
        late = self.late
        offered = [answer for answer, _ in self.others]
        offered += [
            GateAnswer(number, key, GateVerdict.RELEASE, GateReason.SAFE)
            for number, key in zip(self.numbers, self.keys, strict=True)
            if number not in late
        ]
        yield from sorted(offered, key=lambda answer: answer.number)
        for number, key in zip(self.numbers, self.keys, strict=True):
            if number in late:
                yield GateAnswer(number, key, GateVerdict.RELEASE, GateReason.SAFE, is_late=True)
