"""Linkage by one attribute: what is masked well in most attributes may still be recognised by a single one.

A distance over all attributes drowns in those that were changed much. An intruder who notices that turnover was
rounded, and all else swapped, looks at turnover alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.space import Axis, Codes, Floats

MOST_RECORDS = 50_000
"""Records of a file up to which each attribute is tried alone."""


def links_alone(axes: Sequence[Axis], rows: NDArray[np.int64], people: NDArray[np.int64]) -> dict[str, Floats]:
    """Return for each attribute the share of the link of each released record that goes to its original.

    A number is linked to the nearest one, a label to the same label; a link among m equally near originals counts 1/m.
    Where the value is missing there is no link. Nothing is tried if there is but one attribute, or too many records.

    >>> some, others = np.array([1.0, 2.1, 3.5]), np.array([1.0, 2.0, 3.0])
    >>> axes = [Axis("a", (some, others)), Axis("b", (others[::-1], others))]
    >>> found = links_alone(axes, np.arange(3), np.arange(3))
    >>> found["a"].tolist(), found["b"].tolist()
    ([1.0, 1.0, 1.0], [0.0, 1.0, 0.0])
    """
    if len(axes) < 2 or max(map(_length, axes)) > MOST_RECORDS:
        return {}
    return {
        axis.name: _by_number(*axis.numbers, rows, people)
        if axis.numbers is not None
        else _by_label(*axis.levels[0], rows, people)
        for axis in axes
    }


def _length(axis: Axis) -> int:
    return max(map(len, axis.numbers if axis.numbers is not None else axis.levels[0]))


def _by_number(some: Floats, others: Floats, rows: NDArray[np.int64], people: NDArray[np.int64]) -> Floats:
    line, counts = np.unique(others[~np.isnan(others)], return_counts=True)
    if not len(line):
        return np.zeros(len(rows))
    value, true = some[rows], others[people]
    above = np.minimum(np.searchsorted(line, value, "left"), len(line) - 1)
    below = np.maximum(above - 1, 0)
    up, down = np.abs(line[above] - value), np.abs(value - line[below])
    both = _alike(up, down) & (above != below)
    least = np.minimum(up, down)
    ties = np.where(both, counts[above] + counts[below], np.where(up <= down, counts[above], counts[below]))
    found: Floats = _alike(np.abs(true - value), least) / ties  # what is missing is like nothing
    return found


def _alike(one: Floats, two: Floats) -> NDArray[np.bool_]:
    """Whether distances of standardised numbers are the same but for rounding."""
    found: NDArray[np.bool_] = np.abs(one - two) <= 1e-12 + 1e-9 * np.minimum(one, two)
    return found


def _by_label(some: Codes, others: Codes, rows: NDArray[np.int64], people: NDArray[np.int64]) -> Floats:
    value, true = some[rows], others[people]
    counts = np.bincount(others[others >= 0], minlength=int(max(some.max(initial=0), others.max(initial=0))) + 1)
    found: Floats = ((value == true) & (value >= 0)) / np.maximum(counts[value], 1)
    return found
