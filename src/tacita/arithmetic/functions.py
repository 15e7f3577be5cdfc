"""Exponentials, logarithms and straight lines, from the four operations and square roots alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CHUNK = 8_192
"""Values that are computed at a time: intermediate results then stay in the cache."""
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_INVERSE_LN2 = 1.44269504088896338700
_ROOT_HALF = 0.70710678118654752440

_EXPONENTIAL = (
    4.13813679705723846039e-08,
    -1.65339022054652515390e-06,
    6.61375632143793436117e-05,
    -2.77777777770155933842e-03,
    1.66666666666666019037e-01,
)
_LOGARITHM_ODD = (
    1.479819860511658591e-01,
    1.818357216161805012e-01,
    2.857142874366239149e-01,
    6.666666666666735130e-01,
)
_LOGARITHM_EVEN = (1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)


def exponential(values: Array) -> Array:
    """Return e to the power of each value; the error is below one unit of the last digit.

    Source: K. C. Ng, the exponential of fdlibm (Sun Microsystems, 1993): reduction by multiples of ln 2 and a rational
    approximation.

    >>> exponential(np.array([0.0, 1.0, -np.inf])).round(9).tolist()
    [1.0, 2.718281828, 0.0]
    """
    return in_chunks(exponential_of_part, values)


def logarithm(values: Array) -> Array:
    """Return the natural logarithm of each value; the error is below one unit of the last digit.

    Source: K. C. Ng, the logarithm of fdlibm (Sun Microsystems, 1993).

    >>> logarithm(np.array([1.0, 10.0, 0.0])).tolist()
    [0.0, 2.302585092994046, -inf]
    """
    return in_chunks(logarithm_of_part, values)


def interpolated(values: Array, places: Array, heights: Array) -> Array:
    """Return the heights at values on straight lines between places, which ascend; beyond the ends those of the ends.

    >>> interpolated(np.array([-1.0, 0.5, 2.0, np.nan]), np.array([0.0, 1.0]), np.array([10.0, 20.0])).tolist()
    [10.0, 15.0, 20.0, nan]
    """
    if len(places) == 1:
        return np.where(np.isnan(values), np.nan, heights[0])
    left = np.clip(np.searchsorted(places, values, side="right") - 1, 0, len(places) - 2)
    low, width = places[left], places[left + 1] - places[left]
    share = np.clip((values - low) / np.where(width > 0, width, 1.0), 0.0, 1.0)
    interpolation: Array = heights[left] + share * (heights[left + 1] - heights[left])
    return np.where(share == 1, heights[left + 1], interpolation)


def in_chunks(function: Callable[[Array], Array], values: Array) -> Array:
    """Return a function of values, computed a part at a time."""
    contiguous = np.ascontiguousarray(values, dtype=np.float64)
    flat, results = contiguous.reshape(-1), np.empty(contiguous.size)
    with np.errstate(all="ignore"):
        for start in range(0, len(flat), _CHUNK):
            results[start : start + _CHUNK] = function(flat[start : start + _CHUNK])
    return results.reshape(contiguous.shape)


def polynomial(coefficients: tuple[float, ...], at: Array) -> Array:
    """Return a polynomial, the coefficient of the highest power first."""
    total = np.full(at.shape, coefficients[0])
    for coefficient in coefficients[1:]:
        total *= at
        total += coefficient
    return total


def exponential_of_part(x: Array) -> Array:
    """Return the exponential of a few thousand values."""
    clipped = np.clip(x, -800.0, 800.0)
    times = np.rint(clipped * _INVERSE_LN2)
    high, low = clipped - times * _LN2_HIGH, times * _LN2_LOW
    rest = high - low
    square = rest * rest
    c = rest - square * polynomial(_EXPONENTIAL, square)
    mantissa = 1.0 - ((low - (rest * c) / (2.0 - c)) - high)
    times = np.where(np.isnan(times), 0.0, times).astype(np.int32)
    # In two steps: 2 to the power of 1024 is infinite while the product need not be.
    return np.asarray(np.ldexp(np.ldexp(mantissa, times // 2), times - times // 2))


def logarithm_of_part(x: Array) -> Array:
    """Return the logarithm of a few thousand values."""
    part, power = np.frexp(x)
    small = part < _ROOT_HALF
    part, power = np.where(small, part * 2, part), (power - small).astype(np.float64)
    f = part - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * polynomial(_LOGARITHM_EVEN, w)
    odd = z * polynomial(_LOGARITHM_ODD, w)
    half = 0.5 * f * f
    logarithm = power * _LN2_HIGH - ((half - (s * (half + (even + odd)) + power * _LN2_LOW)) - f)
    logarithm = np.where(np.isposinf(x), np.inf, logarithm)
    return np.where(x > 0, logarithm, np.where(x == 0, -np.inf, np.nan))
