"""The privacy that draws of a mechanism on two neighbouring data sets prove it does not have more of."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta


def certified_epsilon(
    one: NDArray[np.float64], other: NDArray[np.float64], *, alpha: float, thresholds: int = 5, spread: float = 0.2
) -> float:
    """Return an epsilon that the mechanism has at least, except with a probability of alpha.

    Events are both tails at thresholds around the middle of the draws, that share of them to either side; bounds are
    those of Clopper and Pearson, for all events together (Ding et al. 2018).
    """
    pooled = np.concatenate([one, other])
    places = np.unique(np.quantile(pooled, np.linspace(0.5 - spread, 0.5 + spread, thresholds)))
    pairs = [
        (np.asarray(sign * a >= sign * place).sum(), np.asarray(sign * b >= sign * place).sum())
        for place in places
        for sign in (1, -1)
        for a, b in ((one, other), (other, one))
    ]
    level = alpha / (2 * len(pairs))
    best = 0.0
    for many, few in pairs:
        low = float(beta.ppf(level, many, len(one) - many + 1)) if many else 0.0
        high = float(beta.ppf(1 - level, few + 1, len(one) - few)) if few < len(one) else 1.0
        best = max(best, math.log(low / high) if low > 0 else 0.0)
    return best
