"""What each plan of an engine means, said naively in plain Python: the oracle of the tests, never used for work.

Rows are tuples of Python values, None for a missing one. Everything is counted one row at a time.
"""

from __future__ import annotations

import math
import statistics
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


def value_summary(values: Sequence[object]) -> dict[str, float]:
    """Return rows, missing, distinct, singles and Σ n·log2(n)."""
    counted = Counter(value for value in values if value is not None)
    return {
        "rows": len(values),
        "missing": sum(value is None for value in values),
        "distinct": len(counted),
        "singles": sum(n == 1 for n in counted.values()),
        "n_log_n": math.fsum(n * math.log2(n) for n in counted.values()),
    }


def number_summary(values: Sequence[float | None]) -> dict[str, float | None]:
    """Return mean and sample standard deviation of the finite values."""
    finite = [value for value in values if value is not None and math.isfinite(value)]
    return {
        "mean": statistics.fmean(finite) if finite else None,
        "deviation": statistics.stdev(finite) if len(finite) > 1 else None,
    }


def quantile(values: Sequence[float | None], share: float) -> float | None:
    """Return the smallest value with at least that share of the values at or below it."""
    finite = sorted(value for value in values if value is not None and math.isfinite(value))
    if not finite:
        return None
    return finite[max(0, math.ceil(share * len(finite)) - 1)]


def histogram(values: Sequence[float | None], low: float, high: float, bins: int) -> dict[int, int]:
    """Return the non-empty bins between two bounds; what lies outside goes to the ends."""
    finite = [value for value in values if value is not None and math.isfinite(value)]
    width = bins / (high - low)
    return dict(Counter(max(0, min(bins - 1, math.floor((value - low) * width))) for value in finite))


def faulty_weights(weights: Sequence[float | None]) -> list[tuple[int, str]]:
    """Return the row (from 1) and the fault of every weight that is not a finite number above zero.

    >>> faulty_weights([1.0, None, 0.0, -2.0, math.inf])
    [(2, 'missing'), (3, 'zero'), (4, 'negative'), (5, 'not finite')]
    """
    return [(row, fault) for row, weight in enumerate(weights, 1) if (fault := _fault(weight))]


def _fault(weight: float | None) -> str:
    if weight is None or math.isnan(weight):
        return "missing"
    if not math.isfinite(weight):
        return "not finite"
    if weight == 0:
        return "zero"
    return "negative" if weight < 0 else ""
