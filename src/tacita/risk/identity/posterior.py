"""The posterior mean of one over the population frequency: Benedetti and Franconi's individual risk, exactly.

Given that f records of the sample show a combination and that these stand for F of the population, the population
frequency follows a negative binomial distribution with p = f / F, and the risk is the mean of its inverse,

    r = p * integral over s from 0 to 1 of s^(f-1) / (p + (1-p) s)  =  (p / f) * 2F1(1, 1; f+1; 1-p)

(Franconi and Polettini 2004, after Euler's transformation and the substitution s = t p / (1 - t (1-p))). The textbook
form has factors p^f that vanish and a series that diverges beyond f of about 170; this one is stable for every
f. The integral J(f) obeys (1-p) J(f+1) + p J(f) = 1/f. Where p < 1/2, that recursion is used upwards from
J(1) = ln(1/p) / (1-p), where it shrinks errors; elsewhere the hypergeometric series converges within some 60 terms.
Fractional frequencies (of the alpha and the expected semantics) start from the hypergeometric function between 1 and 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MANY = 60
"""From this frequency on the series converges fast whatever p is: its n-th term is below 1 / binomial(f + n, n)."""
_PRECISION = 1e-17
_ROUNDING = 1e-9


def posterior_mean(frequency: Array, population: Array) -> Array:
    """Return the expected inverse of the population frequency.

    A population smaller than the sample's frequency (weights below 1) counts as that frequency: nothing is rarer than
    what was seen.

    >>> import numpy as np
    >>> posterior_mean(np.array([1, 2, 500]), np.array([100.0, 84.5, 50_000.0])).round(6).tolist()
    [0.046517, 0.022042, 2e-05]
    """
    import numpy as np

    f = _snapped(np.asarray(frequency, dtype=float))
    p = np.minimum(f / np.maximum(np.asarray(population, dtype=float), f), 1.0)
    r = np.empty(len(f))
    by_series = (p >= 0.5) | (f >= _MANY)
    r[by_series] = _series(f[by_series], p[by_series])
    rest = np.flatnonzero(~by_series)
    r[rest] = _recursion(f[rest], p[rest])
    bounded: Array = np.clip(r, p / f, np.minimum(1 / f, 1.0))  # one over the population, and over the sample
    return bounded


def sdcmicro_approximation(frequency: Array, population: Array) -> Array:
    """Return sdcMicro's figure: exact for f of 1 and 2, p / (f - (1 - p)) above, which is up to 3.5 % too high.

    sdcMicro gives 0 between 1 and 2, which alpha-weighted frequencies can be; the exact mean stands there instead.
    """
    import numpy as np

    f = np.asarray(frequency, dtype=float)
    p = np.minimum(f / np.maximum(np.asarray(population, dtype=float), f), 1.0)
    r: Array = p / (f - (1 - p))
    few = f <= 2
    r[few] = posterior_mean(f[few], np.asarray(population, dtype=float)[few])
    return r


def _snapped(f: Array) -> Array:
    """Return whole numbers where f misses one by a rounding."""
    import numpy as np

    snapped: Array = np.where(np.abs(f - f.round()) < _ROUNDING * f, f.round(), f)
    return snapped


def _series(f: Array, p: Array) -> Array:
    """Return (p / f) * sum of n! q^n / ((f+1) ... (f+n))."""
    import numpy as np

    term, total, q = np.ones(len(f)), np.ones(len(f)), 1 - p
    for n in range(1, 400):
        term = term * q * n / (f + n)
        total += term
        if not len(term) or term.max() < _PRECISION:
            break
    mean: Array = p / f * total
    return mean


def _recursion(f: Array, p: Array) -> Array:
    """Return p J(f) by the upward recursion from between 1 and 2 (from 1 for a whole number)."""
    import numpy as np

    order = np.argsort(-f, kind="stable")
    f, p = f[order], p[order]
    q = 1 - p
    start = f - np.floor(f) + 1  # in [1, 2): from below 1 the first step would lose all digits
    integral = -np.log(p) / q
    fractional = start != 1
    if fractional.any():
        from scipy.special import hyp2f1

        integral[fractional] = hyp2f1(1, 1, start[fractional] + 1, q[fractional]) / start[fractional]
    steps = np.round(f - start).astype(int)
    for step in range(1, int(steps[0]) + 1 if len(steps) else 0):
        reached = int(np.searchsorted(-steps, -step, side="right"))  # those that still go on stand in front
        here = start[:reached] + step - 1
        integral[:reached] = (1 / here - p[:reached] * integral[:reached]) / q[:reached]
    mean: Array = np.empty(len(f))
    mean[order] = p * integral
    return mean
