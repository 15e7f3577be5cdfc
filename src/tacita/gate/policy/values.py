"""How cells become values: numbers in bins, categories as they are listed, several attributes together."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Protocol

import numpy as np

from tacita.gate.picture.measures import Floats
from tacita.gate.policy.cells import MISSING, finite_number, folded
from tacita.model.figures import figure


class NoValue(IntEnum):
    """Why cells have no value that counts; all are negative."""

    MISSING = -1
    UNLISTED = -2
    NOT_A_NUMBER = -3


class CellReader(Protocol):
    """How the cells of one attribute become codes from 0 on."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each code."""

    def code(self, text: str) -> int:
        """Return the code of a cell, or a `NoValue`."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Numbers in bins: below the first edge, from each edge to under the next, from the last edge on.

    >>> ages = Bins((18, 20, 55))
    >>> ages.labels
    ('below 18', '18 to under 20', '20 to under 55', '55 and over')
    >>> [ages.code(text) for text in ("17.9", "18", "60", "", "old")]
    [0, 1, 3, <NoValue.MISSING: -1>, <NoValue.NOT_A_NUMBER: -3>]
    """

    edges: tuple[float, ...]
    names: tuple[str, ...] = ()
    has_missing: bool = False
    """Whether a missing value counts as one, behind all bins."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each bin."""
        return (*(self.names or self._usual()), *((MISSING,) if self.has_missing else ()))

    def _usual(self) -> tuple[str, ...]:
        shown = [figure(edge, 9).replace(",", "") for edge in self.edges]
        between = [f"{low} to under {high}" for low, high in itertools.pairwise(shown)]
        return (f"below {shown[0]}", *between, f"{shown[-1]} and over")

    def code(self, text: str) -> int:
        """Return the bin of a number."""
        if not text:
            return len(self.edges) + 1 if self.has_missing else NoValue.MISSING
        number = finite_number(text)
        return NoValue.NOT_A_NUMBER if number is None else bisect_right(self.edges, number)


@dataclass(frozen=True, slots=True)
class ListedValues:
    """ListedValues by name; spellings that differ in case or blanks are one.

    >>> ListedValues(("F", "M")).code("f "), ListedValues(("F", "M")).code("x")
    (0, <NoValue.UNLISTED: -2>)
    """

    labels: tuple[str, ...]
    _places: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {folded(label): place for place, label in enumerate(self.labels)}
        object.__setattr__(self, "_places", MappingProxyType(places))

    def code(self, text: str) -> int:
        """Return the place of a category; a missing value is one if it is listed."""
        if not text:
            return self._places.get(MISSING, NoValue.MISSING)
        # Nobody gets the value of missing cells by writing its label.
        return NoValue.UNLISTED if text == MISSING else self._places.get(folded(text), NoValue.UNLISTED)


@dataclass(frozen=True, slots=True)
class ValueScheme:
    """The values of one or several attributes together, and what is expected of them.

    A combination of codes belongs to one value; values that are too rare are merged, so several may belong to one.
    """

    attributes: tuple[str, ...]
    readers: tuple[CellReader, ...]
    labels: tuple[str, ...]
    """The name of each value."""
    shares: tuple[float, ...]
    """The baseline: the share of each value, above 0."""
    places: Mapping[tuple[int, ...], int] = field(repr=False)
    """The value of each combination of codes."""
    shows_values: bool = True
    """Whether released records show cells as they are; otherwise they show the label of the value."""

    @property
    def baseline(self) -> Floats:
        """The shares as an array."""
        return np.array(self.shares)

    def place(self, cells: Sequence[str]) -> int:
        """Return the value of cells, or a `NoValue`."""
        codes = tuple(reader.code(cell) for reader, cell in zip(self.readers, cells, strict=True))
        absent = {code for code in codes if code < 0}
        if absent - {NoValue.UNLISTED}:
            return min(absent - {NoValue.UNLISTED})
        # combinations without a value belong to the value of all others, if there is one
        return self.places.get(codes, self.places.get((), NoValue.UNLISTED))

    def shown(self, cells: Sequence[str]) -> tuple[str, ...]:
        """Return cells that have a value as released records show them."""
        if self.shows_values:
            return tuple(cells)
        if len(self.readers) == 1:
            return (self.labels[self.place(cells)],)
        return tuple(reader.labels[reader.code(cell)] for reader, cell in zip(self.readers, cells, strict=True))

    def place_of_shown(self, cells: Sequence[str]) -> int:
        """Return the value of cells of a released record, or a `NoValue`."""
        if self.shows_values:
            return self.place(cells)
        if len(self.readers) == 1:
            return self.labels.index(cells[0]) if cells[0] in self.labels else NoValue.UNLISTED
        codes = tuple(
            reader.labels.index(cell) if cell in reader.labels else NoValue.UNLISTED
            for reader, cell in zip(self.readers, cells, strict=True)
        )
        return self.places.get(codes, self.places.get((), NoValue.UNLISTED)) if min(codes) >= 0 else NoValue.UNLISTED
