"""A movement: another table that fits what is published, told by how it differs from the true one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Movement(NamedTuple):
    """Some cells, and by how much each is moved; every sum stays as it is.

    Whoever finds a movement, it proves how far its cells may be from their true values; it is as good as its
    arithmetic, which anybody can check. Internal: it tells true values.
    """

    cells: NDArray[np.int64]
    delta: NDArray[np.float64]
