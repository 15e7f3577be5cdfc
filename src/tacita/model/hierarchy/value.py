"""A hierarchy given value by value: the path of each leaf up to the top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from tacita.errors import HierarchyError, faults_text
from tacita.model.hierarchy.base import STAR, Hierarchy, star_level, text_of
from tacita.model.hierarchy.faults import path_faults


@dataclass(frozen=True, slots=True)
class ValueHierarchy(Hierarchy):
    """Explicit paths, leaf first; the same label may stand at two levels.

    >>> paths = (("Milano", "North"), ("Torino", "North"), ("Roma", "Center"))
    >>> area = ValueHierarchy("Area", ("City", "Region"), paths)
    >>> area.generalise("Milano", 1)
    'North'
    >>> area.leaves_below("North", 1)
    ('Milano', 'Torino')
    """

    attribute: str
    levels: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    _row_of: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    _leaves: tuple[Counter[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        faults = path_faults(self.rows, noun="path")
        if not faults and len(self.levels) != len(self.rows[0]):
            faults = [f"{len(self.levels)} levels are named, but the paths have {len(self.rows[0])} values"]
        if not faults and len(set(self.levels)) < len(self.levels):
            faults = ["two levels have the same name"]
        if faults:
            raise HierarchyError(
                faults_text(faults), where=f"hierarchy of '{self.attribute}'", do="correct these paths"
            )
        row_of = {row[0]: row for row in self.rows}
        object.__setattr__(self, "_row_of", row_of)
        object.__setattr__(self, "rows", tuple(row_of.values()))
        object.__setattr__(self, "_leaves", tuple(Counter(column) for column in zip(*self.rows, strict=True)))

    @classmethod
    def from_paths(
        cls, attribute: str, rows: Iterable[Sequence[str]], levels: Sequence[str] = (), *, star: bool = False
    ) -> Self:
        """Return the hierarchy of these paths, with names for its levels and, if asked, a top level ``*``.

        >>> ValueHierarchy.from_paths("sex", [["Male"], ["Female"]], star=True).rows
        (('Male', '*'), ('Female', '*'))
        """
        paths = [tuple(row) for row in rows]
        names = tuple(levels) or default_levels(attribute, max(map(len, paths), default=1))
        if star and not all(len(path) > 1 and path[-1] == STAR for path in paths):
            paths = [(*path, STAR) for path in paths]
            names = (*names, star_level(attribute))
        return cls(attribute, names, tuple(paths))

    @classmethod
    def over(cls, hierarchy: Hierarchy, values: Iterable[object]) -> Self:
        """Return the part of any hierarchy that lies above some values, as explicit paths.

        A rule such as "prefixes of a postcode" has no list of leaves; over a list of values it has, and with
        it shares, a CSV file and facts.
        """
        rows = tuple((text_of(value), *map(str, above)) for value, *above in hierarchy.paths(values))
        return cls(hierarchy.attribute, hierarchy.levels, rows)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values as collected."""
        return tuple(self._row_of)

    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the path of a leaf."""
        return self._row_of.get(text_of(value))

    def leaves_below(self, label: str, level: int) -> tuple[str, ...]:
        """Return the leaves that have a label at a level."""
        self.check_level(level)
        leaves = tuple(row[0] for row in self.rows if row[level] == label)
        if not leaves:
            raise self.no_label(level)
        return leaves

    def share(self, label: str, level: int) -> float:
        """Return the leaves below a label, divided by all leaves."""
        self.check_level(level)
        if label not in self._leaves[level]:
            raise self.no_label(level)
        return self._leaves[level][label] / len(self.rows)

    def remedy(self, uncovered: Iterable[object]) -> str:
        """Return what to do, and how many of the values are only spelled differently."""
        folded = {_folded(leaf) for leaf in self._row_of}
        near = sum(_folded(text_of(value)) in folded for value in uncovered)
        hint = f" ({near:,} of them differ from it only by spaces or capitals)" if near else ""
        return (
            f"add a path for each of them to the hierarchy, correct them in the data{hint}, "
            "or declare them missing in the dictionary"
        )


def default_levels(attribute: str, number: int) -> tuple[str, ...]:
    """Return names for levels that nobody named.

    They hold the name of the attribute: as facts, the types of all attributes share one knowledge base.
    """
    return (attribute, *(f"{attribute} level {level}" for level in range(1, number)))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
