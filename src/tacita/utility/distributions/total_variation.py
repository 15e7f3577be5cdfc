"""Total variation: the share of records that would have to change their class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.model.records import Records
from tacita.utility.distributions.class_distance import Shares, check_classes, class_distances
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class TotalVariation:
    """Half the sum of ``|p - q|`` over classes, from 0 to 1.

    The largest difference of the probabilities that two distributions give to any set of classes. Empirical shares of
    two samples of one population differ by chance: the distance of small files is never 0.

    Categories are taken as they are, numbers with more than `classes` values in as many quantile classes of the file
    before; missing is a class of its own. The first figure is the mean over attributes, the second over their pairs
    (with `pairs`). With `weights` shares are weighted; a record of weight 0 does not count.

    >>> from tacita.model.records import Categories
    >>> before = Records({"area": Categories.of(["n", "n", "s", "s"])})
    >>> after = Records({"area": Categories.of(["n", "n", "n", "s"])})
    >>> round(TotalVariation().lost(before, after, ["area"]).figure, 4)
    0.25
    """

    name: ClassVar[str] = "total-variation"
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
            total_variation,
            before,
            after,
            attributes,
            number=self.classes,
            pairs=self.pairs,
            weights=self.weights,
        )


def total_variation(one: Shares, two: Shares) -> float:
    """Return the total variation between two distributions.

    >>> total_variation(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    0.5
    """
    return float(np.abs(one - two).sum() / 2)
