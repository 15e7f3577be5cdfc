"""Numbers and dates by their difference. Values that are alike with a value are a range of the sorted values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.comparison.neighbours import Neighbours

_ROUNDING = 4 * np.finfo(np.float64).eps
"""How much two decimal numbers may be off because they are stored in binary: 0.4 and 0.3 differ by 0.1."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AbsoluteDifference:
    """Numbers are alike if they differ by at most the threshold.

    >>> AbsoluteDifference().neighbours(np.array([0.1, 0.3, 0.4, 2.0]), 0.1).last.tolist()
    [0, 2, 2, 3]
    """

    name: ClassVar[str] = "absolute-difference"
    treats: ClassVar[tuple[str, ...]] = ("numbers",)
    is_default_for: ClassVar[tuple[str, ...]] = ("numbers",)
    in_words: ClassVar[str] = "differ by at most {}"

    def neighbours(self, values: Numbers, threshold: float) -> Neighbours:
        """Return which numbers are alike."""
        return _up_to(values, values + threshold, np.abs(values) + threshold)


@dataclass(frozen=True, slots=True)
class Days:
    """Dates and moments are alike if they are at most so many days apart.

    >>> Days().neighbours(np.array([0.0, 0.5, 1.0]), 0.5).last.tolist()
    [1, 2, 2]
    """

    name: ClassVar[str] = "days"
    treats: ClassVar[tuple[str, ...]] = ("dates",)
    is_default_for: ClassVar[tuple[str, ...]] = ("dates",)
    in_words: ClassVar[str] = "have a distance in days of at most {}"

    def neighbours(self, values: Numbers, threshold: float) -> Neighbours:
        """Return which dates are alike."""
        return _up_to(values, values + threshold, np.abs(values) + threshold)


@dataclass(frozen=True, slots=True)
class RelativeDifference:
    """Numbers are alike if their difference is at most so large a part of the larger of them in absolute value.

    >>> RelativeDifference().neighbours(np.array([-100.0, -90.0, 0.0, 1.0, 90.0, 100.0]), 0.1).last.tolist()
    [1, 1, 2, 3, 5, 5]
    """

    name: ClassVar[str] = "relative-difference"
    treats: ClassVar[tuple[str, ...]] = ("numbers",)
    in_words: ClassVar[str] = "differ by at most {} of the larger one"
    below: ClassVar[float] = 1.0

    def neighbours(self, values: Numbers, threshold: float) -> Neighbours:
        """Return which numbers are alike; the threshold is below 1."""
        upper = np.where(values < 0, values * (1 - threshold), values / (1 - threshold))
        return _up_to(values, upper, np.abs(upper))


def _up_to(values: Numbers, upper: Numbers, size: Numbers) -> Neighbours:
    """Return neighbours of ascending numbers that reach up to bounds; a number of some size is not exact."""
    with np.errstate(invalid="ignore"):
        bounds = np.where(np.isfinite(values), upper + _ROUNDING * size, values)
    last = np.searchsorted(values, bounds, side="right") - 1
    own = np.arange(len(values))
    return Neighbours.up_to(np.maximum.accumulate(np.maximum(last, own)) if len(values) else own)
