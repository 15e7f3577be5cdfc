"""The estimator that corrects tables for PRAM: what users of a release do with the matrix beside it.

If t are the counts before and P is the matrix, the counts after have the expectation ``P' t``. So ``(P')^-1`` times the
counts after is unbiased for t. Of a table with several attributes, each changed by a matrix of its own, every way is
multiplied by the inverse of its matrix: the matrix of the cells is their Kronecker product.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError
from tacita.masking.pram.transitions import Transitions
from tacita.model.records import Records

_SINGULAR = 1e8
"""Condition beyond which half of the digits of a correction are noise."""
_MOST_CELLS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Corrected:
    """A table corrected for PRAM; estimates may be negative and are seldom whole."""

    values: tuple[tuple[Hashable, ...], ...]
    """The values of each way of the table."""
    counts: NDArray[np.float64]
    """The unbiased estimates of the counts before PRAM."""
    variances: NDArray[np.float64]
    """Unbiased estimates of their variances due to PRAM; where counts are small they may be below 0."""
    _released: NDArray[np.float64]
    _inverses: tuple[NDArray[np.float64], ...]

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The estimated covariance of all cells, in the order of ``counts.ravel()``.

        ``V = (P')^-1 diag(t*) P^-1 - diag(t^)``, t* being the counts after and t^ the estimates. The counts after are
        sums of multinomial ones, with covariance ``diag(P' t) - P' diag(t) P``; put t^ for t, so that ``P' t^ = t*``,
        and multiply by the inverse from both sides (Gouweleeuw et al. 1998, see `given`).
        """
        if self.counts.size > _MOST_CELLS:
            raise UsageError(f"the covariance of more than {_MOST_CELLS:,} cells is too large", do="use 'variances'")
        inverse: NDArray[np.float64] = np.ones((1, 1))
        for way in self._inverses:
            inverse = np.asarray(np.kron(inverse, way), dtype=np.float64)
        return np.asarray((inverse * self._released.ravel()) @ inverse.T - np.diag(self.counts.ravel()))


def corrected(counts: NDArray[np.float64] | Sequence[object], ways: Sequence[Transitions]) -> Corrected:
    """Return the corrected table of counts after PRAM, with a matrix for each way of it.

    A way that was not changed has `Transitions.identity`. A matrix that is singular, or nearly, is an error: different
    tables before would look the same after, and no estimator can tell them apart.

    >>> smokes = Transitions(("no", "yes"), np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> corrected([76, 24], [smokes]).counts.round(6).tolist()
    [80.0, 20.0]
    """
    table = np.array(counts, dtype=np.float64)
    if table.shape != tuple(len(way.values) for way in ways):
        raise UsageError("the table and the matrices of PRAM do not fit", do="give a matrix for each way of the table")
    inverses = tuple(_inverse(way) for way in ways)
    estimates = _along(table, inverses)
    variances = _along(table, [inverse**2 for inverse in inverses]) - estimates
    return Corrected(tuple(way.values for way in ways), estimates, variances, table, inverses)


def corrected_table(records: Records, names: Sequence[str], matrices: Mapping[str, Transitions]) -> Corrected:
    """Return the corrected table of some attributes of released records; those without a matrix were not changed.

    Records in which one of these attributes is missing are left out, as PRAM leaves missing values alone.

    >>> from tacita.model.records import Categories
    >>> people = Records({"smokes": Categories.of(["no"] * 76 + ["yes"] * 24)})
    >>> smokes = Transitions(("no", "yes"), np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> corrected_table(people, ["smokes"], {"smokes": smokes}).counts.round(6).tolist()
    [80.0, 20.0]
    """
    if not names:
        raise UsageError("no attribute is named", do="name the attributes of the table")
    columns = [records.categories(name) for name in names]
    ways = [matrices.get(name) or Transitions.identity(c.values) for name, c in zip(names, columns, strict=True)]
    places = []
    for name, column, way in zip(names, columns, ways, strict=True):
        place = {value: code for code, value in enumerate(way.values)}
        if strangers := sum(v not in place for v, n in zip(column.values, column.counts, strict=True) if n):
            raise InputError(
                f"{strangers:,} values of '{name}' are not in its matrix of PRAM", do="give the matrix of this release"
            )
        places.append(np.array([*(place.get(value, -1) for value in column.values), -1])[column.codes])
    known = np.all([place >= 0 for place in places], axis=0)
    shape = tuple(len(way.values) for way in ways)
    cells = np.ravel_multi_index(tuple(place[known] for place in places), shape)
    return corrected(np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(float), ways)


def _inverse(way: Transitions) -> NDArray[np.float64]:
    if len(way.values) and not np.linalg.cond(way.matrix) < _SINGULAR:
        raise InputError(
            "a matrix of PRAM is singular, or nearly: tables cannot be corrected for it",
            do="publish the table instead, or use a matrix with a larger diagonal",
        )
    return np.asarray(np.linalg.inv(way.matrix.T), dtype=np.float64)


def _along(table: NDArray[np.float64], matrices: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Multiply each way of a table by its matrix."""
    for axis, matrix in enumerate(matrices):
        table = np.moveaxis(np.tensordot(matrix, table, axes=(1, axis)), 0, axis)
    return table
