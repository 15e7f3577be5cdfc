"""Numbers coarsened to intervals: 37 -> 35-39 -> 30-39 -> *."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Self

from tacita.errors import HierarchyError, faults_text
from tacita.model.hierarchy.base import STAR, Hierarchy, star_level, text_of
from tacita.model.hierarchy.classes import (
    BoundedClasses,
    Ends,
    EvenClasses,
    Number,
    bounded_classes,
    class_label,
    even_classes,
    exact,
    is_whole,
    label_ends,
    level_name,
)
from tacita.model.hierarchy.nesting import interval_faults

Given = int | float | Decimal
"""A number as a person gives it."""


@dataclass(frozen=True, slots=True)
class IntervalHierarchy(Hierarchy):
    """Half-open intervals [a, b), nested: each bound of a level is also a bound of the level below.

    A whole-numbered attribute gets labels such as ``20-29``, any other ``[20, 30)``. A value that is no
    number, or not whole where whole numbers are promised, has no place.

    >>> age = IntervalHierarchy.by_width("age", [5, 10], bottom=15, top=85)
    >>> [age.generalise(value, 2) for value in (14, 15, 84, 85)]
    ['<15', '15-24', '75-84', '85+']
    """

    attribute: str
    classes: tuple[EvenClasses | BoundedClasses, ...]
    integer: bool
    star: bool = False
    domain: tuple[Number, Number] | None = None
    """Lowest and highest possible value; without it no value has a share."""
    levels: tuple[str, ...] = field(init=False)
    _coarse: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if faults := interval_faults(self.classes, self.integer, self.domain):
            raise HierarchyError(
                faults_text(faults), where=f"hierarchy of '{self.attribute}'", do="correct these intervals"
            )
        names = [self.attribute, *(f"{self.attribute} {level_name(classes)}" for classes in self.classes)]
        if self.star:
            names.append(star_level(self.attribute))
        object.__setattr__(self, "levels", tuple(names))
        object.__setattr__(self, "_coarse", not self.integer and is_whole(self.classes))

    @classmethod
    def by_width(
        cls,
        attribute: str,
        widths: Sequence[Given],
        *,
        bottom: Given | None = None,
        top: Given | None = None,
        start: Given | None = None,
        integer: bool | None = None,
        star: bool = False,
        domain: tuple[Given, Given] | None = None,
    ) -> Self:
        """Return classes of these widths, a level each, counted from `start` (else `bottom`, else 0)."""
        classes = even_classes(widths, bottom, top, start)
        return cls(attribute, classes, is_whole(classes) if integer is None else integer, star, exact_domain(domain))

    @classmethod
    def by_bounds(
        cls,
        attribute: str,
        bounds: Sequence[Sequence[Given]],
        *,
        integer: bool | None = None,
        star: bool = False,
        domain: tuple[Given, Given] | None = None,
    ) -> Self:
        """Return classes between these bounds, one list for each level.

        >>> age = IntervalHierarchy.by_bounds("age", [[6, 18, 30, 65], [18, 65]])
        >>> [age.generalise(value, 1) for value in (5, 6, 18, 70)]
        ['<6', '6-17', '18-29', '65+']
        """
        classes = bounded_classes(bounds)
        return cls(attribute, classes, is_whole(classes) if integer is None else integer, star, exact_domain(domain))

    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the number and its classes."""
        if self._coarse and isinstance(value, float) and abs(value) < 1e15:
            number: Number | None = floor(value)  # whole bounds cannot tell them apart, and this is much faster
        else:
            number = exact(value)
        if number is None or (self.integer and not isinstance(number, int)):
            return None
        labels = [class_label(classes.of(number), whole=self.integer) for classes in self.classes]
        return (text_of(value), *labels, *([STAR] if self.star else []))

    def share(self, label: str, level: int) -> float | None:
        """Return the part of the domain that the class of a label covers; None without a domain."""
        self.check_level(level)
        if self.star and level == self.height and label == STAR:
            return 1.0
        ends = self._ends(label, level)
        if ends is None:
            raise self.no_label(level)
        if self.domain is None:
            return None
        first, beyond = self.domain[0], self.domain[1] + int(self.integer)
        low = first if ends[0] is None else max(ends[0], first)
        high = beyond if ends[1] is None else min(ends[1], beyond)
        return float(max(high - low, 0) / Fraction(beyond - first))

    def _ends(self, label: str, level: int) -> Ends | None:
        """Return the ends of the class that has a label at a level, or None if there is none."""
        if level == 0:
            number = exact(label)
            if number is None or (self.integer and not isinstance(number, int)):
                return None
            return number, number + int(self.integer)
        ends = label_ends(label)
        if ends is None or ends == (None, None) or level > len(self.classes):
            return None
        low, high = ends
        inside = low if low is not None else (high or 0) - 1
        exists = self.classes[level - 1].of(inside) == ends and class_label(ends, whole=self.integer) == label
        return ends if exists else None

    def remedy(self, uncovered: Iterable[object]) -> str:
        """Return what to do about values that are no numbers."""
        if self.integer:
            return (
                "its intervals are for whole numbers: say 'integer = false' in the rule if others are right, "
                "else correct them in the data or declare them missing in the dictionary"
            )
        return "they are no numbers: correct them in the data, or declare them missing in the dictionary"


def exact_domain(domain: tuple[Given, Given] | None) -> tuple[Number, Number] | None:
    """Return the lowest and the highest value without rounding."""
    if domain is None:
        return None
    low, high = (exact(end) for end in domain)
    if low is None or high is None:
        raise HierarchyError("an end of the domain is no number", do="give the lowest and the highest value")
    return low, high
