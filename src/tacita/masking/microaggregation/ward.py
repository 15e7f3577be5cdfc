"""The modified Ward algorithm: groups grow together where it costs least, until all have k records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.masking.method import Treated
from tacita.masking.microaggregation.aggregation import Aggregate, Microaggregation, microaggregated
from tacita.masking.microaggregation.single_axis import AXES, along, check_axis, check_sortable
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

_CRITERIA = ("maximum distance", *AXES)
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Ward(Microaggregation):
    """Microaggregation of one attribute or several with groups of k to 2k - 1 whose size follows the data.

    1. The first k records are a group, and the last k. 2. The two groups, or single records, whose union increases SSE
    least are joined, but never two that both have k records, until every record is in a group of k or more. 3. A group
    of 2k or more is treated likewise (document 002, "Modified Ward's Algorithm"; Domingo-Ferrer and Mateo-Sanz, IEEE
    Transactions on Knowledge and Data Engineering 14(1), 2002).

    Which records are first and last is told by `extremes`: with the maximum distance, they are the two that are most
    distant from each other, each with the k - 1 that are nearest in turn to the average of its growing group, starting
    at the one that comes first in the file; otherwise, they are the ends of an axis. One attribute is its own axis.
    The time grows with the square of the number of records; no matrix of distances is kept.

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"staff": Numbers.of([1, 2, 3, 4, 5, 20, 21, 22, 23])})
    >>> found = Ward(("staff",), k=3).treated(firms, np.random.default_rng(0))
    >>> found.groups.tolist()
    [0, 0, 0, 0, 0, 1, 1, 1, 1]
    """

    extremes: str = "maximum distance"
    """``maximum distance``, ``principal component``, ``z-scores``, or the name of one of the attributes."""
    standardise: bool = True
    """Whether distances are between standardised columns; otherwise the attribute with the largest numbers rules."""
    aggregate: Aggregate = "mean"
    name: ClassVar[str] = "ward"
    promises: ClassVar[str] = (
        "Every combination of the attributes is shared by k records or more; groups have k to 2k - 1; means are kept."
    )
    limits: ClassVar[str] = "Variances shrink. The time grows with the square of the number of records."

    def __post_init__(self) -> None:
        Microaggregation.__post_init__(self)
        check_axis(self.extremes, self.attributes, _CRITERIA)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which groups of k to 2k - 1 show the same values."""
        check_sortable(records, self.extremes, _CRITERIA)
        return microaggregated(
            records,
            self.attributes,
            self.k,
            self._groups,
            progress,
            standardise=self.standardise,
            aggregate=self.aggregate,
        )

    def _groups(self, points: NDArray[np.float64], columns: NDArray[np.int64], progress: Progress) -> NDArray[np.int64]:
        names = [self.attributes[place] for place in columns]
        groups = np.empty(len(points), dtype=np.int64)
        pending, next_group = [np.arange(len(points))], 0
        while pending:
            rows = pending.pop()
            if len(rows) < 2 * self.k:
                groups[rows] = next_group
                next_group += 1
                continue
            own = _joined(points[rows], self._extreme_groups(points[rows], names), self.k, progress)
            pending += [rows[own == group] for group in np.unique(own)[::-1]]
        return groups

    def _extreme_groups(self, points: NDArray[np.float64], names: list[str]) -> NDArray[np.int64]:
        """Return 0 for the first k records, 1 for the last k, and -1 for those between."""
        from tacita.masking.microaggregation.kernels.ward import grown_groups, most_distant

        if self.extremes == "maximum distance":
            return np.asarray(grown_groups(points, *most_distant(points), self.k))
        order = np.argsort(along(points, self.extremes, names), kind="stable")
        start = np.full(len(points), -1, dtype=np.int64)
        start[order[: self.k]], start[order[-self.k :]] = 0, 1
        return start


def _joined(points: NDArray[np.float64], start: NDArray[np.int64], k: int, progress: Progress) -> NDArray[np.int64]:
    """Return the group of each record after joining, from what is first, what is last and single records."""
    from tacita.masking.microaggregation.kernels.ward import join, started

    cluster = start.copy()
    cluster[start < 0] = 2 + np.arange(np.count_nonzero(start < 0))
    clusters = started(points, cluster, int(cluster.max()) + 1)
    single = len(points) - 2 * k
    while left := join(clusters, k, _AT_ONCE):
        progress(Step("ward", single - left, single))
    into = clusters.into
    # A cluster has become part of one with a smaller number, which may have become part of another.
    for number in range(len(into)):
        into[number] = into[into[number]]
    return np.asarray(into[cluster])
