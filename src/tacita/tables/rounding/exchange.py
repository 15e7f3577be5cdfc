"""Local search for small-count rounding: single flips and exchanges of one that goes up for one that goes down."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
_PATIENCE = 400


def exchanged(
    touched: Any, target: Reals, counts: Reals, base: int, largest_weight: float, seed: int, end: float
) -> NDArray[np.bool_]:
    """Return which small cells go up to the base.

    `touched` is a sparse matrix of published cells by small inner cells, `target` the sum of the small counts in each
    published cell. The start sends up as many as the counts sum to, largest counts first, each where the published
    cells lack most. Then the flip or exchange that gains most is made until none gains; random kicks go on while there
    is time and they lead to something better.
    """
    columns = touched.tocsc()
    up = np.zeros(len(counts), bool)
    lacking = target.copy()
    for _ in range(round(counts.sum() / base)):
        # What a cell would gain in all the published cells that hold it.
        gains = np.abs(lacking) - np.abs(lacking - base)
        gain = columns.T @ gains + 1e-3 * counts
        gain[up] = -np.inf
        best = int(np.argmax(gain))
        up[best] = True
        lacking[_rows(columns, best)] -= base
    best_up, best_cost = up.copy(), _cost(lacking, largest_weight)
    random = np.random.default_rng(seed)
    waited, first = 0, True
    while len(counts) and waited < _PATIENCE and (first or time.monotonic() < end):
        if not first:
            up, lacking = best_up.copy(), target - base * (touched @ best_up.astype(np.float64))
            for cell in random.choice(len(counts), min(len(counts), int(random.integers(2, 6))), replace=False):
                _flip(columns, up, lacking, int(cell), base)
        _descend(columns, up, lacking, base, largest_weight)
        cost = _cost(lacking, largest_weight)
        waited = 0 if cost < best_cost - 1e-9 else waited + 1
        if cost < best_cost or first:
            best_up, best_cost = (up.copy(), cost) if cost <= best_cost else (best_up, best_cost)
        first = False
    return best_up


def _rows(columns: Any, cell: int) -> NDArray[np.int32]:
    rows: NDArray[np.int32] = columns.indices[columns.indptr[cell] : columns.indptr[cell + 1]]
    return rows


def _cost(lacking: Reals, largest_weight: float) -> float:
    off = np.abs(lacking)
    return float(off.sum() + largest_weight * off.max(initial=0))


def _flip(columns: Any, up: NDArray[np.bool_], lacking: Reals, cell: int, base: int) -> None:
    lacking[_rows(columns, cell)] += base if up[cell] else -base
    up[cell] = not up[cell]


def _gains(columns: Any, up: NDArray[np.bool_], lacking: Reals, base: int) -> Reals:
    """Return by how much the summed difference falls when a cell is flipped."""
    rising = np.abs(lacking) - np.abs(lacking - base)
    falling = np.abs(lacking) - np.abs(lacking + base)
    return np.asarray(np.where(up, columns.T @ falling, columns.T @ rising))


def _descend(columns: Any, up: NDArray[np.bool_], lacking: Reals, base: int, largest_weight: float) -> None:
    """Make the flips and exchanges that lower the cost until there is none among the most promising."""
    cost = _cost(lacking, largest_weight)
    for _ in range(10 * len(up)):
        gains = _gains(columns, up, lacking, base)
        order = np.argsort(-gains, kind="stable")[:12]
        best = cost
        move: tuple[int, ...] = ()
        for first in order:
            _flip(columns, up, lacking, int(first), base)
            alone = _cost(lacking, largest_weight)
            if alone < best - 1e-9:
                best, move = alone, (int(first),)
            others = _gains(columns, up, lacking, base)
            others[first] = -np.inf
            second = int(np.argmax(others))
            _flip(columns, up, lacking, second, base)
            both = _cost(lacking, largest_weight)
            if both < best - 1e-9:
                best, move = both, (int(first), second)
            _flip(columns, up, lacking, second, base)
            _flip(columns, up, lacking, int(first), base)
        if not move:
            return
        for cell in move:
            _flip(columns, up, lacking, cell, base)
        cost = best
