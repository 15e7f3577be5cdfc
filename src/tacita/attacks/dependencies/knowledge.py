"""What an intruder knows of each cell while an attack goes on: a value, bounds, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.dependencies.concealed_file import ConcealedFile, KnownDependency, is_number
from tacita.attacks.dependencies.journal import Ints, Journal, LearningWay
from tacita.errors import InputError
from tacita.model.hierarchy import text_of
from tacita.model.records import Categories

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

UNKNOWN = -1
_LARGEST = 2**62
"""Keys of records stay below, so that they fit into 64 bits."""


class IntruderKnowledge:
    """The state of an attack; changes only by what rules let an intruder conclude.

    Values are codes, the same for the same value; the last code of an attribute stands for missing. The values of
    attributes with thresholds that are numbers or ranks also have bounds: both are the value where it is known.
    """

    def __init__(self, file: ConcealedFile) -> None:
        self.file = file
        self.names = file.truth.names
        self.place = {name: place for place, name in enumerate(self.names)}
        self.records = len(file.truth)
        self.columns = [file.truth.categories(name) for name in self.names]
        self.sizes = np.array([len(column.values) + 1 for column in self.columns], dtype=np.int64)
        self.codes = np.empty((len(self.names), self.records), dtype=np.int32)
        for place, column in enumerate(self.columns):
            self.codes[place] = codes_of(column)
        for name, mask in file.hidden.items():
            self.codes[self.place[name], mask] = UNKNOWN
        self.scales: dict[int, Floats] = {}
        self.low: dict[int, Floats] = {}
        self.high: dict[int, Floats] = {}
        self.reach: dict[int, float] = {}
        """How far a value may be from the truth and counts as derived: the largest threshold of its dependencies."""
        self.near: dict[int, Codes] = {}
        """Codes of texts within a threshold of the hidden ones."""
        self.in_doubt = np.zeros(self.codes.shape, dtype=bool)
        self.doubts = False
        """Whether what is concluded from now on rests on dependencies with exceptions."""
        self.versions = np.zeros(len(self.names), dtype=np.int64)
        self.journal = Journal(self.records)
        self._texts: dict[int, dict[str, int]] = {}
        self._measure()

    def _measure(self) -> None:
        """Give bounds to the attributes that are compared by difference or rank."""
        for dependency in self.file.dependencies:
            for name, limit in dependency.thresholds.items():
                place = self.place[name]
                if name == dependency.right:
                    self.reach[place] = max(limit, self.reach.get(place, 0.0))
                if self.file.distance_of(name) == "edits":
                    self.near.setdefault(place, np.full(self.records, UNKNOWN, dtype=np.int32))
                elif place not in self.scales:
                    self.scales[place] = scale_of(self.file, name, self.columns[place])
                    shown = np.where(self.codes[place] >= 0, self.scales[place][self.codes[place]], np.nan)
                    unknown = self.codes[place] == UNKNOWN
                    self.low[place] = np.where(unknown, -np.inf, shown)
                    self.high[place] = np.where(unknown, np.inf, shown)

    def places(self, names: Sequence[str]) -> list[int]:
        """Return the places of attributes."""
        return [self.place[name] for name in names]

    def keys(self, places: Sequence[int], extra: Sequence[Mask] = (), rows: Ints | None = None) -> tuple[Ints, Mask]:
        """Return a number for each combination of known values (and of marks), and for which records all are known.

        `rows` are the records in question; all of them unless given.
        """
        chosen = slice(None) if rows is None else rows
        records = self.records if rows is None else len(rows)
        keys = np.zeros(records, dtype=np.int64)
        known = np.ones(records, dtype=bool)
        combinations = 1
        columns: list[tuple[NDArray[Any], int]] = [
            *((self.codes[place, chosen], int(self.sizes[place])) for place in places),
            *((mark[chosen], 2) for mark in extra),
        ]
        for codes, size in columns:
            known &= codes >= 0
            if combinations > _LARGEST // size:
                distinct, inverse = np.unique(np.where(known, keys, 0), return_inverse=True)
                keys, combinations = inverse.astype(np.int64), len(distinct)
            keys = keys * size + codes
            combinations *= size
        return keys, known

    def meets(self, dependency: KnownDependency) -> Mask:
        """Return the records of which the intruder knows that a dependency holds for them."""
        if dependency.condition is None:
            return np.ones(self.records, dtype=bool)
        place = self.place[dependency.condition.attribute]
        code = self._code_of_text(place, dependency.condition.value)
        meets: Mask = self.codes[place] == code if code is not None else np.zeros(self.records, dtype=bool)
        return meets

    def _code_of_text(self, place: int, text: str) -> int | None:
        if not text:
            return int(self.sizes[place]) - 1
        if place not in self._texts:
            self._texts[place] = {text_of(value): code for code, value in enumerate(self.columns[place].values)}
        return self._texts[place].get(text)

    def learn(self, place: int, rows: Ints, codes: Codes | int) -> None:
        """Take cells as known; the caller notes why."""
        self.codes[place, rows] = codes
        if place in self.low:
            self.low[place][rows] = self.high[place][rows] = self.scales[place][codes]
        self._changed(place, rows)

    def take_from(self, way: LearningWay, place: int, rows: Ints, twins: Ints, rule: int) -> None:
        """Give cells the values of twins."""
        if len(rows):
            self.journal.add(way, place, rows, rule, twins)
            self.learn(place, rows, self.codes[place, twins])

    def take_near(self, place: int, rows: Ints, twins: Ints, rule: int) -> None:
        """Note texts that are within the threshold of hidden ones."""
        if len(rows):
            self.journal.add(LearningWay.NEAR, place, rows, rule, twins)
            self.near[place][rows] = self.codes[place, twins]
            self.in_doubt[place, rows] |= self.doubts

    def narrow(self, way: LearningWay, place: int, rows: Ints, bounds: Floats, twins: Ints, rule: int) -> None:
        """Note tighter bounds; where only one value is left between them, it is known."""
        if not len(rows):
            return
        self.journal.add(way, place, rows, rule, twins)
        (self.low if way == LearningWay.LOW else self.high)[place][rows] = bounds
        points = rows[self.low[place][rows] == self.high[place][rows]]
        if len(points):
            scale = self.scales[place][:-1]
            order = np.argsort(scale, kind="stable")
            at = np.minimum(np.searchsorted(scale, self.low[place][points], sorter=order), len(scale) - 1)
            exists = scale[order[at]] == self.low[place][points]
            self.codes[place, points[exists]] = order[at[exists]]
        self._changed(place, rows)

    def _changed(self, place: int, rows: Ints) -> None:
        self.in_doubt[place, rows] |= self.doubts
        self.versions[place] += 1


def codes_of(column: Categories) -> Codes:
    """Return the codes of the original; the code after the last one stands for missing."""
    return np.where(column.missing, len(column.values), column.codes).astype(np.int32)


def scale_of(file: ConcealedFile, name: str, column: Categories) -> Floats:
    """Return for each code the number by which values are compared; NaN for missing."""
    if file.distance_of(name) == "ranks":
        return np.array([*range(len(column.values)), np.nan])
    if not all(map(is_number, column.values)):
        raise InputError(f"'{name}' is not a number and has no difference", do="compare it by ranks or by edits")
    return np.array([*map(float, column.values), np.nan])  # type: ignore[arg-type]
