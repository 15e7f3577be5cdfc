"""Microaggregation with groups in which a confidential attribute is spread as in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted
from tacita.masking.method import Treated
from tacita.masking.microaggregation.aggregation import notes_on, sizes_of
from tacita.masking.microaggregation.mixed import generic_groups
from tacita.masking.microaggregation.mixed_space import Kind, MixedSpace, centroid
from tacita.masking.microaggregation.preparation import Part, check_attributes, check_group_size, parts
from tacita.model.records import Numbers, Records
from tacita.progress import Progress, Step, silent


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The confidential values of a file, and how far those of a group are from them.

    The earth mover's distance of Li, Li and Venkatasubramanian (ICDE 2007). Numbers and ordered categories: the
    *ordered* distance, 1/(m - 1) times the sum of the differences between the cumulative shares at the m values. Other
    categories: the *equal* distance, the sum of the shares that the group has more than the file. A missing value is at
    distance 1 from every other; with the ordered distance |p_0 - q_0| + min(1 - p_0, 1 - q_0) times the distance of the
    rest is given, p_0 and q_0 being the missing shares, which is never too small.
    """

    places: NDArray[np.int64]
    """The place of each record's value among all values; that of a missing one is behind them if they have no order."""
    counts: NDArray[np.int64]
    """How many records have each value."""
    is_ordered: bool

    @classmethod
    def of(cls, records: Records, name: str) -> Spread:
        """Return the values of an attribute."""
        column = records[name]
        coded = records.categories(name)
        ordered = isinstance(column, Numbers) or coded.is_ordered
        places = coded.codes.astype(np.int64)
        if not ordered:
            places = np.where(places < 0, len(coded.values), places)
        present = places[places >= 0]
        return cls(places, np.bincount(present, minlength=len(coded.values)).astype(np.int64), ordered)

    def distance(self, rows: NDArray[np.int64]) -> float:
        """Return the distance between some records and the file."""
        from tacita.masking.microaggregation.kernels.t_close import ordered_distance

        own, everyone = self.places[rows], len(self.places)
        if not self.is_ordered:
            share = np.bincount(own, minlength=len(self.counts)) / len(own)
            return float(np.maximum(share - self.counts / everyone, 0.0).sum())
        known = own[own >= 0]
        lacking, lacking_of_file = 1 - len(known) / len(own), 1 - self.counts.sum() / everyone
        rest = ordered_distance(known, self.counts)
        return float(abs(lacking - lacking_of_file) + min(1 - lacking, 1 - lacking_of_file) * rest)


_AT_ONCE = 200
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class TCloseMicroaggregation:
    """Groups of at least k whose confidential values are at most t from those of the file.

    *t-closeness first*: the records are sorted by the confidential attribute and cut in k' stretches of the same size;
    each group takes a record of every stretch, the one nearest to its extreme record as in MDAV, so that it has the
    spread of the file by construction. k' = max(k, n / (2(n - 1)t + 1)) is enough for different values in order; for
    categories without order (m - 1)/2t is taken. *k-anonymity first*: groups of k by MDAV-generic. With both, the
    distance of every group is then measured, and while one is farther than t the farthest is merged with the group
    nearest to it (Soria-Comas, Domingo-Ferrer, Sanchez and Martinez, "t-Closeness through microaggregation", IEEE
    Transactions on Knowledge and Data Engineering 27(11), 2015: algorithms 3 and 1). The confidential attribute stays
    as it is. `earth_mover` says what the distance is.

    >>> from tacita.model.records import Numbers
    >>> people = Records({"age": Numbers.of(range(20, 44)), "income": Numbers.of([i % 8 for i in range(24)])})
    >>> found = TCloseMicroaggregation(("age",), confidential="income", t=0.2).treated(people, np.random.default_rng(0))
    >>> found.figures["largest distance"] <= 0.2, found.figures["smallest group"]
    (True, 3.0)
    """

    attributes: tuple[str, ...]
    confidential: str
    t: float = 0.2
    k: int = 3
    first: Literal["t-closeness", "k-anonymity"] = "t-closeness"
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """How to take an attribute where it is not what it looks like: number, ordinal, nominal or semantic."""
    name: ClassVar[str] = "t-close-microaggregation"
    promises: ClassVar[str] = (
        "Every combination of the attributes is shared by k records or more, whose confidential values are at most t "
        "from those of the file; means of numbers are kept."
    )
    limits: ClassVar[str] = (
        "A small t makes large groups. The ordered distance counts places, not sizes; other confidential attributes "
        "are not looked at."
    )
    is_random: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_group_size(self.k)
        check_attributes(self.attributes)
        if not 0 < self.t <= 1:
            raise UsageError(f"t is {self.t}", do="give a distance above 0 and up to 1, such as 0.2")
        if self.confidential in self.attributes:
            raise UsageError(
                f"'{self.confidential}' is confidential and would be changed", do="name the quasi-identifiers only"
            )

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which groups show the same attributes and are close to the file."""
        space = MixedSpace.of(records, self.attributes, self.kinds)
        divided = parts(space.missing, self.k)
        spread = Spread.of(records, self.confidential)
        groups = np.empty(len(records), dtype=np.int64)
        groups_so_far, farthest = 0, 0.0
        for part in divided:
            own = (
                self._stretched(space, part, spread, progress)
                if self.first == "t-closeness"
                else generic_groups(space, part, self.k, progress)
            )
            own, distance = self._merged(space, part, spread, own, progress)
            groups[part.rows] = own + groups_so_far
            groups_so_far, farthest = groups_so_far + int(own.max()) + 1, max(farthest, distance)
        represented, figures = space.represented(records, groups)
        return Treated.in_place(
            represented,
            groups=groups,
            figures={**figures, **sizes_of(groups), "largest distance": farthest},
            notes=notes_on("mean", len(divided)),
        )

    def _stretched(self, space: MixedSpace, part: Part, spread: Spread, progress: Progress) -> NDArray[np.int64]:
        from tacita.masking.microaggregation.kernels.mixed import all_left, tables_of
        from tacita.masking.microaggregation.kernels.t_close import stretched_rounds

        size, places = len(part.rows), spread.places[part.rows]
        if spread.is_ordered:
            least = ceil(size / (2 * (size - 1) * self.t + 1))
        else:
            least = ceil((np.count_nonzero(spread.counts) - 1) / (2 * self.t))
        stretches = min(max(self.k, least), size)
        # Records that are left over make stretches more, and what is left then is fewer than there are groups.
        stretches += (size % stretches) // (size // stretches)
        number = size // stretches
        of_stretch = np.full(stretches, number)
        of_stretch[stretches // 2] += size - number * stretches
        stretch = np.empty(size, dtype=np.int64)
        stretch[np.argsort(places, kind="stable")] = np.repeat(np.arange(stretches), of_stretch)
        numbers, codes, distances = space.coded(part)
        tables = tables_of(distances)
        left = all_left(numbers, codes, tables)
        groups = np.full(size, -1, dtype=np.int64)
        number = 0
        while left.count[0]:
            progress(Step(self.name, size - int(left.count[0]), size))
            number = stretched_rounds(numbers, codes, left, tables, stretch, stretches // 2, _AT_ONCE, groups, number)
        return groups

    def _merged(
        self, space: MixedSpace, part: Part, spread: Spread, groups: NDArray[np.int64], progress: Progress
    ) -> tuple[NDArray[np.int64], float]:
        """Return the groups after merging those that are too far from the file, and the distance of the farthest."""
        from tacita.masking.microaggregation.kernels.mixed import categories_of_groups

        numbers, codes, tables = space.coded(part)
        order = np.argsort(groups, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(groups))[:-1])
        distance = np.array([spread.distance(part.rows[rows]) for rows in members])
        means = np.stack([numbers[rows].mean(axis=0) for rows in members])
        modes = np.empty((len(members), codes.shape[1]), dtype=np.int64)
        for a, table in enumerate(tables):
            modes[:, a] = categories_of_groups(codes[:, a], groups, len(members), table)
        live = np.ones(len(members), dtype=bool)
        while distance[far := int(np.argmax(distance))] > self.t + _ROUNDING:
            if live.sum() == 1:
                raise InputError(
                    f"{counted(len(part.rows), 'record')} that lack the same attributes are farther than {self.t} from "
                    "the file even as one group",
                    do="use a larger t, or impute or leave out what is missing",
                )
            progress(Step(self.name, len(members) - int(live.sum()), len(members)))
            apart = np.square(means - means[far]).sum(axis=1)
            for a, table in enumerate(tables):
                apart += np.square(table[modes[far, a], modes[:, a]])
            apart[~live] = np.inf
            apart[far] = np.inf
            near = int(np.argmin(apart))
            rows = np.concatenate([members[near], members[far]])
            members[near], live[far], distance[far] = rows, False, -1.0
            distance[near] = spread.distance(part.rows[rows])
            means[near] = numbers[rows].mean(axis=0)
            for a, table in enumerate(tables):
                modes[near, a] = centroid(codes[rows, a], table)
        for number, place in enumerate(np.flatnonzero(live)):
            groups[members[place]] = number
        return groups, float(distance.max())
