"""The one way from values to JSON; `docs/reference/conventions.md` says what users can rely on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

DIGITS = 12
"""Significant digits of figures that are sums over records: beyond, they may differ from run to run, by the order in
which threads add."""


def plain(value: Any, digits: int | None = None) -> Any:
    """Return a value as JSON knows it: a number that is not defined or not finite is null, a sequence is a list.

    With `digits`, numbers have so many significant digits, and whole ones no point.

    >>> plain({"x": (0.1 + 0.2, float("nan"), 3.0)})
    {'x': [0.30000000000000004, None, 3.0]}
    >>> plain({"x": (0.1 + 0.2, float("nan"), 3.0)}, digits=DIGITS)
    {'x': [0.3, None, 3]}
    """
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item, digits) for key, item in value.items()}
    if isinstance(value, Enum):
        return plain(value.value, digits)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str | int):
        return str(value) if isinstance(value, str) else int(value)
    if isinstance(value, float):
        return _number(float(value), digits)
    if hasattr(value, "tolist"):
        return plain(value.tolist(), digits)
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [plain(item, digits) for item in value]
    return str(value)


def _number(value: float, digits: int | None) -> float | int | None:
    if not math.isfinite(value):
        return None
    if digits is None:
        return value
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 10**15 else rounded
