"""One version of a released file, as a recipient and the house see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tacita.engines.protocol import Relation


@dataclass(frozen=True, slots=True)
class ReleasedAttributeOf:
    """A released attribute: the column that has its values, and what these stand for."""

    column: str
    stands_for: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The finest values that a released value stands for; one that is not listed stands for itself."""

    def meaning(self, value: str) -> frozenset[str]:
        """Return the finest values that a released value stands for."""
        return self.stands_for.get(value, frozenset((value,)))


@dataclass(frozen=True, slots=True)
class ReleasedVersion:
    """A released file with the number and the person of each record."""

    relation: Relation
    row: str
    """The column with the number of each record in its source."""
    person: str
    """The column that says whose record it is."""
    attributes: Mapping[str, ReleasedAttributeOf]
    """All attributes that can be compared, by their names in the source."""
    known: Sequence[str] = ()
    """Those that an intruder knows of persons: quasi-identifiers."""
    sensitive: Sequence[str] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    """The columns of attributes whose values are not the true ones, such as pseudonyms: equal ones link records."""

    def marked(self) -> dict[str, str]:
        """Return the columns of all attributes by which records can be linked."""
        return {name: attribute.column for name, attribute in self.attributes.items()} | dict(self.others)

    def shared(self, other: ReleasedVersion) -> list[str]:
        """Return the attributes that both versions have."""
        return [name for name in self.attributes if name in other.attributes]

    def known_with(self, other: ReleasedVersion) -> list[str]:
        """Return the quasi-identifiers that both have: those of either one."""
        return [name for name in self.shared(other) if name in self.known or name in other.known]
