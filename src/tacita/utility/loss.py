"""What a measure of loss is, and what it gives back.

A measure is a frozen dataclass whose fields are its parameters. It compares records before and after, and knows
nothing of the method in between. Records are paired by place where `paired` is true (masking), and not otherwise
(synthetic data, samples): a measure that needs pairs says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, runtime_checkable

from tacita.model.records import Records


@dataclass(frozen=True, slots=True)
class Lost:
    """What was lost, by one measure."""

    measure: str
    figures: Mapping[str, float]
    """The figures of the measure, by name; the first is the one to compare by. NaN where it is not defined."""
    attributes: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: MappingProxyType({}))
    """Figures of single attributes (or models, or indicators), by name."""
    notes: tuple[str, ...] = ()
    """What was left out, and why; no value of the data."""

    @property
    def figure(self) -> float:
        """The figure to compare by."""
        return next(iter(self.figures.values()))


FACTS: Mapping[str, Any] = MappingProxyType(
    {
        "bounded": False,
        "by_default": False,
        "treats": "all",
        "settings": {},
        "compares": "",
        "counts_lost_numbers": False,
    }
)
"""What a class of losses may state, and what holds for one that does not:

`bounded`: its figure is from 0 to 1, and counts in the information loss. `by_default`: it is measured if nobody chose
losses. `treats`: "numbers", "categories" or "all". `settings`: parameters by which recipes are compared. `compares`:
what of the data it compares, for a report. `counts_lost_numbers`: an attribute without any number left counts as lost.
"""


@runtime_checkable
class Loss(Protocol):
    """A measure of information loss."""

    name: ClassVar[str]
    """The word for it in a recipe: lower case, with hyphens."""
    needs_pairs: ClassVar[bool]
    """Whether record i afterwards must come from record i before."""

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return what attributes lost; those that the measure does not fit are left out with a note."""
