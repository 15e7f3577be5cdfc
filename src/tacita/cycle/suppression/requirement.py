"""When a record has enough look-alikes: the measure's verdict, from how many there are and what they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from tacita.cycle.suppression.look_alikes import Count
from tacita.risk.bounds import TOLERANCE, is_above

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@runtime_checkable
class OfLookAlikes(Protocol):
    """A measure whose risk follows from the look-alikes of a record alone: k-anonymity, individual risk."""

    @property
    def threshold(self) -> float:
        """The risk above which a record is unsafe."""

    def risk_of(self, frequency: Array, population: Array) -> Array:
        """Return the risk of records with so many look-alikes that stand for so many of the population."""


@dataclass(slots=True)
class Requirement:
    """A measure, and how much a record may lean on the nulls of others: each such match counts `alpha`."""

    measure: OfLookAlikes
    alpha: float = 1.0
    k: int | None = field(init=False)
    """How many look-alikes are enough, if it is only their number that counts."""
    enough: float = field(init=False, repr=False)
    """The same with a tolerance for rounding, for loops that ask often; meaningless without `k`."""
    _known: dict[tuple[float, float], float] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        k = getattr(self.measure, "k", None)
        self.k = k if isinstance(k, int) and 0 <= self.measure.threshold < 1 else None
        self.enough = (self.k or 0) - TOLERANCE * (self.k or 0)

    def risk(self, count: Count) -> float:
        """Return the risk of a record with these look-alikes."""
        return self.risk_at(
            count.certain + self.alpha * count.leaning, count.certain_weight + self.alpha * count.leaning_weight
        )

    def risk_at(self, frequency: float, population: float) -> float:
        """Return the risk of a record with so many look-alikes that stand for so many."""
        if self.k is not None:
            return 1.0 if frequency < self.enough else 0.0
        import numpy as np

        key = (round(frequency, 9), round(population, 9))
        if key not in self._known:
            risks = self.measure.risk_of(np.array([frequency], dtype=float), np.array([population], dtype=float))
            self._known[key] = float(risks[0])
        return self._known[key]

    def is_met(self, count: Count) -> bool:
        """Return whether a record with these look-alikes is safe."""
        if self.k is not None:
            return count.certain + self.alpha * count.leaning >= self.enough
        return not is_above(self.risk(count), self.measure.threshold)

    def are_met(self, frequency: Array, population: Array) -> Array:
        """Return which of many records are safe, given their look-alikes and what these stand for."""
        import numpy as np

        if self.k is not None:
            enough: Array = frequency >= self.enough
            return enough
        risks = self.measure.risk_of(np.asarray(frequency, dtype=float), np.asarray(population, dtype=float))
        safe: Array = risks <= self.measure.threshold * (1 + TOLERANCE) + TOLERANCE
        return safe

    def is_met_alone(self, count: Count) -> bool:
        """Return whether it is safe without leaning on the nulls of others."""
        return self.is_met_at(count.certain, count.certain_weight)

    def is_met_at(self, frequency: float, population: float) -> bool:
        """Return whether a record with so many look-alikes that stand for so many is safe."""
        if self.k is not None:
            return frequency >= self.enough
        return not is_above(self.risk_at(frequency, population), self.measure.threshold)
