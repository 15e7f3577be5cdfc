"""Whether the first line of a text file names the columns or is data: a fact must not be swallowed as a header."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[+-]?(\d[\d.,' ]*|\.\d+)([eE][+-]?\d+)?\s*%?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?")
_ENOUGH = 0.9  # a few odd cells in a column of numbers do not make it text


def looks_like_data(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Return whether a first line looks like the lines below it, and not like names of columns.

    >>> looks_like_data(["1", "0", "0.7"], [["2", "0", "0.41"]])
    True
    >>> looks_like_data(["owner", "company", "share"], [["a", "b", "0.41"]])
    False
    >>> looks_like_data(["a", "b"], [["b", "c"], ["a", "c"]])
    True
    >>> looks_like_data(["owner", "owner", "share"], [["a", "b", "0.41"]])
    False
    """
    cells = [cell.strip() for cell in first]
    if not all(cells):
        return True  # a column without a name: no header at all
    kinds = [_kind(cell) for cell in cells]
    for place, kind in enumerate(kinds):
        below = [row[place].strip() for row in rest if place < len(row) and row[place].strip()]
        same = [_kind(cell) for cell in below]
        if kind == "text" and below and sum(k != "text" for k in same) >= _ENOUGH * len(below):
            return False  # a word above numbers is what headers look like
    if any(kind != "text" for kind in kinds) or len(set(cells)) < len(cells):
        return True  # names are words, and different ones
    values = {cell.strip() for row in rest for cell in row}
    return any(cell in values for cell in cells)


def _kind(cell: str) -> str:
    if _DATE.fullmatch(cell):
        return "date"
    return "number" if _NUMBER.fullmatch(cell) else "text"
