"""Which attribute helps a model most to guess what people hide: the one to hide next.

For each attribute that the people in question show, the model is trained again without it, as if they hid it as well,
and asked about the *selection part* of these people. The more its accuracy falls, the more the attribute matters. Where
two attributes tell the same, neither makes the accuracy fall alone; attributes whose fall is within its error (two
standard errors of the paired difference) are ranked by how well a model does that sees nothing else.

Whoever chooses by this reports the effect by `predict` with the other part (`PeoplePart.REPORT`): a choice looks better
on the people that it was made on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tacita.attacks.dependencies.concealed_file import ConcealedFile, Mask
from tacita.attacks.dependencies.prediction import PeoplePart, PredictionOptions, PredictionScore, task_of
from tacita.progress import Progress, Step, silent

_ERRORS = 2.0
_MOST_TRAINING = 5_000
"""How many records the models that are compared learn from, at most: there is one for each attribute, twice."""


@dataclass(frozen=True, slots=True)
class AttributeImportance:
    """How much a model needs an attribute that people show."""

    attribute: str
    fall: float
    """By how much the accuracy falls if these people hide it as well; below 0 if the model does better without."""
    error: float
    """The standard error of the fall."""
    alone: float
    """The accuracy of a model that sees nothing else."""

    @property
    def matters(self) -> bool:
        """Whether the fall is larger than its error explains."""
        return self.fall > _ERRORS * self.error


@dataclass(frozen=True, slots=True)
class ImportanceReport:
    """The attributes that people show, the one to hide next first."""

    target: str
    score: PredictionScore | None
    """The score on the selection part as things are; None if nobody is in question."""
    ranked: tuple[AttributeImportance, ...]

    @property
    def next_to_hide(self) -> str | None:
        """The attribute to hide next; None if nothing is shown."""
        return self.ranked[0].attribute if self.ranked else None


def importance(
    file: ConcealedFile,
    attribute: str,
    options: PredictionOptions | None = None,
    among: Mask | None = None,
    progress: Progress = silent,
) -> ImportanceReport:
    """Return how much each shown attribute helps to guess a confidential one, on the selection part.

    `among` leaves only some records in question, such as the people of one policy; otherwise all who keep the attribute
    confidential are. The part of the options does not matter.
    """
    options = options or PredictionOptions()
    training = min(options.training, _MOST_TRAINING)
    task = task_of(file, attribute, replace(options, part=PeoplePart.SELECTION, training=training), among)
    if not len(task.people):
        return ImportanceReport(attribute, None, ())
    others = [name for name in file.truth.names if name != attribute]
    shown = [name for name in others if not file.is_hidden(name)[task.people].all()]
    right = task.right(others)
    measured = []
    for place, name in enumerate(shown):
        progress(Step(f"leaving out '{name}'", place, len(shown)))
        without = task.right([other for other in others if other != name])
        lost = right.astype(np.int64) - without.astype(np.int64)
        error = float(lost.std()) / math.sqrt(len(lost))
        alone = float(task.right([name]).mean())
        measured.append(AttributeImportance(name, float(lost.mean()), error, alone))
    ranked = sorted(
        measured, key=lambda one: (not one.matters, -one.fall if one.matters else -one.alone, one.attribute)
    )
    return ImportanceReport(attribute, task.score(right), tuple(ranked))
