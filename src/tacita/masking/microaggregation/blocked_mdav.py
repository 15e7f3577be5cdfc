"""MDAV in blocks of neighbours, for files of millions of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.masking.method import Treated
from tacita.masking.microaggregation.aggregation import Aggregate, Microaggregation, microaggregated
from tacita.masking.microaggregation.mdav import mdav_groups
from tacita.masking.microaggregation.single_axis import principal_component
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent


@dataclass(frozen=True, slots=True)
class BlockedMdav(Microaggregation):
    """MDAV within blocks of records that lie together.

    Records are halved at the median of their first principal component, the halves likewise, until no block has more
    than `block` records; each block is then treated by MDAV. Groups cannot reach over blocks, so that a little more is
    lost than by MDAV on all records, and the time grows with n log n (the idea of blocking by a tree: Solanas,
    Martinez-Balleste, Domingo-Ferrer and Mateo-Sanz, "A 2^d-tree-based blocking method for microaggregating very large
    data sets", ARES 2006; here with two halves at a time).

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([1, 2, 3, 10, 11, 12, 30])})
    >>> found = BlockedMdav(("turnover",), k=3, block=6).treated(firms, np.random.default_rng(0))
    >>> found.groups.tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """

    block: int = 5_000
    standardise: bool = True
    aggregate: Aggregate = "mean"
    name: ClassVar[str] = "blocked-mdav"
    promises: ClassVar[str] = (
        "Every combination of the attributes is shared by k records or more; groups have k to 2k - 1; means are kept."
    )
    limits: ClassVar[str] = "As MDAV, and a little more is lost where blocks meet."

    def __post_init__(self) -> None:
        Microaggregation.__post_init__(self)
        if self.block < 2 * self.k:
            raise UsageError(f"blocks of {self.block} cannot be divided in groups of {self.k}", do="use larger blocks")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which groups of k of the same block show the same values."""
        return microaggregated(
            records,
            self.attributes,
            self.k,
            self._groups,
            progress,
            standardise=self.standardise,
            aggregate=self.aggregate,
        )

    def _groups(self, points: NDArray[np.float64], _: NDArray[np.int64], progress: Progress) -> NDArray[np.int64]:
        groups = np.empty(len(points), dtype=np.int64)
        groups_so_far = done = 0
        for rows in self._blocks(points, np.arange(len(points))):
            progress(Step(self.name, done, len(points)))
            groups[rows] = mdav_groups(points[rows], self.k) + groups_so_far
            groups_so_far = int(groups[rows].max()) + 1
            done += len(rows)
        return groups

    def _blocks(self, points: NDArray[np.float64], rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        # The first half holds a multiple of k, so that at most one block needs groups of more than k.
        half = len(rows) // 2 // self.k * self.k
        if len(rows) <= self.block or half < self.k:
            return [np.sort(rows)]
        order = rows[np.argsort(principal_component(points[rows]), kind="stable")]
        return [*self._blocks(points, order[:half]), *self._blocks(points, order[half:])]
