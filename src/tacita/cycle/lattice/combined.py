"""Combined plans: recode and suppress together, in the way that loses least.

Four ways to make the same records safe, each told as levels of cells:

- *global*: one node of the lattice for all records; records that are still unsafe are suppressed whole;
- *recode and suppress*: columns are rolled up first, then single cells of unsafe records are suppressed;
- *suppress*: the same without any roll-up;
- *local*: each class of records goes up as far as it needs to (see `local`).

Their losses are measured by the same formula on the records as they would be released, and the smallest wins. The node
of *recode and suppress* is found by walking: from the better of no roll-up and the best node of the lattice, one level
of one attribute at a time, as long as the loss falls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from tacita.cycle.lattice.classes import LatticeClasses, Levels, keys, rolled_up
from tacita.cycle.lattice.heuristic import good_node
from tacita.cycle.lattice.local import SUPPRESSED, LocalPlan, locally_recoded_plan, plan_of
from tacita.cycle.lattice.models import violating
from tacita.cycle.lattice.problem import LatticeOptimum, Problem, evaluated
from tacita.cycle.lattice.search import MOST_NODES, best_node
from tacita.errors import UsageError, did_you_mean, listed
from tacita.progress import Progress, silent

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

Way = Literal["global", "recode and suppress", "suppress", "local"]
WAYS: tuple[Way, ...] = get_args(Way)

_LARGEST_SEARCH = 1_000_000_000  # combinations times nodes: above this a proof takes minutes
_WALK = 80  # plans tried on a walk
_STEP = 20_000_000  # the work for each of them


@dataclass(frozen=True, slots=True)
class CombinedPlan:
    """The way that loses least, and what the others would have lost."""

    way: Way
    whole: Mapping[str, int]
    """Attributes whose whole column is rolled up, and to which level; every cell is at this level or above."""
    cells: LocalPlan
    """The level of each cell of each combination."""
    considered: Mapping[str, float]
    """The loss of every way that was looked at and can be gone."""

    @property
    def score(self) -> float:
        """The granularity loss."""
        return self.cells.score


def node_of(problem: Problem, progress: Progress = silent) -> LatticeOptimum | None:
    """Return the best node with its proof where that takes seconds, otherwise a good one."""
    if problem.nodes <= MOST_NODES and problem.nodes * len(problem.base) <= _LARGEST_SEARCH:
        return best_node(problem, progress)
    budget = max(100, min(2000, _LARGEST_SEARCH // max(10 * len(problem.base), 1)))
    return good_node(problem, budget=budget, progress=progress)


def cheapest_plan(problem: Problem, ways: Sequence[Way] = WAYS, *, progress: Progress = silent) -> CombinedPlan | None:
    """Return the plan with the smallest loss among some ways, or None if none makes all records safe.

    At the same loss the earlier way wins: fewer kinds of change are easier to explain.
    """
    for way in ways:
        if way not in WAYS:
            raise UsageError(f"no way '{way}' to recode{did_you_mean(way, WAYS)}", do=f"use one of: {listed(WAYS)}")
    plans: dict[str, tuple[Levels, LocalPlan]] = {}
    bottom = (0,) * len(problem.ladders)
    optimum = node_of(problem, progress) if {"global", "recode and suppress"} & set(ways) else None
    for way in ways:
        best: tuple[Levels, LocalPlan | None] = (bottom, None)
        if way == "global" and optimum is not None:
            levels = tuple(optimum.levels.values())
            best = levels, _global_plan(problem, levels, optimum)
        elif way == "recode and suppress" and optimum is not None:
            best = _walked(problem, [bottom, tuple(optimum.levels.values())])
        elif way == "suppress":
            best = bottom, locally_recoded_plan(problem, only_suppression=True)
        elif way == "local":
            best = bottom, locally_recoded_plan(problem)
        if best[1] is not None:
            plans[way] = best[0], best[1]
    if not plans:
        return None
    chosen = min(ways, key=lambda way: plans[way][1].score if way in plans else float("inf"))
    floor, cells = plans[chosen]
    whole = {name: level for name, level in zip(problem.names, floor, strict=True) if level}
    considered = {way: plan.score for way, (_, plan) in plans.items()}
    return CombinedPlan(chosen, MappingProxyType(whole), cells, MappingProxyType(considered))


def _walked(problem: Problem, starts: Sequence[Levels]) -> tuple[Levels, LocalPlan | None]:
    """Return the levels of columns with which suppressing cells loses least, as far as a walk finds them."""
    tried: dict[Levels, LocalPlan | None] = {}

    def loss(levels: Levels) -> float:
        if levels not in tried:
            tried[levels] = locally_recoded_plan(problem, floor=levels, only_suppression=True, work=_STEP)
        plan = tried[levels]
        return float("inf") if plan is None else plan.score

    here = min(dict.fromkeys(starts), key=loss)
    while len(tried) < _WALK:
        steps = [
            (*here[:place], level + change, *here[place + 1 :])
            for place, (level, height) in enumerate(zip(here, problem.heights, strict=True))
            for change in (-1, 1)
            if 0 <= level + change <= height
        ]
        nearest = min(steps, key=lambda levels: (loss(levels), levels), default=here)
        if loss(nearest) >= loss(here):
            break
        here = nearest
    return here, tried[here]


def _global_plan(problem: Problem, levels: Levels, optimum: LatticeOptimum) -> LocalPlan | None:
    """Return a node as levels of cells: those of the node, or nulls for combinations that are still unsafe."""
    import numpy as np

    classes = rolled_up(problem.base, levels, problem.ladders)
    _, bad = evaluated(problem, classes)
    if bad.all() and len(classes):
        # With nothing kept, the suppressed records have but each other to hide among.
        histogram = None if classes.histogram is None else classes.histogram.sum(axis=0, keepdims=True)
        alone = LatticeClasses(levels, (), np.array([problem.records]), histogram)
        if violating(problem.models, alone, problem.whole).any():
            return None
    labels = [
        rung.climb(0, level)[label]
        for rung, level, label in zip(problem.ladders, levels, problem.base.labels, strict=True)
    ]
    sizes = [rung.size(level) for rung, level in zip(problem.ladders, levels, strict=True)]
    of = np.unique(keys(labels, sizes), return_inverse=True)[1]
    cells = np.tile(np.array(levels, dtype=np.int16), (len(problem.base), 1))
    cells[bad[of]] = SUPPRESSED
    # suppressed records all look the same
    numbers = np.where(bad[of], len(classes), of)
    return plan_of(problem, cells, numbers, optimum.checked)
