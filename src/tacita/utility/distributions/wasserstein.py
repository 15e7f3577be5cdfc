"""Wasserstein distance: how far the mass of a distribution has to be moved to become the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from tacita.errors import listed
from tacita.model.records import Records
from tacita.utility.distributions.scores import Array, OrderedScores, cumulated, scores
from tacita.utility.loss import Lost

_DIRECTIONS = 8
"""Pairs are compared along so many directions."""


@dataclass(frozen=True, slots=True)
class Wasserstein:
    """The integral of ``|F(x) - F'(x)|``, in standard deviations of the attribute before.

    The distance of first order, also called earth mover's, for numbers and the places of ordered categories. The first
    figure is the mean over attributes; the second, with `pairs`, the mean over pairs of attributes of the sliced
    distance (Rabin, Peyre, Delon and Bernot 2011): that of the projections on eight directions of the standardised
    plane, averaged. Pairs sort the file eight times each: they are off unless asked for.

    With `weights` the functions are weighted; a record of weight 0 does not count. Missing values are left out with a
    note, and so are attributes with infinite values, or with a single value before that changed: they have no scale.

    >>> from tacita.model.records import Numbers
    >>> before, after = Records({"x": Numbers.of([0.0, 2.0])}), Records({"x": Numbers.of([3.0, 5.0])})
    >>> Wasserstein().lost(before, after, ["x"]).figure
    3.0
    """

    name: ClassVar[str] = "wasserstein"
    needs_pairs: ClassVar[bool] = False

    pairs: bool = False
    weights: str = ""

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the distances of attributes and pairs, and that of each attribute."""
        ordered = scores(before, after, attributes, self.weights)
        single: dict[str, float] = {}
        scaled: tuple[dict[str, Array], dict[str, Array]] = ({}, {})
        odd: list[str] = []
        for name, one in ordered.before.items():
            two = ordered.after[name]
            if np.isinf(one).any() or np.isinf(two).any():
                odd.append(name)
                continue
            centre, scale = _moments(one, ordered.weights[0])
            distance = _distance(one, two, ordered.weights)
            if not scale and distance:
                odd.append(name)
                continue
            single[name] = distance / (scale or 1.0)
            scaled[0][name], scaled[1][name] = (one - centre) / (scale or 1.0), (two - centre) / (scale or 1.0)
        notes = ordered.notes
        if odd:
            notes = (*notes, f"left out, with infinite values or a single one before: {listed(odd)}")
        both = _sliced(scaled, ordered) if self.pairs else []
        figures = {
            "attributes": float(np.mean(list(single.values()))) if single else np.nan,
            "pairs": float(np.mean(both)) if both else np.nan,
        }
        return Lost(self.name, figures, {name: {"distance": value} for name, value in single.items()}, notes)


def _distance(one: Array, two: Array, weights: tuple[Array, Array]) -> float:
    points, first, second = cumulated(one, two, weights)
    return float(np.abs(first - second)[:-1] @ np.diff(points))


def _moments(values: Array, weights: Array) -> tuple[float, float]:
    """Return mean and standard deviation; the latter 0 if all values are the same."""
    known = ~np.isnan(values) & (weights > 0)
    present, weight = values[known], weights[known]
    if not len(present) or present.min() == present.max():
        return (float(present[0]) if len(present) else 0.0), 0.0
    mean = float(np.average(present, weights=weight))
    return mean, float(np.sqrt(np.average((present - mean) ** 2, weights=weight)))


def _sliced(scaled: tuple[dict[str, Array], dict[str, Array]], ordered: OrderedScores) -> list[float]:
    angles = np.arange(_DIRECTIONS) * np.pi / _DIRECTIONS
    distances = []
    for one, two in combinations(scaled[0], 2):
        slices = [
            _distance(_turned(scaled[0], one, two, angle), _turned(scaled[1], one, two, angle), ordered.weights)
            for angle in angles
        ]
        distances.append(float(np.mean(slices)))
    return distances


def _turned(part: dict[str, Array], one: str, two: str, angle: float) -> Array:
    return np.asarray(part[one] * np.cos(angle) + part[two] * np.sin(angle))
