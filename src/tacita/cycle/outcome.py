"""What a cycle came to: the protected microdata, why each cell was touched, and what the measure says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from tacita.cycle.decisions import Decisions
from tacita.engines.protocol import Relation
from tacita.errors import counted
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.risk.null_semantics import Nulls

if TYPE_CHECKING:
    from tacita.cycle.plan import Plan

_COUNTED = "k-anonymity"
"""The measure that strict look-alikes decide."""

DERIVABLE = "but hidden values can be derived (allowed)"
"""What a verdict says of a release with `--allow-derivable`, where it was needed."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said of a release, so that anybody can check it on the released file alone."""

    measure: str
    """The name of a measure of the catalogue, or of the file with the rules."""
    parameters: Mapping[str, Any]
    """Parameters of the measure, its threshold among them."""
    known: tuple[str, ...]
    """What the intruder knows."""
    nulls: Mapping[str, Any]
    """How nulls count: ``missing_as``, ``semantics``, ``alpha``, ``distribution``."""
    cluster: str | None = None
    """The key that ties records together, if risks are those of clusters."""
    related: str | None = None
    """The word for what is linked by rules, if risks are those of linked records: such a claim needs the links."""
    parts: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Of a claim that several measures hold together: the measures with their parameters."""

    @property
    def measures(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The measures that hold, with their parameters: several, or the one."""
        return self.parts or ((self.measure, self.parameters),)

    @property
    def k(self) -> int | None:
        """How many records should look alike: the largest k of k-anonymity, or without it of any measure."""
        values = [(name, k) for name, parameters in self.measures if isinstance(k := parameters.get("k"), int)]
        counted_by = [k for name, k in values if name == _COUNTED] or [k for _, k in values]
        return max(counted_by, default=None)

    @property
    def is_of_look_alikes(self) -> bool:
        """Whether it is k-anonymity alone that should hold, so that who has k strict look-alikes is safe by it.

        >>> k = ("k-anonymity", {"k": 2})
        >>> risk = ("reidentification", {"threshold": 0.08})
        >>> Claim("both", {}, (), {}, parts=(k, k)).is_of_look_alikes, Claim("both", {}, (), {}, parts=(k, risk)).k
        (True, 2)
        >>> Claim("both", {}, (), {}, parts=(k, risk)).is_of_look_alikes
        False
        """
        return all(name == _COUNTED and isinstance(parameters.get("k"), int) for name, parameters in self.measures)

    def condition(self, unsafe_strict: int | None) -> str:
        """What must be true of empty cells for the claim to hold, if so many records are below k strictly.

        Strict look-alikes speak for k-anonymity alone: what another measure finds may lean on nulls all the same.
        """
        if unsafe_strict == 0 and self.is_of_look_alikes:
            return ""
        return Nulls.from_words(self.nulls).condition

    @property
    def in_words(self) -> str:
        """The measures with their numbers: ``k-anonymity (k 3, threshold 0.5)``."""
        phrases = []
        for name, parameters in self.measures:
            numbers = [f"{n} {v}" for n, v in parameters.items() if isinstance(v, int | float)]
            secret = [f"of {parameters['sensitive']}"] if parameters.get("sensitive") else []
            figures = ", ".join([*numbers, *secret])
            phrases.append(f"{name} ({figures})" if figures else name)
        return " and ".join(phrases)


@dataclass(frozen=True, slots=True)
class State:
    """The risk of the file at one moment."""

    unsafe: int
    """Records above the threshold, nulls counted as chosen."""
    unsafe_strict: int | None
    """Records below k if nobody leans on the nulls of others (alpha = 0); None where nothing is counted."""
    largest_risk: float
    expected: float | None = None
    """Expected re-identifications, if risks are probabilities."""
    figures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    has_nulls: bool = False
    """Whether a known cell is empty."""
    few_candidates: int | None = None
    """Suppressed records with fewer than k candidates for an intruder who knows all their values; None: not counted."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """A record that could not be brought under the threshold, and what would make it pass."""

    row: int
    risk: float
    remedies: tuple[str, ...]
    """Clauses without any value: ``allow Sector to be suppressed``, ``take k = 2``."""


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(Result):
    """What came of a cycle. Only a safe one may be released."""

    released_as: ClassVar = "release"
    original: Microdata
    protected: Microdata
    """The same tuples in the same order with the same columns, cells changed; identifiers are dropped on release."""
    claim: Claim
    settings: Mapping[str, Any]
    """Everything that was asked for, in words of JSON, seeds included: internal."""
    decisions: Decisions
    before: State
    after: State
    stuck: tuple[Stuck, ...] = ()
    recoded: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Attributes whose whole column was rolled up, and to which level."""
    loss: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Information loss by name, each from 0 to 1."""
    notes: Sequence[str] = ()
    why_not: str = ""
    """Why nothing may be released although no single record is stuck; empty if that is not so."""
    unchecked: tuple[str, ...] = ()
    """Why the claim could not be checked on the written file, if it was released all the same."""
    is_derivable: bool = False
    """Whether attributes that stay determine hidden values, and it was released all the same."""
    links: Relation | None = field(default=None, repr=False, compare=False)
    """Pairs of identifiers that belong together, if risks are those of linked records."""
    plan: Plan | None = field(default=None, repr=False, compare=False)
    """What was asked for: a release takes its options from here if nobody gives others."""

    def _in_short(self) -> str:
        return f"'{self.original.name}': {self.verdict}"

    @property
    def records(self) -> int:
        """The number of tuples."""
        return self.protected.relation.count()

    @property
    def nulls(self) -> int:
        """How many cells were suppressed."""
        return sum(suppressed for suppressed, _ in self.decisions.per_attribute().values())

    @property
    def is_safe(self) -> bool:
        """Whether the protected microdata may be released."""
        return not self.why_not and not self.stuck and self.after.unsafe == 0

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        if not self.is_safe:
            why = self.why_not or f"{counted(self.after.unsafe, 'record')} could not be brought under the threshold"
            return f"Not released: {why}."
        changed = bool(len(self.decisions))
        head = "Safe" if changed else "Safe as it is"
        if self.unchecked or self.is_derivable:
            head += f" by {Path(self.claim.measure).name}"
        if self.unchecked:
            head += ", not checked on the written file"
        condition = self.condition
        if condition:
            head += f"{' and' if self.unchecked else ''} if {condition}"
        if self.is_derivable:
            head += f", {DERIVABLE}"
        if condition and self.after.unsafe_strict:
            return f"{head}; {still_recognisable(self.after.unsafe_strict, self.claim.k)}."
        were = "was" if self.before.unsafe == 1 else "were"
        sentence = (
            f"{counted(self.before.unsafe, 'record')} {were} unsafe, none is now" if changed else "nothing was changed"
        )
        return f"{head}: {sentence}."

    @property
    def condition(self) -> str:
        """What must be true of empty cells for the outcome to be safe: empty if it is safe without."""
        return self.claim.condition(self.after.unsafe_strict) if self.after.has_nulls else ""


def still_recognisable(records: int, k: object) -> str:
    """Return what is left if an empty cell of another record does not count, as a clause.

    >>> still_recognisable(8, 2)
    '8 records remain unique to someone who knows their values'
    >>> still_recognisable(1, 3)
    '1 record still looks like fewer than 3 to someone who knows its values'
    """
    one = records == 1
    what = f"still look{'s' if one else ''} like fewer than {k}" if k != 2 else f"remain{'s' if one else ''} unique"
    return f"{counted(records, 'record')} {what} to someone who knows {'its' if one else 'their'} values"
