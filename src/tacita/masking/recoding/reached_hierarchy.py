"""A hierarchy after some values were coarsened: the levels keep their numbers, so that a later roll-up goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self

from tacita.model.hierarchy import Hierarchy, text_of


@dataclass(frozen=True, slots=True)
class ReachedHierarchy(Hierarchy):
    """The hierarchy of values of which some are labels already.

    A label of level 2 is the same at levels 0, 1 and 2, and goes up from there. Shares are those of the hierarchy it
    comes from: coarsening does not change how many leaves are below a label.

    >>> from tacita.model.hierarchy import IntervalHierarchy
    >>> age = IntervalHierarchy.by_width("age", [5, 10], domain=(0, 99), star=True)
    >>> reached = ReachedHierarchy.over(age, [31, 38], [0, 1])
    >>> reached.path("30-34"), reached.share("30-34", 0)
    (('30-34', '30-34', '30-39', '*'), 0.05)
    """

    base: Hierarchy
    rows: Mapping[str, tuple[int, tuple[str, ...]]]
    """The level of each label, and its labels from there to the top."""
    attribute: str = field(init=False)
    levels: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "attribute", self.base.attribute)
        object.__setattr__(self, "levels", self.base.levels)
        object.__setattr__(self, "rows", MappingProxyType(dict(self.rows)))

    @classmethod
    def over(cls, hierarchy: Hierarchy, values: Iterable[object], levels: Iterable[int]) -> Self:
        """Return the hierarchy of values that went up to these levels; a label at two levels counts as the coarser."""
        rows: dict[str, tuple[int, tuple[str, ...]]] = {}
        reached = sorted(set(levels))
        for value, *above in hierarchy.paths(values):
            path = (text_of(value), *map(str, above))
            for level in reached:
                own = max(level, hierarchy.level_of(path[0])) if isinstance(hierarchy, ReachedHierarchy) else level
                if path[level] not in rows or rows[path[level]][0] < own:
                    rows[path[level]] = (own, path[own:])
        return cls(hierarchy.base if isinstance(hierarchy, ReachedHierarchy) else hierarchy, rows)

    def level_of(self, label: str) -> int:
        """Return the level that a label has reached; 0 for what is no label here."""
        return self.rows[label][0] if label in self.rows else 0

    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the labels of a value from level 0 to the top: itself up to the level that it has reached."""
        label = text_of(value)
        if label not in self.rows:
            return self.base.path(value)
        level, above = self.rows[label]
        return (label,) * level + above

    def share(self, label: str, level: int) -> float | None:
        """Return which part of the domain is below a label, wherever it stands in the hierarchy."""
        self.check_level(level)
        return self.base.share(label, max(level, self.level_of(label)))

    def remedy(self, uncovered: Iterable[object]) -> str:
        """Return what to do about values without a place."""
        return self.base.remedy(uncovered)
