"""What is known of numbers together: covariances V, correlations R, and their principal factors RF, C and F."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

NO_FACTOR = 1e-10
"""A principal factor with a smaller eigenvalue (of the correlation matrix) is none: its direction is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """Matrices of some attributes, in the notation of document 001."""

    covariance: Matrix
    """V: of the records that are complete."""
    correlation: Matrix
    """R: 0 with an attribute that does not vary."""
    eigenvalues: Matrix
    """Of R, largest first; 0 where it is only rounding."""
    directions: Matrix
    """F: by what to multiply standardised attributes to have their projection on each principal component."""

    @property
    def factor_correlations(self) -> Matrix:
        """RF: correlations of attributes (rows) with principal factors (columns)."""
        return np.asarray(self.directions * np.sqrt(self.eigenvalues))

    def communalities(self, components: int) -> Matrix:
        """C: the share of each attribute that the first principal components explain."""
        return np.asarray((self.factor_correlations[:, :components] ** 2).sum(axis=1))

    def turned_to(self, other: Structure) -> Structure:
        """Return the same with directions turned to those of another: a component has no sign of its own."""
        turn = np.where(np.sum(self.directions * other.directions, axis=0) < 0, -1.0, 1.0)
        return Structure(self.covariance, self.correlation, self.eigenvalues, self.directions * turn)


def complete(values: Matrix) -> Matrix:
    """Return the records without a missing value."""
    missing = np.isnan(values).any(axis=1)
    return values[~missing] if missing.any() else values


def structure(values: Matrix) -> Structure | None:
    """Return the structure of the complete records; None if there are fewer than two, or no attribute.

    >>> found = structure(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]))
    >>> found.correlation.round(12).tolist(), found.eigenvalues.round(12).tolist()
    ([[1.0, 1.0], [1.0, 1.0]], [2.0, 0.0])
    """
    rows = complete(values)
    if len(rows) < 2 or not rows.shape[1]:
        return None
    covariance = np.atleast_2d(np.cov(rows, rowvar=False))
    # a column of one value may have a variance of rounding
    constant = rows.min(axis=0) == rows.max(axis=0)
    covariance[constant, :] = covariance[:, constant] = 0.0
    return of_covariance(covariance)


def of_covariance(covariance: Matrix) -> Structure:
    """Return the structure that a covariance matrix implies."""
    deviations = np.sqrt(np.diag(covariance))
    safe = np.where(deviations > 0, deviations, 1.0)
    correlation = covariance / np.outer(safe, safe)
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    rounding = values < NO_FACTOR
    values[rounding] = 0.0
    vectors[:, rounding] = 0.0
    return Structure(covariance, correlation, values, vectors)
