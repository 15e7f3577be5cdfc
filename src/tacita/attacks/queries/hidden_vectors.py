"""Against camouflage: the data are a mixture of known vectors with unknown weights.

Both attackers have learnt the vectors, which many intervals tell. Insiders know the values of some records: each is a
linear equation in the weights, and as many as there are vectors less one find them, and with them everybody. Outsiders
know no value, but how the vectors are made: the distance of the ends of a record is a multiple of its size that does
not vary much. The weights are those for which it varies least.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls

Numbers = NDArray[np.float64]
_SPREAD_OF_MULTIPLES = 0.15
"""How much the logarithm of the distance over the size varies, as whoever read the method knows."""


def insiders(vectors: Numbers, known: NDArray[np.int64], values: Numbers) -> Numbers:
    """Return an estimate of every record; `vectors` has a row for each vector, `values` are those of the known records.

    Of all weights that fit, those nearest to equal ones are taken.

    >>> vectors = np.array([[1.0, 8.0, 3.0], [5.0, 2.0, 9.0]])
    >>> insiders(vectors, np.array([0]), np.array([2.0])).round(6).tolist()
    [2.0, 6.5, 4.5]
    """
    number = len(vectors)
    scale = np.abs(vectors[:, known]).max(axis=0, initial=1.0)
    rows = np.vstack([(vectors[:, known] / scale).T, np.ones(number)]) * 1e6
    right = np.concatenate([values / scale, [1.0]]) * 1e6
    rows = np.vstack([rows, np.eye(number) * 1e-3])
    right = np.concatenate([right, np.full(number, 1e-3 / number)])
    weights, _ = nnls(rows, right)
    return np.asarray(weights @ vectors)


def outsiders(vectors: Numbers) -> Numbers:
    """Return an estimate of every record by the method alone."""
    number, records = vectors.shape
    distance = np.log(np.maximum(vectors.max(axis=0) - vectors.min(axis=0), 1e-9))

    def surprise(free: Numbers) -> float:
        weights = _weights(free)
        multiples = distance - np.log(np.maximum(np.abs(weights @ vectors), 1e-9))
        return float(records * multiples.var() / _SPREAD_OF_MULTIPLES**2 + (free - free.mean()) @ (free - free.mean()))

    best = minimize(surprise, np.zeros(number), method="BFGS")
    return np.asarray(_weights(best.x) @ vectors)


def _weights(free: Numbers) -> Numbers:
    shares = np.exp(free - free.max())
    return np.asarray(shares / shares.sum())


def share_within(estimates: Numbers, true: Numbers, share: float = 0.01) -> float:
    """Return how many records are estimated to within a share of their value."""
    return float((np.abs(estimates - true) <= share * np.abs(true)).mean())
