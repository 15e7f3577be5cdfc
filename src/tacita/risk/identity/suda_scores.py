"""SUDA scores: how much the minimal sample uniques (MSUs) of a record weigh, and what each attribute adds.

With M attributes, an MSU of k attributes weighs

- ``original``: (M - k)!, the number of ways to grow it to all attributes (Elliot, Manning, Ford 2002);
- ``ihsn``: (2^(M-k) - 1) k! (M-k)! / M!, the same sets counted once, over the number of sets of k attributes
  (Benschop, Machingauta, Welch: SDC for microdata, IHSN). An MSU of all attributes weighs nothing.

The score of a record is the sum. The contribution of an attribute is the share of it from MSUs that have the attribute;
contributions of one record add up to more than 1, as an MSU counts for each of its attributes.

DIS-SUDA turns scores into a probability that a match is right (Skinner, Elliot 2002, as sdcMicro has it):

    DIS = 1 / (1 + P (1 - f) / f / (score^Q * sum score^-Q)),   Q = 1 + (8 - M) / 20

with f the sampling fraction, P the number of records in pairs of identical ones, the sum over all records with a score.
P = 0 gives 1, as there is nothing to learn from that a match could be wrong. The exponent was fitted for few
attributes: from 28 on it is not above 0, and the order of records is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import TYPE_CHECKING, Any, Literal

from tacita.risk.identity.minimal_sample_uniques import MinimalSampleUniques

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

MOST_FOR_DIS = 27
"""With more attributes the exponent of DIS-SUDA is not above 0."""

Convention = Literal["original", "ihsn"]


def weight(size: int, attributes: int, convention: Convention) -> float:
    """Return what a minimal sample unique of a size weighs.

    >>> [weight(size, 4, "original") for size in (1, 2, 3, 4)]
    [6.0, 2.0, 1.0, 1.0]
    >>> [weight(size, 4, "ihsn") for size in (1, 2, 3, 4)]
    [1.75, 0.5, 0.25, 0.0]
    """
    larger = attributes - size
    if convention == "original":
        return float(factorial(larger))
    return float(2**larger - 1) * factorial(size) * factorial(larger) / factorial(attributes)


@dataclass(frozen=True, slots=True)
class SudaScores:
    """The weights of minimal sample uniques, and sums of them."""

    uniques: MinimalSampleUniques
    counts: Array
    """How many records have each combination."""
    attributes: int
    convention: Convention = "original"

    @property
    def weights(self) -> Array:
        """What each minimal sample unique weighs."""
        import numpy as np

        by_size = [weight(size, self.attributes, self.convention) for size in range(self.attributes + 1)]
        weights: Array = np.array(by_size)[self.uniques.sizes]
        return weights

    def of(self, attribute: int) -> Array:
        """Return the weights again, but 0 where the attribute is no part of the minimal sample unique."""
        parts: Array = self.weights * (self.uniques.masks >> attribute & 1)
        return parts

    def summed(self, weights: Array) -> Array:
        """Return the sum of weights for each combination."""
        import numpy as np

        sums: Array = np.bincount(self.uniques.combinations, weights=weights, minlength=len(self.counts))
        return sums.astype(np.float64)  # without any, numpy counts in whole numbers

    def contributions(self) -> list[Array]:
        """Return the share of each attribute in the score of each combination; 0 without a score."""
        import numpy as np

        total = self.summed(self.weights)
        sums = [self.summed(self.of(attribute)) for attribute in range(self.attributes)]
        return [np.divide(one, total, out=np.zeros_like(total), where=total > 0) for one in sums]

    def disclosure(self, fraction: float) -> Array:
        """Return the DIS-SUDA score of each combination; 0 without a score."""
        import numpy as np

        score = self.summed(self.weights)
        scored = score > 0
        dis = np.zeros_like(score)
        paired = 2 * int((self.counts == 2).sum())
        # Relative to the largest score, powers can neither overflow nor vanish: the formula is the same for multiples.
        power = (score[scored] / score.max(initial=0)) ** (1 + (8 - self.attributes) / 20)
        dis[scored] = 1 / (1 + paired * (1 - fraction) / fraction / (power * (1 / power).sum()))
        return dis
