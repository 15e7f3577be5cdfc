"""Methods that work on microdata in their engine: recoding, intervals, and the anonymization cycle as a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

from tacita.errors import InputError, UsageError
from tacita.masking.method import Grid
from tacita.model.attribute import Kind
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent


@runtime_checkable
class EngineMethod(Protocol):
    """A method from microdata to microdata: the same records, in their order."""

    name: ClassVar[str]
    promises: ClassVar[str]
    limits: ClassVar[str]
    is_random: ClassVar[bool]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that it changes; none: the quasi-identifiers."""

    def applied(self, microdata: Microdata, progress: Progress = silent) -> tuple[Microdata, tuple[str, ...]]:
        """Return the changed microdata, and what a steward has to know."""


@dataclass(frozen=True, slots=True)
class GlobalRecoding:
    """Whole columns go up to a level of their hierarchies.

    >>> GlobalRecoding({"area": 1}).attributes
    ('area',)
    """

    levels: Mapping[str, int]
    name: ClassVar[str] = "global-recoding"
    in_engine: ClassVar[bool] = True
    promises: ClassVar[str] = "Every value stands for a group of values, the same for all records."
    limits: ClassVar[str] = "Says nothing of how many records look alike; small groups stay small."
    is_random: ClassVar[bool] = False

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that it changes."""
        return tuple(self.levels)

    def applied(self, microdata: Microdata, progress: Progress = silent) -> tuple[Microdata, tuple[str, ...]]:
        """Return the recoded microdata."""
        from tacita.masking.recoding.global_recoding import recoded

        return recoded(microdata, self.levels).microdata, ()


@dataclass(frozen=True, slots=True)
class Intervals:
    """Numbers become intervals: of a width, at bounds, or a number of classes."""

    attributes: tuple[str, ...]
    width: float | None = None
    start: float = 0
    bounds: tuple[float, ...] = ()
    classes: int | None = None
    by: Literal["width", "frequency"] = "width"
    name: ClassVar[str] = "intervals"
    in_engine: ClassVar[bool] = True
    promises: ClassVar[str] = "A number is told no better than its interval."
    limits: ClassVar[str] = "Sums and means can no longer be computed exactly; narrow intervals hide little."
    is_random: ClassVar[bool] = False

    def applied(self, microdata: Microdata, progress: Progress = silent) -> tuple[Microdata, tuple[str, ...]]:
        """Return microdata with intervals for numbers."""
        from tacita.masking.recoding.discretisation import discretised

        for name in self.attributes:
            if microdata.column(name).type.is_numeric and microdata.attribute(name).kind is Kind.CATEGORICAL:
                raise InputError(
                    f"'{name}' is categorical, and its codes have no intervals",
                    do="recode it by a hierarchy (global-recoding); if it is a number, say so in the dictionary: "
                    'kind = "continuous"',
                )
            microdata = discretised(
                microdata,
                name,
                bounds=[_exact(bound) for bound in self.bounds],
                width=None if self.width is None else _exact(self.width),
                start=_exact(self.start),
                classes=self.classes,
                by=self.by,
            ).microdata
        return microdata, ()


@dataclass(frozen=True, slots=True)
class KAnonymization:
    """The anonymization cycle: cells are suppressed, or columns recoded, until k records look alike."""

    k: int = 3
    attributes: tuple[str, ...] = ()
    """What the intruder knows; none: the quasi-identifiers."""
    by: Literal["suppression", "recoding", "local-recoding", "auto"] = "suppression"
    nulls: Literal["strict", "maybe", "expected"] = "strict"
    suppression_limit: float = 0.05
    name: ClassVar[str] = "k-anonymity"
    treats: ClassVar[str] = "categories"
    grid: ClassVar[Grid] = {"k": (3, 5, 10)}
    in_engine: ClassVar[bool] = True
    promises: ClassVar[str] = "At least k records look alike on what the intruder knows, or nothing is released."
    limits: ClassVar[str] = "Says nothing of the other attributes: a group may share its secret."
    is_random: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.k < 2:
            raise UsageError(f"k is {self.k}", do="give a k of at least 2: one record always looks like itself")

    def applied(self, microdata: Microdata, progress: Progress = silent) -> tuple[Microdata, tuple[str, ...]]:
        """Return the anonymized microdata; what cannot be made safe is an error."""
        from tacita.cycle.anonymize import anonymize
        from tacita.cycle.plan import ChangeMethod, Plan
        from tacita.risk.identity.k_anonymity import KAnonymity
        from tacita.risk.null_semantics import Nulls, Semantics

        missing_as = microdata.dictionary.missing_as
        meanings = {
            "maybe": Nulls(missing_as),
            "strict": Nulls(missing_as, Semantics.ALPHA, alpha=0.0),
            "expected": Nulls(missing_as, Semantics.EXPECTED),
        }
        plan = Plan(
            KAnonymity(self.k),
            known=self.attributes or None,
            nulls=meanings[self.nulls],
            method=ChangeMethod(self.by),
            suppression_limit=self.suppression_limit,
        )
        outcome = anonymize(microdata, plan, progress=progress)
        if not outcome.is_safe:
            raise InputError(
                outcome.verdict.removesuffix("."), where="step 'k-anonymity'", do="recode first, or take a smaller k"
            )
        return outcome.protected, tuple(outcome.notes)


def _exact(number: float) -> int | float:
    return int(number) if float(number).is_integer() else number
