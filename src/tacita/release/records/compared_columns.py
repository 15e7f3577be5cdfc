"""One attribute of released records beside the original ones, cell by cell: what was hidden, and what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.in_clusters import Codes, Mask
from tacita.attacks.microdata.lessons import Target
from tacita.attacks.microdata.relations.birth_dates import ReleasedDates, day_numbers, days_of, days_of_numbers
from tacita.attacks.microdata.relations.numbers import NumericTarget
from tacita.release.records.cells import TextCells, numbered

_MANY = 20
"""A number with more different values is also looked at in classes: a value that is known nearly is known."""
_CLASSES = 10
_OFTEN = 10
"""A number with many values that occur less often than this on average is no code, as that of a province is."""
_LEAST_CODES, _MOSTLY, _LONG = 20, 0.2, 1_000
"""A code that may hold other values differs between so many records, and has more than three digits."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparedColumn:
    """An attribute of the released records, and what it was before, as places in one order of all its values."""

    name: str
    after: Codes = field(repr=False)
    """-1 where the cell is empty."""
    before: Codes | None = field(repr=False)
    """None if the attribute is not one of the source, or its values have other names."""
    was_number: bool
    spelt: Codes = field(repr=False)
    """The cells as they are written, as numbers from 0: a code of a missing value is a value."""
    numbers: NDArray[np.float64] | None = field(repr=False, default=None)
    """The released values, if they are numbers."""
    true_numbers: NDArray[np.float64] | None = field(repr=False, default=None)
    """The original values, if they were numbers."""
    texts: TextCells | None = field(repr=False, default=None)
    """The released values, if they are not numbers."""
    true_texts: TextCells | None = field(repr=False, default=None)
    """The original values, if they were not numbers."""

    def targets(self, only_coarsened: bool, is_along: bool) -> Iterator[Target]:
        """Yield the hidden cells: those that were suppressed, and those that show another value than they had."""
        if self.before is None or self.before is self.after:
            return
        shown, gone, other = self._parts()
        was = self.before >= 0
        different = len(np.unique(self.before[was]))
        many = self.was_number and different > _MANY
        rare = many and int(was.sum()) < _OFTEN * different
        if gone.any():
            yield Target(self.name, numbered(self.before), gone, shown, is_continuous=rare)
            if many and not is_along:
                classes = in_classes(self.before, np.zeros_like(self.before))
                yield Target(self.name, classes, gone, shown, is_coarse=True)
        if other.any() and not (only_coarsened and not is_coarsened(self.before[other], self.after[other])):
            classes = numbered(np.where(other, self.after, -1)) + 1
            truth = numbered(np.where(other, self.before, -1))
            yield Target(self.name, truth, other, shown, classes, is_continuous=rare)
            if many:
                inside = np.where(other, self.before, -1)
                yield Target(self.name, in_classes(inside, classes), other, shown, classes, is_coarse=True)

    def numeric_targets(self, is_along: bool) -> Iterator[NumericTarget]:
        """Yield the hidden numbers and dates, suppressed ones and changed ones by themselves."""
        if self.before is None or self.before is self.after:
            return
        truth = self.true_numbers if self.true_texts is None else _day_numbers(self.name, self.true_texts)
        if truth is None:
            return
        shown, gone, other = self._parts()
        for hidden, is_suppressed in ((gone, True), (other, False)):
            if hidden.any():
                yield NumericTarget(self.name, truth, hidden, shown, is_suppressed, only_exact=is_along)

    @property
    def is_long_code(self) -> bool:
        """Whether the values are texts, or whole numbers of one length, that differ between most records."""
        different = int(self.after.max(initial=-1)) + 1
        if different < max(_LEAST_CODES, _MOSTLY * len(self.after)):
            return False
        if self.numbers is None:
            return self.texts is not None
        least, most = np.nanmin(self.numbers), np.nanmax(self.numbers)
        if least < _LONG or len(str(int(least))) != len(str(int(most))):
            return False
        return bool((self.numbers[: 10 * _LONG] % 1 == 0).all())

    @property
    def days(self) -> NDArray[np.float64] | None:
        """The released values as days, if they are dates."""
        return _days(self.texts, self.numbers)

    def written(self, rows: Codes) -> list[str | None]:
        """Return the released texts of some records; None where a cell is empty."""
        return _written(self.texts, self.numbers, rows)

    def was_written(self, rows: Codes) -> list[str | None]:
        """Return the original texts of some records."""
        return _written(self.true_texts, self.true_numbers, rows)

    def _parts(self) -> tuple[Mask, Mask, Mask]:
        """Return the cells that are shown as they were, those that are empty now, and those that were changed."""
        assert self.before is not None
        was, there = self.before >= 0, self.after >= 0
        same = self.before == self.after
        return was & there & same, was & ~there, was & there & ~same

    def emptied(self, rows: Mask) -> ComparedColumn:
        """Return the column with some cells suppressed."""
        numbers = None if self.numbers is None else np.where(rows, np.nan, self.numbers)
        texts = None if self.texts is None else self.texts.emptied(rows)
        after, spelt = np.where(rows, -1, self.after), numbered(np.where(rows, -1, self.spelt))
        return replace(self, after=after, spelt=spelt, numbers=numbers, texts=texts)

    def with_values(self, values: NDArray[np.float64]) -> ComparedColumn:
        """Return the column with other numbers in its cells, none of them empty; they are nobody's secret."""
        codes = np.unique(values, return_inverse=True)[1].astype(np.int64).reshape(-1)
        return replace(self, after=codes, before=None, spelt=codes, numbers=values, texts=None)


def _days(texts: TextCells | None, numbers: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    if texts is not None:
        return days_of(texts.texts.to_pylist(), texts.codes) if texts.may_be_dates else None
    return None if numbers is None else days_of_numbers(numbers)


def _day_numbers(name: str, texts: TextCells) -> NDArray[np.float64] | None:
    days = _days(texts, None)
    return None if days is None else day_numbers(ReleasedDates(name, days))


def _written(texts: TextCells | None, numbers: NDArray[np.float64] | None, rows: Codes) -> list[str | None]:
    if texts is not None:
        return texts.written(rows)
    if numbers is None:
        return [None] * len(rows)
    return [None if number != number else f"{number:.15g}" for number in numbers[rows].tolist()]  # noqa: PLR0124


def is_coarsened(before: Codes, after: Codes) -> bool:
    """Return whether fewer values stand for more, each value having one or two that stand for it."""
    different = len(np.unique(before))
    pairs = len(np.unique(before * (int(after.max()) + 1) + after))
    return len(np.unique(after)) < different and pairs <= 2 * different


def in_classes(codes: Codes, within: Codes) -> Codes:
    """Return codes as classes of about equal size within groups, equal codes in one class; -1 stays.

    >>> in_classes(np.array([5, 6, 7, 8, -1]), np.array([0, 0, 1, 1, 1])).tolist()
    [0, 5, 0, 5, -1]
    """
    order = np.lexsort((codes, within, codes < 0))
    group, value = within[order], codes[order]
    new = np.concatenate([[True], (group[1:] != group[:-1]) | ((value[1:] < 0) != (value[:-1] < 0))])
    starts = np.flatnonzero(new)
    sizes = np.diff(np.append(starts, len(order)))
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    first = np.concatenate([[True], (value[1:] != value[:-1]) | new[1:]])
    place = place[np.flatnonzero(first)][np.cumsum(first) - 1]
    classes = np.empty(len(codes), dtype=np.int64)
    classes[order] = np.where(value < 0, -1, place * _CLASSES // np.repeat(sizes, sizes))
    return classes
