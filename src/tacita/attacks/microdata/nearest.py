"""The nearest records, and how many are equally near: exactly, for tens of thousands of records on either side.

Records that are the same are taken once. Where all axes are numbers without gaps, a k-d tree finds what is near;
otherwise a scan along the axis with most values does, which leaves off when the distance along that axis, or the part
of the distance that it has summed up, is too large already. There never is a matrix of all distances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.space import Codes, Floats, Space
from tacita.progress import Progress, Step, silent

TOLERANCE = 1e-9
"""Squared distances that differ by less, as a share of their size or absolutely, are the same."""
_CHUNK = 2_000
_MOST_AXES = 15
"""With more axes a k-d tree looks at nearly every record, slower than a scan would."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """For each record of the first file what is near it in the second."""

    distance: Floats
    """The squared distance to the nearest record."""
    ties: Floats
    """How many records are as near."""
    second: Floats
    """The squared distance to the nearest of those further away; infinite if there is none."""
    second_ties: Floats
    """How many are as near as that."""


def same(distance: Floats, least: Floats) -> NDArray[np.bool_]:
    """Whether squared distances are no larger than others, but for rounding."""
    is_same: NDArray[np.bool_] = distance <= least * (1 + TOLERANCE) + TOLERANCE
    return is_same


def nearest(space: Space, progress: Progress = silent, doing: str = "nearest records") -> Nearest:
    """Return what is near each record of the first file.

    >>> one = np.array([[0.0], [4.0]])
    >>> none = np.empty((2, 0), np.int32), np.empty((3, 0), np.int32)
    >>> found = nearest(Space((one, one[[0, 0, 1]]), none, np.empty(0)))
    >>> found.ties.tolist(), found.second.tolist()
    ([2.0, 1.0], [16.0, 16.0])
    """
    rows, place = distinct(space, 0)
    others, belongs = distinct(space, 1)
    counts = np.bincount(belongs, minlength=len(others)).astype(np.float64)
    numbers = space.numbers[0][rows], space.numbers[1][others]
    plain = not space.codes[0].shape[1] and 0 < numbers[0].shape[1] <= _MOST_AXES
    if plain and not any(np.isnan(side).any() for side in numbers):
        parts = _by_tree(numbers, counts, progress, doing)
    else:
        parts = _by_scan(space, rows, others, counts, progress, doing)
    return Nearest(*(part[place] for part in parts))


def distinct(space: Space, side: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first place of each distinct record of a file, and for each record which it is."""
    numbers, codes = space.numbers[side], space.codes[side]
    if not numbers.shape[1] + codes.shape[1]:
        return np.zeros(min(1, len(numbers)), dtype=np.int64), np.zeros(len(numbers), dtype=np.int64)
    stacked = np.concatenate(
        [numbers.view(np.uint8).reshape(len(numbers), -1), codes.view(np.uint8).reshape(len(codes), -1)], 1
    )
    keys = np.ascontiguousarray(stacked).view(np.dtype((np.void, stacked.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first.astype(np.int64), which.ravel().astype(np.int64)


def _by_tree(
    numbers: tuple[Floats, Floats], counts: Floats, progress: Progress, doing: str
) -> tuple[Floats, Floats, Floats, Floats]:
    from scipy.spatial import cKDTree

    queries, targets = numbers
    tree = cKDTree(targets)
    distance, ties, second, more = (np.empty(len(queries)) for _ in range(4))
    for start in range(0, len(queries), _CHUNK):
        progress(Step(doing, start, len(queries)))
        part = slice(start, min(start + _CHUNK, len(queries)))
        distances, which = tree.query(queries[part], k=3)
        distance[part], second[part] = distances[:, 0] ** 2, distances[:, 1] ** 2
        ties[part] = counts[which[:, 0]]
        more[part] = np.append(counts, 0.0)[which[:, 1]]  # which is the number of targets if there is but one
        many = same(second[part], distance[part]) | same(distances[:, 2] ** 2, second[part])
        again = np.flatnonzero(many & np.isfinite(second[part])) + start
        _next_shell(tree, queries, counts, again, (distance, ties, second, more))
    return distance, ties, second, more


def _next_shell(
    tree: object, queries: Floats, counts: Floats, rows: NDArray[np.int64], parts: tuple[Floats, ...]
) -> None:
    """Count the ties of records that have several distinct nearest or next ones."""
    distance, ties, second, more = parts
    ask = 8
    while len(rows):
        ask = min(ask, tree.n)  # type: ignore[attr-defined]
        distances, which = tree.query(queries[rows], k=ask)  # type: ignore[attr-defined]
        squares = distances**2
        near = same(squares, distance[rows, None])
        beyond = np.where(near, np.inf, squares).min(axis=1)
        next_ones = ~near & same(squares, np.where(np.isfinite(beyond), beyond, 0.0)[:, None])
        ended = ~(near | next_ones)[:, -1] | (ask == tree.n)  # type: ignore[attr-defined]
        ties[rows[ended]] = (counts[which] * near).sum(axis=1)[ended]
        second[rows[ended]] = beyond[ended]
        more[rows[ended]] = (counts[which] * next_ones).sum(axis=1)[ended]
        rows, ask = rows[~ended], ask * 4


def _by_scan(
    space: Space,
    rows: NDArray[np.int64],
    others: NDArray[np.int64],
    counts: Floats,
    progress: Progress,
    doing: str,
) -> tuple[Floats, Floats, Floats, Floats]:
    from tacita.attacks.microdata.scan import scan

    targets = space.numbers[1][others]
    axis = _axis(targets)
    along = targets[:, axis] if axis >= 0 else np.full(len(others), np.nan)
    order, codes, starts = _grouped(space.codes[1][others], along)
    targets, counts = targets[order], counts[order]
    # records without a value on the axis come last in their group
    ranked = starts[1:] - np.add.reduceat(np.isnan(along[order]), starts[:-1])
    own_order, _, _ = _grouped(space.codes[0][rows], np.zeros(len(rows)))
    shells = np.empty((len(rows), 4))
    for start in range(0, len(rows), _CHUNK):
        progress(Step(doing, start, len(rows)))
        places = own_order[start : start + _CHUNK]
        part = rows[places]
        _, own_codes, own_starts = _grouped(space.codes[0][part], np.zeros(len(part)))
        of_numbers, of_codes = space.absent(part)
        shells[places] = scan(
            space.numbers[0][part],
            of_numbers,
            own_codes,
            of_codes[own_starts[:-1]],
            own_starts,
            targets,
            codes,
            starts,
            ranked,
            counts,
            space.penalties,
            axis,
            TOLERANCE,
        )
    return shells[:, 0], shells[:, 1], shells[:, 2], shells[:, 3]


def _grouped(codes: Codes, along: Floats) -> tuple[NDArray[np.int64], Codes, NDArray[np.int64]]:
    """Return records in groups of the same labels, in order of a number: their places, the labels, where groups
    start."""
    order = np.lexsort((along, *codes.T))
    line = codes[order]
    first = np.flatnonzero(np.r_[True, (line[1:] != line[:-1]).any(axis=1)]) if len(line) else np.empty(0, np.int64)
    return (
        order.astype(np.int64),
        np.ascontiguousarray(line[first]),
        np.r_[first, len(line)].astype(np.int64),
    )


def _axis(targets: Floats) -> int:
    """Return the axis of numbers with most distinct values; -1 if there is none."""
    counts = [len(np.unique(column[~np.isnan(column)])) for column in targets.T]
    return int(np.argmax(counts)) if counts else -1
