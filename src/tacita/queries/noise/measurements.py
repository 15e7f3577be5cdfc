"""Noise of opendp for a share of a budget: its scale, its own accounting, and how far it reaches.

Noise is drawn from the secure source of opendp and cannot be repeated. Nothing here sees a seed.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from tacita.queries.mechanism import NANO

ALPHA = 0.05
_NO_NOISE = 0.05
"""Whole numbers get noise of a smaller scale one time in 10^8."""
EPSILON = "epsilon"
"""The currency of pure differential privacy; the other one, rho, is zero-concentrated."""


def budget_of(share: int) -> float:
    """Return so many billionths as a number that is not larger.

    >>> budget_of(500_000_000)
    0.5
    """
    budget = share / NANO
    return budget if Fraction(budget) <= Fraction(share, NANO) else math.nextafter(budget, 0.0)


def scale_of(currency: str, sensitivity: int, share: int) -> float:
    """Return the scale of noise that a share pays for."""
    budget = budget_of(share)
    return sensitivity / budget if currency == EPSILON else sensitivity / math.sqrt(2 * budget)


def measurement_of(currency: str, sensitivity: int, share: int) -> Any:
    """Return the noise for a vector of whole numbers that changes by at most `sensitivity` in all."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    budget, scale = budget_of(share), scale_of(currency, sensitivity, share)
    numbers = dp.vector_domain(dp.atom_domain(T="i64"))
    while True:
        measurement: Any = (
            dp.m.make_laplace(numbers, dp.l1_distance(T="i64"), scale=scale)
            if currency == EPSILON
            else dp.m.make_gaussian(numbers, dp.l2_distance(T="f64"), scale=scale)
        )
        if measurement.map(sensitivity if currency == EPSILON else float(sensitivity)) <= budget:
            return measurement
        scale = wider(scale)  # rounding must not spend more than there is


def wider(scale: float) -> float:
    """Return the next larger scale that is worth trying."""
    return math.nextafter(scale * (1 + 1e-15), math.inf)


def reach_of(currency: str, scale: float) -> tuple[int, int]:
    """Return how far noise is away with probabilities of 95 % and, for three sums at once, of 98.4 %."""
    import opendp.prelude as dp

    if scale < _NO_NOISE:
        return 0, 0  # where opendp's formulas divide by nothing
    of = dp.discrete_laplacian_scale_to_accuracy if currency == EPSILON else dp.discrete_gaussian_scale_to_accuracy
    return math.ceil(of(scale, ALPHA)), math.ceil(of(scale, ALPHA / 3))


def cost_of_reach(currency: str, sensitivity: int, reach: int, least: int) -> int:
    """Return the least price, in billionths, of noise that reaches no further with a probability of 95 %."""
    import opendp.prelude as dp

    if currency == EPSILON:
        budget = sensitivity / dp.accuracy_to_discrete_laplacian_scale(float(reach), ALPHA)
    else:
        budget = (sensitivity / dp.accuracy_to_discrete_gaussian_scale(float(reach), ALPHA)) ** 2 / 2
    cost = max(math.ceil(float(budget) * NANO), least)
    while reach_of(currency, scale_of(currency, sensitivity, cost))[0] > reach:
        cost += 1 + cost // 10**6  # the formulas of accuracy are inverse up to rounding only
    return cost
