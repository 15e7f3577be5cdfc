"""Microaggregation of each attribute by itself: what individual ranking and the optimal grouping share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.masking.method import Treated
from tacita.masking.microaggregation.aggregation import (
    Aggregate,
    notes_on,
    represented,
    sizes_of,
    sums_of_squares,
)
from tacita.masking.microaggregation.preparation import check_enough, comparable, finite_matrix
from tacita.model.records import Records
from tacita.progress import Progress, Step

SHARED_LIMIT = (
    "Records stay distinguishable by several attributes together, so that this is no k-anonymity; a value lies between "
    "the averages of the neighbouring groups, which may be a narrow interval."
)


def each_by_itself(
    records: Records,
    attributes: Sequence[str],
    k: int,
    grouping: Callable[[NDArray[np.float64]], NDArray[np.int64]],
    progress: Progress,
    *,
    doing: str,
    aggregate: Aggregate = "mean",
) -> Treated:
    """Return records of which each attribute is grouped by itself; a record takes part where it has a value."""
    values = comparable(finite_matrix(records, attributes))
    check_enough(len(values), k)
    masked = values.copy()
    groups = None
    figures: dict[str, float] = {}
    for place, name in enumerate(attributes):
        progress(Step(doing, place, len(attributes)))
        known = ~np.isnan(values[:, place])
        if not known.any():
            continue
        check_enough(int(known.sum()), k, f" with a value of '{name}'")
        own = grouping(values[known, place])
        masked[known, place] = represented(values[known, place : place + 1], own, aggregate)[:, 0]
        if len(attributes) == 1 and known.all():
            groups, figures = own, sizes_of(own)
    return Treated.in_place(
        records.with_matrix(attributes, masked),
        groups=groups,
        figures={**sums_of_squares(values, masked), **figures},
        notes=notes_on(aggregate, 1),
    )
