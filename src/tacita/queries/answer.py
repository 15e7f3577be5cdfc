"""What an analyst gets: figures by groups, each exact, an interval, with noise, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tacita.errors import counted
from tacita.model.result import Result

REFUSED = "This was not answered. The policy of the data set decides that; the auditor can see why."
"""The one sentence of every refusal: it is the same whatever the reason."""


class FigureStatus(StrEnum):
    """How a figure relates to the true one."""

    EXACT = "exact"
    INTERVAL = "interval"
    NOISY = "noisy"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of an answer, as decimal text."""

    status: FigureStatus
    value: str | None = field(default=None, repr=False)
    """The figure; of an interval its middle, which promises nothing."""
    lower: str | None = field(default=None, repr=False)
    upper: str | None = field(default=None, repr=False)
    error: str | None = None
    """Of a noisy figure: how far the true one is away with a probability of 95 %, at most."""

    @property
    def is_answered(self) -> bool:
        """Whether there is anything to see."""
        return self.status is not FigureStatus.REFUSED

    def to_payload(self) -> list[str | None]:
        """Return JSON values."""
        return [str(self.status), self.value, self.lower, self.upper, self.error]

    @classmethod
    def from_payload(cls, payload: list[str | None]) -> Figure:
        """Return the figure that `to_payload` gave."""
        status, *rest = payload
        return cls(FigureStatus(str(status)), *rest)


NOT_ANSWERED = Figure(FigureStatus.REFUSED)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """The figures of one group."""

    group: tuple[str | None, ...]
    """The labels of the group, of missing values an empty one. None, in a row of totals: all values are together."""
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, repr=False)
class QueryAnswer(Result):
    """An answer as the analyst gets it; it is in the ledger before."""

    database: str
    number: int
    """The number of the question among those of this analyst."""
    question: str = field(repr=False)
    """The question in canonical words."""
    groups: tuple[str, ...]
    names: tuple[str, ...]
    """What each figure is called."""
    rows: tuple[AnswerRow, ...]
    guarantee: str = ""
    """What holds of every figure, in a sentence."""
    cost: Mapping[str, str] = field(default_factory=dict)
    """What was paid, by currency: decimal text."""
    left: Mapping[str, str] = field(default_factory=dict)
    """What the analyst can still spend."""
    is_repeated: bool = False
    """Whether the same was asked before: the recorded answer is given again, and nothing is paid."""

    @property
    def status(self) -> str:
        """'answered', 'partly' or 'refused'. Without any rows: no label was released, which is an answer."""
        if not self.rows:
            return "answered"
        answered = [figure.is_answered for row in self.rows for figure in row.figures]
        return "answered" if answered and all(answered) else "partly" if any(answered) else "refused"

    @property
    def sentence(self) -> str:
        """What is true of the answer, for the analyst."""
        if self.status == "refused":
            return REFUSED
        if self.status == "partly":
            return f"Some figures were not answered. {self.guarantee}".strip()
        return self.guarantee

    def _in_short(self) -> str:
        return f"'{self.database}': {self.status}, {counted(len(self.rows), 'row')}"

    def to_arrow(self) -> Any:
        """Return the figures as an Arrow table: columns of groups, then of figures with their status and bounds.

        Whole numbers stay whole, other figures become floating-point numbers; the rows have all digits. A name that
        another column has gets a number, as in ``income status 2``: analysts choose the names of figures.
        """
        import pyarrow as pa

        columns: dict[str, Any] = {}

        def add(name: str, values: list[Any], kind: Any) -> None:
            names = (name, *(f"{name} {number}" for number in range(2, len(columns) + 3)))
            columns[next(one for one in names if one not in columns)] = pa.array(values, kind)

        for at, name in enumerate(self.groups):
            add(name, [row.group[at] for row in self.rows], pa.string())
        for at, name in enumerate(self.names):
            figures = [row.figures[at] for row in self.rows]
            values = [one.value for one in figures]
            if all(value is None or value.lstrip("-").isdigit() for value in values):
                add(name, [None if value is None else int(value) for value in values], pa.int64())
            else:
                add(name, [_number(value) for value in values], pa.float64())
            if any(one.status is not FigureStatus.EXACT for one in figures):
                add(f"{name} status", [str(one.status) for one in figures], pa.string())
            for part in ("lower", "upper", "error"):
                if any(getattr(one, part) is not None for one in figures):
                    add(f"{name} {part}", [_number(getattr(one, part)) for one in figures], pa.float64())
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """Return the figures as a data frame of pandas."""
        return self.to_arrow().to_pandas()


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)
