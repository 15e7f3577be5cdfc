"""Distances between shares of classes, of attributes and of pairs: three formulas in one frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.model.records import Records
from tacita.utility.classes import classes
from tacita.utility.columns import any_kind, weights_of
from tacita.utility.loss import Lost

Shares = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClassDistance:
    """A distance between the shares of classes before and after, from 0 to 1.

    Categories are taken as they are, numbers with more than `classes` values in as many quantile classes of the file
    before; missing is a class of its own. The first figure is the mean over attributes, the second over their pairs
    (with `pairs`), which are crossings of the same classes. With `weights` shares are weighted; a record of weight 0
    does not count.
    """

    name: ClassVar[str]
    needs_pairs: ClassVar[bool] = False

    classes: int = 20
    pairs: bool = True
    weights: str = ""

    def __post_init__(self) -> None:
        if self.classes < 2:
            raise UsageError(f"'classes' of '{self.name}' must be at least 2", do="give a number such as 20")

    @staticmethod
    @abstractmethod
    def distance(one: Shares, two: Shares) -> float:
        """Return the distance of two distributions."""

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the mean distance of attributes, that of pairs, and the distance of each attribute."""
        fitting = any_kind(before, after, [name for name in attributes if name != self.weights])
        weights = weights_of(before, self.weights), weights_of(after, self.weights)
        if not len(before) or not len(after):
            notes = (*fitting.notes, "a file without records")
            return Lost(self.name, {"attributes": np.nan, "pairs": np.nan}, {}, notes)
        shared = {name: classes(before, after, name, self.classes).compact() for name in fitting.names}
        single = {name: self._between(*cells.counts(*weights)) for name, cells in shared.items()}
        crossings = combinations(shared.values(), 2) if self.pairs else ()
        both = [self._between(*one.crossed(two).compact().counts(*weights)) for one, two in crossings]
        figures = {"attributes": _mean(list(single.values())), "pairs": _mean(both)}
        return Lost(self.name, figures, {name: {"distance": value} for name, value in single.items()}, fitting.notes)

    def _between(self, one: Shares, two: Shares) -> float:
        return float(np.clip(self.distance(one / one.sum(), two / two.sum()), 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Hellinger(ClassDistance):
    """``sqrt(1 - sum sqrt(p q))``, from 0 (same) to 1 (no class in common).

    Differences of rare classes count more than those of frequent ones. Used for masked tables by Shlomo and Young,
    "Statistical disclosure control methods through a risk-utility framework" (PSD 2006). It lies between the total
    variation TV and its root: ``h^2 <= TV <= h sqrt(2)``.

    >>> from tacita.model.records import Categories
    >>> before = Records({"area": Categories.of(["n", "n", "s", "s"])})
    >>> after = Records({"area": Categories.of(["n", "n", "n", "s"])})
    >>> round(Hellinger().lost(before, after, ["area"]).figure, 4)
    0.1846
    """

    name: ClassVar[str] = "hellinger"

    @staticmethod
    def distance(one: Shares, two: Shares) -> float:
        """Return the Hellinger distance of two distributions.

        >>> Hellinger.distance(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
        1.0
        """
        # the sum of squares of root differences is exact where both are the same, 1 - sum sqrt(p q) is not
        return float(np.linalg.norm(np.sqrt(one) - np.sqrt(two)) / np.sqrt(2))


@dataclass(frozen=True, slots=True)
class JensenShannon(ClassDistance):
    """``sqrt((KL(p | m) + KL(q | m)) / 2)`` with ``m = (p + q) / 2`` and logarithms to base 2, from 0 to 1.

    How well one could tell from which file a record is, in bits. Lin, "Divergence measures based on the Shannon
    entropy" (1991); its root is a metric (Endres and Schindelin 2003). Defined also where a class is empty in one of
    the files, as Kullback and Leibler's divergence is not.

    >>> from tacita.model.records import Categories
    >>> before = Records({"area": Categories.of(["n", "n", "s", "s"])})
    >>> after = Records({"area": Categories.of(["n", "n", "n", "s"])})
    >>> round(JensenShannon().lost(before, after, ["area"]).figure, 4)
    0.2209
    """

    name: ClassVar[str] = "jensen-shannon"

    @staticmethod
    def distance(one: Shares, two: Shares) -> float:
        """Return the Jensen-Shannon distance of two distributions.

        >>> JensenShannon.distance(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
        1.0
        """
        middle = (one + two) / 2
        total = 0.0
        for part in (one, two):
            there = part > 0
            total += float((part[there] * np.log2(part[there] / middle[there])).sum()) / 2
        return float(np.sqrt(max(total, 0.0)))


@dataclass(frozen=True, slots=True)
class TotalVariation(ClassDistance):
    """Half the sum of ``|p - q|`` over classes, from 0 to 1.

    The share of records that would have to change their class, and the largest difference of the probabilities that two
    distributions give to any set of classes. Empirical shares of two samples of one population differ by chance: the
    distance of small files is never 0.

    >>> from tacita.model.records import Categories
    >>> before = Records({"area": Categories.of(["n", "n", "s", "s"])})
    >>> after = Records({"area": Categories.of(["n", "n", "n", "s"])})
    >>> round(TotalVariation().lost(before, after, ["area"]).figure, 4)
    0.25
    """

    name: ClassVar[str] = "total-variation"

    @staticmethod
    def distance(one: Shares, two: Shares) -> float:
        """Return the total variation between two distributions.

        >>> TotalVariation.distance(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
        0.5
        """
        return float(np.abs(one - two).sum() / 2)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else np.nan
