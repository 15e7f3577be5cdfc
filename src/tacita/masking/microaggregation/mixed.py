"""Microaggregation of numbers and categories together: k-anonymity of quasi-identifiers of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.masking.method import Treated
from tacita.masking.microaggregation.aggregation import notes_on, sizes_of
from tacita.masking.microaggregation.mixed_space import Kind, MixedSpace
from tacita.masking.microaggregation.preparation import Part, check_attributes, check_group_size, parts
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class MixedMicroaggregation:
    """MDAV for records of numbers and categories (MDAV-generic).

    The steps are those of MDAV; `mixed_space` says what distances and averages are for numbers, ordinal, nominal and
    semantic attributes (Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11, 2005). Applied to all
    quasi-identifiers it makes the file k-anonymous without widening any category. With numbers only, it forms the
    groups of `mdav`. The time grows with the square of the number of records.

    >>> from tacita.model.records import Categories, Numbers
    >>> people = Records({
    ...     "age": Numbers.of([20, 21, 22, 60, 61, 62]), "work": Categories.of(["a", "a", "b", "c", "c", "a"]),
    ... })
    >>> found = MixedMicroaggregation(("age", "work"), k=3).treated(people, np.random.default_rng(0)).records
    >>> found.numbers("age").values.tolist(), [found["work"].values[code] for code in found["work"].codes]
    ([21.0, 21.0, 21.0, 61.0, 61.0, 61.0], ['a', 'a', 'a', 'c', 'c', 'c'])
    """

    attributes: tuple[str, ...]
    k: int = 3
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """How to take an attribute where it is not what it looks like: number, ordinal, nominal or semantic."""
    name: ClassVar[str] = "mixed-microaggregation"
    promises: ClassVar[str] = (
        "Every combination of the attributes is shared by k records or more; groups have k to 2k - 1; means of numbers "
        "are kept."
    )
    limits: ClassVar[str] = (
        "A group may share a confidential value. Rare categories disappear: the mode of a small group is coarse."
    )
    is_random: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_group_size(self.k)
        check_attributes(self.attributes)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which groups of k show the same values."""
        space = MixedSpace.of(records, self.attributes, self.kinds)
        divided = parts(space.missing, self.k)
        groups = np.empty(len(records), dtype=np.int64)
        groups_so_far = 0
        for part in divided:
            groups[part.rows] = generic_groups(space, part, self.k, progress) + groups_so_far
            groups_so_far = int(groups[part.rows].max()) + 1
        represented, figures = space.represented(records, groups)
        return Treated.in_place(
            represented, groups=groups, figures={**figures, **sizes_of(groups)}, notes=notes_on("mean", len(divided))
        )


def generic_groups(space: MixedSpace, part: Part, k: int, progress: Progress = silent) -> NDArray[np.int64]:
    """Return the group of each record of a part, from 0."""
    from tacita.masking.microaggregation.kernels.mixed import all_left, generic_rounds, tables_of

    numbers, codes, distances = space.coded(part)
    tables = tables_of(distances)
    left = all_left(numbers, codes, tables)
    groups = np.full(len(part.rows), -1, dtype=np.int64)
    next_group = 0
    while len(groups) and left.count[0]:
        progress(Step("mixed-microaggregation", len(groups) - int(left.count[0]), len(groups)))
        next_group = generic_rounds(numbers, codes, left, tables, k, _AT_ONCE, groups, next_group)
    return groups
