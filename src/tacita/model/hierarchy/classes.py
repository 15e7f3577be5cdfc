"""Classes of numbers: half-open intervals [low, high), exact, with the labels that people read.

Numbers are whole numbers or fractions, never floats: 0.3 belongs to [0.3, 0.4) although the nearest float
lies below it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real

from tacita.errors import HierarchyError

Number = int | Fraction
Ends = tuple[Number | None, Number | None]
"""Low (None: no lowest) and high (None: no highest), the high one outside."""

_NUMERIC = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*", re.ASCII)
_RANGE = re.compile(r"(-?\d+)(?:-(\d+)| to (-?\d+))?", re.ASCII)
_HALF_OPEN = re.compile(r"\[(-?[\d.]+), (-?[\d.]+)\)", re.ASCII)


@dataclass(frozen=True, slots=True)
class EvenClasses:
    """Classes of one width, counted from a start; one class below `bottom`, and one from `top` on."""

    width: Number
    start: Number = 0
    bottom: Number | None = None
    top: Number | None = None

    def of(self, number: Number) -> Ends:
        """Return the ends of the class of a number."""
        if self.bottom is not None and number < self.bottom:
            return None, self.bottom
        if self.top is not None and number >= self.top:
            return self.top, None
        low = self.start + (number - self.start) // self.width * self.width
        high = low + self.width
        return (
            low if self.bottom is None else max(low, self.bottom),
            high if self.top is None else min(high, self.top),
        )


@dataclass(frozen=True, slots=True)
class BoundedClasses:
    """Classes between given bounds, lowest first; one class below the first, and one from the last on."""

    bounds: tuple[Number, ...]

    def of(self, number: Number) -> Ends:
        """Return the ends of the class of a number."""
        above = bisect_right(self.bounds, number)
        return (
            self.bounds[above - 1] if above > 0 else None,
            self.bounds[above] if above < len(self.bounds) else None,
        )


def even_classes(
    widths: Sequence[object], bottom: object = None, top: object = None, start: object = None
) -> tuple[EvenClasses, ...]:
    """Return a level of classes for each width, all counted from `start`, else from `bottom`, else from 0."""
    low, high = _optional(bottom), _optional(top)
    first = low or 0 if start is None else _number(start)
    return tuple(EvenClasses(_number(width), first, low, high) for width in widths)


def bounded_classes(bounds: Sequence[Sequence[object]]) -> tuple[BoundedClasses, ...]:
    """Return a level of classes for each list of bounds."""
    return tuple(BoundedClasses(tuple(_number(bound) for bound in level)) for level in bounds)


def is_whole(classes: Sequence[EvenClasses | BoundedClasses]) -> bool:
    """Return whether all widths and bounds are whole numbers, as they are for a whole-numbered attribute."""
    return all(isinstance(number, int) for level in classes for number in numbers_of(level))


def numbers_of(classes: EvenClasses | BoundedClasses) -> tuple[Number, ...]:
    """Return all numbers that define a level of classes."""
    if isinstance(classes, BoundedClasses):
        return classes.bounds
    ends = (classes.width, classes.start, classes.bottom, classes.top)
    return tuple(number for number in ends if number is not None)


def level_name(classes: EvenClasses | BoundedClasses) -> str:
    """Return what a level of classes is called: ``by 5``, ``in 4 classes``."""
    if isinstance(classes, EvenClasses):
        return f"by {number_text(classes.width)}"
    return f"in {len(classes.bounds) + 1} classes"


def exact(value: object) -> Number | None:
    """Return a number without rounding, or None for what is no finite number.

    >>> exact(0.3), exact("12"), exact("n/a")
    (Fraction(3, 10), 12, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if not isinstance(value, str | Real | Decimal):
        return None
    text = str(value)
    if not _NUMERIC.fullmatch(text):
        return None
    number = Fraction(text.strip())
    return number.numerator if number.denominator == 1 else number


def number_text(number: Number) -> str:
    """Return a number with its digits written out; those we meet come from decimals.

    >>> number_text(Fraction(1, 4))
    '0.25'
    """
    if number.denominator == 1:
        return str(number.numerator)
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    digits = f"{abs(number.numerator) * 10**places // number.denominator:0{places + 1}d}"
    return f"{'-' if number < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def class_label(ends: Ends, *, whole: bool) -> str:
    """Return the label of a class: ``<18``, ``65+``, ``20-29`` for whole numbers, otherwise ``[20, 30)``.

    >>> class_label((20, 30), whole=True), class_label((20, 30), whole=False)
    ('20-29', '[20, 30)')
    >>> class_label((-10, 0), whole=True)
    '-10 to -1'
    """
    low, high = ends
    if low is None and high is None:
        return "*"
    if low is None or high is None:
        return f"<{number_text(high)}" if high is not None else f"{number_text(low or 0)}+"
    if not whole:
        return f"[{number_text(low)}, {number_text(high)})"
    if high - low == 1:
        return number_text(low)
    return f"{number_text(low)}{'-' if low >= 0 else ' to '}{number_text(high - 1)}"


def label_ends(label: str) -> Ends | None:
    """Return the ends of the class that a label names, or None if it names none.

    >>> label_ends("20-29"), label_ends("<18"), label_ends("[0.5, 1)")
    ((20, 30), (None, 18), (Fraction(1, 2), 1))
    """
    if label.startswith("<"):
        return None, exact(label[1:])
    if label.endswith("+"):
        return exact(label[:-1]), None
    if match := _HALF_OPEN.fullmatch(label):
        return exact(match[1]), exact(match[2])
    if match := _RANGE.fullmatch(label):
        return int(match[1]), int(match[2] or match[3] or match[1]) + 1
    return None


def _number(value: object) -> Number:
    number = exact(value)
    if number is None:
        raise HierarchyError("a width or a bound is no finite number", do="give numbers only")
    return number


def _optional(value: object) -> Number | None:
    return None if value is None else _number(value)
