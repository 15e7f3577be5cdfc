"""A good node of a lattice that is too large to search: many attributes, or many combinations.

From the top, where everything is the same, the search goes down by the step that leaves the least loss, as long as the
models hold within the limit. Where no step helps, it goes on from the best node that it has seen and not yet left, up
and down, until its budget of nodes is spent. The budget counts nodes and not seconds, so the result does not depend on
the machine. Ties go to the node with the smallest levels.
"""

from __future__ import annotations

import heapq

from tacita.cycle.lattice.classes import Levels
from tacita.cycle.lattice.problem import CodeTables, LatticeEvaluation, LatticeOptimum, Problem, evaluated
from tacita.errors import UsageError
from tacita.progress import Progress, Step, silent


def good_node(problem: Problem, *, budget: int = 1000, progress: Progress = silent) -> LatticeOptimum | None:
    """Return the best of so many nodes, or None if none of them satisfies the models within the limit."""
    if budget < 1:
        raise UsageError(f"the budget is {budget} nodes", do="give a number of nodes from 1 on")
    tables = CodeTables(problem)
    seen: dict[Levels, LatticeEvaluation] = {}
    waiting: list[tuple[float, int, Levels]] = []
    best: LatticeEvaluation | None = None
    fresh = [problem.heights]
    while fresh:
        for levels in fresh:
            evaluation, _ = evaluated(problem, tables.at(levels))
            seen[levels] = evaluation
            if evaluation.is_feasible:
                heapq.heappush(waiting, (evaluation.score, sum(levels), levels))
                if best is None or (evaluation.score, evaluation.levels) < (best.score, best.levels):
                    best = evaluation
        progress(Step("searching the lattice", len(seen), min(budget, problem.nodes)))
        fresh = []
        while waiting and not fresh and len(seen) < budget:
            *_, levels = heapq.heappop(waiting)
            fresh = [node for node in _beside(levels, problem.heights) if node not in seen][: budget - len(seen)]
    if best is None:
        return None
    named = dict(zip(problem.names, best.levels, strict=True))
    proven = len(seen) == problem.nodes
    return LatticeOptimum(named, best.score, best.suppressed, len(seen), problem.nodes, is_proven=proven)


def _beside(levels: Levels, heights: Levels) -> list[Levels]:
    """Return the nodes one step finer, then those one step coarser."""
    steps = []
    for change in (-1, 1):
        for place, (level, height) in enumerate(zip(levels, heights, strict=True)):
            if 0 <= level + change <= height:
                steps.append((*levels[:place], level + change, *levels[place + 1 :]))
    return steps
