"""Interval disclosure by ranks: whether an original value is among those that rank near the released one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.interval.pairs import Floats, lacking_pairs, pairs_of
from tacita.attacks.microdata.score import MATCHING, check_share, exact, require, scored
from tacita.model.records import Numbers
from tacita.progress import Progress, Step, silent


@dataclass(frozen=True, slots=True)
class RankInterval:
    """Take the original value to be between the released values that rank a little below and a little above.

    Let a released value have rank r among the n released values of its attribute. The interval goes from the value of
    rank r - w n/2 to that of rank r + w n/2 (w n/2 rounded down; for ties from the lowest rank to the highest), so that
    it holds a share w of the records. Success is the share of original values, of all attributes together, within the
    interval around the released value of the same record. Source: J. Mateo-Sanz, F. Sebe and J. Domingo-Ferrer,
    "Outlier protection in continuous microdata masking", PSD 2004, and the interval disclosure of J. Domingo-Ferrer and
    V. Torra (2001).

    The guess is what the same intervals hold of originals of other records: the share of all original values that are
    within, averaged over the intervals. It is the control too (random matching, exact): somebody who was not in the
    data has no released record whose interval could be right. An original value that is missing is nothing to find
    out; a released value that is missing finds nothing out.

    Figures: the share of each attribute, and `all attributes`, the share of records of which every value is within.

    >>> from tacita.model.records import Numbers, Records
    >>> wages = Records({"wage": Numbers.of(range(100))})
    >>> found = RankInterval(width=0.1).attack(Scene(wages, wages, np.arange(100), ("wage",)))
    >>> found.success, round(found.guess, 3)
    (1.0, 0.107)
    """

    width: float = 0.1
    """The share of the records whose values the interval covers."""
    attributes: tuple[str, ...] = ()
    """Numbers to look at; all that the intruder knows or wants, if none are named."""
    name: ClassVar[str] = "rank-interval"
    threat: ClassVar[str] = "attribute"

    def __post_init__(self) -> None:
        check_share("width", self.width, most=1)

    @staticmethod
    def by_default(scene: Scene, *, paired: bool) -> bool:
        """Return whether it attacks if nobody chose attackers."""
        return paired and any(isinstance(scene.original[name], Numbers) for name in scene.known)

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return whether records, their origin or numbers are missing."""
        return lacking_pairs(scene, self.attributes)

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return the share of original values within the interval around the released one."""
        require(self.lacks(scene))
        pairs = pairs_of(scene, self.attributes)
        inside = np.zeros(pairs.original.shape, dtype=bool)
        guesses = np.zeros(len(pairs.names))
        known = ~np.isnan(pairs.original)
        for place, _ in enumerate(pairs.names):
            progress(Step("rank intervals", place, len(pairs.names)))
            low, high = (ends[pairs.rows] for ends in _interval(pairs.released[:, place], self.width))
            values = pairs.original[:, place]
            inside[:, place] = (values >= low) & (values <= high)
            line, there = np.sort(values[known[:, place]]), known[:, place] & ~np.isnan(low)
            within = np.searchsorted(line, high[there], "right") - np.searchsorted(line, low[there], "left")
            guesses[place] = within.sum() / max(len(line), 1)
        counts = known.sum(axis=0)
        figures = {name: _share(inside[:, place].sum(), counts[place]) for place, name in enumerate(pairs.names)}
        people = known.any(axis=1)
        figures["all attributes"] = _share(((inside | ~known).all(axis=1) & people).sum(), people.sum())
        attempts = int(counts.sum())
        return scored(
            self.name,
            float(inside.sum()),
            attempts,
            _share(guesses.sum(), attempts),
            figures,
            pairs.notes,
            independent=int(people.sum()),
            control=exact(min(1.0, _share(guesses.sum(), attempts))),
            by=MATCHING,
        )


def _interval(values: Floats, width: float) -> tuple[Floats, Floats]:
    """Return the released values that rank a little below and above each; NaN for a missing value."""
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    there = ~np.isnan(values)
    line = np.sort(values[there])
    if len(line):
        steps = int(width * len(line) / 2)
        first = np.searchsorted(line, values[there], "left") - steps
        last = np.searchsorted(line, values[there], "right") - 1 + steps
        low[there], high[there] = line[np.maximum(first, 0)], line[np.minimum(last, len(line) - 1)]
    return low, high


def _share(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else 0.0
