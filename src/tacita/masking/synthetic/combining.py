"""Combining rules: one estimate with an honest variance from the estimates of several synthetic files.

From each of m files comes a point estimate q and an estimate u of its variance, as if the file were real. Their mean
q_m is the estimate; b is the variance of the q between files (m - 1), u_m the mean of the u.

- fully synthetic files: T = (1 + 1/m) b - u_m, with (m - 1)(1 - u_m / ((1 + 1/m) b))^2 degrees of freedom
  (T. Raghunathan, J. Reiter and D. Rubin, Multiple imputation for statistical disclosure limitation, Journal of
  Official Statistics 19, 2003). T may be negative; then (records of a file / original records) u_m is used (J. Reiter,
  Satisfying disclosure restrictions with synthetic data sets, 2002), with m - 1 degrees of freedom.
- partially synthetic files: T = u_m + b/m, with (m - 1)(1 + u_m / (b/m))^2 degrees of freedom (J. Reiter, Inference for
  partially synthetic, public use microdata sets, Survey Methodology 29, 2003).
- large samples, also for one file: T = u_m (c + 1/m) for a fully synthetic file with c times as many records as the
  original and for a model that is right and fitted once: u_m c is the variance of the original's estimate, u_m / m
  that of the synthesis (G. Raab, B. Nowok and C. Dibben, Practical data synthesis for large samples, Journal of Privacy
  and Confidentiality 7, 2016). Normal distribution.

The rules hold for estimates that are unbiased in the files: what the model of synthesis loses, no rule brings back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacita.errors import UsageError
from tacita.masking.preconditions import one_of

Kind = Literal["fully", "partially", "large sample"]
_KINDS = ("fully", "partially", "large sample")


@dataclass(frozen=True, slots=True)
class Combined:
    """What several synthetic files say together."""

    estimate: float
    variance: float
    degrees_of_freedom: float
    """Of the t distribution; infinite for the normal one."""
    interval: tuple[float, float]
    is_adjusted: bool = False
    """Whether the rule for fully synthetic files gave a negative variance and another one was used."""

    @property
    def standard_error(self) -> float:
        """The square root of the variance."""
        return math.sqrt(self.variance)


def combined(
    estimates: Sequence[float],
    variances: Sequence[float],
    kind: Kind,
    *,
    size_ratio: float = 1.0,
    level: float = 0.95,
) -> Combined:
    """Return the estimate, its variance and its confidence interval from those of each synthetic file.

    `size_ratio` is the number of records of a synthetic file divided by that of the original.

    >>> found = combined([10.2, 9.9, 10.4, 10.1, 9.9], [0.04, 0.05, 0.04, 0.05, 0.045], "partially")
    >>> found.estimate, round(found.variance, 4), round(found.degrees_of_freedom)
    (10.1, 0.054, 144)
    >>> [round(end, 3) for end in found.interval]
    [9.641, 10.559]
    """
    one_of(kind, _KINDS, "kind")
    count = len(estimates)
    _check(estimates, variances, kind, size_ratio, level)
    mean, within = math.fsum(estimates) / count, math.fsum(variances) / count
    between = float(np.var(estimates, ddof=1)) if count > 1 else 0.0
    adjusted = False
    if kind == "large sample":
        total, freedom = within * (size_ratio + 1 / count), math.inf
    elif kind == "partially":
        total = within + between / count
        freedom = (count - 1) * (1 + within / (between / count)) ** 2 if between > 0 else math.inf
    else:
        wide = (1 + 1 / count) * between
        total = wide - within
        adjusted = total <= 0
        if adjusted:
            total, freedom = size_ratio * within, float(count - 1)
        else:
            freedom = (count - 1) * (1 - within / wide) ** 2
    reach = _quantile((1 + level) / 2, freedom) * math.sqrt(total)
    return Combined(mean, total, freedom, (mean - reach, mean + reach), adjusted)


def _quantile(share: float, freedom: float) -> float:
    from scipy.special import ndtri, stdtrit

    return float(ndtri(share) if math.isinf(freedom) else stdtrit(freedom, share))


def _check(estimates: Sequence[float], variances: Sequence[float], kind: str, size_ratio: float, level: float) -> None:
    if len(estimates) != len(variances):
        raise UsageError("estimates and variances are not equally many", do="give one of each for every synthetic file")
    if len(estimates) < (1 if kind == "large sample" else 2):
        raise UsageError(
            f"{len(estimates)} synthetic files do not show how uncertain the synthesis is",
            do="make more with 'data_sets', or use kind = 'large sample' for one fully synthetic file",
        )
    if not all(map(math.isfinite, (*estimates, *variances))) or min(variances) < 0:
        raise UsageError("an estimate is not finite, or a variance is negative", do="check the analysis of each file")
    if not (size_ratio > 0 and math.isfinite(size_ratio)):
        raise UsageError("'size_ratio' is not a number above 0", do="divide the records of a file by the original's")
    if not 0 < level < 1:
        raise UsageError("'level' is not between 0 and 1", do="give a level such as 0.95")
