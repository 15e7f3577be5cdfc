"""Kolmogorov-Smirnov: the largest difference of two distribution functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from tacita.model.records import Records
from tacita.utility.distributions.scores import Array, OrderedScores, cumulated, scores
from tacita.utility.loss import Lost

_GRID = 64
"""Pairs are compared at the crossings of so many quantiles of each attribute."""


@dataclass(frozen=True, slots=True)
class KolmogorovSmirnov:
    """``max |F(x) - F'(x)|`` over x, from 0 to 1, for numbers and ordered categories.

    The first figure is the mean over attributes, the second the largest, the third (with `pairs`) the mean over pairs
    of attributes of ``max |F(x, y) - F'(x, y)|`` at the crossings of 64 quantiles of both (a lower bound of the maximum
    over all x and y). With `weights` the functions are weighted; a record of weight 0 does not count. Missing values
    are left out with a note; infinite ones are the lowest and highest.

    >>> from tacita.model.records import Numbers
    >>> before, after = Records({"x": Numbers.of([1.0, 2.0])}), Records({"x": Numbers.of([2.0, 3.0])})
    >>> KolmogorovSmirnov().lost(before, after, ["x"]).figure
    0.5
    """

    name: ClassVar[str] = "kolmogorov-smirnov"
    needs_pairs: ClassVar[bool] = False

    pairs: bool = True
    weights: str = ""

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the distances of attributes and pairs, and that of each attribute."""
        ordered = scores(before, after, attributes, self.weights)
        single = {}
        for name, values in ordered.before.items():
            _, one, two = cumulated(values, ordered.after[name], ordered.weights)
            single[name] = float(np.abs(one - two).max())
        both = list(_pairs(ordered)) if self.pairs else []
        distances = list(single.values())
        figures = {
            "attributes": float(np.mean(distances)) if distances else np.nan,
            "largest": max(distances, default=np.nan),
            "pairs": float(np.mean(both)) if both else np.nan,
        }
        return Lost(
            self.name, figures, {name: {"distance": distance} for name, distance in single.items()}, ordered.notes
        )


def _pairs(ordered: OrderedScores) -> list[float]:
    grids = {}
    for name, values in ordered.before.items():
        known = values[~np.isnan(values)]
        grids[name] = np.unique(np.quantile(known, np.linspace(0, 1, _GRID), method="inverted_cdf"))
    places = [
        {name: np.searchsorted(grids[name], values, side="left") for name, values in part.items()}
        for part in (ordered.before, ordered.after)
    ]
    largest = []
    for one, two in combinations(grids, 2):
        tables = []
        for which, part in enumerate((ordered.before, ordered.after)):
            known = ~(np.isnan(part[one]) | np.isnan(part[two]))
            across = len(grids[two]) + 1
            codes = places[which][one][known] * across + places[which][two][known]
            counts = np.bincount(codes, ordered.weights[which][known], (len(grids[one]) + 1) * across)
            tables.append(_function(np.asarray(counts, dtype=np.float64).reshape(-1, across)))
        if all(np.isfinite(table[-1, -1]) for table in tables):
            largest.append(float(np.abs(tables[0] - tables[1]).max()))
    return largest


def _function(counts: Array) -> Array:
    total = float(counts.sum())
    return np.asarray(counts.cumsum(axis=0).cumsum(axis=1) / (total or np.nan))
