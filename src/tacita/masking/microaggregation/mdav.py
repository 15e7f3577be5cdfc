"""MDAV: groups of k around the records that are farthest from the average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.masking.method import Grid, Treated
from tacita.masking.microaggregation.aggregation import Aggregate, Microaggregation, microaggregated
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

_AT_ONCE = 200_000
"""Records that are put in groups before progress is told."""

_LOOKS = 40
"""How many times the size of the data may be looked through before the order by distance is made anew."""


@dataclass(frozen=True, slots=True)
class Mdav(Microaggregation):
    """Multivariate microaggregation with groups of k, by maximum distance to the average vector.

    While at least 3k records are left: x_r is the record farthest from their average, x_s the one farthest from x_r;
    x_r and the k - 1 records nearest to it are a group, then x_s and the k - 1 nearest to it of the rest. Of 2k to
    3k - 1 records that are left, the one farthest from their average and its k - 1 nearest are a group, and the others
    the last; fewer than 2k are the last group (Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11, 2005;
    Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe, VLDB Journal 15, 2006). With fewer than 3k records from
    the start it begins with the end. Of records at the same distance, the first in the file is taken.

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([1, 2, 3, 10, 11, 12])})
    >>> found = Mdav(("turnover",), k=3).treated(firms, np.random.default_rng(0))
    >>> found.records.numbers("turnover").values.tolist()
    [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
    """

    standardise: bool = True
    """Whether distances are between standardised columns; otherwise the attribute with the largest numbers rules."""
    aggregate: Aggregate = "mean"
    name: ClassVar[str] = "mdav"
    treats: ClassVar[str] = "numbers"
    grid: ClassVar[Grid] = {"k": (3, 5, 10, 25)}
    promises: ClassVar[str] = (
        "Every combination of the attributes is shared by k records or more; groups have k to 2k - 1; means are kept."
    )
    limits: ClassVar[str] = (
        "Variances shrink. A group may share a confidential value, and outliers still stand out as a group."
    )

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which groups of k show the same values."""
        return microaggregated(
            records,
            self.attributes,
            self.k,
            lambda points, _, progress: mdav_groups(points, self.k, progress),
            progress,
            standardise=self.standardise,
            aggregate=self.aggregate,
        )


def mdav_groups(points: NDArray[np.float64], k: int, progress: Progress = silent) -> NDArray[np.int64]:
    """Return the group of each record, from 0 in the order in which MDAV forms them."""
    from tacita.masking.microaggregation.kernels.mdav import mdav_end, mdav_rounds

    groups = np.full(len(points), -1, dtype=np.int64)
    left = np.arange(len(points))
    next_group = 0
    while len(left) >= 3 * k:
        progress(Step("mdav", len(points) - len(left), len(points)))
        own = np.full(len(left), -1, dtype=np.int64)
        until = max(3 * k, len(left) - min(len(left) // 2, _AT_ONCE))
        next_group = mdav_rounds(points[left], k, until, _LOOKS * len(left), own, next_group)
        groups[left] = own
        left = left[own < 0]
    own = np.full(len(left), -1, dtype=np.int64)
    mdav_end(points[left], k, own, next_group)
    groups[left] = own
    return groups
