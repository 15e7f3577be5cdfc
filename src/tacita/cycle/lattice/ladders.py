"""Hierarchies as arrays: the label of each value at each level, and which part of the domain it covers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tacita.errors import HierarchyError
from tacita.model.hierarchy import STAR, Hierarchy
from tacita.utility.recoding import with_shares

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Ladder:
    """How the values of one attribute climb: codes of values in, codes of labels out.

    A missing value is the last code of each level. It stays missing, and covers the whole domain from the start.
    """

    name: str
    maps: tuple[Array, ...]
    """For each level: the code of the label of each value, the missing value last."""
    shares: tuple[Array, ...]
    """For each level: which part of the domain each label covers."""
    has_star: bool
    """Whether all values are the same at the top."""
    _climbs: dict[tuple[int, int], Array] = field(init=False, repr=False, compare=False, default_factory=dict)

    @property
    def height(self) -> int:
        """How often a value can be coarsened."""
        return len(self.maps) - 1

    def size(self, level: int) -> int:
        """Return how many labels a level has, missing values counted as one."""
        return len(self.shares[level])

    def climb(self, low: int, high: int) -> Array:
        """Return the code at level `high` of each label of level `low`."""
        import numpy as np

        if (low, high) not in self._climbs:
            parents = np.zeros(self.size(low), dtype=np.int32)
            parents[self.maps[low]] = self.maps[high]
            self._climbs[low, high] = parents
        return self._climbs[low, high]


def ladder(
    name: str, values: Sequence[object], hierarchy: Hierarchy | None, missing: Collection[object] = ()
) -> Ladder:
    """Return the ladder of an attribute over its distinct values; without a hierarchy it is value -> *.

    Codes of missing values (`missing`) have no place in a hierarchy: they stay what they are at each level.

    >>> sex = ladder("sex", ["m", "f"], None)
    >>> sex.height, sex.maps[1].tolist(), sex.shares[0].tolist()
    (1, [0, 0, 1], [0.5, 0.5, 1.0])
    """
    import numpy as np

    if hierarchy is None:
        size = len(values)
        every, star = np.arange(size + 1, dtype=np.int32), np.array([*[0] * size, 1], dtype=np.int32)
        fine = np.array([*[1 / size for _ in values], 1.0])
        return Ladder(name, (every, star if size else every), (fine, np.ones(2 if size else 1)), has_star=size > 0)
    covered = [value for value in values if value not in missing]
    hierarchy.check_covers(covered)
    hierarchy = with_shares(hierarchy, covered)
    paths = [None if value in missing else hierarchy.path(value) or () for value in values]
    maps, shares = [], []
    for level in range(hierarchy.height + 1):
        codes: dict[tuple[bool, object], int] = {}
        labels = [
            (True, value) if path is None else (False, path[level]) for value, path in zip(values, paths, strict=True)
        ]
        own = [codes.setdefault(label, len(codes)) for label in labels]
        maps.append(np.array([*own, len(codes)], dtype=np.int32))
        covers = [1 / len(values) if fixed else _share(hierarchy, str(label), level) for fixed, label in codes]
        shares.append(np.array([*covers, 1.0]))
    tops = {path[-1] if path is not None else None for path in paths}
    return Ladder(name, tuple(maps), tuple(shares), tops == {STAR})


def _share(hierarchy: Hierarchy, label: str, level: int) -> float:
    share = hierarchy.share(label, level)
    if share is None:
        raise HierarchyError(
            f"the hierarchy of '{hierarchy.attribute}' does not say how much of the domain a label covers",
            do="give the rule a domain, or give the hierarchy as a file",
        )
    return share


def ladders(
    names: Sequence[str],
    values: Sequence[Sequence[object]],
    hierarchies: Mapping[str, Hierarchy],
    missing: Mapping[str, Collection[object]] | None = None,
) -> tuple[Ladder, ...]:
    """Return the ladders of several attributes; `missing` are codes of missing values by attribute."""
    codes = missing or {}
    return tuple(
        ladder(name, list(own_values), hierarchies.get(name), codes.get(name, ()))
        for name, own_values in zip(names, values, strict=True)
    )
