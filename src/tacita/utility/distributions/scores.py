"""Values with an order, as numbers in both files: numbers themselves, and the places of ordered categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import counted, listed
from tacita.model.records import Categories, Records
from tacita.utility.columns import any_kind, is_number, shared_codes, weights_of

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class OrderedScores:
    """Attributes with an order: scores of records, NaN where missing, and the weights of records."""

    before: dict[str, Array]
    after: dict[str, Array]
    weights: tuple[Array, Array]
    notes: tuple[str, ...]


def scores(before: Records, after: Records, attributes: Sequence[str], weights: str = "") -> OrderedScores:
    """Return the attributes whose values have an order in both files; those without are left out with a note."""
    fitting = any_kind(before, after, [name for name in attributes if name != weights])
    files: tuple[dict[str, Array], dict[str, Array]] = ({}, {})
    unordered: list[str] = []
    empty: list[str] = []
    for name in fitting.names:
        column = before[name]
        if isinstance(column, Categories) and column.is_ordered and not is_number(before, name):
            one, two, values = shared_codes(before, after, name)
            if len(values) > len(column.values):
                unordered.append(name)
                continue
            pair = (np.where(one < 0, np.nan, one), np.where(two < 0, np.nan, two))
        elif (
            is_number(after, name)
            and is_number(before, name)
            and (not isinstance(column, Categories) or column.is_ordered)
        ):
            pair = (before.numbers(name).values, after.numbers(name).values)
        else:
            unordered.append(name)
            continue
        if any(bool(np.isnan(part).all()) for part in pair):
            empty.append(name)
            continue
        files[0][name], files[1][name] = pair
    notes = list(fitting.notes)
    if unordered:
        notes.append(f"left out, without an order in both files: {listed(unordered)}")
    if empty:
        notes.append(f"left out, without a value in one of the files: {listed(empty)}")
    for part, which in zip(files, ("before", "after"), strict=True):
        if gone := sum(int(np.isnan(column).sum()) for column in part.values()):
            notes.append(f"left out {counted(gone, 'missing value')} {which}")
    return OrderedScores(*files, (weights_of(before, weights), weights_of(after, weights)), tuple(notes))


def cumulated(one: Array, two: Array, weights: tuple[Array, Array]) -> tuple[Array, Array, Array]:
    """Return all values of two samples in order, and the distribution function of each at them.

    >>> points, first, second = cumulated(np.array([1.0, 2.0]), np.array([2.0, 3.0]), (np.ones(2), np.ones(2)))
    >>> points.tolist(), first.tolist(), second.tolist()
    ([1.0, 2.0, 3.0], [0.5, 1.0, 1.0], [0.0, 0.5, 1.0])
    """
    samples = [_in_order(values, weight) for values, weight in zip((one, two), weights, strict=True)]
    points = np.concatenate([values for values, _ in samples])
    points.sort(kind="stable")  # two runs in order are only merged
    if len(points):
        points = points[np.concatenate([[True], points[1:] > points[:-1]])]
    first, second = (
        sums[np.searchsorted(values, points, side="right")] / (sums[-1] or np.nan) for values, sums in samples
    )
    return points, first, second


def _in_order(values: Array, weights: Array) -> tuple[Array, Array]:
    """Return the known values in order, and the sums of weights up to each, from 0."""
    known = ~np.isnan(values) & (weights > 0)
    present, weight = values[known], weights[known]
    if not len(present) or weight.min() == weight.max():
        return np.sort(present), np.arange(len(present) + 1) * (weight[0] if len(present) else 1.0)
    order = np.argsort(present)
    # values that are the same may stand in any order: only sums after the last of them are read
    return present[order], np.concatenate([[0.0], np.cumsum(weight[order])])
