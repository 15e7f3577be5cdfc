"""The shortest path of Hansen and Mukherjee through sorted values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def shortest_path(values: Any, k: int) -> Any:
    """Return the group of each of the sorted values.

    ``cost[j]`` is the least SSE of the first j values. The SSE of the values from i up to j grows with each one that is
    added in front, by Welford's update: differences of sums of squares would cancel where values are large and close.
    """
    size = len(values)
    cost = np.full(size + 1, np.inf)
    before = np.zeros(size + 1, np.int64)
    cost[0] = 0.0
    for j in range(k, size + 1):
        mean, squares = 0.0, 0.0
        for i in range(j - 1, max(j - 2 * k, -1), -1):
            length = j - i
            gap = values[i] - mean
            mean += gap / length
            squares += gap * (values[i] - mean)
            if length >= k and cost[i] + squares < cost[j]:
                cost[j], before[j] = cost[i] + squares, i
    starts = np.zeros(size, np.int64)
    j = size
    while j > 0:
        j = before[j]
        if j > 0:
            starts[j] = 1
    return np.cumsum(starts)
