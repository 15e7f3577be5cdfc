"""Codes as text and back: the keys of value labels, user-defined missings and their ranges.

A number is written without a needless ``.0``; a range is ``90..99``, open at an end as ``90..`` or ``..-1``; a tagged
missing is ``.a``. A code of a date column is written as its date.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
import pyarrow as pa

from tacita.files.statistical.moments import numbers_of, values_of
from tacita.files.statistical.packages import Package, Shape


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from one to another, both included; a single code is a range of one."""

    low: float
    high: float

    @property
    def is_single(self) -> bool:
        """Whether it holds one number."""
        return self.low == self.high


def number_text(value: float) -> str:
    """Return a number as the shortest text that gives it back.

    >>> number_text(99.0), number_text(1.5), number_text(-1e300)
    ('99', '1.5', '-1e+300')
    """
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(float(value))


def code_text(value: float, shape: Shape, package: Package) -> str:
    """Return a code of a column as text: a date in a column of dates, a number otherwise.

    >>> code_text(0.0, Shape.DAY, Package.SAS)
    '1960-01-01'
    """
    if shape is not Shape.NUMBER and math.isfinite(value):
        coded = values_of(shape, package, np.array([value]))
        if coded is not None:
            return str(coded[0].as_py())
    return number_text(value)


def code_number(text: str, shape: Shape, package: Package) -> float | None:
    """Return the number of a code, or None if the text is none. The inverse of `code_text`."""
    value: float | None = None
    if shape is not Shape.NUMBER:
        value = _moment_number(text, shape, package)
    if value is None:
        try:
            value = float(text)
        except ValueError:
            return None
    return value if math.isfinite(value) else None


def range_text(span: Range, shape: Shape, package: Package) -> str:
    """Return a declared missing as text.

    >>> range_text(Range(-math.inf, -1.0), Shape.NUMBER, Package.SPSS)
    '..-1'
    """
    if span.is_single:
        return code_text(span.low, shape, package)
    low = "" if span.low == -math.inf else code_text(span.low, shape, package)
    high = "" if span.high == math.inf else code_text(span.high, shape, package)
    return f"{low}..{high}"


def range_of(text: str, shape: Shape, package: Package) -> Range | None:
    """Return the numbers that a declared missing covers, or None if it is no number, range or date.

    >>> range_of("90..", Shape.NUMBER, Package.SPSS), range_of(".a", Shape.NUMBER, Package.SPSS)
    (Range(low=90.0, high=inf), None)
    """
    if ".." in text:
        low_text, _, high_text = text.partition("..")
        low = code_number(low_text, shape, package) if low_text else -math.inf
        high = code_number(high_text, shape, package) if high_text else math.inf
        return None if low is None or high is None or low > high else Range(low, high)
    value = code_number(text, shape, package)
    return None if value is None else Range(value, value)


def covers(spans: Sequence[Range], value: float) -> bool:
    """Return whether a number is one of the declared missings."""
    return any(span.low <= value <= span.high for span in spans)


def tag_of(text: str) -> str:
    """Return the letter of a tagged missing, or nothing.

    >>> tag_of(".a"), tag_of("._"), tag_of(".5")
    ('a', '_', '')
    """
    letter = text[1:]
    is_tag = len(text) == 2 and text[0] == "." and letter.isascii() and (letter.isalpha() or letter == "_")
    return letter if is_tag else ""


def _moment_number(text: str, shape: Shape, package: Package) -> float | None:
    if shape is not Shape.CLOCK and text[4:5] != "-":
        return None  # Python would take 20200101 for a date; here it is a number
    try:
        if shape is Shape.CLOCK:
            value = pa.array([text])
        elif shape is Shape.MOMENT:
            value = pa.array([datetime.fromisoformat(text)], pa.timestamp("us"))
        else:
            value = pa.array([date.fromisoformat(text)], pa.date32())
    except ValueError:
        return None
    number = float(numbers_of(shape, package, value)[0])
    return None if math.isnan(number) else number
