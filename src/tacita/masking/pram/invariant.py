"""Invariant PRAM: the matrix keeps the margins of the attribute, so that its table needs no correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.matrices import product
from tacita.errors import UsageError
from tacita.masking.method import Grid, Treated
from tacita.masking.pram.application import applied
from tacita.masking.pram.exact_margins import drawn_with_exact_margins
from tacita.masking.pram.generated import checked_diagonal, spread
from tacita.masking.pram.transitions import Transitions
from tacita.masking.preconditions import each_named_once
from tacita.model.records import Categories, Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class InvariantPram:
    """PRAM with a matrix R for which ``p R = p``, p being the shares of the values in the file.

    Two stages: a matrix P with a minimum diagonal (see `generated`), and its reverse by Bayes' rule,
    ``Q[k, l] = P[l, k] p[l] / (p P)[k]``. Then ``R = P Q`` keeps p, and so does ``alpha R + (1 - alpha) I``, which
    changes less. The diagonal of the product may be below the minimum of P: rare values stay less often than frequent
    ones, as they should. As drawn, the margins are kept in expectation; with `exact_margins` they are kept to the
    record, while every record still changes with the probabilities of R (see `exact_margins`).

    Source: Gouweleeuw et al. (1998, see `given`), the two-stage construction; it is what `pram` of sdcMicro does, with
    its parameters ``pd`` and ``alpha``.

    >>> firms = Records({"area": Categories.of(["north"] * 30 + ["south"] * 70)})
    >>> method = InvariantPram(("area",), exact_margins=True)
    >>> method.treated(firms, np.random.default_rng(1)).records.categories("area").counts.tolist()
    [30, 70]
    """

    name: ClassVar[str] = "pram-invariant"
    treats: ClassVar[str] = "categories"
    grid: ClassVar[Grid] = {"minimum_diagonal": (0.9, 0.8, 0.6)}
    promises: ClassVar[str] = "The number of records of each value is the same in expectation, or exactly if asked."
    limits: ClassVar[str] = (
        "Crossings with other attributes are blurred, combinations that cannot be may appear, and a released matrix "
        "tells the margins of the original file."
    )
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    minimum_diagonal: float = 0.8
    """Of the first stage."""
    alpha: float = 0.5
    """How much of the invariant matrix is used; the rest is left alone."""
    exact_margins: bool = False
    publish_matrix: bool = False
    """Whether the matrices are released beside the records, as tables ``pram ATTRIBUTE``."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        checked_diagonal(self.minimum_diagonal)
        if not 0 < self.alpha <= 1:
            raise UsageError(
                "'alpha' is not above 0 and up to 1", do="give how much of the matrix is used, such as 0.5"
            )

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with the attributes changed."""

        def transitions(_: str, column: Categories) -> Transitions:
            first = spread_among(column.counts, self.minimum_diagonal, random)
            return Transitions(column.values, invariant(first, column.counts, self.alpha))

        draw = drawn_with_exact_margins if self.exact_margins else Transitions.drawn
        return applied(
            records, self.attributes, transitions, random, progress, publish_matrix=self.publish_matrix, draw=draw
        )


def spread_among(counts: NDArray[np.int64], minimum: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Return the matrix of the first stage among the values that occur; the others, which do not, stay as they are."""
    occurring = np.flatnonzero(counts)
    matrix = np.eye(len(counts))
    matrix[np.ix_(occurring, occurring)] = spread(len(occurring), minimum, random)
    return matrix


def invariant(first: NDArray[np.float64], counts: NDArray[np.int64], alpha: float) -> NDArray[np.float64]:
    """Return the matrix of both stages for the counts of the values.

    >>> counts = np.array([30, 70])
    >>> np.allclose(counts @ invariant(np.array([[0.8, 0.2], [0.1, 0.9]]), counts, 0.5), counts)
    True
    """
    after = product(counts.astype(np.float64), first)
    reverse = np.eye(len(counts))
    reached = after > 0
    reverse[reached] = (first * counts[:, None]).T[reached] / after[reached, None]
    return alpha * product(first, reverse) + (1 - alpha) * np.eye(len(counts))
