"""Cells of records as text: one spelling for one value."""

from __future__ import annotations

import math
import unicodedata
from functools import lru_cache
from typing import Any

MISSING = "(missing)"
"""The label of a missing value, where it counts as one."""
OTHER = "(other)"
"""The label of values that the baseline does not list, where they count as one."""


def cell_text(value: Any) -> str:
    """Return a cell as text, without blanks around it; a missing one is empty.

    >>> [cell_text(cell) for cell in (None, " L2 ", 25, 25.0, float("nan"), True)]
    ['', 'L2', '25', '25', '', 'true']
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return str(value).strip()


@lru_cache(maxsize=100_000)
def folded(text: str) -> str:
    """Return what spellings of one name have in common: case, blanks and compatible characters do not count.

    >>> {folded(text) for text in ("L2", "l2 ", "Ｌ２", " L2")}
    {'l2'}
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def finite_number(text: str) -> float | None:
    """Return the number that a text is, None if it is not a finite one.

    >>> finite_number("25"), finite_number("nan"), finite_number("1e400"), finite_number("old"), finite_number("1_0")
    (25.0, None, None, None, None)
    """
    if "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
