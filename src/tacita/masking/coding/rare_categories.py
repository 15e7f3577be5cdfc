"""Aggregation of rare categories: values that few records have become one label, or their parent in the hierarchy."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from tacita.errors import HierarchyError, InputError, UsageError
from tacita.masking.method import Treated
from tacita.masking.preconditions import each_named_once, one_of
from tacita.model.hierarchy import STAR, text_of
from tacita.model.records import Categories, Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class RareCategories:
    """Values of fewer records than a number, or than a share of the records, are aggregated until none is rare.

    Into ``other``: all rare values become one label. Into their ``parent``: a rare value goes up one level of its
    hierarchy, where it meets other rare values below the same label (frequent ones stay as they are), and on until the
    label is frequent enough; at the top it becomes the label as well. If all that is rare is together still rare, the
    rarest of the other values joins it, so that what is released has no rare value. A value that has the spelling of
    the label already is one with it.

    >>> firms = Records({"sector": Categories.of(["trade"] * 5 + ["mining", "peat", None])})
    >>> found = RareCategories(("sector",), fewer_than=2).treated(firms, np.random.default_rng())
    >>> found.records.categories("sector").values, found.records.categories("sector").counts.tolist()
    (('trade', 'other'), [5, 2])
    """

    name: ClassVar[str] = "rare-categories"
    promises: ClassVar[str] = "Every value that is released has at least the wanted number or share of records."
    limits: ClassVar[str] = "Combinations with other attributes may still be rare, and an order of the values is lost."
    is_random: ClassVar[bool] = False

    attributes: tuple[str, ...]
    fewer_than: int | None = None
    """Values of fewer records than this are rare."""
    share: float | None = None
    """Values of a smaller share of the records than this are rare."""
    into: Literal["other", "parent"] = "other"
    label: str = "other"

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        one_of(self.into, ("other", "parent"), "into")
        if (self.fewer_than is None) == (self.share is None):
            raise UsageError("what is rare must be said in one way", do="give either 'fewer_than' or 'share'")
        if self.fewer_than is not None and self.fewer_than < 2:
            raise UsageError("'fewer_than' is below 2: no value is so rare", do="give a number from 2 on")
        if self.share is not None and not 0 < self.share < 1:
            raise UsageError("'share' is not between 0 and 1", do="give a share of the records, such as 0.01")
        if not self.label or self.label == STAR:
            raise UsageError("the label of rare values is empty or a star", do="give a word such as 'other'")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records without rare values."""
        columns, figures, notes = {}, {}, []
        for name in self.attributes:
            column = records[name]
            if not isinstance(column, Categories):
                raise UsageError(
                    f"'{name}' holds numbers, not categories",
                    do="call it categorical in the dictionary, or use intervals or top-bottom-coding",
                )
            columns[name], joined = self._aggregated(name, column)
            figures[f"values left of {name}"] = len(columns[name].values)
            if joined:
                notes.append(f"values of '{name}' that are not rare had to join the rare ones, which were too few")
        return Treated.in_place(records.with_columns(columns), figures=figures, notes=tuple(notes))

    def _aggregated(self, name: str, column: Categories) -> tuple[Categories, bool]:
        """Return the column without rare values, and whether some that are not rare had to be aggregated."""
        known = int(column.counts.sum())
        least = self.fewer_than if self.fewer_than is not None else self.share * known  # type: ignore[operator]
        if 0 < known < least:
            raise InputError(f"'{name}' has fewer records than a value must have", do="lower 'fewer_than'")
        paths = self._paths(name, column)
        top = max(map(len, paths.values()), default=0)
        spelled = {text_of(value): value for value in column.values}
        counts = {value: int(n) for value, n in zip(column.values, column.counts, strict=True) if n}
        label_of: dict[Hashable, Hashable] = {value: value for value in counts}
        level = dict.fromkeys(counts, 0)
        last = spelled.get(self.label, self.label)
        joined = False
        while rare := _rare(label_of, counts, least):
            movable = [value for value in counts if label_of[value] in rare and label_of[value] != last]
            if not movable:
                # Only the label itself is rare: the rarest of the others joins it.
                totals = _totals(label_of, counts)
                rarest = min((value_ for value_ in totals if value_ != last), key=lambda value_: totals[value_])
                movable = [value for value in counts if label_of[value] == rarest]
                level.update(dict.fromkeys(movable, top))
                joined = True
            for value in movable:
                level[value] += 1
                above = paths[value][level[value] :]
                label = above[0] if above else self.label
                label_of[value] = spelled.get(label, label)
        return _recoded(column, label_of), joined

    def _paths(self, name: str, column: Categories) -> dict[Hashable, tuple[str, ...]]:
        """Return for each value its labels from level 0 on, below the star; only itself without a hierarchy."""
        if self.into == "other":
            return {value: (text_of(value),) for value in column.values}
        if column.hierarchy is None:
            raise HierarchyError(
                f"'{name}' has no hierarchy", do="give it one in the dictionary, or use into = 'other'"
            )
        column.hierarchy.check_covers([v for v, n in zip(column.values, column.counts, strict=True) if n])
        paths = {value: column.hierarchy.path(value) or () for value in column.values}
        return {value: tuple(label for label in path if label != STAR) for value, path in paths.items()}


def _totals(label_of: dict[Hashable, Hashable], counts: dict[Hashable, int]) -> dict[Hashable, int]:
    totals: dict[Hashable, int] = {}
    for value, label in label_of.items():
        totals[label] = totals.get(label, 0) + counts[value]
    return totals


def _rare(label_of: dict[Hashable, Hashable], counts: dict[Hashable, int], least: float) -> set[Hashable]:
    return {label for label, total in _totals(label_of, counts).items() if total < least}


def _recoded(column: Categories, label_of: dict[Hashable, Hashable]) -> Categories:
    """Return the column under its new labels: values that stay in their order, then new labels as they come."""
    if all(value == label for value, label in label_of.items()):
        return column
    kept = [value for value in column.values if label_of.get(value) == value]
    values = tuple(dict.fromkeys([*kept, *(label for value, label in label_of.items() if label != value)]))
    place = {label: code for code, label in enumerate(values)}
    codes = np.array([*(place.get(label_of.get(value), -1) for value in column.values), -1], dtype=np.int32)
    return Categories(codes[column.codes], values)
