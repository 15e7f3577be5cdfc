"""Reconstruction: many sums with noise are equations in the values, and least squares solve them (Dinur, Nissim 2003).

It knows who is in each question, and how large the noise is. Sums over random halves of the records are answered with
an error; ridge regression finds the binary values that fit best. The penalty is the variance of the noise over that of
a value: without one the solution is worst where there are as many questions as records, which hides the attack.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.queries.interrogation import AskFunction, Interrogation, QueryLesson

_VARIANCE_OF_A_BIT = 0.25


def reconstruct(
    sets: NDArray[np.bool_], sums: NDArray[np.float64], deviation: float, mean: float = 0.5
) -> NDArray[np.float64]:
    """Return an estimate of each value; a row of `sets` says which values are in the sum of its place.

    >>> sets = np.array([[True, True, False], [False, True, True], [True, True, True]])
    >>> reconstruct(sets, np.array([1.0, 2.0, 2.0]), 0.01).round(2).tolist()
    [0.0, 1.0, 1.0]
    """
    rows = sets.astype(np.float64)
    ridge = max(deviation, 1e-3) ** 2 / _VARIANCE_OF_A_BIT
    left = rows.T @ rows
    left[np.diag_indices_from(left)] += ridge
    away: NDArray[np.float64] = np.linalg.solve(left, rows.T @ (sums - rows.sum(axis=1) * mean))
    return mean + away


def reconstruct_bits(
    ask: AskFunction, figure: str, attribute: str, secrets: NDArray[np.bool_], questions: int, draw: np.random.Generator
) -> QueryLesson:
    """Return the share of binary values that are recovered; the code of person i is i.

    `figure` is what stands between SELECT and WHERE. The size of the noise is read from the answers, which say it;
    one that says nothing is taken as rounded to 5.
    """
    asking = Interrogation(ask)
    sets = draw.random((questions, len(secrets))) < 0.5
    sums, deviations, answered = [], [], []
    for place, chosen in enumerate(sets):
        listed = ", ".join(f"'{one}'" for one in np.flatnonzero(chosen).tolist())
        seen = asking.figure(f"SELECT {figure} WHERE {attribute} IN ({listed})")
        if seen.value is None:
            continue
        answered.append(place)
        sums.append(seen.value)
        deviations.append(seen.deviation if seen.error is not None else (25 / 12) ** 0.5)
    if answered:
        estimates = reconstruct(sets[answered], np.asarray(sums), float(np.median(deviations)))
    else:
        estimates = np.full(len(secrets), 0.5)
    guesses = estimates > 0.5
    most = max(float(secrets.mean()), 1 - float(secrets.mean()))
    return QueryLesson(
        "reconstruction by ridge regression",
        "who is in each question, and the size of the noise",
        len(secrets),
        len(secrets) if answered else 0,
        int((guesses == secrets).sum()),
        most,
        asking.questions,
        asking.refusals,
    )
