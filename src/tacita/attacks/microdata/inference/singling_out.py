"""Singling out: descriptions found in the released file that fit exactly one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.inference.features import Codes, coded, keys_of
from tacita.attacks.microdata.score import (
    check_count,
    check_seed,
    lacking,
    left_out,
    rate_of,
    require,
    scored,
    usable_holdout,
)
from tacita.progress import Progress, Step, silent

_DRAWS = 20
"""Descriptions that are drawn for each one that is wanted, at most."""
_ENOUGH = 0.9
"""How many records a hold-out needs at least, as a share of the originals."""


@dataclass(frozen=True, slots=True)
class SinglingOut:
    """Claim of some descriptions that exactly one person fits them.

    A description takes the values of a few attributes, drawn at random, from a released record that is the only one to
    have them. It singles somebody out if exactly one original has these values: the predicates of M. Giomi et al., "A
    unified framework for quantifying privacy risk in synthetic data", PoPETs 2023, after the recital of the GDPR that
    names singling out. Success is the share of descriptions that do.

    The guess describes people by values drawn attribute by attribute, each as often as in the original. The control is
    the share of the same descriptions that single out one of as many people of the hold-out, drawn at random from it:
    what the file tells about the population. A hold-out of fewer people than nine tenths of the originals is not used:
    how often exactly one person fits depends on how many there are.

    Limits: descriptions are of equal values; a number with many digits is hardly met again unless it was released as it
    was.
    """

    attributes: int = 3
    """How many attributes a description takes; all, if there are fewer."""
    descriptions: int = 1000
    seed: int = 1
    name: ClassVar[str] = "singling-out"
    succeeds: ClassVar[str] = "describes exactly one person in {} of its attempts"
    threat: ClassVar[str] = "identity"
    by_holdout: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count("attributes", self.attributes)
        check_count("descriptions", self.descriptions)
        check_seed(self.seed)

    @staticmethod
    def by_default(scene: Scene, *, paired: bool) -> bool:
        """Return whether it attacks if nobody chose attackers."""
        return scene.holdout is not None

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return whether records or shared attributes are missing."""
        return lacking(scene)

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return the share of descriptions that fit exactly one original."""
        require(self.lacks(scene))
        names = scene.shared(scene.known)
        notes = left_out(scene, scene.known)
        random = np.random.default_rng(self.seed)
        others = usable_holdout(scene, names)
        if others is not None and len(others) < _ENOUGH * len(scene.original):
            notes.append("the hold-out has fewer records than the original, and is no control of singling out")
            others = None
        if others is not None and len(others) > len(scene.original):
            apart = np.random.default_rng([self.seed, len(others)])
            others = others.taken(np.sort(apart.choice(len(others), len(scene.original), replace=False)))
        files = coded([scene.original, scene.released, *([] if others is None else [others])], names)
        taken = min(self.attributes, len(names))
        subsets = list(dict.fromkeys(_subset(random, len(names), taken) for _ in range(_DRAWS)))
        wanted = -(-self.descriptions // len(subsets))
        descriptions = hits = guesses = guessed = control = 0
        for place, subset in enumerate(subsets):
            progress(Step("singling out", place, len(subsets)))
            invented = np.stack([random.choice(files[0][:, axis], wanted) for axis in subset], axis=1)
            keys = keys_of([*(file[:, subset] for file in files), invented])
            alone = np.flatnonzero(np.bincount(keys[1])[keys[1]] == 1)
            picked = keys[1][alone if len(alone) <= wanted else np.sort(random.choice(alone, wanted, replace=False))]
            descriptions += len(picked)
            hits += _single(keys[0], picked)
            guesses += wanted
            guessed += _single(keys[0], keys[-1])
            if others is not None:
                control += _single(keys[2], picked)
        if not descriptions:
            notes.append("no released record is the only one of its kind: nothing can be described")
        beside = rate_of(control, descriptions) if others is not None and descriptions else None
        return scored(self.name, hits, descriptions, guessed / guesses, {}, notes, control=beside)


def _subset(random: np.random.Generator, count: int, taken: int) -> tuple[int, ...]:
    return tuple(sorted(int(place) for place in random.choice(count, taken, replace=False)))


def _single(keys: Codes, described: NDArray[np.int64]) -> int:
    """Return how many descriptions fit exactly one record."""
    counts = np.bincount(keys, minlength=int(described.max(initial=0)) + 1)
    return int((counts[described] == 1).sum())
