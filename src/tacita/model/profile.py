"""The profile of an attribute: what its values look like, before anyone says what they mean."""

from __future__ import annotations

from dataclasses import dataclass, field

from tacita.model.attribute import Kind
from tacita.model.relation import ColumnType


@dataclass(frozen=True, slots=True, repr=False)
class Moments:
    """Mean, standard deviation and quantiles (1, 25, 50, 75 and 99 %) of the finite values of a number."""

    mean: float
    deviation: float
    quantiles: tuple[float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class AttributeProfile:
    """Figures of one attribute over all tuples."""

    name: str
    type: ColumnType
    kind: Kind
    rows: int
    missing: int
    distinct: int
    singles: int
    """Values that occur exactly once."""
    entropy: float
    """Shannon entropy of the values that are present, in bits."""
    longest: int
    """Characters of the longest text; 0 for other types."""
    most_frequent: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    """The most frequent values; empty if every value occurs once, so that no identifier is shown."""
    least: str | None = field(default=None, repr=False)
    greatest: str | None = field(default=None, repr=False)
    moments: Moments | None = field(default=None, repr=False)
    histogram: tuple[int, ...] = field(default=(), repr=False)
    """Frequencies of equal intervals between the first and the last percentile, or of the values in their order."""

    @property
    def present(self) -> int:
        """The number of tuples that have a value."""
        return self.rows - self.missing

    @property
    def all_different(self) -> bool:
        """Whether no value occurs twice."""
        return self.present > 1 and self.distinct == self.present

    @property
    def uniqueness(self) -> float:
        """The share of different values among those present: 1 for an identifier."""
        return self.distinct / self.present if self.present else 0.0
