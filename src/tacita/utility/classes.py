"""Any attribute as classes that both files share: categories as they are, numbers with many values in quantiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.records import Numbers, Records
from tacita.utility.columns import is_number, shared_codes

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SharedClasses:
    """The class of each record in both files, from 0; missing is a class too, the last one."""

    before: NDArray[np.int64]
    after: NDArray[np.int64]
    number: int

    def crossed(self, other: SharedClasses) -> SharedClasses:
        """Return the classes of two attributes together."""
        return SharedClasses(
            self.before * other.number + other.before,
            self.after * other.number + other.after,
            self.number * other.number,
        )

    def compact(self) -> SharedClasses:
        """Return the same without classes that neither file has: crossings of many attributes are mostly empty."""
        records = len(self.before) + len(self.after)
        if self.number <= 2 * records + 1000:
            there = np.zeros(self.number, dtype=bool)
            there[self.before] = there[self.after] = True
            place = np.cumsum(there) - 1
            return SharedClasses(place[self.before], place[self.after], int(there.sum()))
        _, codes = np.unique(np.concatenate([self.before, self.after]), return_inverse=True)
        codes = codes.reshape(-1).astype(np.int64)
        number = int(codes.max()) + 1 if len(codes) else 0
        return SharedClasses(codes[: len(self.before)], codes[len(self.before) :], number)

    def counts(self, one: Weights, two: Weights) -> tuple[Weights, Weights]:
        """Return the sum of weights in each class, before and after."""
        first: Weights = np.bincount(self.before, one, self.number).astype(np.float64)
        second: Weights = np.bincount(self.after, two, self.number).astype(np.float64)
        return first, second


def classes(before: Records, after: Records, name: str, most: int) -> SharedClasses:
    """Return an attribute in classes: its values if there are at most `most`, otherwise quantile classes before.

    Numbers outside the range before belong to the outermost classes.

    >>> one, two = Records({"x": Numbers.of([1, 2, 3, 4])}), Records({"x": Numbers.of([0, 2.6, None])})
    >>> found = classes(one, two, "x", 2)
    >>> found.before.tolist(), found.after.tolist(), found.number
    ([0, 0, 1, 1], [0, 1, 2], 3)
    """
    column = before[name]
    if isinstance(column, Numbers) and is_number(after, name):
        one, two = column.values, after.numbers(name).values
        bounds = _bounds(one, most)
        if bounds is not None:
            return SharedClasses(_placed(one, bounds), _placed(two, bounds), len(bounds) + 2)
    one_codes, two_codes, values = shared_codes(before, after, name)
    number = len(values)
    return SharedClasses(
        np.where(one_codes < 0, number, one_codes), np.where(two_codes < 0, number, two_codes), number + 1
    )


def _bounds(values: NDArray[np.float64], most: int) -> NDArray[np.float64] | None:
    """Return the ends between quantile classes; None if there are few values, each a class of its own."""
    known = values[~np.isnan(values)]
    if len(known) <= most or len(np.unique(known)) <= most:
        return None
    # a value that fills several quantiles has a class of its own, up to it
    with np.errstate(invalid="ignore"):
        return np.unique(np.quantile(known, np.arange(1, most) / most, method="inverted_cdf"))


def _placed(values: NDArray[np.float64], bounds: NDArray[np.float64]) -> NDArray[np.int64]:
    places = np.searchsorted(bounds, values, side="left")
    return np.where(np.isnan(values), len(bounds) + 1, places).astype(np.int64)
