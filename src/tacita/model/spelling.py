"""Spellings of one value: texts that differ only in case, blanks or how an accent is encoded."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping


def folded(text: str) -> str:
    """Return what all spellings of a value have in common.

    >>> folded("HIV") == folded(" hiv  "), folded("type 1") == folded("Type  1"), folded("type 1") == folded("type 2")
    (True, True, False)
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def one_spelling(counts: Mapping[str, int]) -> dict[str, str]:
    """Return, for each spelling that has a more usual one, that one: the most frequent, the first of equals.

    >>> one_spelling({"HIV": 5, "hiv ": 2, "flu": 1})
    {'hiv ': 'HIV'}
    """
    usual: dict[str, str] = {}
    for text in sorted(counts, key=lambda spelling: (-counts[spelling], spelling)):
        usual.setdefault(folded(text), text)
    return {text: usual[folded(text)] for text in counts if usual[folded(text)] != text}
