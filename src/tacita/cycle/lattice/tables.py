"""Classes of nodes that were looked at: a coarser node is rolled up from the smallest table below it."""

from __future__ import annotations

from tacita.cycle.lattice.classes import LatticeClasses, Levels, rolled_up
from tacita.cycle.lattice.problem import Problem

_ROWS = 2_000_000  # of all tables together: some 100 MB


class CodeTables:
    """A store of classes by node; mutable, and forgets the largest first."""

    def __init__(self, problem: Problem) -> None:
        import numpy as np

        self._problem = problem
        self._held: list[LatticeClasses] = [problem.base]
        self._levels = np.zeros((1, len(problem.ladders)), dtype=np.int8)
        self._sizes = np.array([len(problem.base)])

    def at(self, levels: Levels) -> LatticeClasses:
        """Return the classes of a node."""
        import numpy as np

        below = np.flatnonzero((self._levels <= np.array(levels, dtype=np.int8)).all(axis=1))
        source = self._held[int(below[np.argmin(self._sizes[below])])]
        if source.levels == levels:
            return source
        made = rolled_up(source, levels, self._problem.ladders)
        # A table is worth keeping if it is much smaller than what it was made from.
        if len(made) * 2 < len(source):
            self._keep(made)
        return made

    def _keep(self, made: LatticeClasses) -> None:
        import numpy as np

        self._held.append(made)
        self._levels = np.vstack([self._levels, np.array(made.levels, dtype=np.int8)])
        self._sizes = np.append(self._sizes, len(made))
        while len(self._held) > 2 and self._sizes[1:].sum() > _ROWS:
            largest = 1 + int(np.argmax(self._sizes[1:]))
            del self._held[largest]
            self._levels = np.delete(self._levels, largest, axis=0)
            self._sizes = np.delete(self._sizes, largest)
