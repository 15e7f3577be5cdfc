"""Jensen-Shannon distance: how well one could tell from which file a record is, in bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.model.records import Records
from tacita.utility.distributions.class_distance import Shares, check_classes, class_distances
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class JensenShannon:
    """``sqrt((KL(p | m) + KL(q | m)) / 2)`` with ``m = (p + q) / 2`` and logarithms to base 2, from 0 to 1.

    Lin, "Divergence measures based on the Shannon entropy" (1991); its root is a metric (Endres and Schindelin 2003).
    Defined also where a class is empty in one of the files, as Kullback and Leibler's divergence is not.

    Categories are taken as they are, numbers with more than `classes` values in as many quantile classes of the file
    before; missing is a class of its own. The first figure is the mean over attributes, the second over their pairs
    (with `pairs`). With `weights` shares are weighted; a record of weight 0 does not count.

    >>> from tacita.model.records import Categories
    >>> before = Records({"area": Categories.of(["n", "n", "s", "s"])})
    >>> after = Records({"area": Categories.of(["n", "n", "n", "s"])})
    >>> round(JensenShannon().lost(before, after, ["area"]).figure, 4)
    0.2209
    """

    name: ClassVar[str] = "jensen-shannon"
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
            jensen_shannon,
            before,
            after,
            attributes,
            number=self.classes,
            pairs=self.pairs,
            weights=self.weights,
        )


def jensen_shannon(one: Shares, two: Shares) -> float:
    """Return the Jensen-Shannon distance of two distributions.

    >>> jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    1.0
    """
    middle = (one + two) / 2
    total = 0.0
    for part in (one, two):
        there = part > 0
        total += float((part[there] * np.log2(part[there] / middle[there])).sum()) / 2
    return float(np.sqrt(max(total, 0.0)))
