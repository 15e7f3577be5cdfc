"""Cells of records as text: one spelling for one value."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

MISSING = "(missing)"
"""The label of a missing value, where it counts as one."""
OTHER = "(other)"
"""The label of values that the baseline does not list, where they count as one."""
_NO_VALUES = frozenset({"NAType", "NaTType"})
"""Types of the missing values of data frames."""


def cell_text(value: Any) -> str:
    """Return a cell as text, without blanks around it; a missing one is empty.

    >>> [cell_text(cell) for cell in (None, " L2 ", 25, 25.0, float("nan"), True, Decimal("25.00"))]
    ['', 'L2', '25', '25', '', 'true', '25']
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, int | float):
        return _other_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(float(value))
    return str(value)


def _other_text(value: Any) -> str:
    if type(value).__name__ in _NO_VALUES:
        return ""
    if isinstance(value, Decimal):
        return "" if value.is_nan() else f"{value.normalize():f}"
    if hasattr(value, "item"):  # a number of an array
        return cell_text(value.item())
    return str(value).strip()


def cells_of(record: object, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return some cells of a record as text; None if it is no record, or one of them is not a single value.

    >>> cells_of({"id": 1, "age": "old"}, ("id", "age")), cells_of({"id": [1]}, ("id",)), cells_of("id", ("id",))
    (('1', 'old'), None, None)
    """
    if not isinstance(record, Mapping):
        return None
    cells = [record.get(name) for name in names]
    return tuple(map(cell_text, cells)) if all(map(_is_single, cells)) else None


def _is_single(cell: object) -> bool:
    return isinstance(cell, str) or not isinstance(cell, Iterable)


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
