"""By which factors of answers a sum follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.modular.basis import ModularBasis
from tacita.arithmetic.modular.combination import factors_of
from tacita.arithmetic.modular.kernel_vector import SparseRows
from tacita.arithmetic.modular.primes import random_prime
from tacita.queries.audit.partition import CellClasses
from tacita.queries.audit.published import PublishedSets
from tacita.queries.cube.cube import Cube
from tacita.queries.question import Mask

Ints = NDArray[np.int64]
_MOST = 60
"""Answers among which a combination is looked for, those that have most in common with the sum."""

_MOST_LABELS = 3
"""Labels of an attribute that a description names."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SumFollows:
    """A sum of cells that follows from published sets and new ones."""

    published: PublishedSets
    new: Sequence[Mask]
    cells: Mask
    classes: CellClasses


def multipliers(claim: SumFollows) -> tuple[tuple[int, str], ...]:
    """Return the answers with their factors, new ones as number 0; nothing if it takes too many."""
    bits = claim.published.masks(np.arange(len(claim.published)))
    different = (bits ^ (claim.cells | np.logical_or.reduce(claim.new))).sum(axis=1)
    near = np.sort(np.argsort(different, kind="stable")[:_MOST])
    rows = claim.classes.rows([*claim.new, *bits[near]])
    wanted = claim.classes.rows([claim.cells])[0]
    order = np.argsort((rows ^ wanted).sum(axis=1), kind="stable")
    needed = np.sort(_needed(rows, wanted, order))
    if not len(needed):
        return ()
    factors = factors_of(_sparse(rows), _sparse(wanted[None]), needed)
    numbers = [0] * len(claim.new) + [claim.published.numbers[at] for at in near.tolist()]
    # Earlier answers first, this one last.
    return tuple(
        (numbers[row], str(factor)) for row, factor in sorted(factors.items(), key=lambda one: _last(one, numbers))
    )


def described(cube: Cube, cells: Mask) -> str:
    """Return which records a set of cells has, by their labels; an empty text if that takes too many words."""
    conditions, product = [], np.ones(len(cube), np.bool_)
    for attribute in cube.attributes:
        codes = cube.codes[attribute.name]
        inside = np.unique(codes[cells])
        if len(inside) == len(np.unique(codes)):
            continue
        if not 0 < len(inside) <= _MOST_LABELS:
            return ""
        product &= np.isin(codes, inside)
        labels = ", ".join(repr(attribute.labels[code]) for code in inside.tolist())
        conditions.append(f"{attribute.name} {f'= {labels}' if len(inside) == 1 else f'IN ({labels})'}")
    return " AND ".join(conditions) if np.array_equal(product, cells) else ""


def formula_of(factors: Sequence[tuple[int, str]]) -> str:
    """Return multipliers as people write them.

    >>> formula_of(((1, "1"), (2, "-1/2"), (0, "-1")))
    'q1 - 1/2 q2 - this'
    >>> formula_of(())
    'this with earlier answers'
    """
    if not factors:
        return "this with earlier answers"
    words = []
    for number, factor in factors:
        name = f"q{number}" if number else "this"
        size = factor.removeprefix("-")
        sign = "-" if factor.startswith("-") else "+"
        words.append(f"{sign} {name if size == '1' else f'{size} {name}'}")
    text = " ".join(words)
    return text.removeprefix("+ ") if text.startswith("+") else text.replace("- ", "-", 1)


def _last(one: tuple[int, Fraction], numbers: Sequence[int]) -> tuple[bool, int]:
    return numbers[one[0]] == 0, one[0]


def _needed(rows: Mask, wanted: Mask, order: Ints) -> Ints:
    """Return rows that the wanted one follows from, none of which can be left out; none if it does not follow."""
    kept: list[int] = []
    prime = random_prime()
    while True:
        basis = ModularBasis(rows.shape[1], prime=prime)
        for row in kept:
            basis.add(rows[row])
        if basis.follows(wanted):
            return np.array(kept, np.int64)
        for at, row in enumerate(order.tolist()):
            basis.add(rows[row])
            if basis.follows(wanted):
                kept.append(row)
                order = order[:at]
                break
        else:
            return np.zeros(0, np.int64)


def _sparse(rows: Mask) -> SparseRows:
    return SparseRows.of([np.flatnonzero(row).tolist() for row in rows], rows.shape[1])
