"""Numbers that are written in texts: "EUR 1.234,50", "about 1,200 a month"."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.relations.numbers import Numbers, ReleasedNumbers

_NUMBER = re.compile(r"(?:(?<!\w)-)?\d+(?:[.,'’\u00a0\u202f]\d+)*")
_ENGLISH = re.compile(r"-?(?:\d{1,3}(?:[,'’\u00a0\u202f]\d{3})+|\d+)(?:\.\d+)?")
_CONTINENTAL = re.compile(r"-?(?:\d{1,3}(?:[.'’\u00a0\u202f]\d{3})+|\d+)(?:,\d+)?")
_OTHER_SIGNS = str.maketrans("", "", "'’\u00a0\u202f")
_SAMPLE, _LEAST, _SHARE = 200, 20, 0.8
_LONGEST = 15
"""Digits of a number; longer ones are codes."""
MOST_NUMBERS = 3
"""Numbers of one text that are looked at."""


def numbers_in_texts(name: str, texts: Sequence[str], codes: Codes) -> list[ReleasedNumbers]:
    """Return the first numbers that are written in texts, given the different texts and the place of each record's.

    >>> texts = [f"EUR 1.{n:03},50" for n in range(30)]
    >>> [one.values.tolist() for one in numbers_in_texts("pay", texts, np.array([7, -1]))]
    [[1007.5, nan]]
    """
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    tokens = [_NUMBER.findall(text) for text in sample]
    if len(texts) < _LEAST or not any(tokens):
        return []
    is_english = _fits(tokens, _ENGLISH) >= _fits(tokens, _CONTINENTAL)
    there = [sum(len(line) > place for line in tokens) for place in range(MOST_NUMBERS)]
    most = sum(count >= _SHARE * len(sample) for count in there)
    if not most:
        return []
    values = np.full((most, len(texts) + 1), np.nan)
    for number, text in enumerate(texts):
        for place, token in enumerate(_NUMBER.findall(text)[:most]):
            values[place, number] = _number(token, is_english=is_english)
    return [
        ReleasedNumbers(f"number {place + 1} of {name}" if most > 1 else f"the number in {name}", line[codes], name)
        for place, line in enumerate(values)
        if _varies(line)
    ]


def _fits(tokens: Sequence[Sequence[str]], pattern: re.Pattern[str]) -> int:
    return sum(pattern.fullmatch(token) is not None for line in tokens for token in line[:MOST_NUMBERS])


def _number(token: str, *, is_english: bool) -> float:
    if (_ENGLISH if is_english else _CONTINENTAL).fullmatch(token) is None:
        return float("nan")
    digits = token.translate(_OTHER_SIGNS)
    digits = digits.replace(",", "") if is_english else digits.replace(".", "").replace(",", ".")
    return float(digits) if len(digits) <= _LONGEST else float("nan")


def _varies(line: Numbers) -> bool:
    there = line[np.isfinite(line)]
    return len(there) >= _LEAST and bool(np.ptp(there) > 0)
