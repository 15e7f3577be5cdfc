"""The Pareto frontier of an R-U map: the points that no other one beats on both risk and loss."""

from __future__ import annotations

from collections.abc import Sequence


def frontier(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Return the places of points that are not dominated, by falling risk; of equal points the first.

    A point dominates another if it is lower in one figure and not higher in the other.

    >>> frontier([(10.0, 50.0), (20.0, 20.0), (30.0, 30.0), (5.0, 80.0)])
    (1, 0, 3)
    """
    order = sorted(range(len(points)), key=lambda i: (points[i][0], points[i][1], i))
    kept: list[int] = []
    least = float("inf")
    for place in order:
        if points[place][1] < least:
            kept.append(place)
            least = points[place][1]
    return tuple(reversed(kept))
