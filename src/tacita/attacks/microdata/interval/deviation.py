"""Interval disclosure by standard deviations: whether the originals are near the released values in every attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.interval.pairs import Floats, lacking_pairs, pairs_of
from tacita.attacks.microdata.score import MATCHING, check_count, check_seed, check_share, rate_of, require, scored
from tacita.progress import Progress, Step, silent


@dataclass(frozen=True, slots=True)
class DeviationInterval:
    """Take the originals to be within k standard deviations of the released values.

    A record is found out if |x - m| <= k s for *all* its attributes, with the original x, the released m, and s the
    standard deviation (divisor n - 1) of the released values. Success is the share of such records: dRisk of sdcMicro
    with k = 0.05 (J. Mateo-Sanz, F. Sebe and J. Domingo-Ferrer, PSD 2004), whose figures it reproduces.

    The guess is measured: the same share when each record gets the original of another one, drawn at random some times.
    It is the control too: somebody who was not in the data has no released record whose interval could be right. An
    original value that is missing is nothing to find out; a released value that is missing finds nothing out.

    Figures: the share of values within the interval, for each attribute.

    >>> from tacita.model.records import Numbers, Records
    >>> before, after = (Records({"wage": Numbers.of(wages)}) for wages in ([10, 20, 30], [10, 20, 30.5]))
    >>> DeviationInterval().attack(Scene(before, after, np.arange(3), ("wage",))).figures["wage"]
    1.0
    """

    width: float = 0.05
    """k, as a share of the standard deviation."""
    attributes: tuple[str, ...] = ()
    """Numbers to look at; all that the intruder knows or wants, if none are named."""
    guesses: int = 20
    """How often a guess is drawn for each record."""
    seed: int = 1
    name: ClassVar[str] = "deviation-interval"
    threat: ClassVar[str] = "attribute"

    def __post_init__(self) -> None:
        check_share("width", self.width)
        check_count("guesses", self.guesses)
        check_seed(self.seed)

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return whether records, their origin or numbers are missing."""
        return lacking_pairs(scene, self.attributes)

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return the share of records whose originals are near in every attribute."""
        require(self.lacks(scene))
        pairs = pairs_of(scene, self.attributes)
        known = ~np.isnan(pairs.original)
        people = known.any(axis=1)
        half = self.width * _deviations(pairs.released)
        low, high = (pairs.released[pairs.rows] + side * half for side in (-1, 1))
        inside = (pairs.original >= low) & (pairs.original <= high)
        figures = {
            name: float(inside[known[:, i], i].mean()) if known[:, i].any() else 0.0
            for i, name in enumerate(pairs.names)
        }
        random = np.random.default_rng(self.seed)
        guessed = 0
        for turn in range(self.guesses):
            progress(Step("guessing", turn, self.guesses))
            others = pairs.original[random.permutation(len(pairs.original))]
            near = ((others >= low) & (others <= high)) | np.isnan(others)
            guessed += int((near.all(axis=1) & ~np.isnan(others).all(axis=1)).sum())
        attempts = int(people.sum())
        disclosed = int(((inside | ~known).all(axis=1) & people).sum())
        guess = guessed / self.guesses / attempts if attempts else 0.0
        control = rate_of(guess * attempts, attempts, attempts * self.guesses)
        return scored(self.name, disclosed, attempts, guess, figures, pairs.notes, control=control, by=MATCHING)


def _deviations(values: Floats) -> Floats:
    """Return the standard deviation of each column (divisor n - 1) without its missing values."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    mean = np.where(there, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = np.where(there, values - mean, 0.0) ** 2
    deviations: Floats = np.sqrt(squares.sum(axis=0) / np.maximum(count - 1, 1))
    return deviations
