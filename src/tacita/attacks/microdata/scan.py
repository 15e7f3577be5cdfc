"""The scan behind `nearest`, compiled: numbers and labels, with gaps on either side."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tacita.attacks.microdata.space import Codes, Floats

_LEAST, _TIES, _SECOND, _MORE = range(4)


@njit(cache=True, nogil=True)
def _enter(state: Floats, here: float, count: float, tolerance: float) -> None:
    """Bring the least squared distance, its ties, the next larger one and its ties up to date with one more record."""
    least, second = state[_LEAST], state[_SECOND]
    if here <= least * (1 + tolerance) + tolerance and least <= here * (1 + tolerance) + tolerance:
        state[_LEAST] = min(least, here)
        state[_TIES] += count
    elif here < least:
        state[_SECOND], state[_MORE] = least, state[_TIES]
        state[_LEAST], state[_TIES] = here, count
    elif here <= second * (1 + tolerance) + tolerance and second <= here * (1 + tolerance) + tolerance:
        state[_SECOND] = min(second, here)
        state[_MORE] += count
    elif here < second:
        state[_SECOND], state[_MORE] = here, count


@njit(cache=True, nogil=True)
def _look(
    own: Floats,
    absent: Floats,
    others: Floats,
    counts: Floats,
    places: tuple[int, int, int],
    axis: int,
    penalty: float,
    state: Floats,
    tolerance: float,
) -> None:
    """Look at records in steps of one place, until a difference on the axis alone is too large (axis -1: to the
    end)."""
    bound = state[_SECOND] * (1 + tolerance) + tolerance
    for place in range(places[0], places[1], places[2]):
        if axis >= 0:
            gap = others[place, axis] - own[axis]
            if penalty + gap * gap > bound:
                return
        total = penalty
        for number in range(len(own)):
            value, other = own[number], others[place, number]
            if not np.isnan(value):
                total += absent[number] if np.isnan(other) else (value - other) * (value - other)
                if total > bound:
                    break
        if total <= bound:
            _enter(state, total, counts[place], tolerance)
            bound = state[_SECOND] * (1 + tolerance) + tolerance


@njit(cache=True, nogil=True)
def _look_around(
    own: Floats,
    absent: Floats,
    others: Floats,
    counts: Floats,
    first: int,
    ranked: int,
    end: int,
    axis: int,
    penalty: float,
    state: Floats,
    tolerance: float,
) -> None:
    """Look at a group from `first` to `end`, of which those up to `ranked` stand in the order of their values on an
    axis.

    A record that has a value there looks at some neighbours on both sides first, so that the bound is low when it goes
    on.
    """
    if axis < 0 or np.isnan(own[axis]):
        _look(own, absent, others, counts, (first, end, 1), -1, penalty, state, tolerance)
        return
    low, high = first, ranked
    while low < high:
        middle = (low + high) // 2
        if others[middle, axis] < own[axis]:
            low = middle + 1
        else:
            high = middle
    near = 64
    upper, lower = min(low + near, ranked), max(low - near, first)
    _look(own, absent, others, counts, (low, upper, 1), axis, penalty, state, tolerance)
    _look(own, absent, others, counts, (low - 1, lower - 1, -1), axis, penalty, state, tolerance)
    _look(own, absent, others, counts, (upper, ranked, 1), axis, penalty, state, tolerance)
    _look(own, absent, others, counts, (lower - 1, first - 1, -1), axis, penalty, state, tolerance)
    _look(own, absent, others, counts, (ranked, end, 1), -1, penalty, state, tolerance)


@njit(cache=True, nogil=True)
def scan(
    numbers: Floats,
    absent_numbers: Floats,
    codes: Codes,
    absent_codes: Floats,
    starts: NDArray[np.int64],
    other_numbers: Floats,
    other_codes: Codes,
    other_starts: NDArray[np.int64],
    ranked: NDArray[np.int64],
    counts: Floats,
    penalties: Floats,
    axis: int,
    tolerance: float,
) -> Floats:
    """Return for each record: squared distance to the nearest, ties, and the same for the next ones further away.

    Both files stand in groups of the same labels, from one start to the next; `codes` are those of the groups. First
    come the groups whose labels are nearest; of the others those are left out whose labels alone are too far away.
    """
    shells = np.empty((len(numbers), 4))
    groups = len(other_codes)
    apart = np.empty(groups)
    for one in range(len(codes)):
        for two in range(groups):
            total = 0.0
            for label in range(codes.shape[1]):
                if codes[one, label] >= 0:
                    if other_codes[two, label] < 0:
                        total += absent_codes[one, label]
                    elif codes[one, label] != other_codes[two, label]:
                        total += penalties[label]
            apart[two] = total
        closest = apart.min()
        for row in range(starts[one], starts[one + 1]):
            state = shells[row]
            state[_LEAST], state[_TIES], state[_SECOND], state[_MORE] = np.inf, 0.0, np.inf, 0.0
            for later in (False, True):
                for two in range(groups):
                    if (apart[two] > closest) != later:
                        continue
                    if apart[two] > state[_SECOND] * (1 + tolerance) + tolerance:
                        continue
                    _look_around(
                        numbers[row],
                        absent_numbers[row],
                        other_numbers,
                        counts,
                        other_starts[two],
                        ranked[two],
                        other_starts[two + 1],
                        axis,
                        apart[two],
                        state,
                        tolerance,
                    )
    return shells
