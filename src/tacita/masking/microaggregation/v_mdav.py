"""V-MDAV: groups of k to 2k - 1 that grow where neighbours are close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.masking.method import Treated
from tacita.masking.microaggregation.aggregation import Aggregate, Microaggregation, microaggregated
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class VMdav(Microaggregation):
    """Multivariate microaggregation with groups whose size follows the data.

    While at least k records are left, the one farthest from the average of the file and the k - 1 nearest to it are a
    group. It takes in the record that is nearest to any of its own, up to 2k - 1, as long as that one's distance d_in
    to the group is less than gamma times its distance d_out to the nearest of the other records that are left. Fewer
    than k that are left in the end join the group whose average is nearest, which may then have 2k or more (Solanas
    and Martinez-Balleste, "V-MDAV: a multivariate microaggregation with variable group size", COMPSTAT 2006).

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([1, 2, 3, 4, 30, 31, 32])})
    >>> found = VMdav(("turnover",), k=3, gamma=1.1).treated(firms, np.random.default_rng(0))
    >>> found.groups.tolist()
    [1, 1, 1, 1, 0, 0, 0]
    """

    gamma: float = 0.2
    """How readily groups grow: 0 never, 0.2 for scattered records, about 1.1 for clustered ones."""
    standardise: bool = True
    aggregate: Aggregate = "mean"
    name: ClassVar[str] = "v-mdav"
    promises: ClassVar[str] = "Every combination of the attributes is shared by k records or more; means are kept."
    limits: ClassVar[str] = "Variances shrink. The last fewer than k records may make a group larger than 2k - 1."

    def __post_init__(self) -> None:
        Microaggregation.__post_init__(self)
        if not 0 <= self.gamma < np.inf:
            raise UsageError(f"gamma is {self.gamma}", do="give a number from 0, such as 0.2 or 1.1")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which groups of at least k show the same values."""
        return microaggregated(
            records,
            self.attributes,
            self.k,
            lambda points, _, progress: v_mdav_groups(points, self.k, self.gamma, progress),
            progress,
            standardise=self.standardise,
            aggregate=self.aggregate,
        )


def v_mdav_groups(points: NDArray[np.float64], k: int, gamma: float, progress: Progress = silent) -> NDArray[np.int64]:
    """Return the group of each record, from 0 in the order in which V-MDAV forms them."""
    from tacita.masking.microaggregation.kernels.tree import planted
    from tacita.masking.microaggregation.kernels.v_mdav import v_mdav_rounds

    size = len(points)
    tree = planted(points)
    order = np.argsort(-np.square(points - points.mean(axis=0)).sum(axis=1), kind="stable")
    groups = np.full(size, -1, dtype=np.int64)
    next_group = 0
    while size - (done := int(np.count_nonzero(groups >= 0))) >= k:
        progress(Step("v-mdav", done, size))
        next_group = v_mdav_rounds(tree, points, order, k, gamma, _AT_ONCE, groups, next_group)
    left = groups < 0
    sizes = np.bincount(groups[~left], minlength=next_group)
    averages = np.stack([np.bincount(groups[~left], column[~left], next_group) / sizes for column in points.T], axis=1)
    for record in np.flatnonzero(left):
        groups[record] = np.argmin(np.square(averages - points[record]).sum(axis=1))
    return groups
