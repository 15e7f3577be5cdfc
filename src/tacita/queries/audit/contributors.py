"""How many people the records of a class are about, and which classes have records of one person only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.queries.audit.partition import CellClasses
from tacita.queries.cube.cube import Cube

Ints = NDArray[np.int64]


class ClassContributors:
    """Counts contributors of classes; without units of protection these are records."""

    def __init__(self, cube: Cube) -> None:
        self._cube = cube
        self.of_cell: Ints = cube.n
        """The contributors of each cell."""
        if cube.units is not None:
            cell = np.repeat(np.arange(len(cube)), cube.n)
            pairs = np.unique(np.stack([cell, cube.units], axis=1), axis=0)
            self.of_cell = np.bincount(pairs[:, 0], minlength=len(cube)).astype(np.int64)

    def by_class(self, classes: CellClasses, least: int) -> Ints:
        """Return the contributors of each class; where there are at least `least`, it may be any such number."""
        if self._cube.units is None:
            return np.bincount(classes.of_cell, self._cube.n, classes.count).astype(np.int64)
        result = np.zeros(classes.count, np.int64)
        np.maximum.at(result, classes.of_cell, self.of_cell)
        doubtful = (result < least)[classes.of_cell]
        pairs = self._pairs(classes, doubtful)
        result[result < least] = np.bincount(pairs[:, 0], minlength=classes.count)[result < least]
        return result

    def owners(self, classes: CellClasses, small: Ints) -> list[frozenset[int]]:
        """Return who has records in each of some classes, which are in their order."""
        pairs = self._pairs(classes, np.isin(classes.of_cell, small))
        bounds = (np.searchsorted(pairs[:, 0], small, side).tolist() for side in ("left", "right"))
        return [frozenset(pairs[first:last, 1].tolist()) for first, last in zip(*bounds, strict=True)]

    def _pairs(self, classes: CellClasses, cells: NDArray[np.bool_]) -> Ints:
        """Return which class has records of whom, for some cells."""
        assert self._cube.units is not None
        chosen = np.flatnonzero(cells)
        places = self._cube.records_of(cells)
        class_of = np.repeat(classes.of_cell[chosen], self._cube.n[chosen])
        pairs: Ints = np.unique(np.stack([class_of, self._cube.units[places]], axis=1), axis=0)
        return pairs
