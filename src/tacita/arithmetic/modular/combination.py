"""By which factors a sum follows from others: a few of them, and fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.modular.kernel_vector import SparseRows, kernel_vector
from tacita.arithmetic.modular.primes import random_prime

Ints = NDArray[np.int64]
_MOST = 400
"""Rows among which a short combination is looked for; of more, any combination would be too long to read."""


def combination(known: SparseRows, wanted: SparseRows) -> dict[int, Fraction] | None:
    """Return the known rows that a wanted row follows from, with their factors; None if it does not, or by too many.

    Rows that touch the wanted one are tried first, then those that touch these. Rows that are not needed are left out,
    those with the most columns first, so that the factors are unique.

    >>> known = SparseRows.of([[0, 1, 2, 3], [0, 1], [2, 3], [1]], 4)
    >>> {row: str(factor) for row, factor in combination(known, SparseRows.of([[0]], 4)).items()}
    {1: '1', 3: '-1'}
    """
    prime = random_prime()

    def follows(rows: Ints) -> bool:
        return bool(kernel_vector(known.taken(rows), prime).follows(wanted)[0])

    near = _near(known, wanted, follows)
    if near is None:
        return None
    rows = _needed(near[np.argsort(-np.diff(known.starts)[near], kind="stable")], follows)
    return factors_of(known, wanted, np.sort(rows)) if len(rows) <= _MOST else None


def _near(known: SparseRows, wanted: SparseRows, follows: Callable[[Ints], bool]) -> Ints | None:
    """Return the rows within as few steps of the wanted one as are needed, and one more."""
    by_column, rows_of, _ = known.by_column()
    columns = np.unique(wanted.columns)
    rows = np.zeros(0, np.int64)
    while True:
        grown = np.unique(np.concatenate([rows_of[by_column[c] : by_column[c + 1]] for c in columns] or [rows]))
        if len(grown) == len(rows):
            return rows if len(rows) and follows(rows) else None
        if len(rows) and follows(rows):
            # One step more than needed: shorter rows may be there, which read better.
            return grown if len(grown) <= _MOST else rows
        rows = grown
        columns = np.unique(known.taken(rows).columns)


def _needed(rows: Ints, follows: Callable[[Ints], bool]) -> Ints:
    """Return rows of which none can be left out: many at a time, then fewer."""
    size = max(1, len(rows) // 2)
    while True:
        at = 0
        while at < len(rows):
            fewer = np.delete(rows, slice(at, at + size))
            if follows(fewer):
                rows = fewer
            else:
                at += size
        if size == 1:
            return rows
        size //= 2


def factors_of(known: SparseRows, wanted: SparseRows, rows: Ints) -> dict[int, Fraction]:
    """Return the only factors with which the rows add up to the wanted one."""
    part = known.taken(rows)
    columns = np.unique(np.concatenate([part.columns, wanted.columns]))
    # One equation for each column: the unknowns are the factors.
    system: list[dict[int, Fraction]] = [{} for _ in columns]
    for place in range(len(rows)):
        for column, entry in zip(*(values.tolist() for values in part.row(place)), strict=True):
            equation = system[int(np.searchsorted(columns, column))]
            equation[place] = equation.get(place, Fraction(0)) + entry
    right = len(rows)
    for column, entry in zip(wanted.columns.tolist(), wanted.coefficients.tolist(), strict=True):
        equation = system[int(np.searchsorted(columns, column))]
        equation[right] = equation.get(right, Fraction(0)) + entry
    solved: dict[int, dict[int, Fraction]] = {}
    for equation in system:
        for unknown, row in solved.items():
            if unknown in equation:
                _take_off(equation, row, equation[unknown])
        unknown = next((one for one in equation if one != right), right)
        if unknown == right:
            continue
        factor = equation[unknown]
        row = {one: value / factor for one, value in equation.items()}
        for other in solved.values():
            if unknown in other:
                _take_off(other, row, other[unknown])
        solved[unknown] = row
    return {int(rows[unknown]): row[right] for unknown, row in sorted(solved.items()) if row.get(right)}


def _take_off(equation: dict[int, Fraction], row: dict[int, Fraction], factor: Fraction) -> None:
    for one, value in row.items():
        rest = equation.get(one, Fraction(0)) - factor * value
        if rest:
            equation[one] = rest
        else:
            equation.pop(one, None)
