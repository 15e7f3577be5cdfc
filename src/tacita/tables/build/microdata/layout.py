"""The layout of one table over microdata: which columns span it, what is summed, and who contributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tacita.errors import UsageError
from tacita.model.table import Dimension

LARGEST = 3
"""How many of the largest contributions are kept unless more are asked for: enough for p % and (2, k)."""


@dataclass(frozen=True, slots=True)
class MicrodataLayout:
    """One table to build: dimensions, response, and the columns that tell who stands behind a record.

    Without a `response` it is a frequency table. `columns` names the column of a dimension where it is not called like
    the dimension, `missing` the code under which records without a code are shown (without one they are refused).

    >>> MicrodataLayout("firms", (Dimension.flat("size", ["small", "large"]),)).column("size")
    'size'
    """

    name: str
    dimensions: tuple[Dimension, ...]
    response: str | None = None
    weight: str | None = None
    contributor: str | None = None
    request: str | None = None
    cost: str | None = None
    largest: int = LARGEST
    holding: str | None = None
    """A group of contributors that acts as one; the largest contributions of holdings are kept beside the others."""
    waiver: str | None = None
    waivers: tuple[str, ...] = ()
    """Contributors (or holdings) who consented to be recognised, besides those that the column `waiver` marks."""
    request_codes: tuple[str, ...] = ()
    """Codes of the column `request` that mean yes; none: anything but a missing value, 0, no and false."""
    frequency: str | None = None
    """How many records each row stands for, in a frequency table of data that is counted already."""
    columns: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    missing_response: str = "refuse"
    negative: bool = False
    """Whether responses may be negative: only if the attacker is not supposed to know that no value is."""

    def __post_init__(self) -> None:
        names = [dimension.name for dimension in self.dimensions]
        faults = []
        if not names:
            faults.append("has no dimension")
        if len(set(names)) < len(names):
            faults.append("has a dimension twice")
        if self.largest < 1:
            faults.append(f"keeps {self.largest} of the largest contributions; at least 1 is needed")
        if self.frequency and self.response:
            faults.append("has a response and a frequency: rows that stand for several records make frequency tables")
        if self.frequency and (self.contributor or self.holding):
            faults.append("has a frequency and a contributor: rows that stand for several records have no contributor")
        if self.waivers and not (self.contributor or self.holding):
            faults.append("has waivers of contributors, but no contributor or holding")
        if self.missing_response not in {"refuse", "zero", "leave_out"}:
            faults.append("does not say refuse, zero or leave_out for a missing response")
        if faults:
            raise UsageError(f"table '{self.name}' " + "; ".join(faults), do="correct the layout of the table")

    def column(self, dimension: str) -> str:
        """Return the column of a dimension."""
        return self.columns.get(dimension) or dimension
