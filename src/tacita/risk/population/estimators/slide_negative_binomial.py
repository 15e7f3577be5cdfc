"""The slide negative binomial model (SNB): sizes of population classes are 1 plus a negative binomial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.risk.population.estimators.spectrum import Estimate, Spectrum

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

NAME = "slide_negative_binomial"


def slide_negative_binomial(spectrum: Spectrum, population_size: float) -> Estimate:
    """Return the estimate of the slide negative binomial model, or that its equations have no solution.

    The K classes of the population have sizes F = 1 + X, X negative binomial with E s^X = (b/(1 - (1-b) s))^a, and each
    member is drawn with probability p = n/N. With q = 1 - p, d = q (1-b) and D = 1 - d, the sample is expected to have

        s_1 = K p (b/D)^a (1 + a d/D)
        s_2 = K p^2/2 a b^a (1-b) (2 - (1-a) d) / D^(a+2)

    classes of sizes one and two. K comes from the modified estimator of Shlosser (Haas and Stokes 1998); a and b solve
    the two equations. The population has S_1 = K b^a uniques, of which p S_1 are in the sample.

    Source: G. Chen and S. Keller-McNulty, Estimation of identification disclosure risk in microdata, Journal of
    Official Statistics 14 (1998). In ARX the second equation multiplies by D^(a+2) where it must divide, and the
    estimator of K subtracts 1 in the wrong place; it then finds no solution and reports 0. Here a failure is a failure.
    """
    import numpy as np
    from scipy.optimize import least_squares
    from scipy.special import expit

    uniques, pairs = spectrum.of_size(1), spectrum.of_size(2)
    fraction = min(spectrum.records / population_size, 1.0) if spectrum.records else 1.0
    if uniques == 0:
        return Estimate(NAME, 0.0, 0.0)
    if fraction == 1:
        return Estimate(NAME, float(uniques), float(uniques))
    if pairs == 0:
        return Estimate(NAME, fails="no combination occurs exactly twice, so that its second equation says nothing")
    classes = population_classes(spectrum, fraction)
    wanted = np.array([uniques, pairs], dtype=np.float64)

    def misfit(point: Array) -> Array:
        missed: Array = expected(float(np.exp(point[0])), float(expit(point[1])), classes, fraction) / wanted - 1
        return missed

    best: Any = None
    for start in ((-1.0, -2.0), (0.0, 0.0), (-3.0, -4.0), (2.0, 2.0)):
        fit = least_squares(misfit, start, bounds=([-25.0, -30.0], [12.0, 30.0]), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        if best is None or fit.cost < best.cost:
            best = fit
    at_bound = np.isclose(best.x, [-25.0, -30.0], atol=1).any() or np.isclose(best.x, [12.0, 30.0], atol=1).any()
    if at_bound:  # where everything or nothing is unique: that is no estimate
        return Estimate(NAME, fails="its two equations have their only solution where the model ends")
    if np.abs(best.fun).max() > 1e-6:
        return Estimate(NAME, fails="its two equations have no solution for this sample")
    a, b = float(np.exp(best.x[0])), float(expit(best.x[1]))
    in_population = classes * b**a
    records = fraction * in_population
    if records > uniques:
        return Estimate(NAME, uniques / fraction, float(uniques), note="more than the sample uniques; cut off there")
    return Estimate(NAME, in_population, records)


def expected(a: float, b: float, classes: float, fraction: float) -> Array:
    """Return how many sample classes of sizes one and two the model expects."""
    import numpy as np

    d = (1 - fraction) * (1 - b)
    rest = 1 - d
    none_other = (b / rest) ** a
    ones = classes * fraction * none_other * (1 + a * d / rest)
    twos = classes * fraction**2 / 2 * a * none_other * (1 - b) * (2 - (1 - a) * d) / rest**2
    return np.array([ones, twos])


def population_classes(spectrum: Spectrum, fraction: float) -> float:
    """Return how many classes the population has: Shlosser's estimator, as modified by Haas and Stokes.

        K = u + s_1 [sum i p^2 (1-p^2)^(i-1) s_i / sum (1-p)^i ((1+p)^i - 1) s_i]
                    [sum (1-p)^i s_i / sum i p (1-p)^(i-1) s_i]^2

    Source: P. Haas and L. Stokes, Estimating the number of classes in a finite population, JASA 93 (1998).
    """
    import numpy as np

    sizes, counts = spectrum.sizes.astype(np.float64), spectrum.classes_of_size
    missed = (1 - fraction) ** sizes * counts
    squared = sizes * fraction**2 * (1 - fraction**2) ** (sizes - 1) * counts
    # (1-p)^i ((1+p)^i - 1), as (1-p^2)^i - (1-p)^i: the power alone overflows for large classes
    gained = ((1 - fraction**2) ** sizes - (1 - fraction) ** sizes) * counts
    once = sizes * fraction * (1 - fraction) ** (sizes - 1) * counts
    correction = squared.sum() / gained.sum() * (missed.sum() / once.sum()) ** 2
    return spectrum.classes + spectrum.of_size(1) * float(correction)
