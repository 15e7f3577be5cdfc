"""What a concealment hides, cell by cell, why, and how far attackers get: the result that is released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tacita.attacks.dependencies.derivations import Derivations
from tacita.attacks.dependencies.prediction import PredictionReport, PredictionScore
from tacita.concealment.hidden_cells import HiddenCells
from tacita.concealment.intruder import SupposedKnowledge
from tacita.concealment.persons import Persons
from tacita.concealment.plan import ConcealPlan
from tacita.dependencies.dependency import Discovery
from tacita.dependencies.hiding.choice import DisclosureKind, HidingChoice
from tacita.errors import counted
from tacita.model.microdata import Microdata
from tacita.model.result import Result


@dataclass(frozen=True, slots=True)
class HiddenCount:
    """How many cells are hidden, and why."""

    confidential: int = 0
    """Because the person wants it."""
    derivation: int = 0
    """Because a confidential value could be derived from it."""
    prediction: int = 0
    """Because a model would guess a confidential value better than it may."""
    decoys: int = 0
    """So that others who hide it are not found out."""

    def __add__(self, other: HiddenCount) -> HiddenCount:
        return HiddenCount(
            self.confidential + other.confidential,
            self.derivation + other.derivation,
            self.prediction + other.prediction,
            self.decoys + other.decoys,
        )


@dataclass(frozen=True, slots=True, repr=False)
class Concealment(Result):
    """A file in which confidential cells, and those that would give them away, are to be hidden."""

    released_as: ClassVar[str] = "concealed release"

    original: Microdata
    plan: ConcealPlan
    attributes: tuple[str, ...]
    """The attributes that are released."""
    persons: Persons
    hidden: HiddenCells
    discovery: Discovery
    knowledge: SupposedKnowledge
    """What the intruder was supposed to know."""
    derivations: Derivations
    """What an intruder derives: no confidential cell, or the concealment would have been refused."""
    predictions: PredictionReport
    """How well a model guesses confidential cells, on people by whom nothing was chosen."""
    seed: int = field(repr=False)
    in_order: bool = False
    """Whether it was tried on an intruder who sees the order of the source."""
    allowed: tuple[str, ...] = ()
    """By what hidden cells are told all the same, since that was allowed."""
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[str, HiddenCount]:
        """How many cells of each attribute are hidden, in the order of the file."""
        own = np.bincount(self.hidden.of_record[~self.hidden.is_decoy], minlength=len(self.hidden.groups)).tolist()
        decoys = np.bincount(self.hidden.of_record[self.hidden.is_decoy], minlength=len(self.hidden.groups)).tolist()
        counts: dict[str, HiddenCount] = {}
        for group, members, taken in zip(self.hidden.groups, own, decoys, strict=True):
            for name in group.hidden if members or taken else ():
                counts[name] = counts.get(name, HiddenCount()) + _count(group, name, members, taken)
        return {name: counts[name] for name in self.attributes if name in counts}

    @property
    def price(self) -> HiddenCount:
        """How many cells are hidden in all, by reason: what each promise costs."""
        return sum(self.counts.values(), HiddenCount())

    @property
    def is_complete(self) -> bool:
        """Whether all dependencies were looked for."""
        return self.discovery.is_complete

    @property
    def verdict(self) -> str:
        """What holds of derivation, in a sentence."""
        hidden = counted(self.hidden.cells, "cell")
        if self.allowed:
            return f"Confidential cells can be derived, which was allowed: {hidden} hidden."
        within = "" if self.is_complete else " by the dependencies that were looked for"
        return f"No attack derives a confidential cell{within}: {hidden} hidden."

    @property
    def guessed_best(self) -> PredictionScore | None:
        """The attribute that a model guesses best, by its gain over the mode; None if no gain is known."""
        scores = [score for score in self.predictions.scores if score.gain is not None]
        return max(scores, key=lambda score: score.gain.value if score.gain else 0.0, default=None)

    def _in_short(self) -> str:
        cells = counted(self.hidden.cells, "hidden cell")
        return f"'{self.original.name}': {cells} in {counted(self.hidden.records, 'record')}"


def _count(group: HidingChoice, name: str, members: int, decoys: int) -> HiddenCount:
    """Return why the cells of an attribute are hidden in a group."""
    if name in group.confidential:
        return HiddenCount(confidential=members, decoys=decoys)
    if all(way.kind is DisclosureKind.PREDICTS for way in group.reasons(name)):
        return HiddenCount(prediction=members, decoys=decoys)
    return HiddenCount(derivation=members, decoys=decoys)
