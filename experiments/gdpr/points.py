"""What the experiments measure: how many attributes are hidden, and what hiding costs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tacita.dependencies.hiding.choice import ChoiceMethod

METHODS = tuple(ChoiceMethod)
COUNT, WEIGHTED, MFVS = ChoiceMethod.COUNTING, ChoiceMethod.WEIGHTED_COUNTING, ChoiceMethod.FEEDBACK_VERTICES
HEURISTICS = (COUNT, WEIGHTED, MFVS)


class Setting(StrEnum):
    """Which dependencies count: the four configurations of the paper, and three of ours."""

    FULL = "exact"
    CERTAINTY = "g3 10 %"
    """Cer_Rel of the paper."""
    ACCURACY = "distance 1"
    """Acc_Rel of the paper."""
    BOTH = "distance 1, g3 10 %"
    """Cer_Acc_Rel of the paper."""
    WITH_KEYS = "exact, with keys"
    """Dependencies whose left-hand side is a key count, too."""
    CERTAINTY_TELLING = "g3 10 %, gain 5 %"
    """Dependencies that tell more than the mode, as `tacita depends discover` lists them."""
    BOTH_TELLING = "distance 1, g3 10 %, gain 5 %"

    @property
    def is_printed(self) -> bool:
        """Whether the paper has it."""
        return self in PRINTED


PRINTED = (Setting.FULL, Setting.CERTAINTY, Setting.ACCURACY, Setting.BOTH)


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search for dependencies yields on a data set."""

    data: str
    records: int
    attributes: int
    setting: Setting
    dependencies: int
    threats: int
    """Dependencies by which values can be learnt: the ones that are not keys."""
    undecided: int
    on_invented: int
    """Those of the threats that determine an attribute which was drawn at random."""
    bounds: str
    """Which dependencies were not looked for; empty if the list is complete."""
    seconds: float
    """CPU seconds of the search."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """How many attributes are hidden if some are confidential."""

    data: str
    setting: Setting
    method: ChoiceMethod
    confidential: int
    """How many attributes are confidential; 0 stands for the mean over each attribute alone."""
    value: float
    """With one attribute at a time: the mean number of others that are hidden; otherwise all that are hidden."""
    kept: int
    """How many attributes can be kept confidential, of those that were tried."""
    tried: int
    repaired: int
    """How many choices had to hide more because a chain of dependencies led to the confidential attribute."""


@dataclass(frozen=True, slots=True)
class InformationGain:
    """What an attribute tells of the status in Health, in bits."""

    attribute: str
    before: float
    after: float
    """After each person has kept one attribute confidential, in the records whose status is shown."""
    with_hidden: float
    """The same in all records; a hidden status is a class of its own."""
    hidden: float
    """The share of its cells that are hidden."""


@dataclass(frozen=True, slots=True)
class GdprResults:
    """All that was measured in a run."""

    seed: int
    quick: bool
    searched: tuple[Searched, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    gains: tuple[InformationGain, ...] = ()

    @property
    def data(self) -> tuple[str, ...]:
        """The data sets that were looked at, in their order."""
        return tuple(dict.fromkeys(one.data for one in self.searched))

    def mean(self, data: str, setting: Setting, method: ChoiceMethod) -> float | None:
        """Return how many attributes are hidden besides one confidential attribute, on average; None if not run."""
        return self.value(data, setting, method, 0)

    def value(self, data: str, setting: Setting, method: ChoiceMethod, confidential: int) -> float | None:
        """Return one measured number of hidden attributes; None if it was not run."""
        for one in self.hidden:
            if (one.data, one.setting, one.method, one.confidential) == (data, setting, method, confidential):
                return one.value
        return None

    def growth(self, data: str, setting: Setting, method: ChoiceMethod) -> list[float]:
        """Return the numbers of hidden attributes as one attribute after the other becomes confidential."""
        line = [one for one in self.hidden if (one.data, one.setting, one.method) == (data, setting, method)]
        return [one.value for one in sorted(line, key=lambda one: one.confidential) if one.confidential]
