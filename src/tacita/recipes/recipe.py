"""A recipe as a value: steps, how to judge what came of them, and where randomness begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

from tacita.errors import UsageError

HOLDOUT = "holdout"
"""The recipe is carried out once more on a half of the records, and the other half is the control of attackers."""
NO_CONTROL = "none"


@dataclass(frozen=True, slots=True)
class RecipeStep:
    """One method with its parameters, the strata within which it is applied, and whether it treats clusters as one."""

    method: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    within: tuple[str, ...] = ()
    by_cluster: bool = False
    """Whether records that belong together (the cluster key of the dictionary) are treated as one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    @property
    def label(self) -> str:
        """The step in few words: its method and the parameters that are numbers or words.

        >>> RecipeStep("mdav", {"attributes": ["turnover"], "k": 3}, within=("sector",)).label
        'mdav k=3 within sector'
        """
        words = [f"{name}={_short_text(value)}" for name, value in self.parameters.items() if _is_short(value)]
        strata = ["within", ",".join(self.within)] if self.within else []
        return " ".join([self.method, *words, *strata, *(["by cluster"] if self.by_cluster else [])])


@dataclass(frozen=True, slots=True)
class Model:
    """A regression that must still hold on the released data."""

    formula: str
    kind: str = "linear"
    by: tuple[str, ...] = ()
    overlap: float | None = None
    """The least mean overlap, from 0 to 1, of confidence intervals before and after; None: it is only told."""

    def __post_init__(self) -> None:
        if self.overlap is not None and not 0 <= self.overlap <= 1:
            raise UsageError(f"the overlap asked of a model is {self.overlap:g}", do="give a share from 0 to 1")


@dataclass(frozen=True, slots=True)
class IndicatorWish:
    """A figure, as SQL over a table `data`, that must be kept within a relative tolerance."""

    name: str
    sql: str
    tolerance: float

    def __post_init__(self) -> None:
        if not self.tolerance >= 0:
            raise UsageError(f"the tolerance of '{self.name}' is negative", do="give a share such as 0.02")


@dataclass(frozen=True, slots=True)
class Judgement:
    """By what the result is judged; everything has a default that follows from the data."""

    known: tuple[str, ...] = ()
    """What the intruder knows; by default the quasi-identifiers, attributes without a category, and every attribute
    that is changed."""
    secret: tuple[str, ...] = ()
    """What the intruder wants to learn; by default the sensitive attributes."""
    attackers: tuple[str, ...] = ()
    accept: float | None = None
    """The risk, from 0 to 1, that no attacker may exceed; None: there is no limit, and nothing is released unless a
    steward insists."""
    accept_unique: float = 0.0
    """The share of released records, from 0 to 1, that may be unique on known attributes that stay as they were."""
    control: str = HOLDOUT
    """Where records come from that were not in the data: `HOLDOUT`, a file of them, or `NO_CONTROL`."""
    attributes: tuple[str, ...] = ()
    """The attributes whose loss is measured; by default all that are released."""
    measures: tuple[str, ...] = ()
    models: tuple[Model, ...] = ()
    indicators: tuple[IndicatorWish, ...] = ()

    def __post_init__(self) -> None:
        if self.accept is not None and not 0 <= self.accept <= 1:
            raise UsageError(f"the accepted risk is {self.accept:g}", do="give a share from 0 to 1")
        if not 0 <= self.accept_unique <= 1:
            raise UsageError(
                f"the accepted share of unique records is {self.accept_unique:g}", do="give a share from 0 to 1"
            )


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is to be done, in order.

    >>> Recipe((RecipeStep("mdav", {"attributes": ["turnover"], "k": 3}),)).label
    'mdav k=3'
    """

    steps: tuple[RecipeStep, ...]
    title: str = ""
    seed: int | None = field(default=None, repr=False)
    """Where randomness begins; None: nobody knows beforehand. Never published."""
    judgement: Judgement = Judgement()
    is_baseline: bool = False
    """Whether it stands for the file as it is, beside which recipes are judged; only then it has no step."""

    def __post_init__(self) -> None:
        if not self.steps and not self.is_baseline:
            raise UsageError("the recipe has no step", do="add a [[step]] with a method")
        if self.seed is not None and self.seed < 0:
            raise UsageError("the seed is negative", do="give a whole number from 0")

    @property
    def label(self) -> str:
        """The recipe in few words: its title, or its steps."""
        return self.title or " + ".join(step.label for step in self.steps)

    def with_(self, **changes: Any) -> Self:
        """Return this recipe with some fields changed."""
        return replace(self, **changes)


def _is_short(value: object) -> bool:
    return isinstance(value, int | float | str) and not (isinstance(value, str) and len(value) > 20)


def _short_text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
