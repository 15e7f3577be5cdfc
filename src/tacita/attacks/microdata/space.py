"""The space in which an intruder measures how far apart two records are.

The squared distance of two records is the sum over attributes, each of which weighs the same: an attribute is scaled so
that two records drawn at random differ by about 2 in it, which is what standardising does to a number.

- *Numbers*, and categories that are ordered: the squared difference of standardised values, of ranks for categories.
- *Categories with a taxonomy*: (h/H)^2, where h is the lowest level at which both have the same label and H is the
  height of the taxonomy (the semantic distance). A generalised label stands at its own level, and is as near to every
  value below it. Because labels that agree stay the same further up, this is a sum over levels of a penalty for labels
  that differ.
- *Other categories*: a penalty if they differ.

What the intruder does not know of a record counts for nothing when something near it is sought. What is missing in a
record that may be near counts as the mean of the squared distances to those where it is not missing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tacita.errors import listed
from tacita.model.hierarchy import Hierarchy, text_of
from tacita.model.records import Categories, Numbers, Records, Values

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Standardised = Literal["together", "apart"]

_MEAN = 2.0
"""What two random records differ by, squared, in one attribute."""
_LABELS = 2_000_000
"""Paths through a taxonomy that are followed at most for one attribute."""


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One attribute of two files: numbers, or labels at one or several levels."""

    name: str
    numbers: tuple[Floats, Floats] | None
    """Standardised, NaN where missing."""
    levels: tuple[tuple[Codes, Codes], ...] = ()
    """From the lowest level up: the same code for the same label, -1 where missing."""
    costs: tuple[float, ...] = ()
    """What labels that differ at a level add to the squared distance."""
    texts: tuple[str, ...] = ()
    """What each code of the lowest level stands for, if there is no taxonomy."""


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """The records of two files: those for which something near is sought, and those that may be near."""

    numbers: tuple[Floats, Floats]
    """Standardised numbers, NaN where missing: a row for each record of the one file and of the other."""
    codes: tuple[Codes, Codes]
    """Labels as codes, the same code for the same label in both files; -1 where missing."""
    penalties: Floats
    """What two labels that differ cost."""
    notes: tuple[str, ...] = field(default=())

    @property
    def reversed(self) -> Space:
        """The same with the files exchanged."""
        return Space(self.numbers[::-1], self.codes[::-1], self.penalties, self.notes)

    @property
    def width(self) -> int:
        """The number of axes; 0 if no attribute can tell records apart."""
        return int(self.numbers[0].shape[1] + self.codes[0].shape[1])

    def absent(self, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return what it costs some records of the first file if the other record has no value, for each axis."""
        numbers, others = self.numbers[0][rows], self.numbers[1]
        there = ~np.isnan(others)
        count = np.maximum(there.sum(axis=0), 1)
        mean = np.where(there, others, 0.0).sum(axis=0) / count
        spread = (np.where(there, others - mean, 0.0) ** 2).sum(axis=0) / count
        codes = self.codes[0][rows]
        costs = np.empty(codes.shape)
        for axis in range(codes.shape[1]):
            target = self.codes[1][:, axis]
            known = np.bincount(target[target >= 0], minlength=max(int(codes[:, axis].max(initial=0)) + 1, 1))
            share = known / max(int(known.sum()), 1)
            costs[:, axis] = self.penalties[axis] * (1 - share[codes[:, axis]])
        return (numbers - mean) ** 2 + spread, costs

    def apart(self, rows: NDArray[np.int64], others: NDArray[np.int64]) -> Floats:
        """Return the squared distances of pairs: record `rows[i]` of the first file, `others[i]` of the second."""
        of_numbers, of_codes = self.absent(rows)
        one, two = self.numbers[0][rows], self.numbers[1][others]
        squares = np.where(np.isnan(one), 0.0, np.where(np.isnan(two), of_numbers, (one - two) ** 2))
        some, more = self.codes[0][rows], self.codes[1][others]
        penalties = np.where(some < 0, 0.0, np.where(more < 0, of_codes, self.penalties * (some != more)))
        distances: Floats = squares.sum(axis=1) + penalties.sum(axis=1)
        return distances


def space_of(some: Records, others: Records, names: Sequence[str], standardised: Standardised = "together") -> Space:
    """Return the space of two files that share attributes.

    Numbers are standardised by the values of both files together, or each file by its own: the latter undoes a shift or
    a change of scale. Attributes that tell no two records apart are left out.

    >>> known = Records({"age": Numbers.of([20, 30]), "sex": Categories.of(["f", "m"])})
    >>> space_of(known, known, ["age", "sex"]).apart(np.array([0, 0]), np.array([0, 1])).tolist()
    [0.0, 8.0]
    """
    axes, notes = axes_of(some, others, names, standardised)
    return assembled(axes, (len(some), len(others)), notes)


def assembled(axes: Sequence[Axis], sides: tuple[int, int], notes: tuple[str, ...] = ()) -> Space:
    """Return the space that axes make of files with so many records."""
    numbers = [axis.numbers for axis in axes if axis.numbers is not None]
    levels = [level for axis in axes for level in axis.levels]
    return Space(
        tuple(_stacked([axis[side] for axis in numbers], sides[side], np.float64) for side in (0, 1)),  # type: ignore[arg-type]
        tuple(_stacked([level[side] for level in levels], sides[side], np.int32) for side in (0, 1)),  # type: ignore[arg-type]
        np.array([cost for axis in axes for cost in axis.costs], dtype=np.float64),
        notes,
    )


def axes_of(
    some: Records, others: Records, names: Sequence[str], standardised: Standardised = "together"
) -> tuple[list[Axis], tuple[str, ...]]:
    """Return the attributes of two files that tell records apart, and notes about those that do not."""
    axes: list[Axis] = []
    same: list[str] = []
    strange: list[str] = []
    for name in names:
        values = _as_numbers(some, others, name)
        if values is not None:
            numbers = _standardised(*values, standardised)
            if numbers is None:
                same.append(name)
            else:
                axes.append(Axis(name, numbers))
            continue
        levels, costs, texts = _levels(some.categories(name), others.categories(name))
        shares = [share_that_differs(level) for level in levels]
        mean = sum(cost * share for cost, share in zip(costs, shares, strict=True))
        if mean <= 0:
            same.append(name)
        elif all(share >= 1 for share in shares):
            strange.append(name)
        else:
            axes.append(Axis(name, None, tuple(levels), tuple(cost * _MEAN / mean for cost in costs), texts))
    notes = [f"the same in all records, and no help: {listed(same)}"] if same else []
    notes += [f"no value is in both files, and no help: {listed(strange)}"] if strange else []
    return axes, tuple(notes)


def _stacked(columns: list[NDArray[np.generic]], length: int, kind: type) -> NDArray[np.generic]:
    stack: NDArray[np.generic] = np.stack(columns, axis=1) if columns else np.empty((length, 0), dtype=kind)
    return np.ascontiguousarray(stack)


def _as_numbers(some: Records, others: Records, name: str) -> tuple[Floats, Floats] | None:
    """Return an attribute of both files as numbers, or None if it is one of labels."""
    one, two = some[name], others[name]
    if isinstance(one, Categories) and isinstance(two, Categories):
        order = _common_order(one, two)
        return None if order is None else (_ranks(one, order), _ranks(two, order))
    if _is_number(one) and _is_number(two):
        return _finite(some.numbers(name).values), _finite(others.numbers(name).values)
    return None


def _is_number(column: Values) -> bool:
    if isinstance(column, Numbers):
        return True
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in column.values)


def _finite(values: Floats) -> Floats:
    """Return numbers of which infinite ones are missing: no distance to them can be measured."""
    return np.where(np.isfinite(values), values, np.nan)


def _common_order(one: Categories, two: Categories) -> dict[Hashable, int] | None:
    """Return the ranks of ordered categories if the values of one file are among those of the other, in that order."""
    if not (one.is_ordered and two.is_ordered):
        return None
    longer, shorter = (one, two) if len(one.values) >= len(two.values) else (two, one)
    ranks = {value: rank for rank, value in enumerate(longer.values)}
    places = [ranks.get(value, -1) for value in shorter.values]
    return ranks if -1 not in places and places == sorted(places) else None


def _ranks(column: Categories, order: dict[Hashable, int]) -> Floats:
    ranks = np.array([*(order[value] for value in column.values), np.nan], dtype=np.float64)
    return ranks[column.codes]


def _standardised(one: Floats, two: Floats, how: Standardised) -> tuple[Floats, Floats] | None:
    parts = [(np.concatenate([one, two]),) * 2] if how == "together" else [(one, two)]
    scaled = []
    for values, own in zip(parts[0], (one, two), strict=True):
        known = values[~np.isnan(values)]
        middle, deviation = (float(known.mean()), float(known.std())) if len(known) else (0.0, 0.0)
        # values that are all the same may have a deviation of a few last bits
        varies = deviation > 1e-12 * max(abs(middle), 1e-300)
        scaled.append((own - middle) / (deviation if varies else 1.0) * varies)
    if all(not np.any(column[~np.isnan(column)]) for column in scaled):
        return None
    return scaled[0] + 0.0, scaled[1] + 0.0


def _levels(one: Categories, two: Categories) -> tuple[list[tuple[Codes, Codes]], list[float], tuple[str, ...]]:
    """Return the codes of both files at each level below the top, what labels that differ there add, and the labels."""
    hierarchy = one.hierarchy or two.hierarchy
    if hierarchy is None or (len(one.values) + len(two.values)) * max(hierarchy.height, 1) > _LABELS:
        sides = [[text_of(value) for value in column.values] for column in (one, two)]
        return [_coded(one, two, *sides)], [1.0], tuple(dict.fromkeys((*sides[0], *sides[1])))
    above = _labels_above(hierarchy, [*one.values, *two.values])
    paths = [[_path(hierarchy, above, value) for value in column.values] for column in (one, two)]
    height = max(hierarchy.height, 1)
    levels = [_coded(one, two, *([path[level] for path in side] for side in paths)) for level in range(height)]
    return levels, [((level + 1) ** 2 - level**2) / height**2 for level in range(height)], ()


def _labels_above(hierarchy: Hierarchy, values: Sequence[Hashable]) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return for each label above some values the lowest level at which it stands, and the path from there."""
    above: dict[str, tuple[int, tuple[str, ...]]] = {}
    for value in values:
        path = hierarchy.path(value) or ()
        for level, label in enumerate(path):
            if label not in above or above[label][0] > level:
                above[label] = (level, path[level:])
    return above


def _path(hierarchy: Hierarchy, above: dict[str, tuple[int, tuple[str, ...]]], value: Hashable) -> tuple[Hashable, ...]:
    """Return the labels of a value from level 0; below a generalised label it is like no other."""
    path = hierarchy.path(value)
    if path is not None:
        return path
    level, rest = above.get(str(value), (hierarchy.height, ()))
    return (*(("below", str(value)) for _ in range(level)), *rest, ("above", str(value)))


def _coded(
    one: Categories, two: Categories, some: Sequence[Hashable], others: Sequence[Hashable]
) -> tuple[Codes, Codes]:
    places: dict[Hashable, int] = {}
    coded = []
    for column, labels in ((one, some), (two, others)):
        codes = [places.setdefault(label, len(places)) for label in labels]
        coded.append(np.array([*codes, -1], dtype=np.int32)[column.codes])
    return coded[0], coded[1]


def share_that_differs(level: tuple[Codes, Codes]) -> float:
    """Return in which share of all pairs the labels differ; 0 if nothing is known."""
    counts = [np.bincount(side[side >= 0], minlength=1).astype(np.float64) for side in level]
    if not counts[0].sum() or not counts[1].sum():
        return 0.0
    length = min(map(len, counts))
    agree = float(counts[0][:length] @ counts[1][:length]) / float(counts[0].sum() * counts[1].sum())
    return 1.0 - agree
