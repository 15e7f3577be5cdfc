"""The profile of a column, computed one value at a time."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence


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
