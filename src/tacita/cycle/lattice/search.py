"""The best node of the generalisation lattice, proven to be so.

The lattice is that of Samarati and Sweeney: a node says to which level each whole column is rolled up, and classes that
violate a model are suppressed, up to a limit. What is skipped, and why nothing is missed:

- *By the loss of generalisation alone.* Suppressing a record sets its shares to 1 and never lowers them. So the loss of
  a node without any suppression bounds its loss from below, and it is a sum over attributes that costs nothing.
- *By records that are lost anyway.* In a monotone model (see `models`) a record that is suppressed at a node is
  suppressed at every finer node. With the shares of these records set to 1, the bound of all finer nodes rises; if
  there are more of them than the limit allows, all finer nodes are out. Models that are not monotone contribute the
  monotone model that they imply, and nothing if they imply none.
- *Without suppression* every model here is kept by unions of classes that satisfy it: a node that violates it has no
  finer node that satisfies it.

Nodes are taken by their bound, lowest first. From each, a path of cheapest steps leads up, and a binary search on it
finds the coarsest node whose lost records rule the first one out, and with it everything below. Of nodes with the same
loss the one with the smallest levels wins, attribute by attribute.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tacita.cycle.lattice.classes import LatticeClasses, Levels
from tacita.cycle.lattice.models import PrivacyModel, violating
from tacita.cycle.lattice.problem import CodeTables, LatticeEvaluation, LatticeOptimum, Problem, evaluated, sums_of
from tacita.errors import UsageError
from tacita.progress import Progress, Step, silent

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

MOST_NODES = 1_000_000
"""Above this a lattice is left to the heuristic."""

_SAME = 1e-12  # losses closer than this are ties


def best_node(problem: Problem, progress: Progress = silent) -> LatticeOptimum | None:
    """Return the best node, or None if no node satisfies the models within the limit."""
    if problem.nodes > MOST_NODES:
        raise UsageError(
            f"the lattice has {problem.nodes:,} nodes", do="use the heuristic, or fewer attributes or levels"
        )
    search = _Search(problem)
    while len(search.open):
        search.step()
        progress(Step("searching the lattice", search.settled, problem.nodes))
    best = search.best
    if best is None:
        return None
    levels = dict(zip(problem.names, best.levels, strict=True))
    return LatticeOptimum(levels, best.score, best.suppressed, search.checked, problem.nodes, is_proven=True)


@dataclass(slots=True)
class _Search:
    """The state of a search: nodes that may still be the best, and what bounds them from below."""

    problem: Problem
    tables: CodeTables = field(init=False)
    lasting: tuple[PrivacyModel, ...] = field(init=False)
    """Models by which a record that is lost at a node is lost at all finer ones."""
    nodes: Array = field(init=False)
    """All nodes, one per row, in the order of their levels."""
    bounds: Array = field(init=False)
    open: Array = field(init=False)
    """The numbers of nodes that may still be the best."""
    is_open: Array = field(init=False)
    """The same, for each node."""
    parts: list[Array] = field(init=False)
    """For each attribute the loss of each level without suppression."""
    best: LatticeEvaluation | None = None
    checked: int = 0
    seen: set[Levels] = field(default_factory=set)

    def __post_init__(self) -> None:
        import numpy as np

        problem = self.problem
        self.tables = CodeTables(problem)
        implied = [model if model.is_monotone else model.monotone_part() for model in problem.models]
        self.lasting = tuple(model for model in implied if model is not None)
        grids = np.meshgrid(*(np.arange(h + 1, dtype=np.int8) for h in problem.heights), indexing="ij")
        self.nodes = np.stack([grid.ravel() for grid in grids], axis=1)
        rooms = [problem.records - float(sums[0]) for sums in problem.sums]
        self.parts = [
            (sums - sums[0]) / room if room > 0 else sums * 0 for sums, room in zip(problem.sums, rooms, strict=True)
        ]
        self.open = np.arange(len(self.nodes))
        self.is_open = np.ones(len(self.nodes), dtype=bool)
        self.bounds = self._together(self.parts, self.nodes)

    @property
    def settled(self) -> int:
        """How many nodes are settled."""
        return self.problem.nodes - len(self.open)

    def step(self) -> None:
        """Rule out the open node with the lowest bound, and as much else as possible, or take it."""
        import numpy as np

        start = self.open[np.argmin(self.bounds[self.open])]
        path = self._path(start)
        low, high = 0, len(path) - 1
        # The lost records shrink on the way up: find the last node of the path that still rules the first one out.
        while low <= high:
            middle = (low + high) // 2
            self._look(path[middle])
            low, high = (middle + 1, high) if not self.is_open[start] else (low, middle - 1)

    def _path(self, start: int) -> list[int]:
        """Return a way from a node to the top over open nodes, each time by the cheapest step."""
        strides = [math.prod(h + 1 for h in self.problem.heights[i + 1 :]) for i in range(len(self.problem.heights))]
        path, here = [int(start)], int(start)
        while True:
            levels = self.nodes[here]
            steps = [
                here + stride
                for stride, level, height in zip(strides, levels, self.problem.heights, strict=True)
                if level < height and self.is_open[here + stride]
            ]
            if not steps:
                return path
            here = min(steps, key=lambda node: (self.bounds[node], node))
            path.append(here)

    def _look(self, node: int) -> None:
        """Evaluate a node, and raise the bounds of all finer ones."""
        import numpy as np

        levels = tuple(int(level) for level in self.nodes[node])
        if levels in self.seen:
            return
        self.seen.add(levels)
        self.checked += 1
        classes = self.tables.at(levels)
        evaluation, bad = evaluated(self.problem, classes)
        if evaluation.is_feasible and self._is_better(evaluation):
            self.best = evaluation
        open_ = self.open[self.open != node]
        below = (self.nodes[open_] <= self.nodes[node]).all(axis=1)
        lost = bad
        if self.problem.allowed:
            lost = violating(self.lasting, classes, self.problem.whole)
        count = int(classes.counts[lost].sum())
        if count > self.problem.allowed:
            open_ = open_[~below]
        elif count and below.any():
            finer = open_[below]
            raised = self._together(self._raised(classes, lost), self.nodes[finer])
            self.bounds[finer] = np.maximum(self.bounds[finer], raised)
        if self.best is not None:
            open_ = open_[self.bounds[open_] <= self.best.score + _SAME]
        self.is_open[self.open] = False
        self.is_open[open_] = True
        self.open = open_

    def _is_better(self, evaluation: LatticeEvaluation) -> bool:
        if self.best is None:
            return True
        if abs(evaluation.score - self.best.score) <= _SAME:
            return evaluation.levels < self.best.levels
        return evaluation.score < self.best.score

    def _raised(self, classes: LatticeClasses, lost: Array) -> list[Array]:
        """Return for each attribute the loss of each level up to that of the node if these records are lost.

        Of a lost class only the label is known, not the values below it. Their shares at a finer level are at most that
        of the label, so with 1 minus that share the loss is not overstated.
        """
        gone = float(classes.counts[lost].sum())
        raised = []
        for part, own, sums in zip(self.parts, sums_of(self.problem, classes, lost), self.problem.sums, strict=True):
            room = self.problem.records - float(sums[0])
            raised.append(part + ((gone - own) / room if room > 0 else 0.0))
        return raised

    def _together(self, parts: list[Array], nodes: Array) -> Array:
        import numpy as np

        weights = np.array(self.problem.terms.weights or [1.0] * len(parts))
        weights = weights / weights.sum()
        if self.problem.terms.mean == "arithmetic":
            total: Array = sum(w * part[nodes[:, i]] for i, (w, part) in enumerate(zip(weights, parts, strict=True)))
            return total
        logs = sum(w * np.log1p(part)[nodes[:, i]] for i, (w, part) in enumerate(zip(weights, parts, strict=True)))
        return np.asarray(np.expm1(logs))
