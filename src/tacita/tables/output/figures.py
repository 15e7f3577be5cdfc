"""Figures of a table as text: what is published is written in full, and nothing that only a computer added."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_DIGITS = 12


def written(value: float) -> str:
    """Return a figure for a file: up to twelve digits, a whole number without a point, nothing for nan.

    Sums of fractions end in digits that come from the order of adding; these are cut, since they say something of the
    parts and nothing of the sum.

    >>> written(0.1 + 0.2), written(25000.0), written(1e15), written(float("nan")), written(-0.0)
    ('0.3', '25000', '1000000000000000', '', '0')
    """
    if math.isnan(value):
        return ""
    if value == round(value) and abs(value) < 2**53:
        return str(int(value))
    text = f"{value:.{_DIGITS}g}"
    return f"{float(text):.{_DIGITS}f}".rstrip("0").rstrip(".") if "e-" in text else text


def shown(value: float) -> str:
    """Return a figure for people, thousands apart.

    >>> shown(1234567.5), shown(25000.0), shown(0.25)
    ('1,234,567.5', '25,000', '0.25')
    """
    text = written(value)
    if not text or "e" in text or "inf" in text:
        return text
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}{point}{rest}" if whole not in {"-0", "0", ""} else text


def rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return figures as `written` tells them, for formats that keep numbers.

    >>> rounded(np.array([0.1 + 0.2, np.nan])).tolist()
    [0.3, nan]
    """
    return np.array([float(written(value) or "nan") for value in values.tolist()], np.float64)
