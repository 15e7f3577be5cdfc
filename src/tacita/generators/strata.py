"""The stratified design behind a survey: who stands for how many.

Strata are Area x Sector x Employees. Stratum ``h`` has ``n_h`` tuples in the sample and ``N_h`` firms in the
population, and every tuple of it has the weight ``N_h / n_h``, so that weights sum to the population in each
stratum. Large firms and niche sectors are sampled more densely: selective tuples have low weights (section
2.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacita.arithmetic.draws import standard_normal
from tacita.arithmetic.functions import exponential
from tacita.generators.firm_attributes import COMMON_SECTORS, EMPLOYEES
from tacita.generators.stream import random_stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNSAMPLED = (8.0, 3.0, 1.0)
"""Firms outside the sample per firm inside, relative, by number of employees."""
_NICHE = 0.35
"""The same for a niche sector, relative to a common one."""
_SPREAD = 0.25
"""Strata differ by a lognormal factor of this sigma."""


@dataclass(frozen=True)
class Strata:
    """Sample size and population of each stratum."""

    sample: NDArray[np.int64]
    population: NDArray[np.int64]

    @classmethod
    def designed(cls, sample: NDArray[np.int64], sectors: int, population: int, seed: int) -> Strata:
        """Return the design with these sample sizes and that total population.

        ``N_h = n_h + extra_h``: the extra firms are shared out in proportion to ``n_h`` times the stratum's
        rate, by largest remainders, so that all numbers are whole and the total is exact.
        """
        rate = np.tile(_UNSAMPLED, len(sample) // len(EMPLOYEES))
        sector = np.arange(len(sample)) // len(EMPLOYEES) % sectors
        rate = rate * np.where(sector < len(COMMON_SECTORS), 1.0, _NICHE)
        rate = rate * exponential(_SPREAD * standard_normal(len(sample), random_stream(seed, "strata")))
        return cls(sample, sample + apportioned(population - int(sample.sum()), sample * rate))

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of a tuple of each stratum (0 where the sample has none)."""
        return self.population / np.maximum(self.sample, 1)

    @property
    def rest(self) -> NDArray[np.int64]:
        """The firms of each stratum that were not sampled."""
        return self.population - self.sample


def apportioned(total: int, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return ``total`` in whole parts proportional to the shares, by largest remainders.

    >>> apportioned(10, np.array([1.0, 1.0, 2.0])).tolist()
    [3, 2, 5]
    """
    exact = shares * (total / shares.sum())
    whole: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    missing = total - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:missing]] += 1
    return whole
