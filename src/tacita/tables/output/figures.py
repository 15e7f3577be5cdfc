"""How figures and codes are shown: numbers, and the depth of codes in their hierarchy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Dimension

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


def depths(dimension: Dimension) -> dict[str, int]:
    """Return how many codes stand above each code, along the first hierarchy that names it.

    >>> depths(Dimension.tree("size", {"Total": {"small": ["1-9", "10-49"], "large": []}}))
    {'Total': 0, 'small': 1, '1-9': 2, '10-49': 2, 'large': 1}
    """
    above: dict[str, str] = {}
    for sum_ in dimension.sums:
        for part in sum_.parts:
            above.setdefault(part, sum_.total)

    def depth(code: str) -> int:
        steps = 0
        while code in above:
            code = above[code]
            steps += 1
        return steps

    return {code: depth(code) for code in dimension.codes}
