"""Which attributes a measure can compare, and what they are in both files.

A measure leaves out an attribute that does not fit and says so. Nothing here names a value.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, listed
from tacita.model.records import Categories, Numbers, Records

MOST_WHOLE = 50
"""Whole numbers with at most so many different values may be taken for categories."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """The attributes that a measure compares, and why others are left out."""

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


def check_pairs(before: Records, after: Records, measure: str) -> None:
    """Raise unless the files have the same number of records: a measure of pairs has nothing to say otherwise."""
    if len(before) != len(after):
        raise InputError(
            f"'{measure}' compares records in pairs, and there are {len(before):,} before and {len(after):,} after",
            do="use a measure that needs no pairs, such as 'matrices' or 'hellinger'",
        )


def numeric(before: Records, after: Records, attributes: Sequence[str]) -> Fitting:
    """Return the attributes that are numbers in both files, finite or missing, and not all of them missing."""
    fitting: list[str] = []
    foreign: list[str] = []
    infinite: list[str] = []
    empty: list[str] = []
    for name in _in_both(before, after, attributes):
        if not (isinstance(before[name], Numbers) and is_number(after, name)):
            foreign.append(name)
        elif any(bool(np.isinf(records.numbers(name).values).any()) for records in (before, after)):
            infinite.append(name)
        elif any(len(records) and bool(records.numbers(name).missing.all()) for records in (before, after)):
            empty.append(name)
        else:
            fitting.append(name)
    left_out = {
        "not numbers in both files": foreign,
        "with infinite values": infinite,
        "without a value in one of the files": empty,
    }
    return Fitting(tuple(fitting), _reasons(before, after, attributes, left_out))


def categorical(before: Records, after: Records, attributes: Sequence[str]) -> Fitting:
    """Return the attributes that are categories, or whole numbers with few different values."""
    fitting: list[str] = []
    foreign: list[str] = []
    for name in _in_both(before, after, attributes):
        column = before[name]
        few = isinstance(column, Categories) or (column.is_whole and len(before.categories(name).values) <= MOST_WHOLE)
        (fitting if few else foreign).append(name)
    return Fitting(tuple(fitting), _reasons(before, after, attributes, {"not categories": foreign}))


def any_kind(before: Records, after: Records, attributes: Sequence[str]) -> Fitting:
    """Return the attributes that both files have."""
    return Fitting(tuple(_in_both(before, after, attributes)), _reasons(before, after, attributes, {}))


def is_number(records: Records, name: str) -> bool:
    """Return whether an attribute can be taken as numbers."""
    column = records[name]
    return isinstance(column, Numbers) or (
        bool(column.values) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in column.values)
    )


def shared_codes(
    before: Records, after: Records, name: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[Hashable, ...]]:
    """Return the codes of an attribute in both files over one list of values, -1 where missing.

    Values of the file before come first, in their order.

    >>> one = Records({"area": Categories.of(["n", "s"])})
    >>> two = Records({"area": Categories.of(["s", "w"])})
    >>> [part.tolist() for part in shared_codes(one, two, "area")[:2]]
    [[0, 1], [1, 2]]
    """
    first, second = before.categories(name), after.categories(name)
    place: dict[Hashable, int] = {value: code for code, value in enumerate(first.values)}
    for value in second.values:
        place.setdefault(value, len(place))
    moved = np.array([*(place[value] for value in second.values), -1], dtype=np.int64)
    return first.codes.astype(np.int64), moved[second.codes], tuple(place)


def weights_of(records: Records, name: str) -> NDArray[np.float64]:
    """Return the weight of each record, 1 if no attribute holds weights. A record of weight 0 does not count.

    >>> weights_of(Records({"w": Numbers.of([0, 2])}), "w").tolist()
    [0.0, 2.0]
    """
    if not name:
        return np.ones(len(records))
    values = records.numbers(name).values
    wrong = int(np.sum(~np.isfinite(values) | (values < 0)))
    if wrong:
        raise InputError(
            f"the weight '{name}' is negative, infinite or missing in {counted(wrong, 'record')}",
            do="correct these weights, or compare without weights",
        )
    if len(values) and not values.any():
        raise InputError(f"all weights '{name}' are 0", do="correct the weights, or compare without weights")
    return values


def _in_both(before: Records, after: Records, attributes: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(attributes) if name in before.columns and name in after.columns]


def _reasons(
    before: Records, after: Records, attributes: Sequence[str], left_out: dict[str, list[str]]
) -> tuple[str, ...]:
    kept = set(_in_both(before, after, attributes))
    absent = [name for name in dict.fromkeys(attributes) if name not in kept]
    reasons = {"not in both files": absent, **left_out}
    return tuple(f"left out, {why}: {listed(names)}" for why, names in reasons.items() if names)
