"""Faulty weights, looked for one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence


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
