"""The matrix of PRAM: with which probability each value becomes each other."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, listed
from tacita.model.records import Categories, Numbers, Records

TOLERANCE = 1e-6
"""How far the sum of a row may be from 1: probabilities are often written with six digits. Rows are then scaled."""


@dataclass(frozen=True, slots=True, eq=False)
class Transitions:
    """Values, and for each of them a row of probabilities of what it becomes.

    >>> coin = Transitions(("no", "yes"), np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> coin.matrix.sum(axis=1).tolist()
    [1.0, 1.0]
    """

    values: tuple[Hashable, ...]
    matrix: NDArray[np.float64]
    """Row: the value before; column: the value after."""

    def __post_init__(self) -> None:
        rows = np.array(self.matrix, dtype=np.float64)
        if rows.shape != (len(self.values), len(self.values)):
            raise InputError("the matrix of PRAM is not square", do="give each value a row and a column")
        if len(set(self.values)) < len(self.values):
            raise InputError("a value has two rows in the matrix of PRAM", do="give each value one row")
        if wrong := np.flatnonzero(~np.all(np.isfinite(rows) & (rows >= 0) & (rows <= 1 + TOLERANCE), axis=1)).tolist():
            raise InputError(
                f"the matrix of PRAM has something else than probabilities in row {listed([w + 1 for w in wrong])}",
                do="give numbers from 0 to 1",
            )
        sums = rows.sum(axis=1)
        if wrong := np.flatnonzero(np.abs(sums - 1) > TOLERANCE).tolist():
            sums_shown = listed([f"{w + 1} adds up to {sums[w]:.6g}" for w in wrong], 4)
            raise InputError(f"the matrix of PRAM is not stochastic: row {sums_shown}", do="make every row add up to 1")
        rows = rows / sums[:, None] if len(rows) else rows
        rows.setflags(write=False)
        object.__setattr__(self, "matrix", rows)

    @classmethod
    def identity(cls, values: tuple[Hashable, ...]) -> Self:
        """Return the matrix of an attribute that is left alone."""
        return cls(values, np.eye(len(values)))

    @classmethod
    def of_records(cls, table: Records) -> Self:
        """Return the matrix of a table with ``from``, ``to`` and ``probability``, as a release has it beside."""
        one, two = table.categories("from"), table.categories("to")
        values = tuple(dict.fromkeys([*one.values, *two.values]))
        place = {value: code for code, value in enumerate(values)}
        matrix = np.zeros((len(values), len(values)))
        row = np.array([place[value] for value in one.values], dtype=np.int64)[one.codes]
        column = np.array([place[value] for value in two.values], dtype=np.int64)[two.codes]
        matrix[row, column] = table.numbers("probability").values
        return cls(values, matrix)

    def as_records(self) -> Records:
        """Return the probabilities above 0 as a table with ``from``, ``to`` and ``probability``.

        >>> Transitions.identity(("a", "b")).as_records()
        <Records: 2 of 3 attributes>
        """
        row, column = np.nonzero(self.matrix)
        one, two = (Categories(codes.astype(np.int32), self.values) for codes in (row, column))
        return Records({"from": one, "to": two, "probability": Numbers(self.matrix[row, column])})

    def drawn(self, codes: NDArray[np.int32], random: np.random.Generator) -> NDArray[np.int32]:
        """Return for each code one that is drawn from its row, each for itself; -1, missing, stays."""
        uniform = random.random(len(codes))
        # Up to 16 bits numpy sorts by counting, some ten times faster.
        order = np.argsort(codes.astype(np.int16) if len(self.values) < 2**15 else codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(len(self.values) + 1))
        changed = codes.copy()
        for code in range(len(self.values)):
            rows = order[ends[code] : ends[code + 1]]
            if len(rows):
                # What has no probability is never drawn: from the last positive one on, the bound is 1 itself.
                bounds = np.cumsum(self.matrix[code])
                bounds[np.flatnonzero(self.matrix[code])[-1] :] = 1.0
                changed[rows] = np.searchsorted(bounds, uniform[rows], side="right")
        return changed

    def expected(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how many records are expected of each value afterwards."""
        expected: NDArray[np.float64] = counts @ self.matrix
        return expected
