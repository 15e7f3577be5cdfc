"""Outlier-aware noise: the spread is that of the bulk of the records, and who lies further out gets more noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.arithmetic.draws import standard_normal
from tacita.arithmetic.matrices import cross_products, eigen, product, pseudo_inverse
from tacita.errors import InputError, UsageError
from tacita.masking.method import Treated
from tacita.masking.multivariate_normal import root
from tacita.masking.noise.minimum_determinant import minimum_determinant, quantile_of_distances
from tacita.masking.noise.moments import Array, constants, variances
from tacita.masking.normal_scores import normal_scores
from tacita.masking.preconditions import between, each_named_once, finite_columns
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

_FITTED = 5_000
"""So many records, drawn at random, tell location and scatter well enough; 10 attributes of them take two seconds."""
_ROUNDING = 1e-9
_FLAT = 1e-13
"""A sum of squares below this share of the largest is the rounding of sums: nothing varies in that direction."""


@dataclass(frozen=True, slots=True)
class RobustNoise:
    """Noise with covariance alpha * w * Sigma, Sigma and the distances d being robust and w = max(1, d^2 / q).

    Sigma is the minimum covariance determinant of the complete records (see `minimum_determinant`), q the quantile of
    chi-squared with as many degrees of freedom as there are directions in which the data vary. A record within the bulk
    gets correlated noise that outliers did not blow up; a record c times as far out as the limit sqrt(q) gets noise c
    times as large, while ordinary noise would leave it recognisable.

    Directions in which nothing varies get no noise. If more than half of the records lie in fewer directions than all
    do, as with mostly-zero attributes, the determinant has no minimum: then Sigma is made of robust deviations (median
    or, if that is 0, mean absolute deviation) and the correlations of normal scores, and a note says so.

    Source of the idea: M. Templ and B. Meindl, Robustification of microdata masking methods and the comparison with
    existing methods, Privacy in Statistical Databases (2008).

    >>> from tacita.model.records import Numbers
    >>> draw = np.random.default_rng(1)
    >>> firms = Records({"turnover": Numbers.of(np.append(draw.normal(10, 1, 50), 1000.0))})
    >>> found = RobustNoise(("turnover",), alpha=0.1).treated(firms, draw).records
    >>> changes = np.abs(found.numbers("turnover").values - firms.numbers("turnover").values)
    >>> int(changes.argmax()), bool(changes[-1] > 50 * changes[:-1].max())
    (50, True)
    """

    name: ClassVar[str] = "robust-noise"
    promises: ClassVar[str] = "Noise is in proportion to the spread of the bulk and, for outliers, to their distance."
    limits: ClassVar[str] = "Means are kept in expectation only, and variances grow most where there are many outliers."
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    alpha: float = 0.1
    """The covariance of the noise as a multiple of the robust covariance."""
    quantile: float = 0.975
    """Records beyond this quantile of the distances of normal data are outliers."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        between(self.alpha, 0, math.inf, "alpha")
        if not 0.5 <= self.quantile < 1:
            raise UsageError("'quantile' is not between 0.5 and 1", do="give a quantile such as 0.975")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with noise."""
        columns = finite_columns(records, self.attributes)
        spread = variances(columns, self.attributes)
        progress(Step(self.name, 0, 2))
        location, sigma, notes = scatter(columns, spread, random)
        progress(Step(self.name, 1, 2))
        factor = root(sigma)
        directions = int((np.abs(factor).max(axis=0, initial=0.0) > 0).sum())
        distances = _distances(np.where(np.isnan(columns), 0.0, columns - location[:, None]), product(factor, factor.T))
        limit = quantile_of_distances(self.quantile, max(directions, 1))
        weights = np.sqrt(self.alpha * np.maximum(1.0, distances / limit))
        noise = product(factor, standard_normal(columns.shape, random))
        noise *= weights
        noise += columns
        changed = {n: records.numbers(n).with_values(noise[i]) for i, n in enumerate(self.attributes)}
        figures = {"outliers": float((distances > limit).sum())}
        all_notes = (*constants(spread, self.attributes), *notes)
        return Treated.in_place(records.with_columns(changed), figures=figures, notes=all_notes)


def _distances(away: Array, sigma: Array) -> Array:
    """Return squared distances by a covariance that may be singular, a row for each attribute.

    In units of each attribute's deviation: otherwise one of small numbers would look like one that does not vary beside
    one of large numbers, and who is far out in it like everybody.
    """
    scale = np.sqrt(np.diag(sigma))
    scale = np.where(scale > 0, scale, 1.0)
    inverse = pseudo_inverse(sigma / np.outer(scale, scale), _ROUNDING)
    away = away / scale[:, None]
    distances: Array = (away * product(inverse, away)).sum(axis=0)
    return distances


def scatter(columns: Array, spread: Array, random: np.random.Generator) -> tuple[Array, Array, tuple[str, ...]]:
    """Return a robust location and covariance, a row for each attribute, and what has to be said of them."""
    varies = spread > 0
    location, sigma = np.zeros(len(columns)), np.zeros((len(columns), len(columns)))
    complete = np.flatnonzero(~np.isnan(columns).any(axis=0))
    if len(complete) <= 2 * varies.sum():
        raise InputError(
            "too few records have all of the attributes to tell outliers from others",
            do=f"name fewer attributes: there must be more than {2 * int(varies.sum())} complete records",
        )
    if len(complete) > _FITTED:
        complete = random.choice(complete, _FITTED, replace=False)
    location[~varies] = [c[~np.isnan(c)][0] if (~np.isnan(c)).any() else 0.0 for c in columns[~varies]]
    if not varies.any():
        return location, sigma, ()
    sample = columns[np.ix_(varies, complete)]
    scale = np.sqrt(spread[varies])
    centre, shape = _in_directions(sample / scale[:, None], random)
    notes: tuple[str, ...] = ()
    if shape is None:
        notes = ("more than half of the records agree in some direction; deviations and ranks tell the spread instead",)
        centre, shape = _by_ranks(sample / scale[:, None], random)
    location[varies] = centre * scale
    sigma[np.ix_(varies, varies)] = shape * np.outer(scale, scale)
    return location, sigma, notes


def _in_directions(values: Array, random: np.random.Generator) -> tuple[Array, Array | None]:
    """Return location and covariance by the minimum covariance determinant, in the directions that vary."""
    mean = values.mean(axis=1)
    strength, turns = eigen(cross_products(values - mean[:, None]))
    turns = turns[:, strength > _FLAT * strength.max()]
    fit = minimum_determinant(product(turns.T, values - mean[:, None]), random)
    if fit is None:
        return mean, None
    spread, _ = eigen(fit[1])
    singular = spread.min() <= _ROUNDING * spread.max()
    return mean + product(turns, fit[0]), None if singular else product(product(turns, fit[1]), turns.T)


def _by_ranks(values: Array, random: np.random.Generator) -> tuple[Array, Array]:
    """Return medians, and robust deviations with the correlations of normal scores."""
    centre = np.median(values, axis=1)
    away = np.abs(values - centre[:, None])
    deviation = 1.4826 * np.median(away, axis=1)
    deviation = np.where(deviation > 0, deviation, math.sqrt(math.pi / 2) * away.mean(axis=1))
    # An attribute that varies, though not among the records drawn, keeps its own spread.
    deviation = np.where(deviation > 0, deviation, 1.0)
    correlations = _correlations(np.array([normal_scores(row, random) for row in values]))
    return centre, correlations * np.outer(deviation, deviation)


def _correlations(scores: Array) -> Array:
    products = cross_products(scores - scores.mean(axis=1)[:, None])
    deviation = np.sqrt(np.diag(products))
    correlations: Array = products / np.outer(deviation, deviation)
    return correlations
