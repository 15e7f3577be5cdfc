"""What a hidden or missing value matches when records are counted.

A file that was anonymised holds labelled nulls, and surveys hold missing answers. How many records look like a given
one depends on what such a cell may stand for, and tools disagree:

- as a *category*, missing is a value like any other;
- by *maybe-match* (the VADA-SA paper's), a null may be any value, so that groups overlap;
- in the *standard* semantics a null is like nothing but itself (a record that is all null is like everybody);
- sdcMicro's *alpha* weighs uncertain matches by a constant;
- *expected*: a null counts for a group with the probability that it would fall there, as the complete records have it.
  Suppressing more cells cannot make it jump: a hidden value is worth what an intruder would guess. A record counts at
  least what it counts strictly.

*Strict* is alpha = 0: the null of another record is not a look-alike that a record may count on. It is the default
wherever somebody has to decide what is safe (docs/decisions/0021-strict-nulls-and-published-codes.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from tacita.errors import UsageError
from tacita.model.dictionary import MissingAs


class Semantics(StrEnum):
    """What a null matches."""

    MAYBE_MATCH = "maybe-match"
    """Any value: the VADA-SA paper's meaning."""
    STANDARD = "standard"
    """Nothing but itself."""
    ALPHA = "alpha"
    """Any value, but an uncertain match counts alpha only (sdcMicro)."""
    EXPECTED = "expected"
    """Each value with its probability."""


class Distribution(StrEnum):
    """Where the probabilities of the expected semantics come from."""

    CONDITIONAL = "conditional"
    """From the complete records that agree with what is known of the record."""
    MARGINAL = "marginal"
    """From each attribute alone, as if attributes were independent."""


@dataclass(frozen=True, slots=True)
class Nulls:
    """How nulls count.

    >>> print(Nulls(MissingAs.UNKNOWN, Semantics.ALPHA, alpha=0.5))
    alpha 0.5
    """

    missing_as: MissingAs = MissingAs.UNKNOWN
    semantics: Semantics = Semantics.MAYBE_MATCH
    alpha: float = 1.0
    distribution: Distribution = Distribution.CONDITIONAL

    @classmethod
    def from_words(cls, words: Mapping[str, Any]) -> Self:
        """Return what a claim says of nulls; raise ValueError or TypeError if it says something else.

        >>> Nulls.from_words({"semantics": "alpha", "alpha": 0.0}) == STRICT
        True
        """
        return cls(
            MissingAs(words.get("missing_as") or MissingAs.UNKNOWN),
            Semantics(words.get("semantics") or Semantics.MAYBE_MATCH),
            float(1.0 if words.get("alpha") is None else words["alpha"]),
            Distribution(words.get("distribution") or Distribution.CONDITIONAL),
        )

    @property
    def words(self) -> dict[str, Any]:
        """What `from_words` reads: in words of JSON."""
        return {
            "missing_as": str(self.missing_as),
            "semantics": str(self.semantics),
            "alpha": self.alpha,
            "distribution": str(self.distribution),
        }

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"alpha is {self.alpha}", do="give the weight of an uncertain match, from 0 to 1")

    @property
    def are_values(self) -> bool:
        """Whether a missing value is a category like any other, so that there are no nulls left."""
        return self.missing_as is MissingAs.CATEGORY

    @property
    def are_whole(self) -> bool:
        """Whether frequencies are whole numbers."""
        return self.are_values or self.semantics in {Semantics.MAYBE_MATCH, Semantics.STANDARD}

    @property
    def are_strict(self) -> bool:
        """Whether no record counts a null of another one as a look-alike.

        >>> Nulls().are_strict, STRICT.are_strict
        (False, True)
        """
        return (
            self.are_values
            or self.semantics is Semantics.STANDARD
            or (self.semantics is Semantics.ALPHA and self.alpha == 0)
        )

    @property
    def condition(self) -> str:
        """What must be true of empty cells for records to be as safe as they are counted; empty if nothing must.

        >>> Nulls().condition
        'an empty cell may be any value'
        """
        if self.are_strict:
            return ""
        if self.semantics is Semantics.EXPECTED:
            return "an empty cell is each value with its probability"
        if self.semantics is Semantics.ALPHA and self.alpha < 1:
            return f"an empty cell may be any value, with weight {self.alpha:g}"
        return "an empty cell may be any value"

    def __str__(self) -> str:
        if self.are_values:
            return "category"
        if self.semantics is Semantics.ALPHA:
            return f"alpha {self.alpha:g}"
        if self.semantics is Semantics.EXPECTED and self.distribution is Distribution.MARGINAL:
            return "expected (marginal)"
        return str(self.semantics)

    @property
    def in_words(self) -> str:
        """The meaning of a null as people ask for it.

        >>> Nulls(semantics=Semantics.ALPHA, alpha=0.0).in_words
        'strict (alpha 0)'
        """
        if self.are_values or self.semantics is not Semantics.ALPHA or self.alpha not in {0.0, 1.0}:
            return str(self)
        return f"strict ({self})" if self.alpha == 0 else f"maybe-match ({self})"


STRICT = Nulls(semantics=Semantics.ALPHA, alpha=0.0)
"""No record leans on the nulls of others."""


def default_nulls(measure: object, missing_as: MissingAs = MissingAs.UNKNOWN) -> Nulls:
    """Return how nulls count if nobody says otherwise: in the way that protects most of those that a measure knows.

    That is strict; a measure that counts no matches in part says what it takes instead, as ``strictest``.
    """
    semantics = getattr(measure, "strictest", None)
    nulls = STRICT if semantics is None else Nulls(semantics=semantics)
    return replace(nulls, missing_as=missing_as)
