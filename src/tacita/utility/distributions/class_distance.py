"""Distances between shares of classes, of attributes and of pairs: the frame of measures that differ in a formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.model.records import Records
from tacita.utility.classes import classes
from tacita.utility.columns import any_kind, weights_of
from tacita.utility.loss import Lost

Shares = NDArray[np.float64]


def check_classes(number: int, measure: str) -> None:
    """Raise unless numbers can be cut into that many classes."""
    if number < 2:
        raise UsageError(f"'classes' of '{measure}' must be at least 2", do="give a number such as 20")


def class_distances(
    measure: str,
    distance: Callable[[Shares, Shares], float],
    before: Records,
    after: Records,
    attributes: Sequence[str],
    *,
    number: int,
    pairs: bool,
    weights: str,
) -> Lost:
    """Return the mean distance of attributes, that of pairs, and the distance of each attribute.

    Pairs are crossings of the same classes; their figure is the mean over all pairs.
    """
    fitting = any_kind(before, after, [name for name in attributes if name != weights])
    held = weights_of(before, weights), weights_of(after, weights)
    notes = fitting.notes
    if not len(before) or not len(after):
        return Lost(measure, {"attributes": np.nan, "pairs": np.nan}, {}, (*notes, "a file without records"))
    found = {name: classes(before, after, name, number).compact() for name in fitting.names}
    single = {name: _between(distance, *each.counts(*held)) for name, each in found.items()}
    both = []
    if pairs:
        for one, two in combinations(found.values(), 2):
            both.append(_between(distance, *one.crossed(two).compact().counts(*held)))
    figures = {"attributes": _mean(list(single.values())), "pairs": _mean(both)}
    return Lost(measure, figures, {name: {"distance": each} for name, each in single.items()}, notes)


def _between(distance: Callable[[Shares, Shares], float], one: Shares, two: Shares) -> float:
    return float(np.clip(distance(one / one.sum(), two / two.sum()), 0.0, 1.0))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else np.nan
