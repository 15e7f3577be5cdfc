"""Dependencies between attributes, and what a search for them returns.

A functional dependency X -> A says that records which are equal on X are equal on A. It is relaxed in two ways
(L. Caruccio, D. Desiato, G. Polese and G. Tortora, "GDPR Compliant Information Confidentiality Preservation in Big Data
Processing", IEEE Access 2020, definition 6): *alike* takes the place of equal, by a distance on each attribute, and a
small part of the records or pairs may violate it. It may also hold for a group of records only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from tacita.errors import counted
from tacita.model.result import Result


class ErrorMeasure(StrEnum):
    """How violations of a dependency are counted (J. Kivinen and H. Mannila, TCS 149, 1995)."""

    G3 = "g3"
    """The smallest share of records whose removal leaves no violation."""
    G1 = "g1"
    """The share of all pairs of records that violate it: alike on the left and not alike on the right."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A group of records by the value of an attribute."""

    attribute: str
    value: str = field(repr=False)
    """The value as text; empty for a missing one."""
    records: int


@dataclass(frozen=True, slots=True)
class Dependency:
    """That some attributes determine another one.

    >>> Dependency(("Age", "Sex"), "Occupation", support=2).in_words
    '{Age, Sex} determines Occupation'
    """

    left: tuple[str, ...]
    """The determining attributes, in the order of the file; none if all records are alike on the right."""
    right: str
    support: int
    """How many records are alike on the left with at least one other record."""
    error: float = 0.0
    """The share of records (g3) or pairs (g1) that violate it; if it is not known exactly, a lower bound."""
    error_at_most: float = 0.0
    """An upper bound of that share; equal to `error` if it is known exactly."""
    is_undecided: bool = False
    """Whether the tolerance lies between the bounds; such a dependency is treated as one that holds."""
    gain: float | None = None
    """How much better the others tell a record's value than the mode: (accuracy - mode) / (1 - mode), leaving the
    record out; None if it was not computed."""
    witness: tuple[int, int] | None = None
    """The numbers, from 1, of two records that are alike on the left and on the right; None if there are none."""
    condition: Condition | None = None
    """The group of records that it holds for; None if it holds for all."""

    @property
    def is_key(self) -> bool:
        """Whether no two records are alike on the left: then nobody learns a value from another record."""
        return self.support == 0

    @property
    def needs(self) -> tuple[str, ...]:
        """All attributes that have to be known for it to tell something: the left, and that of the group."""
        also = (self.condition.attribute,) if self.condition is not None else ()
        return tuple(dict.fromkeys((*self.left, *also)))

    @property
    def left_in_words(self) -> str:
        """The determining attributes as they are written in sentences.

        >>> Dependency((), "Country", support=9).in_words
        'the empty set determines Country'
        """
        if not self.left:
            return "the empty set"
        return self.left[0] if len(self.left) == 1 else f"{{{', '.join(self.left)}}}"

    @property
    def in_words(self) -> str:
        """The dependency as a clause."""
        return f"{self.left_in_words} determines {self.right}"


@dataclass(frozen=True, slots=True)
class Relaxation:
    """How far the dependencies of a search may be from exact ones."""

    thresholds: tuple[tuple[str, str], ...] = ()
    """For each attribute that is not compared by equality: its name, and in words when two values are alike."""
    measure: ErrorMeasure | None = None
    tolerance: float = 0.0
    distances: tuple[tuple[str, float], ...] = ()
    """The attributes of `thresholds`, each with its threshold as a number."""

    @property
    def is_exact(self) -> bool:
        """Whether records are compared by equality and no violation is tolerated."""
        return not self.thresholds and self.measure is None


@dataclass(frozen=True, slots=True, repr=False)
class Discovery(Result):
    """All minimal dependencies of a data set, within stated bounds."""

    name: str
    attributes: tuple[str, ...]
    """The attributes that were looked at, in the order of the file."""
    records: int
    relaxation: Relaxation
    dependencies: tuple[Dependency, ...]
    """By right-hand side in the order of the file, then by size, then by the left-hand side; groups come last."""
    bounds: tuple[str, ...] = ()
    """What was not looked for, a sentence each; empty if the result is complete."""
    notes: tuple[str, ...] = ()
    left_out: int = 0
    """How many dependencies within the tolerance are not listed, since they tell hardly more than the mode."""

    @property
    def is_complete(self) -> bool:
        """Whether every minimal dependency of these attributes is there."""
        return not self.bounds

    @property
    def threats(self) -> tuple[Dependency, ...]:
        """Those by which a value can be learnt from another record: the ones that are not keys."""
        return tuple(one for one in self.dependencies if not one.is_key)

    @property
    def undecided(self) -> tuple[Dependency, ...]:
        """Those whose error is not known well enough to say whether it is within the tolerance."""
        return tuple(one for one in self.dependencies if one.is_undecided)

    def of(self, attribute: str) -> tuple[Dependency, ...]:
        """Return those that determine an attribute."""
        return tuple(one for one in self.dependencies if one.right == attribute)

    def _in_short(self) -> str:
        return f"'{self.name}': {counted(len(self.dependencies), 'dependency')}"
