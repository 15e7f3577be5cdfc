"""The optimal grouping of one attribute, by a shortest path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.masking.method import Treated
from tacita.masking.microaggregation.attribute_by_attribute import SHARED_LIMIT, each_by_itself
from tacita.masking.microaggregation.preparation import check_attributes, check_group_size
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class OptimalUnivariate:
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

    attributes: tuple[str, ...]
    k: int = 3
    name: ClassVar[str] = "optimal-univariate"
    promises: ClassVar[str] = (
        "Every value of an attribute is shared by k records or more, and no grouping of the attribute loses less; "
        "groups of an attribute have k to 2k - 1; means are kept."
    )
    limits: ClassVar[str] = SHARED_LIMIT
    is_random: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_group_size(self.k)
        check_attributes(self.attributes)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which each attribute shows values that k records share."""
        return each_by_itself(
            records,
            self.attributes,
            self.k,
            lambda values: optimal_groups(values, self.k),
            progress,
            doing=self.name,
        )


def optimal_groups(values: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the group of each value, from 0 for the smallest."""
    from tacita.masking.microaggregation.kernels.shortest_path import shortest_path

    order = np.argsort(values, kind="stable")
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = shortest_path(values[order], k)
    return groups
