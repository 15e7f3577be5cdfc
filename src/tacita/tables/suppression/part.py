"""A part of a problem: some places, some equations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.problem import SuppressionProblem


def part_of(problem: SuppressionProblem, places: NDArray[np.int64], rows: NDArray[np.int64]) -> SuppressionProblem:
    """Return the problem over some places and equations; contributors do not attack there."""
    return replace(
        problem,
        sums=problem.sums[rows][:, places].tocsr(),
        down=problem.down[places],
        up=problem.up[places],
        lower=problem.lower[places],
        upper=problem.upper[places],
        sliding=problem.sliding[places],
        cost=problem.cost[places],
        withheld=problem.withheld[places],
        fixed=problem.fixed[places],
        owners=np.full(len(places), -1, np.int64),
        known_by={},
    )
