"""The classes of cells that no question tells apart: each is one unknown of what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.queries.question import Mask

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CellClasses:
    """Classes by their numbers; those that were cut off others come last.

    >>> classes = CellClasses.of(4).cut([np.array([True, True, False, False])])
    >>> classes.of_cell.tolist(), classes.parents.tolist(), classes.count
    ([1, 1, 0, 0], [0], 2)
    """

    of_cell: Ints
    """The class of each cell."""
    count: int
    parents: Ints
    """Of each class that the last cut added, the class that it was a part of; it may be one of them."""

    @classmethod
    def of(cls, cells: int) -> CellClasses:
        """Return the only class before any question."""
        return cls(np.zeros(cells, np.int64), 1, np.zeros(0, np.int64))

    @property
    def roots(self) -> Ints:
        """Of each class the one that it was a part of before the last cut."""
        first = self.count - len(self.parents)
        roots = np.arange(self.count, dtype=np.int64)
        for at, parent in enumerate(self.parents.tolist(), first):
            roots[at] = roots[parent]
        return roots

    def cut(self, masks: Sequence[Mask]) -> CellClasses:
        """Return the classes that are told apart by more questions."""
        of_cell, count = self.of_cell, self.count
        parents = []
        for mask in masks:
            size, inside = np.bincount(of_cell, minlength=count), np.bincount(of_cell[mask], minlength=count)
            split = np.flatnonzero((inside > 0) & (inside < size))
            if len(split):
                number = np.full(count, -1, np.int64)
                number[split] = count + np.arange(len(split))
                new = number[of_cell]
                of_cell = np.where(mask & (new >= 0), new, of_cell)
                count += len(split)
                parents.append(split)
        joined = np.concatenate([*parents, np.zeros(0, np.int64)]).astype(np.int64)
        return CellClasses(of_cell, count, joined)

    def rows(self, masks: Sequence[Mask]) -> Mask:
        """Return which classes each set of cells is made of."""
        result = np.zeros((len(masks), self.count), np.bool_)
        for at, mask in enumerate(masks):
            result[at, self.of_cell[mask]] = True
        return result

    def cells(self, classes: Sequence[int] | Ints) -> Mask:
        """Return the cells of some classes."""
        wanted = np.zeros(self.count, np.bool_)
        wanted[np.asarray(classes, np.int64)] = True
        return np.asarray(wanted[self.of_cell])
