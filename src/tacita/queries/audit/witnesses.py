"""Data sets, by sums of classes, that agree with all answers and show that a class is uncertain enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.queries.audit.needs import ClassNeed

Ints = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnsweredSums:
    """Answered sums: row r adds up the classes where it is 1, and is ``right[r]``."""

    rows: Numbers
    right: Numbers
    numbers: tuple[int, ...]
    """Of each row the number of its answer."""

    @classmethod
    def none(cls, classes: int) -> AnsweredSums:
        """Return no answers."""
        return cls(np.zeros((0, classes)), np.zeros(0), ())

    def __len__(self) -> int:
        return len(self.right)

    def divided(self, parents: Ints) -> AnsweredSums:
        """Return the same answers over classes that were cut."""
        rows = self.rows
        for parent in parents.tolist():
            rows = np.concatenate([rows, rows[:, parent : parent + 1]], axis=1)
        return AnsweredSums(rows, self.right, self.numbers)

    def extended(self, rows: Numbers, right: Numbers, number: int) -> AnsweredSums:
        """Return these answers and more, without those that are there."""
        new = [
            at
            for at in range(len(rows))
            if not (self.rows == rows[at]).all(axis=1).any() and not (rows[:at] == rows[at]).all(axis=1).any()
        ]
        return AnsweredSums(
            np.concatenate([self.rows, rows[new]]),
            np.concatenate([self.right, right[new]]),
            (*self.numbers, *[number] * len(new)),
        )


@dataclass(slots=True, eq=False, repr=False)
class Witnesses:
    """Witnesses of classes and sides (1: large, -1: small). Mutable: `add` changes them."""

    points: dict[tuple[int, int], Numbers] = field(default_factory=dict)

    def has(self, one: int, sign: int) -> bool:
        """Return whether there is a witness."""
        return (one, sign) in self.points

    def add(self, one: int, sign: int, point: Numbers) -> None:
        """Keep a witness."""
        self.points[one, sign] = point

    def divided(self, roots: Ints, lower: Numbers, upper: Numbers) -> Witnesses:
        """Return witnesses over classes that were cut: all parts of one are equally far between their bounds.

        `roots` are the classes that classes were parts of; bounds are those of the parts, and add up to those of the
        whole.
        """
        least, most = (np.bincount(roots, one, len(roots)) for one in (lower, upper))
        room = most - least
        result = {}
        for key, point in self.points.items():
            whole = np.concatenate([point, np.zeros(len(roots) - len(point))])
            far = np.divide(whole - least, room, out=np.zeros(len(roots)), where=room > 0)
            result[key] = lower + far[roots] * (upper - lower)
        return Witnesses(result)

    def mended(self, answers: AnsweredSums, first: int, needs: Mapping[int, ClassNeed], tolerance: float) -> Witnesses:
        """Return witnesses that agree with all answers, by those from number `first` on.

        One that errs is mixed with one that errs on the other side, so that both errors cancel out.
        """
        keys = [key for key in self.points if key[0] in needs]
        if not keys:
            return Witnesses()
        points = np.stack([self.points[key] for key in keys])
        for row, right in zip(answers.rows[first:], answers.right[first:], strict=True):
            keys, points = _agreeing(keys, points, points @ row - right, tolerance)
        return _assigned(keys, points, needs, tolerance)


def _agreeing(
    keys: list[tuple[int, int]], points: Numbers, errors: Numbers, tolerance: float
) -> tuple[list[tuple[int, int]], Numbers]:
    """Return points whose error is gone; of each that errs the best mixture for its class."""
    mixed, kept = points.copy(), np.abs(errors) <= tolerance
    for at in np.flatnonzero(~kept).tolist():
        others = np.flatnonzero(errors * errors[at] < 0)
        if not len(others):
            continue
        column, sign = keys[at]
        share = np.abs(errors[others]) / (np.abs(errors[others]) + abs(errors[at]))
        best = int(np.argmax(sign * (share * points[at, column] + (1 - share) * points[others, column])))
        mixed[at] = share[best] * points[at] + (1 - share[best]) * points[others[best]]
        kept[at] = True
    return [key for key, stays in zip(keys, kept.tolist(), strict=True) if stays], mixed[kept]


def _assigned(
    keys: list[tuple[int, int]], points: Numbers, needs: Mapping[int, ClassNeed], tolerance: float
) -> Witnesses:
    """Return a point for each need that one of the points meets, its own before others."""
    result = Witnesses()
    own = {key: at for at, key in enumerate(keys)}
    for one, need in needs.items():
        for sign, level in ((1, need.up), (-1, need.down)):
            if level is None or not len(points):
                continue
            at = own.get((one, sign), int(np.argmax(sign * points[:, one])))
            if sign * points[at, one] < sign * level - tolerance:
                at = int(np.argmax(sign * points[:, one]))
            if sign * points[at, one] >= sign * level - tolerance:
                result.add(one, sign, points[at])
    return result
