"""Replicated uniques: originals that are unlike all others, and that a released file shows again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.inference.features import Codes, coded, keys_of
from tacita.attacks.microdata.score import (
    lacking,
    left_out,
    rate_of,
    require,
    scored,
    usable_holdout,
)
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class ReplicatedUniques:
    """Look for unique people in the released file.

    An original is unique if no other has the same known attributes. Success is the share of unique originals whose
    combination is in the released file (`repU` of G. Raab, B. Nowok and C. Dibben, "Practical privacy metrics for
    synthetic data", 2024): if the records are invented, such a combination looks like that person all the same.

    The guess is for somebody who invents as many records attribute by attribute, each value as often as in the
    original: a combination with the shares p1, p2, ... comes up among n records with the chance 1 - (1 - p1 p2 ...)^n.

    The control is the share of unique people of the hold-out whose combination is in the released file: what replicates
    people who were not there as well is chance. A person of the hold-out is unique if no original has the combination,
    as an original is if no other has: the person would be unique in the file. So a hold-out of any size serves.

    Figures: `uniques`, the share of originals that are unique; `unique again`, the share of uniques whose combination
    is unique in the released file too.

    Limits: numbers with many digits make everybody unique, and no invented record shows them again; coarsen them, or
    use membership inference. Missing is a value.
    """

    name: ClassVar[str] = "replicated-uniques"
    succeeds: ClassVar[str] = "shows {} of the unique records again"
    threat: ClassVar[str] = "membership"
    by_holdout: ClassVar[bool] = True

    @staticmethod
    def by_default(scene: Scene, *, paired: bool) -> bool:
        """Return whether it attacks if nobody chose attackers."""
        return not paired

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return whether records or shared attributes are missing."""
        return lacking(scene)

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return the share of unique originals that the released file shows again."""
        require(self.lacks(scene))
        names = scene.shared(scene.known)
        others = usable_holdout(scene, names)
        files = coded([scene.original, scene.released, *([] if others is None else [others])], names)
        keys = keys_of(files)
        unique = _unique(keys[0])
        again = np.isin(keys[0], keys[1]) & unique
        alone = np.isin(keys[0], keys[1][_unique(keys[1])]) & unique
        attempts = int(unique.sum())
        figures = {
            "uniques": float(unique.mean()),
            "unique again": float(alone.sum()) / attempts if attempts else 0.0,
        }
        control = None
        if others is not None and len(apart := keys[2][~np.isin(keys[2], keys[0])]):
            control = rate_of(int(np.isin(apart, keys[1]).sum()), len(apart))
        notes = left_out(scene, scene.known)
        if not attempts:
            notes.append("no original is unique")
        guess = float(_by_chance(files[0], len(scene.released))[unique].mean()) if attempts else 0.0
        return scored(self.name, int(again.sum()), attempts, guess, figures, notes, control=control)


def _unique(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    unique: NDArray[np.bool_] = np.bincount(keys)[keys] == 1
    return unique


def _by_chance(codes: Codes, records: int) -> NDArray[np.float64]:
    """Return the chance that records invented attribute by attribute show each combination."""
    share = np.ones(len(codes))
    for column in codes.T:
        share *= np.bincount(column)[column] / len(column)
    chance: NDArray[np.float64] = -np.expm1(records * np.log1p(-np.minimum(share, 1 - 1e-15)))
    return chance
