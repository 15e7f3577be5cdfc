"""How many records lie near each one on all attributes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


def neighbours(points: Array, radii: Array) -> Array:
    """Return how many other points lie within the radius of each point on every coordinate.

    A coordinate that is NaN lies within every radius: it may be anything. Points are sorted by which coordinates they
    have, and each two such groups are compared on the coordinates that both have.

    >>> import numpy as np
    >>> neighbours(np.array([[0.0, 0], [1, 1], [3, np.nan], [3, 3]]), np.array([1.0, 1, 1, 2]))
    array([1, 1, 1, 2])
    """
    import numpy as np

    missing = np.isnan(points)
    patterns, group = np.unique(missing, axis=0, return_inverse=True)
    members = [np.flatnonzero(group.reshape(-1) == g) for g in range(len(patterns))]
    found = np.full(len(points), -1, dtype=np.int64)  # a point is not its own neighbour
    for ours, mine in zip(patterns, members, strict=True):
        for theirs, yours in zip(patterns, members, strict=True):
            both = ~(ours | theirs)
            found[mine] += _within(points[np.ix_(mine, both)], radii[mine], points[np.ix_(yours, both)])
    return found


def _within(targets: Array, radii: Array, points: Array) -> Array:
    """Return how many points lie within the radius of each target."""
    import numpy as np

    if targets.shape[1] == 0:
        return np.full(len(targets), len(points))
    if targets.shape[1] == 1:
        line, at = np.sort(points[:, 0]), targets[:, 0]
        inside: Array = np.searchsorted(line, at + radii, "right") - np.searchsorted(line, at - radii, "left")
        return inside
    return _in_cubes(targets, radii, points)


def _in_cubes(targets: Array, radii: Array, points: Array) -> Array:
    """Count with trees of different points.

    Released numbers repeat: many are 0, rounded or averaged. A tree slows down where points coincide, so each place
    is in a tree once. How often it occurs is written in binary, with a tree for each bit.
    """
    import numpy as np
    from scipy.spatial import cKDTree

    asked, back = np.unique(np.column_stack([targets, radii]), axis=0, return_inverse=True)
    places, times = np.unique(points, axis=0, return_counts=True)
    total = np.zeros(len(asked), dtype=np.int64)
    for bit in range(int(times.max()).bit_length()):
        here = places[(times >> bit) & 1 == 1]
        if len(here):
            tree = cKDTree(here, leafsize=64)
            total += tree.query_ball_point(asked[:, :-1], asked[:, -1], p=np.inf, return_length=True) << bit
    counted: Array = total[back.reshape(-1)]
    return counted
