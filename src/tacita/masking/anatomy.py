"""Anatomy, or bucketization: quasi-identifiers and the sensitive value in two tables, linked by groups only."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError
from tacita.masking.method import Treated
from tacita.model.records import Categories, Numbers, Records, Values
from tacita.progress import Progress, Step, silent

_COUNT = "count"


@dataclass(frozen=True, slots=True)
class Anatomy:
    """Records go into groups in which every sensitive value stands once, among at least l of them.

    Released are two tables: the records without the sensitive attribute but with the number of their group, and
    ``sensitive``: group, value, count. The algorithm is that of Xiao and Tao (Anatomy: simple and effective privacy
    preservation. VLDB 2006, figure 3): as long as l values have records left, a group takes one record, at random, of
    each of the l values that have most; each of the fewer than l records that remain goes to a random group that
    lacks its value. It needs that no value belongs to more than n/l of the n records.

    >>> from tacita.model.records import Categories
    >>> people = Records({
    ...     "age": Numbers.of([23, 27, 35, 59]), "disease": Categories.of(["flu", "flu", "gastritis", "bronchitis"])
    ... })
    >>> found = Anatomy("disease", l=2).treated(people, np.random.default_rng(1))
    >>> found.records.names, found.beside["sensitive"].names, len(found.beside["sensitive"])
    (('age', 'group'), ('group', 'disease', 'count'), 4)
    """

    name: ClassVar[str] = "anatomy"
    promises: ClassVar[str] = (
        "Every group has at least l records, all with different sensitive values: with the release alone no value of a "
        "respondent can be guessed with a chance above 1/l."
    )
    limits: ClassVar[str] = (
        "Quasi-identifiers are released as they are, so who is in the file can be found; knowledge that rules values "
        "out, similar values and other sensitive attributes that stay weaken it, and the link of the sensitive value "
        "to all other attributes is blurred."
    )
    is_random: ClassVar[bool] = True

    sensitive: str
    l: int = 3  # noqa: E741
    group: str = "group"
    """The name of the attribute with the number of the group."""
    missing_is_value: bool = False
    """Whether a missing sensitive value counts as one of the l; otherwise missing values are an error."""

    def __post_init__(self) -> None:
        if not self.sensitive:
            raise UsageError("no sensitive attribute is named", do="name the one that goes into its own table")
        if self.l < 2:
            raise UsageError("'l' is below 2: one value in a group is known for sure", do="give a number from 2 on")
        if not self.group or len({self.group, self.sensitive, _COUNT}) < 3:
            raise UsageError(
                f"the table of sensitive values needs three names: the attribute, the group and '{_COUNT}'",
                do="give 'group' another name, or rename the attribute",
            )

    @property
    def attributes(self) -> tuple[str, ...]:
        """The sensitive attribute, which goes to the other table."""
        return (self.sensitive,)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with their groups, and beside them the table of sensitive values."""
        if self.group in records.columns:
            raise UsageError(f"there is an attribute '{self.group}' already", do="give 'group' another name")
        column = records.categories(self.sensitive)
        codes = column.codes.astype(np.int64)
        if missing := int((codes < 0).sum()):
            if not self.missing_is_value:
                raise InputError(
                    f"'{self.sensitive}' has {missing:,} missing values",
                    do="leave these records out, or set missing_is_value if nobody knows who answered",
                )
            codes = np.where(codes < 0, len(column.values), codes)
        groups = anatomized(codes, self.l, random, progress)
        kept = [name for name in records.names if name != self.sensitive]
        number = Numbers((groups + 1).astype(float), is_whole=True)
        return Treated(
            records.only(kept).with_columns({self.group: number}),
            np.arange(len(records)),
            groups,
            figures=MappingProxyType({"groups": float(groups.max() + 1 if len(groups) else 0)}),
            beside=MappingProxyType({"sensitive": self._table(records[self.sensitive], column, groups)}),
        )

    def _table(self, own: Values, column: Categories, groups: NDArray[np.int64]) -> Records:
        # Sorted by group and value, so that the order of the records is not in it.
        cells = groups * (len(column.values) + 1) + column.codes + 1
        _, first, counts = np.unique(cells, return_index=True, return_counts=True)
        number = Numbers((groups[first] + 1).astype(float), is_whole=True)
        return Records(
            {self.group: number, self.sensitive: own.taken(first), _COUNT: Numbers(counts.astype(float), is_whole=True)}
        )


def anatomized(
    codes: NDArray[np.int64],
    l: int,  # noqa: E741
    random: np.random.Generator,
    progress: Progress = silent,
) -> NDArray[np.int64]:
    """Return the group of each record, from 0, such that no group has a value twice and each has l values or more.

    >>> anatomized(np.array([0, 0, 1, 2]), 2, np.random.default_rng(1)).max().item()
    1
    """
    counts = np.bincount(codes)
    if not len(codes):
        return np.zeros(0, dtype=np.int64)
    if counts.max() * l > len(codes):
        most = len(codes) // int(counts.max())
        raise InputError(
            f"a sensitive value belongs to more than 1/{l} of the {len(codes):,} records: groups cannot be {l}-diverse",
            do=f"use l = {most}" if most > 1 else "group the values otherwise, or protect them by another method",
        )
    # Of values with equally many records any will do: a random rank decides, the same throughout.
    rank = random.permutation(len(counts))
    heap = [(-int(count), int(rank[value]), value) for value, count in enumerate(counts) if count]
    heapq.heapify(heap)
    taken: list[int] = []
    while len(heap) >= l:
        largest = [heapq.heappop(heap) for _ in range(l)]
        taken += [value for _, _, value in largest]
        for left, place, value in largest:
            if left < -1:
                heapq.heappush(heap, (left + 1, place, value))
        if len(taken) % (100_000 * l) == 0:
            progress(Step("anatomy", len(taken), len(codes)))
    groups_of_taken = np.arange(len(taken)) // l
    # The records of each value in random order, and the groups that take one of them, side by side.
    shuffled = random.permutation(len(codes))
    by_value = shuffled[np.argsort(codes[shuffled], kind="stable")]
    start = np.cumsum(counts) - counts
    turns = np.argsort(np.array(taken), kind="stable")
    values = np.array(taken)[turns]
    used = np.bincount(values, minlength=len(counts))
    place = start[values] + np.arange(len(values)) - (np.cumsum(used) - used)[values]
    groups = np.full(len(codes), -1)
    groups[by_value[place]] = groups_of_taken[turns]
    for row in np.flatnonzero(groups < 0):
        having = np.unique(groups[(codes == codes[row]) & (groups >= 0)])
        groups[row] = random.choice(np.setdiff1d(np.arange(len(taken) // l), having, assume_unique=True))
    return groups
