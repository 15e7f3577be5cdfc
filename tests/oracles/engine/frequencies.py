"""Frequencies, counted one row at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from tacita.model.nulls import tuples_maybe_match

Row = tuple[object, ...]


def frequencies(rows: Sequence[Row]) -> dict[Row, int]:
    """Return how often each combination of values occurs; a missing value is a value like any other."""
    return dict(Counter(rows))


def sample_uniques(rows: Sequence[Row], thresholds: Sequence[int] = (2, 3, 5)) -> dict[str, int]:
    """Return tuples, combinations, sample uniques, and tuples under each threshold."""
    counted = frequencies(rows)
    figures = {
        "tuples": len(rows),
        "combinations": len(counted),
        "uniques": sum(1 for row in rows if counted[row] == 1),
    }
    return figures | {f"under_{k}": sum(1 for row in rows if counted[row] < k) for k in thresholds}


def matching(rows: Sequence[Row], match: Callable[[Row, Row], bool] = tuples_maybe_match) -> list[int]:
    """Return for each row how many rows match it; by default under maybe-match, where groups overlap.

    >>> from tacita.model.nulls import LabelledNull
    >>> matching([("a", LabelledNull("y", 1)), ("a", 1), ("a", 2), ("b", 1)])
    [3, 2, 2, 1]
    """
    return [sum(match(row, other) for other in rows) for row in rows]
