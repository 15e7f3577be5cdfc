"""The normal distribution and its quantiles, from the four operations and square roots alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.functions import exponential_of_part, in_chunks, logarithm_of_part, polynomial

Array = NDArray[np.float64]

_ROOT_2_PI = 2.50662827463100050242
_CENTRE = (
    (
        0.065682337918207449113,
        2.2352520354606839287,
        161.02823106855587881,
        1067.6894854603709582,
        18154.981253343561249,
    ),
    (1.0, 47.20258190468824187, 976.09855173777669322, 10260.932208618978205, 45507.789335026729956),
)
_SIDES = (
    (
        1.0765576773720192317e-8,
        0.39894151208813466764,
        8.8831497943883759412,
        93.506656132177855979,
        597.27027639480026226,
        2494.5375852903726711,
        6848.1904505362823326,
        11602.651437647350124,
        9842.7148383839780218,
    ),
    (
        1.0,
        22.266688044328115691,
        235.38790178262499861,
        1519.377599407554805,
        6485.558298266760755,
        18615.571640885098091,
        34900.952721145977266,
        38912.003286093271411,
        19685.429676859990727,
    ),
)
_TAILS = (
    (
        0.02307344176494017303,
        0.21589853405795699,
        0.1274011611602473639,
        0.022235277870649807,
        0.001421619193227893466,
        2.9112874951168792e-5,
    ),
    (
        1.0,
        1.28426009614491121,
        0.468238212480865118,
        0.0659881378689285515,
        0.00378239633202758244,
        7.29751555083966205e-5,
    ),
)
_MIDDLE = (
    (
        2.5090809287301226727e3,
        3.3430575583588128105e4,
        6.7265770927008700853e4,
        4.5921953931549871457e4,
        1.3731693765509461125e4,
        1.9715909503065514427e3,
        1.3314166789178437745e2,
        3.3871328727963666080e0,
    ),
    (
        5.2264952788528545610e3,
        2.8729085735721942674e4,
        3.9307895800092710610e4,
        2.1213794301586595867e4,
        5.3941960214247511077e3,
        6.8718700749205790830e2,
        4.2313330701600911252e1,
        1.0,
    ),
)
_NEAR = (
    (
        7.74545014278341407640e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258e0,
        3.64784832476320460504e0,
        5.76949722146069140550e0,
        4.63033784615654529590e0,
        1.42343711074968357734e0,
    ),
    (
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940e0,
        2.05319162663775882187e0,
        1.0,
    ),
)
_FAR = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.24266094738807843860e-3,
        2.65321895265761230930e-2,
        2.96560571828504891230e-1,
        1.78482653991729133580e0,
        5.46378491116411436990e0,
        6.65790464350110377720e0,
    ),
    (
        2.04426310338993978564e-15,
        1.42151175831644588870e-7,
        1.84631831751005468180e-5,
        7.86869131145613259100e-4,
        1.48753612908506148525e-2,
        1.36929880922735805310e-1,
        5.99832206555887937690e-1,
        1.0,
    ),
)


def normal_share(values: Array) -> Array:
    """Return the share of the standard normal distribution below each value.

    Source: W. J. Cody, Rational Chebyshev approximations for the error function, Mathematics of Computation 23 (1969),
    in the form of the Algorithm 715 of ACM Transactions on Mathematical Software 19 (1993).

    >>> normal_share(np.array([0.0, 1.96, -np.inf])).round(4).tolist()
    [0.5, 0.975, 0.0]
    """
    return in_chunks(_normal_share, values)


def normal_quantile(shares: Array) -> Array:
    """Return the values below which these shares of the standard normal distribution lie.

    Source: M. J. Wichura, Algorithm AS 241: The percentage points of the normal distribution, Applied Statistics 37
    (1988), PPND16.

    >>> normal_quantile(np.array([0.5, 0.975, 1.0])).round(4).tolist()
    [0.0, 1.96, inf]
    """
    return in_chunks(_normal_quantile, shares)


def _normal_share(x: Array) -> Array:
    away = np.abs(x)
    square = x * x
    centre = 0.5 + x * (polynomial(_CENTRE[0], square) / polynomial(_CENTRE[1], square))
    bounded = np.minimum(away, 40.0)
    sides = polynomial(_SIDES[0], bounded) / polynomial(_SIDES[1], bounded)
    inverse = 1.0 / np.where(away > 1, square, 1.0)
    tails = inverse * (polynomial(_TAILS[0], inverse) / polynomial(_TAILS[1], inverse))
    tails = (1 / _ROOT_2_PI - tails) / np.where(away > 1, away, 1.0)
    # exp(-x^2 / 2) with the square in two parts: its error would grow with the square otherwise.
    near = np.trunc(bounded * 16) / 16
    rest = (bounded - near) * (bounded + near)
    density = exponential_of_part(-near * near * 0.5) * exponential_of_part(-rest * 0.5)
    outside = np.where(away > 5.656854249492380195, tails, sides) * density
    share = np.where(x > 0, 1.0 - outside, outside)
    return np.where(away <= 0.67448975, centre, share)


def _normal_quantile(shares: Array) -> Array:
    q = shares - 0.5
    r = 0.180625 - q * q
    middle = polynomial(_MIDDLE[0], r) * q / polynomial(_MIDDLE[1], r)
    least = np.where(q <= 0, shares, 1.0 - shares)
    far = np.sqrt(-logarithm_of_part(np.clip(least, 1e-310, 0.5)))
    one, two = far - 1.6, far - 5.0
    sides = polynomial(_NEAR[0], one) / polynomial(_NEAR[1], one)
    tails = polynomial(_FAR[0], two) / polynomial(_FAR[1], two)
    outside = np.copysign(np.where(least <= 0, np.inf, np.where(far <= 5, sides, tails)), q)
    quantile = np.where(np.abs(q) <= 0.425, middle, outside)
    return np.where((shares >= 0) & (shares <= 1), quantile, np.nan)
