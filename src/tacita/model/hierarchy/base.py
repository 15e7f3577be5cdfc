"""What every hierarchy can do, whatever it is made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from decimal import Decimal

from tacita.errors import HierarchyError, UsageError

STAR = "*"
"""The label of the topmost level, under which all values are the same."""


class Hierarchy(ABC):
    """Levels of an attribute: 0 is the value as it was collected, each higher one is coarser.

    Every implementation is monotone: two values with the same label at a level have the same label at every
    higher level. Values that are missing (None) stay missing.
    """

    __slots__ = ()

    attribute: str
    levels: tuple[str, ...]
    """The names of the levels, from the value as collected to the coarsest."""

    @abstractmethod
    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the labels of a value from level 0 to the top, or None if it has no place here."""

    @abstractmethod
    def share(self, label: str, level: int) -> float | None:
        """Return which part of the domain is below a label of a level, or None where that is not defined.

        The leaves below the label, divided by all leaves: 1 for ``*``, the measure of information loss by
        generalisation.
        """

    @property
    def height(self) -> int:
        """The number of times that a value can be coarsened."""
        return len(self.levels) - 1

    def generalise(self, value: object, level: int) -> str | None:
        """Return the label of a value at a level; a missing value stays missing."""
        self.check_level(level)
        if value is None:
            return None
        path = self.path(value)
        if path is None:
            raise HierarchyError(
                f"a value of '{self.attribute}' has no place in its hierarchy", do=self.remedy([value])
            )
        return path[level]

    def paths(self, values: Iterable[object]) -> list[tuple[object, ...]]:
        """Return a row (value, level 1, ..., top) for each distinct value: a mapping table for an engine.

        The value keeps its type, so that an engine can join on it. Missing values have no row.
        """
        paths = {value: self.path(value) for value in _distinct(values)}
        if None in paths.values():
            self.check_covers(paths)
        return [(value, *path[1:]) for value, path in paths.items() if path is not None]

    def uncovered(self, values: Iterable[object]) -> list[object]:
        """Return the distinct values that have no place here. They are confidential: never log them."""
        return [value for value in _distinct(values) if self.path(value) is None]

    def check_covers(self, values: Iterable[object]) -> None:
        """Raise if some value has no place in the hierarchy; the message counts them and never names one."""
        distinct = _distinct(values)
        if uncovered := self.uncovered(distinct):
            raise HierarchyError(
                f"{len(uncovered):,} of {len(distinct):,} distinct values of '{self.attribute}' "
                "have no place in its hierarchy",
                do=self.remedy(uncovered),
            )

    def remedy(self, uncovered: Iterable[object]) -> str:
        """Return what to do about values without a place; the text names none of them."""
        return "correct these values in the data, or declare them missing in the dictionary"

    def check_level(self, level: int) -> None:
        """Raise if there is no such level."""
        if not 0 <= level <= self.height:
            raise UsageError(
                f"no level {level} in the hierarchy of '{self.attribute}'",
                do=f"give a level from 0 to {self.height}",
            )

    def no_label(self, level: int) -> HierarchyError:
        """Return the error for a label that a level does not have; it may be a value, so it is not named."""
        return HierarchyError(
            f"the hierarchy of '{self.attribute}' has no such label at level {level} ({self.levels[level]})",
            do="give a label as generalise() returns it for that level",
        )


def text_of(value: object) -> str:
    """Return a value as a hierarchy spells it: a whole number without a point, a date as ISO text.

    >>> text_of(39.0), text_of(True), text_of("Milano")
    ('39', 'true', 'Milano')
    """
    match value:
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case Decimal() if value.is_finite():
            return format(value.normalize() if value else Decimal(0), "f")
        case _:  # of dates and moments this is the ISO text
            return str(value)


def star_level(attribute: str) -> str:
    """Return the name of the level at which all values of an attribute are the same."""
    return f"any {attribute}"


def _distinct(values: Iterable[object]) -> list[object]:
    return [value for value in dict.fromkeys(values) if value is not None]
