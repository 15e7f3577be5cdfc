"""From groups to what represents them, and what that costs.

SSE is the sum of squared differences between records and what represents them, SST that between records and the mean
of the file, both on standardised columns; L = SSE/SST is between 0 (nothing lost) and, for means, 1 (only the mean is
left).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.masking.method import Treated
from tacita.masking.microaggregation.preparation import (
    check_attributes,
    check_group_size,
    comparable,
    finite_matrix,
    parts,
    standardised,
)
from tacita.model.records import Records
from tacita.progress import Progress

Aggregate = Literal["mean", "median", "trimmed mean"]
"""What represents a group. Only the mean keeps the mean of the file; a median may be the value of one record."""

Grouping = Callable[[NDArray[np.float64], NDArray[np.int64], Progress], NDArray[np.int64]]
"""From records without missing values, and the places of their attributes, to the group of each record, from 0."""


@dataclass(frozen=True, slots=True)
class Microaggregation:
    """What microaggregations share: the attributes whose values are grouped, and the least size of a group."""

    is_random: ClassVar[bool] = False

    attributes: tuple[str, ...]
    k: int = 3

    def __post_init__(self) -> None:
        check_group_size(self.k)
        check_attributes(self.attributes)


_TRIMMED = 0.2
"""The share of a group that the trimmed mean leaves out at each end, but at least one record of three or more."""


def represented(
    values: NDArray[np.float64], groups: NDArray[np.int64], aggregate: Aggregate = "mean"
) -> NDArray[np.float64]:
    """Return for each record what represents its group, a column at a time.

    >>> groups = np.array([0, 0, 0, 1, 1])
    >>> represented(np.array([[1.0], [2.0], [9.0], [5.0], [6.0]]), groups).ravel().tolist()
    [4.0, 4.0, 4.0, 5.5, 5.5]
    >>> represented(np.array([[1.0], [2.0], [9.0], [5.0], [6.0]]), groups, "median").ravel().tolist()
    [2.0, 2.0, 2.0, 5.5, 5.5]
    """
    sizes = np.bincount(groups)
    ends = np.cumsum(sizes)
    if aggregate == "mean":
        cut = np.zeros_like(sizes)
    elif aggregate == "median":
        cut = (sizes - 1) // 2
    else:
        cut = np.where(sizes < 3, 0, np.maximum(1, (sizes * _TRIMMED).astype(np.int64)))
    represented_values = np.empty_like(values)
    for place, column in enumerate(values.T):
        order = np.lexsort((column, groups))
        ranked = column[order]
        # Summing what lies above the lowest value of a group leaves equal values exactly as they are.
        lowest = ranked[ends - sizes]
        above = ranked - np.repeat(lowest, sizes)
        rank = np.arange(len(column)) - np.repeat(ends - sizes, sizes)
        kept = (rank >= np.repeat(cut, sizes)) & (rank < np.repeat(sizes - cut, sizes))
        total = np.add.reduceat(np.where(kept, above, 0.0), ends - sizes) if len(sizes) else above
        represented_values[:, place] = (lowest + total / (sizes - 2 * cut))[groups]
    return represented_values


def sums_of_squares(values: NDArray[np.float64], masked: NDArray[np.float64]) -> dict[str, float]:
    """Return SSE, SST and their ratio on standardised columns; missing values count for nothing.

    >>> found = sums_of_squares(np.array([[1.0], [3.0], [5.0], [7.0]]), np.array([[2.0], [2.0], [6.0], [6.0]]))
    >>> round(found["SSE/SST"], 6)
    0.2
    """
    sse = sst = 0.0
    for column, new in zip(values.T, masked.T, strict=True):
        spread = standardised(np.stack([column, new], axis=1))[:, 0]
        known = ~np.isnan(column)
        if not known.any() or not np.any(spread[known]):
            continue
        deviation = column[known].std(ddof=1)
        sse += float(np.sum(np.square((column[known] - new[known]) / deviation)))
        sst += float(np.sum(np.square(spread[known])))
    return {"SSE": sse, "SST": sst, "SSE/SST": sse / sst if sst else 0.0}


def sizes_of(groups: NDArray[np.int64]) -> dict[str, float]:
    """Return how many groups there are, and the size of the smallest and the largest."""
    sizes = np.bincount(groups)
    return {"groups": float(len(sizes)), "smallest group": float(sizes.min()), "largest group": float(sizes.max())}


def microaggregated(
    records: Records,
    attributes: Sequence[str],
    k: int,
    grouping: Grouping,
    progress: Progress,
    *,
    standardise: bool = True,
    aggregate: Aggregate = "mean",
) -> Treated:
    """Return records whose attributes are grouped together, the records that lack the same attributes by themselves."""
    values = finite_matrix(records, attributes)
    divided = parts(np.isnan(values), k)
    points = standardised(values) if standardise else comparable(values)
    groups = np.empty(len(values), dtype=np.int64)
    groups_so_far = 0
    for part in divided:
        if len(part.columns):
            own = grouping(points[np.ix_(part.rows, part.columns)], part.columns, progress)
        else:
            own = np.zeros(len(part.rows), dtype=np.int64)
        groups[part.rows] = own + groups_so_far
        groups_so_far += int(own.max()) + 1
    masked = represented(values, groups, aggregate)
    return Treated.in_place(
        records.with_matrix(attributes, masked),
        groups=groups,
        figures={**sums_of_squares(values, masked), **sizes_of(groups)},
        notes=notes_on(aggregate, len(divided)),
    )


def notes_on(aggregate: Aggregate, number_of_parts: int) -> tuple[str, ...]:
    """Return what a steward has to know about the representatives, and about missing values."""
    notes = []
    if aggregate != "mean":
        notes.append(f"the {aggregate} of a group may be the very value of one of its records, and moves the mean")
    if number_of_parts > 1:
        notes.append(f"records with different missing values were grouped apart, in {number_of_parts} parts")
    return tuple(notes)
