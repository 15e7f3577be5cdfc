"""By which factors of answers a sum follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.arithmetic.modular.combination import combination
from tacita.arithmetic.modular.kernel_vector import SparseRows
from tacita.queries.audit.partition import CellClasses
from tacita.queries.audit.published import PublishedSets
from tacita.queries.question import Mask

_MOST = 60
"""Answers among which a combination is looked for, those that have most in common with the sum."""


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
    if len(bits) > _MOST:
        goal = claim.cells | np.logical_or.reduce(claim.new)
        different = (bits ^ goal).sum(axis=1)
        near = np.sort(np.argsort(different, kind="stable")[:_MOST])
    else:
        near = np.arange(len(bits))
    rows = claim.classes.rows([*bits[near], *claim.new])
    known = SparseRows.of([np.flatnonzero(row).tolist() for row in rows], claim.classes.count)
    wanted = SparseRows.of([np.flatnonzero(claim.classes.rows([claim.cells])[0]).tolist()], claim.classes.count)
    factors = combination(known, wanted) or {}
    numbers = [claim.published.numbers[at] for at in near.tolist()] + [0] * len(claim.new)
    together: dict[int, list[Fraction]] = {}
    for row, factor in factors.items():
        together.setdefault(numbers[row], []).append(factor)
    return tuple((number, str(factor)) for number, some in together.items() for factor in some)
