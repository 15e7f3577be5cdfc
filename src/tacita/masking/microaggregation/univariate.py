"""Microaggregation of each attribute by itself: in groups of k neighbours, or in the groups that lose least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.masking.method import Grid, Treated
from tacita.masking.microaggregation.aggregation import (
    Aggregate,
    Microaggregation,
    notes_on,
    represented,
    sizes_of,
    sums_of_squares,
)
from tacita.masking.microaggregation.preparation import check_enough, comparable, finite_matrix
from tacita.masking.microaggregation.single_axis import fixed_size_groups
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent


class UnivariateMicroaggregation(Microaggregation):
    """What both methods share: each attribute is grouped by itself; a record takes part where it has a value."""

    __slots__ = ()
    name: ClassVar[str]
    limits: ClassVar[str] = (
        "Records stay distinguishable by several attributes together, so that this is no k-anonymity; a value lies "
        "between the averages of the neighbouring groups, which may be a narrow interval."
    )

    def group(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the group of each value, from 0 for the smallest."""
        raise NotImplementedError

    def representative(self) -> Aggregate:
        """Return what stands for the values of a group."""
        return "mean"

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which each attribute shows values that k records share."""
        values = comparable(finite_matrix(records, self.attributes))
        check_enough(len(values), self.k)
        masked = values.copy()
        groups = None
        figures: dict[str, float] = {}
        for place, name in enumerate(self.attributes):
            progress(Step(self.name, place, len(self.attributes)))
            known = ~np.isnan(values[:, place])
            if not known.any():
                continue
            check_enough(int(known.sum()), self.k, f" with a value of '{name}'")
            own = self.group(values[known, place])
            masked[known, place] = represented(values[known, place : place + 1], own, self.representative())[:, 0]
            if len(self.attributes) == 1 and known.all():
                groups, figures = own, sizes_of(own)
        return Treated.in_place(
            records.with_matrix(self.attributes, masked),
            groups=groups,
            figures={**sums_of_squares(values, masked), **figures},
            notes=notes_on(self.representative(), 1),
        )


@dataclass(frozen=True, slots=True)
class IndividualRanking(UnivariateMicroaggregation):
    """Univariate microaggregation of each attribute with groups of k values that follow each other.

    The last group has up to 2k - 1. It keeps much and protects little: what it does not promise is in `limits`
    (document 002, "Individual sorting"; Mateo-Sanz and Domingo-Ferrer, Questiio 22, 1998).

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"staff": Numbers.of([5, 1, 2, 7, None])})
    >>> found = IndividualRanking(("staff",), k=2).treated(firms, np.random.default_rng(0))
    >>> found.records.numbers("staff").values.tolist()
    [6.0, 1.5, 1.5, 6.0, nan]
    """

    aggregate: Aggregate = "mean"
    name: ClassVar[str] = "individual-ranking"
    treats: ClassVar[str] = "numbers"
    grid: ClassVar[Grid] = {"k": (3, 10, 25)}
    promises: ClassVar[str] = (
        "Every value of an attribute is shared by k records or more; groups of an attribute have k to 2k - 1; means "
        "are kept."
    )

    def group(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the group of each value, from 0 for the smallest."""
        return fixed_size_groups(values, self.k)

    def representative(self) -> Aggregate:
        """Return what stands for the values of a group."""
        return self.aggregate


@dataclass(frozen=True, slots=True)
class OptimalUnivariate(UnivariateMicroaggregation):
    """Univariate microaggregation of each attribute with the least possible SSE for groups of at least k.

    In an optimal grouping the groups are stretches of k to 2k - 1 of the sorted values, and so it is a shortest path
    through them, an edge from i to j costing the SSE of what lies between: O(kn) after sorting (Hansen and Mukherjee,
    IEEE Transactions on Knowledge and Data Engineering 15(4), 2003). Of groupings that cost the same, the one whose
    last groups are smallest is taken.

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"staff": Numbers.of([1, 2, 3, 40, 41, 80, 81])})
    >>> found = OptimalUnivariate(("staff",), k=2).treated(firms, np.random.default_rng(0))
    >>> found.records.numbers("staff").values.tolist()
    [2.0, 2.0, 2.0, 40.5, 40.5, 80.5, 80.5]
    """

    name: ClassVar[str] = "optimal-univariate"
    promises: ClassVar[str] = (
        "Every value of an attribute is shared by k records or more, and no grouping of the attribute loses less; "
        "groups of an attribute have k to 2k - 1; means are kept."
    )

    def group(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the group of each value, from 0 for the smallest."""
        return optimal_groups(values, self.k)


def optimal_groups(values: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the group of each value, from 0 for the smallest."""
    from tacita.masking.microaggregation.kernels.shortest_path import shortest_path

    order = np.argsort(values, kind="stable")
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = shortest_path(values[order], k)
    return groups
