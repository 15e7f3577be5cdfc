"""Zayatz' estimator: what if classes of the population were as large as those of the sample?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.risk.population.estimators.spectrum import Estimate, Spectrum

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

NAME = "zayatz"


def zayatz(spectrum: Spectrum, population_size: float) -> Estimate:
    """Return Zayatz' estimate.

    By Bayes, a sample unique is a population unique with probability

        P(F=1 | f=1) = s_1 H(1) / sum over j of s_j H(j)

    where s_j is the number of sample classes of size j, and H(j) the hypergeometric probability that exactly one member
    of a population class of size j is among the n drawn of N. The sizes of classes in the sample stand for those in
    the population, which are larger: the estimate is too high for small sampling fractions.

    Source: L. Zayatz, Estimation of the number of unique population elements using a sample, Proceedings of the Survey
    Research Methods Section, ASA, 1991. The same as in ARX.

    >>> import numpy as np
    >>> s = Spectrum(np.array([1, 2]), np.array([2, 1]))
    >>> round(zayatz(s, 8).records, 6)  # H(1) = 4/8, H(2) = 16/28; 2 * 2 H(1) / (2 H(1) + H(2))
    1.272727
    """
    uniques = spectrum.of_size(1)
    if uniques == 0:
        return Estimate(NAME, 0.0, 0.0)
    chance = exactly_one(spectrum.sizes, spectrum.records, population_size)
    share = uniques * chance[spectrum.sizes == 1][0] / (spectrum.classes_of_size * chance).sum()
    records = uniques * float(share)
    return Estimate(NAME, records * population_size / spectrum.records, records)


def exactly_one(sizes: Array, drawn: int, population_size: float) -> Array:
    """Return the chance that exactly one member of a class is drawn, by the size of the class."""
    import numpy as np
    from scipy.special import gammaln

    def log_choose(n: Array, k: float) -> Array:
        chosen: Array = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return chosen

    rest = population_size - np.asarray(sizes, dtype=np.float64)
    possible = rest >= drawn - 1
    chance = np.zeros(len(rest))
    whole = log_choose(np.asarray(population_size), drawn)
    chance[possible] = sizes[possible] * np.exp(log_choose(rest[possible], drawn - 1) - whole)
    return chance
