"""Small changes of a table that keep every sum: the attacker's alternatives that leave most cells alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.system.blocks import Blocks
from tacita.attacks.tables.system.polytope import Polytope
from tacita.attacks.tables.system.possible_tables import Numbers, Places

WANTED = 1e5
"""What reaching a unit of the goal is worth beside touching a unit of another cell."""


class Circulations:
    """Changes of the true table, in the free numbers of some blocks, found with the fewest cells touched.

    A change is up minus down, both at least zero and within the room that the bounds leave; it keeps every sum. The sum
    of all movements is made small (so most cells stay), `weight` says which ones had better stay.
    """

    def __init__(self, group: Blocks, start: Numbers, weight: Numbers) -> None:
        from scipy.sparse import csr_array, hstack

        self.group, self.start = group, start
        self._by = group.scale[group.block]
        self._up, self._down = np.maximum(group.highest - start, 0.0), np.maximum(start - group.lowest, 0.0)
        self._cost = np.concatenate((weight, weight))
        rows = group.matrix.shape[0]
        both = csr_array(hstack((group.matrix, -group.matrix), format="csr"))
        room = np.concatenate((self._up, self._down)) / np.concatenate((self._by, self._by))
        self._solver = Polytope(both, np.zeros(rows), np.zeros(2 * len(start)), room, dual=True)
        self._room = room
        self._changed: Places = np.zeros(0, np.int64)

    def change(self, places: Places, by: Numbers, lower: Numbers, upper: Numbers) -> Numbers | None:
        """Return a change that moves each of `places` by so much, or as near to it as can be beside the others.

        `lower` and `upper` are the bounds, for all numbers, of attackers who know more.
        """
        n = len(self.start)
        room = np.concatenate(
            (
                np.minimum(self._up, np.maximum(upper - self.start, 0.0)),
                np.minimum(self._down, np.maximum(self.start - lower, 0.0)),
            )
        )
        room = room / np.concatenate((self._by, self._by))
        wish = -self._cost
        forward = places + np.where(by > 0, 0, n)
        backward = places + np.where(by > 0, n, 0)
        room[forward] = np.minimum(room[forward], np.abs(by) / self._by[places])
        room[backward] = 0.0
        wish[forward] = WANTED
        # Rooms that differ from the last question are all that the solver hears of.
        changed = np.flatnonzero(room != self._room)
        self._solver.bound(changed, np.zeros(len(changed)), room[changed])
        self._room = room
        point, _, _ = self._solver.largest(wish)
        if point is None:
            return None
        moved: Numbers = (point[:n] - point[n:]) * self._by
        moved[np.abs(moved) <= 1e-9 * self.group.size[self.group.block]] = 0.0
        return moved

    def parts(self, moved: Numbers) -> Places:
        """Return the number of the part of a change that each number moves in (-1: it stays).

        Numbers are in one part when sums bind them. A part keeps every sum by itself.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        moving = np.flatnonzero(moved)
        touching = csr_array(self.group.matrix[:, moving])
        entries = touching.tocoo()
        rows, count = touching.shape
        graph = csr_array((np.ones(entries.nnz), (entries.row, entries.col + rows)), shape=(rows + count, rows + count))
        _, labels = connected_components(graph, directed=False)
        parts = np.full(len(moved), -1, np.int64)
        parts[moving] = np.unique(labels[rows:], return_inverse=True)[1]
        return parts

    def steps(self, moved: Numbers, part: Places) -> tuple[Numbers, Numbers]:
        """Return, for each part of a change, how many times it fits forward and backward within the bounds."""
        moving = np.flatnonzero(part >= 0)
        change, up, down = moved[moving], self._up[moving], self._down[moving]
        steps = []
        for ahead, behind in ((up, down), (down, up)):
            most = np.full(int(part.max(initial=-1)) + 1, np.inf)
            np.minimum.at(most, part[moving], np.where(change > 0, ahead, behind) / np.abs(change))
            steps.append(np.floor(most + 1e-9) if self.group.whole else most)
        return steps[0], steps[1]

    def proved(self, moved: Numbers) -> NDArray[np.bool_]:
        """Return, for each block, whether the changed table passes the plain check."""
        _, slip = self.group.checked(self.start + moved)
        return np.isfinite(slip)
