"""Distances between records of numbers and categories, and what represents a group of them.

An attribute is a *number*, *ordinal*, *nominal* or *semantic*. Two ordinal values are as far apart as they are in their
order, two different nominal ones are at distance 1, and two semantic ones at

    d(a, b) = log2(1 + (|A or B| - |A and B|) / |A or B|),

A and B being the concepts of the taxonomy from a, and from b, up to the root (Sanchez, Batet, Isern and Valls, Expert
Systems with Applications 39, 2012). What represents a group is its mean, and of categories the one at the least sum of
distances to the group: the median, the mode, or the semantic centroid (Domingo-Ferrer and Torra 2005; Martinez, Sanchez
and Valls 2012). Of several, it is the one that is most frequent in the file.

Numbers are standardised; distances between categories are divided so that, as with standardised numbers, the mean of
their square over all pairs of records is 2: every attribute has the same weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.functions import logarithm
from tacita.arithmetic.matrices import product
from tacita.errors import InputError, UsageError
from tacita.masking.microaggregation.aggregation import represented, sums_of_squares
from tacita.masking.microaggregation.preparation import Part, finite_matrix, standardised
from tacita.model.hierarchy import Hierarchy
from tacita.model.records import Categories, Numbers, Records, Values

Kind = Literal["number", "ordinal", "nominal", "semantic"]

_LN2 = 0.6931471805599453
_MOST = 2_000
"""Categories of an attribute: the table of their distances has the square of that."""


@dataclass(frozen=True, slots=True, eq=False)
class CategoryAxis:
    """The categories of an attribute that occur, most frequent first, and the distances between them."""

    name: str
    codes: NDArray[np.int64]
    """Of each record, -1 where it has none."""
    origin: NDArray[np.int32]
    """The code in the records."""
    table: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MixedSpace:
    """Records as points: some attributes numbers, the others categories."""

    numbers: tuple[str, ...]
    values: NDArray[np.float64]
    points: NDArray[np.float64]
    axes: tuple[CategoryAxis, ...]

    @classmethod
    def of(cls, records: Records, attributes: Sequence[str], kinds: Mapping[str, Kind]) -> MixedSpace:
        """Return the space of some attributes; without a kind they are what they look like."""
        if strange := sorted(set(kinds) - set(attributes)):
            raise UsageError(f"'{strange[0]}' is given a kind, but not named", do="name it, or leave the kind out")
        kind_of = {name: kinds.get(name) or _kind(records[name]) for name in attributes}
        numbers = tuple(name for name in attributes if kind_of[name] == "number")
        values = finite_matrix(records, numbers, may_be_codes=True)  # a person may have said that codes are numbers
        axes = tuple(_axis(records, name, kind) for name, kind in kind_of.items() if kind != "number")
        return cls(numbers, values, standardised(values), axes)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where a value is missing: numbers first, then categories."""
        return np.concatenate([np.isnan(self.values), *(axis.codes[:, None] < 0 for axis in self.axes)], axis=1)

    def coded(self, part: Part) -> tuple[NDArray[np.float64], NDArray[np.int64], tuple[NDArray[np.float64], ...]]:
        """Return the points of a part: its numbers, its categories, and the tables of their distances."""
        own = [self.axes[place - len(self.numbers)] for place in part.columns if place >= len(self.numbers)]
        codes = np.empty((len(part.rows), len(own)), dtype=np.int64)
        for place, axis in enumerate(own):
            codes[:, place] = axis.codes[part.rows]
        columns = part.columns[part.columns < len(self.numbers)]
        return self.points[np.ix_(part.rows, columns)], codes, tuple(axis.table for axis in own)

    def represented(self, records: Records, groups: NDArray[np.int64]) -> tuple[Records, dict[str, float]]:
        """Return records in which each group shows what represents it, and SSE, SST and their ratio."""
        from tacita.masking.microaggregation.kernels.mixed import categories_of_groups

        number = int(groups.max()) + 1
        masked = represented(self.values, groups)
        figures = sums_of_squares(self.values, masked)
        sse, sst = figures["SSE"], figures["SST"]
        columns: dict[str, Values] = {}
        for axis in self.axes:
            known = axis.codes >= 0
            codes = np.full(len(groups), -1, dtype=np.int32)
            if known.any():
                own = axis.codes[known]
                of_group = categories_of_groups(own, groups[known], number, axis.table)[groups[known]]
                of_all = centroid(own, axis.table)
                sse += float(np.sum(np.square(axis.table[own, of_group])))
                sst += float(np.sum(np.square(axis.table[own, of_all])))
                codes[known] = axis.origin[of_group]
            columns[axis.name] = _with_codes(records, axis.name, codes)
        return records.with_matrix(self.numbers, masked).with_columns(columns), {
            "SSE": sse,
            "SST": sst,
            "SSE/SST": sse / sst if sst else 0.0,
        }


def centroid(codes: NDArray[np.int64], table: NDArray[np.float64]) -> int:
    """Return the category of some records that is at the least sum of distances to all of them; the first of several.

    >>> centroid(np.array([0, 2, 2]), 1.0 - np.eye(3))
    2
    """
    counts = np.bincount(codes, minlength=len(table))
    effort = np.where(counts > 0, product(table, counts.astype(np.float64)), np.inf)
    return int(np.argmax(effort <= effort.min() * (1 + 1e-9)))


def _kind(column: Values) -> Kind:
    if isinstance(column, Numbers):
        return "number"
    if column.is_ordered:
        return "ordinal"
    return "semantic" if column.hierarchy is not None else "nominal"


def _with_codes(records: Records, name: str, codes: NDArray[np.int32]) -> Values:
    """Return a column with other codes, as numbers if it holds numbers."""
    column = records[name]
    if isinstance(column, Categories):
        return column.with_codes(codes)
    numbers = np.array([*map(float, records.categories(name).values), np.nan])  # type: ignore[arg-type]
    return Numbers(numbers[codes], column.is_whole)


def _axis(records: Records, name: str, kind: Kind) -> CategoryAxis:
    column = records.categories(name)
    counts = column.counts
    if kind == "ordinal" and not column.is_ordered:
        raise UsageError(f"'{name}' has no order", do="give it one in the dictionary, or let it be nominal")
    if kind == "semantic" and column.hierarchy is None:
        raise UsageError(f"'{name}' has no taxonomy", do="give it a hierarchy, or let it be nominal")
    origin = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    if len(origin) > _MOST:
        raise InputError(
            f"'{name}' has {len(origin):,} categories, and {_MOST:,} can be compared",
            do="coarsen it, or treat it as a number",
        )
    if kind == "ordinal":
        table = np.abs(origin[:, None] - origin[None, :]).astype(np.float64)
    elif kind == "semantic" and column.hierarchy is not None:
        table = semantic_distances(column.hierarchy, [column.values[code] for code in origin])
    else:
        table = 1.0 - np.eye(len(origin))
    own, total = counts[origin].astype(np.float64), float(counts.sum())
    mean = float((product(np.square(table), own) * own).sum()) / (total * (total - 1)) if total > 1 else 0.0
    place = np.full(len(counts) + 1, -1, dtype=np.int64)
    place[origin] = np.arange(len(origin))
    return CategoryAxis(
        name, place[column.codes], origin.astype(np.int32), table * np.sqrt(2 / mean) if mean > 0 else table
    )


def semantic_distances(hierarchy: Hierarchy, values: Sequence[object]) -> NDArray[np.float64]:
    """Return the distance between any two values over the taxonomy; all of them must have a place in it.

    >>> from tacita.model.hierarchy import ValueHierarchy
    >>> paths = [["flu", "lungs"], ["asthma", "lungs"], ["ulcer", "stomach"]]
    >>> tree = ValueHierarchy.from_paths("illness", paths, star=True)
    >>> semantic_distances(tree, ["flu", "asthma", "ulcer"]).round(2).tolist()
    [[0.0, 0.58, 0.85], [0.58, 0.0, 0.85], [0.85, 0.85, 0.0]]
    """
    hierarchy.check_covers(values)
    paths = [hierarchy.path(value) or () for value in values]
    common = np.zeros((len(values), len(values)))
    for level in range(len(hierarchy.levels)):
        numbers = {label: number for number, label in enumerate(dict.fromkeys(path[level] for path in paths))}
        labels = np.array([numbers[path[level]] for path in paths])
        common += labels[:, None] == labels[None, :]
    union = 2 * len(hierarchy.levels) - common
    return logarithm(1 + (union - common) / union) / _LN2
