"""Latent normal variables behind attributes of every kind, and the correlations that explain what is seen of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.functions import exponential
from tacita.arithmetic.matrices import cross_products, eigen, product, pseudo_inverse
from tacita.arithmetic.normal import normal_quantile, normal_share

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

_TERMS = 40
"""Terms of the expansion in Hermite polynomials."""
_STRONGEST = 0.9999
_FINE = 2000
"""Into how many parts a distribution is cut at most to find the coefficients."""


@dataclass(frozen=True, slots=True, eq=False)
class Latent:
    """A standard normal variable that is seen only as the value between whose thresholds it lies.

    The values, in their order, have the shares of the normal distribution between thresholds t_0 < t_1 < ...; the score
    of a value is the mean of the normal variable there. Of a number without ties that is nearly the variable itself.
    """

    codes: Whole
    """The place of each record's value in the order of the values, -1 where it is missing."""
    ends: Array
    """Shares of the distribution at the thresholds, from 0 to 1."""

    @classmethod
    def of(cls, codes: Whole) -> Latent:
        """Return the variable behind codes whose order is that of the values; -1 is missing."""
        counts = np.bincount(codes[codes >= 0])
        shares = np.concatenate([[0], np.cumsum(counts)]) / max(1, counts.sum())
        return cls(codes, shares)

    @property
    def varies(self) -> bool:
        """Whether there are two values."""
        return int(np.count_nonzero(np.diff(self.ends))) > 1

    def scores(self) -> Array:
        """Return the score of each record, standardised, and NaN where it is missing."""
        if not self.varies:
            return np.where(self.codes < 0, np.nan, 0.0)
        score, _, _ = _stepwise(self.ends)
        return np.append(score, np.nan)[self.codes]

    def coefficients(self) -> Array:
        """Return the Hermite coefficients a_1, a_2, ... of the score: it is the sum of a_k he_k(z).

        With normalised Hermite polynomials he_k and the normal density f, a_k is the sum over values of
        score * (He_(k-1)(t_c) f(t_c) - He_(k-1)(t_(c+1)) f(t_(c+1))) / sqrt(k!). Of thousands of values, neighbours are
        taken together.
        """
        if not self.varies:
            return np.zeros(_TERMS)
        kept = np.unique((self.ends * _FINE).astype(np.int64), return_index=True)[1]
        score, at, density = _stepwise(np.append(self.ends[kept[:-1]], 1.0))
        coefficients = np.empty(_TERMS)
        # he_k(x) = (x he_(k-1)(x) - sqrt(k - 1) he_(k-2)(x)) / sqrt(k), which stays small where He_k does not.
        before, now = np.zeros_like(at), np.ones_like(at)
        for k in range(1, _TERMS + 1):
            term = now * density / np.sqrt(k)
            coefficients[k - 1] = (score * (term[:-1] - term[1:])).sum()
            before, now = now, (at * now - np.sqrt(k - 1) * before) / np.sqrt(k)
        return coefficients

    def value(self, drawn: Array) -> Whole:
        """Return the place of the value that is seen of a variable."""
        codes: Whole = np.searchsorted(self.ends[1:-1], normal_share(drawn), side="right")
        return codes

    def drawn_given(self, mean: Array | float, deviation: float, random: np.random.Generator) -> Array:
        """Return for each record a normal variable between the thresholds of its value; anywhere where it is missing.

        `mean` and `deviation` are those of the variable given others.
        """
        limits = normal_quantile(self.ends)
        low = np.append(limits[:-1], -np.inf)[self.codes]
        high = np.append(limits[1:], np.inf)[self.codes]
        one, two = normal_share((low - mean) / deviation), normal_share((high - mean) / deviation)
        draw = one + random.random(len(self.codes)) * (two - one)
        drawn_values: Array = np.clip(mean + deviation * normal_quantile(np.clip(draw, 1e-15, 1 - 1e-15)), low, high)
        return drawn_values


def _stepwise(ends: Array) -> tuple[Array, Array, Array]:
    """Return the standardised scores between shares, the thresholds (0 for infinite ones) and the density there."""
    thresholds = normal_quantile(ends)
    finite = np.isfinite(thresholds)
    at = np.where(finite, thresholds, 0.0)
    density = np.where(finite, exponential(-at * at / 2) / np.sqrt(2 * np.pi), 0.0)
    share = np.diff(ends)
    score = (density[:-1] - density[1:]) / np.where(share > 0, share, 1)
    return score / np.sqrt((share * np.square(score)).sum()), at, density


def correlations(latents: list[Latent]) -> Array:
    """Return the correlations of latent variables that give the correlations of the scores, made a valid matrix.

    Scores f and g of variables with correlation r have covariance sum of a_k b_k r^k (Mehler's formula), an increasing
    function of r that is inverted; for two categories of two values that is the tetrachoric correlation. Pairs are
    compared where both are present. Where the result is not positive semi-definite, negative eigenvalues become 0.
    """
    latent_scores = np.array([latent.scores() for latent in latents]).reshape(len(latents), -1)
    scores, present = np.nan_to_num(latent_scores), (~np.isnan(latent_scores)).astype(float)
    both = np.maximum(cross_products(present), 1)
    mean = cross_products(scores, present) / both
    square = cross_products(np.square(scores), present) / both - np.square(mean)
    spread = np.sqrt(np.maximum(square * square.T, 0))
    covariance = cross_products(scores) / both - mean * mean.T
    seen = np.where(spread > 1e-9, covariance / np.where(spread > 1e-9, spread, 1), 0)
    terms = np.array([latent.coefficients() for latent in latents]).reshape(len(latents), -1)
    products = terms[:, None, :] * terms[None, :, :]
    low, high = np.full(seen.shape, -_STRONGEST), np.full(seen.shape, _STRONGEST)
    for _ in range(50):
        middle = (low + high) / 2
        value = np.zeros_like(middle)
        for term in range(_TERMS - 1, -1, -1):
            value = (value + products[:, :, term]) * middle
        low, high = np.where(value < seen, middle, low), np.where(value < seen, high, middle)
    fixed = np.array([not latent.varies for latent in latents])
    matrix = np.where(fixed[:, None] | fixed[None, :], 0.0, (low + high) / 2)
    np.fill_diagonal(matrix, 1)
    return valid(matrix)


def valid(matrix: Array) -> Array:
    """Return the correlation matrix without negative eigenvalues.

    >>> valid(np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])).round(2).tolist()
    [[1.0, 0.5, -0.5], [0.5, 1.0, 0.5], [-0.5, 0.5, 1.0]]
    """
    values, vectors = eigen(matrix)
    if values.min() >= 0:
        return matrix
    clipped = product(vectors * np.maximum(values, 0), vectors.T)
    scale = np.sqrt(np.diag(clipped))
    correlations_: Array = clipped / np.outer(scale, scale)
    return correlations_


def drawn_behind(latents: list[Latent], matrix: Array, random: np.random.Generator, rounds: int = 10) -> list[Array]:
    """Return latent variables of given records: each between its thresholds, together with their correlations.

    A Gibbs sampler: each variable in turn is drawn given the others.
    """
    now = np.array([latent.drawn_given(0.0, 1.0, random) for latent in latents])
    inverse = pseudo_inverse(matrix + 1e-6 * np.eye(len(matrix)))
    for _ in range(rounds if len(latents) > 1 else 0):
        for place, latent in enumerate(latents):
            weights = -inverse[place] / inverse[place, place]
            weights[place] = 0
            now[place] = latent.drawn_given(product(weights, now), float(1 / np.sqrt(inverse[place, place])), random)
    return list(now)
