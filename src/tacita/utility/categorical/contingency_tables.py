"""Contingency tables: how far all tables up to a dimension are from what they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.model.records import Records
from tacita.utility.classes import classes
from tacita.utility.columns import categorical, weights_of
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class ContingencyTables:
    """Differences of all contingency tables of up to `dimension` attributes.

    ``share moved`` is the mean over tables of half the sum of ``|share - share'|`` over cells: which share of records
    would have to change its cell. ``CTBIL`` is the sum over tables and cells of ``|count - count'|``, and ``ACTBIL``
    that divided by the number of cells that are not empty in both files (Domingo-Ferrer and Torra, "Disclosure control
    methods and information loss for microdata", 2001). With `weights` counts are weighted. Missing is a category.

    Attributes are categories, and whole numbers of up to 50 values. With many attributes there are many tables: 20
    attributes have 190 of dimension 2 and 1140 of dimension 3.

    >>> from tacita.model.records import Categories
    >>> before = Records({"area": Categories.of(["n", "n", "s", "s"])})
    >>> after = Records({"area": Categories.of(["n", "n", "n", "s"])})
    >>> ContingencyTables().lost(before, after, ["area"]).figures["CTBIL"]
    2.0
    """

    name: ClassVar[str] = "contingency-tables"
    bounded: ClassVar[bool] = True
    by_default: ClassVar[bool] = True
    treats: ClassVar[str] = "categories"
    compares: ClassVar[str] = "tables of categories"
    needs_pairs: ClassVar[bool] = False

    dimension: int = 2
    weights: str = ""

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise UsageError("'dimension' of 'contingency-tables' must be at least 1", do="give 1, 2 or 3")

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the differences over all tables, those of each dimension, and those of each attribute's margin."""
        fitting = categorical(before, after, [name for name in attributes if name != self.weights])
        weights = weights_of(before, self.weights), weights_of(after, self.weights)
        single = {name: classes(before, after, name, len(before) + len(after)) for name in fitting.names}
        moved: dict[int, list[float]] = {}
        margins: dict[str, dict[str, float]] = {}
        distance, cells = 0.0, 0
        for size in range(1, min(self.dimension, len(single)) + 1):
            for names in combinations(fitting.names, size):
                table = single[names[0]]
                for name in names[1:]:
                    table = table.crossed(single[name]).compact()
                one, two = table.counts(*weights)
                there = (one > 0) | (two > 0)
                distance += float(np.abs(one - two).sum())
                cells += int(there.sum())
                share = _share_moved(one, two)
                moved.setdefault(size, []).append(share)
                if size == 1:
                    margins[names[0]] = {"share moved": share}
        everything = [share for shares in moved.values() for share in shares]
        figures = {
            "share moved": float(np.mean(everything)) if everything else np.nan,
            "CTBIL": distance if everything else np.nan,
            "ACTBIL": distance / cells if cells else np.nan,
            **{f"share moved, dimension {size}": float(np.mean(shares)) for size, shares in moved.items()},
        }
        return Lost(self.name, figures, margins, fitting.notes)


def _share_moved(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    if not one.sum() or not two.sum():
        return np.nan
    return float(np.abs(one / one.sum() - two / two.sum()).sum() / 2)
