"""Hellinger distance: differences of rare classes count more than those of frequent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.model.records import Records
from tacita.utility.distributions.class_distance import Shares, check_classes, class_distances
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class Hellinger:
    """``sqrt(1 - sum sqrt(p q))``, from 0 (same) to 1 (no class in common).

    Used for masked tables by Shlomo and Young, "Statistical disclosure control methods through a risk-utility
    framework" (PSD 2006). It lies between the total variation TV and its root: ``h^2 <= TV <= h sqrt(2)``.

    Categories are taken as they are, numbers with more than `classes` values in as many quantile classes of the file
    before; missing is a class of its own. The first figure is the mean over attributes, the second over their pairs
    (with `pairs`). With `weights` shares are weighted; a record of weight 0 does not count.

    >>> from tacita.model.records import Categories
    >>> before = Records({"area": Categories.of(["n", "n", "s", "s"])})
    >>> after = Records({"area": Categories.of(["n", "n", "n", "s"])})
    >>> round(Hellinger().lost(before, after, ["area"]).figure, 4)
    0.1846
    """

    name: ClassVar[str] = "hellinger"
    needs_pairs: ClassVar[bool] = False

    classes: int = 20
    pairs: bool = True
    weights: str = ""

    def __post_init__(self) -> None:
        check_classes(self.classes, self.name)

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the mean distance of attributes and of pairs, and that of each attribute."""
        return class_distances(
            self.name,
            hellinger,
            before,
            after,
            attributes,
            number=self.classes,
            pairs=self.pairs,
            weights=self.weights,
        )


def hellinger(one: Shares, two: Shares) -> float:
    """Return the Hellinger distance of two distributions.

    >>> hellinger(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    1.0
    """
    # the sum of squares of root differences is exact where both are the same, 1 - sum sqrt(p q) is not
    return float(np.linalg.norm(np.sqrt(one) - np.sqrt(two)) / np.sqrt(2))
