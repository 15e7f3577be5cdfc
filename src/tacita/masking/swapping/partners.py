"""Partners for those who want to swap: of the same block, in another area, each used once."""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
_TRIES = 16
"""So many partners are drawn before all of a block are looked at."""


def paired(
    wanted: Places, pairs: int, block: Places, area: Places, free: NDArray[np.bool_], random: np.random.Generator
) -> Places:
    """Return at most `pairs` pairs, of one block and two areas; the first is wanted, in that order, and both were free.

    Any free unit that fits is equally likely to be the partner. `free` is updated.

    >>> free = np.array([True, True, True, False])
    >>> areas = np.array([5, 5, 6, 6])
    >>> paired(np.array([1]), 9, np.zeros(4, dtype=np.int64), areas, free, np.random.default_rng(1)).tolist()
    [[1, 2]]
    >>> free.tolist()
    [True, False, False, False]
    """
    new_pairs: list[tuple[int, int]] = []
    # Single draws from numpy's generator cost more than the rest of the loop.
    draw = Random(int(random.integers(2**63)))
    pools = _pools(block, block[wanted], free)
    exhausted: set[tuple[int, int]] = set()
    for unit in wanted.tolist():
        if len(new_pairs) == pairs:
            break
        home = int(block[unit]), int(area[unit])
        if not free[unit] or home in exhausted:
            continue
        other = _partner(unit, pools[home[0]], area, free, draw)
        if other < 0:
            exhausted.add(home)  # what is free only becomes less
            continue
        free[unit] = free[other] = False
        new_pairs.append((unit, other))
    return np.array(new_pairs, dtype=np.int64).reshape(-1, 2)


def _pools(block: Places, wanted: Places, free: NDArray[np.bool_]) -> dict[int, Places]:
    """Return the free units of each block in which somebody wants to swap."""
    is_wanted = np.zeros(int(block.max(initial=-1)) + 1, dtype=bool)
    is_wanted[wanted] = True
    units = np.flatnonzero(free & is_wanted[block])
    units = units[np.argsort(block[units], kind="stable")]
    parts = np.split(units, np.flatnonzero(np.diff(block[units])) + 1)
    return {int(block[part[0]]): part for part in parts if len(part)}


def _partner(unit: int, pool: Places, area: Places, free: NDArray[np.bool_], draw: Random) -> int:
    for _ in range(_TRIES):
        other = int(pool[draw.randrange(len(pool))])
        if free[other] and area[other] != area[unit]:
            return other
    fits = pool[free[pool] & (area[pool] != area[unit])]
    return int(fits[draw.randrange(len(fits))]) if len(fits) else -1
