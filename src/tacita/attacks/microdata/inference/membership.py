"""Membership inference: whether somebody's record was among those from which a file was made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.nearest import nearest
from tacita.attacks.microdata.score import (
    EVEN,
    check_seed,
    exact,
    lacking,
    left_out,
    require,
)
from tacita.attacks.microdata.space import space_of
from tacita.model.records import Categories, Numbers, Records, Values
from tacita.progress import Progress, silent

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MembershipInference:
    """Take people for members if a released record is near them: distance to the closest record.

    Members are the original people, non-members those of the hold-out, drawn from the same population. Success is the
    area under the ROC curve (AUC): the chance that a random member is nearer to the released file than a random
    non-member, ties counting half, with the confidence interval of J. Hanley and B. McNeil (Radiology 143, 1982). The
    guess is 0.5, and so is the control: the records held out are one side of the comparison already, and a file that
    tells members and others apart by chance reaches 0.5 exactly. The risk is then 2 AUC - 1.

    Figures: `advantage`, true minus false positives (S. Yeom et al., CSF 2018), at a threshold that is found on one
    half of the people and applied to the other, so that it is not flattered; `copied members` and `copied non-members`,
    the shares of whom a released record is an exact copy as far as the intruder knows them.

    Limits: distance to the closest record sees copies and near copies. A file may tell of membership without (T.
    Stadler, B. Oprisanu and C. Troncoso, USENIX Security 2022): a success of 0.5 is no proof of privacy.

    >>> ages = Records({"age": Numbers.of([20, 30, 40])})
    >>> others = Records({"age": Numbers.of([24, 37, 58])})
    >>> MembershipInference().attack(Scene(ages, ages, None, ("age",), holdout=others)).success
    1.0
    """

    seed: int = 1
    """By which people are divided to find a threshold and to try it."""
    name: ClassVar[str] = "membership-inference"
    threat: ClassVar[str] = "membership"
    by_holdout: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_seed(self.seed)

    @staticmethod
    def by_default(scene: Scene, *, paired: bool) -> bool:
        """Return whether it attacks if nobody chose attackers."""
        return not paired

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return whether records, a hold-out or shared attributes are missing."""
        missing = lacking(scene)
        if scene.holdout is None or not len(scene.holdout):
            return [*missing, "there is no hold-out of people who are not in the file"]
        if missing or all(name in scene.holdout.columns for name in scene.shared(scene.known)):
            return missing
        return ["the hold-out lacks attributes that the intruder knows"]

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return how well distance to the closest released record tells members from non-members."""
        require(self.lacks(scene))
        assert scene.holdout is not None
        names = scene.shared(scene.known)
        people = Records({name: _together(scene.original[name], scene.holdout[name]) for name in names})
        space = space_of(people, scene.released, names)
        distance = nearest(space, progress, "closest released records").distance
        members, others = distance[: len(scene.original)], distance[len(scene.original) :]
        area = area_under_curve(members, others)
        half = 1.959963984540054 * _error(area, len(members), len(others))
        figures = {
            "advantage": _advantage(members, others, np.random.default_rng(self.seed)),
            "copied members": float((members <= 1e-9).mean()),
            "copied non-members": float((others <= 1e-9).mean()),
        }
        notes = (*left_out(scene, scene.known), *space.notes)
        bounds = max(0.0, area - half), min(1.0, area + half)
        shown = MappingProxyType(figures)
        return Attacked(self.name, area, *bounds, 0.5, len(distance), shown, notes, exact(0.5), EVEN)


def area_under_curve(members: Floats, others: Floats) -> float:
    """Return the chance that a random member is nearer than a random other, ties counting half (Mann and Whitney).

    >>> area_under_curve(np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    0.875
    """
    line = np.sort(others)
    further = len(line) - np.searchsorted(line, members, "right")
    ties = np.searchsorted(line, members, "right") - np.searchsorted(line, members, "left")
    return float((further + ties / 2).sum()) / (len(members) * len(others))


def _error(area: float, members: int, others: int) -> float:
    """Return the standard error of an area under the curve; never 0, since no sample is certain."""
    kept = min(max(area, 0.5 / (members + 1)), 1 - 0.5 / (members + 1))
    one, two = kept / (2 - kept), 2 * kept**2 / (1 + kept)
    variance = kept * (1 - kept) + (members - 1) * (one - kept**2) + (others - 1) * (two - kept**2)
    return math.sqrt(max(variance, 0.0) / (members * others))


def _advantage(members: Floats, others: Floats, random: np.random.Generator) -> float:
    """Return true minus false positives at the threshold that is best for another half of the people."""
    if min(len(members), len(others)) < 2:
        return float("nan")
    halves = [values[random.permutation(len(values))] for values in (members, others)]
    learnt, tried = zip(*((values[: len(values) // 2], values[len(values) // 2 :]) for values in halves), strict=True)
    thresholds = np.unique(np.concatenate(learnt))
    threshold = thresholds[int(np.argmax(_rate(learnt[0], thresholds) - _rate(learnt[1], thresholds)))]
    return float((tried[0] <= threshold).mean() - (tried[1] <= threshold).mean())


def _rate(values: Floats, thresholds: Floats) -> Floats:
    rate: Floats = np.searchsorted(np.sort(values), thresholds, "right") / len(values)
    return rate


def _together(one: Values, two: Values) -> Values:
    """Return the values of two files as one column."""
    if isinstance(one, Numbers) and isinstance(two, Numbers):
        return Numbers(np.concatenate([one.values, two.values]), one.is_whole)
    first, second = (Records({"x": column}).categories("x") for column in (one, two))
    values = tuple(dict.fromkeys((*first.values, *second.values)))
    places = {value: place for place, value in enumerate(values)}
    moved = [np.array([*(places[v] for v in side.values), -1], dtype=np.int32)[side.codes] for side in (first, second)]
    # values that only the hold-out has come last: then there is no order that both share
    ordered = first.is_ordered and len(values) == len(first.values)
    return Categories(np.concatenate(moved), values, ordered, first.hierarchy or second.hierarchy)
