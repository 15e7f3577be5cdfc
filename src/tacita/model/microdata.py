"""A microdata DB: a relation in an engine, its dictionary, and how it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from tacita.model.attribute import Attribute
from tacita.model.dictionary import Dictionary
from tacita.model.hierarchy import Hierarchy
from tacita.model.relation import Column, ColumnType

if TYPE_CHECKING:
    from tacita.engines.protocol import Relation


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader took a column for, and why: nobody should have to guess what was guessed."""

    name: str
    type: ColumnType
    reason: str
    doubtful: bool = False
    """Whether a person should look at it: mixed types, digits that may be a code."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where microdata came from, without anything secret (a database URL comes without its password)."""

    name: str
    format: str
    details: tuple[tuple[str, str], ...] = ()
    """What the reader found or was told: delimiter, encoding, sheet, table."""


@dataclass(frozen=True, slots=True)
class Microdata:
    """The noun of the whole system: tuples, and what is known of them."""

    relation: Relation
    dictionary: Dictionary
    source: Source
    readings: tuple[Reading, ...] = ()
    dictionary_is_given: bool = False
    """Whether a person wrote or accepted the dictionary, as opposed to a draft from names and types."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=lambda: MappingProxyType({}))
    """How the values of attributes may be coarsened, by attribute."""

    @property
    def name(self) -> str:
        """The name of the microdata DB."""
        return self.dictionary.name

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the relation."""
        return self.relation.columns

    def column(self, name: str) -> Column:
        """Return the column of an attribute, or raise with the nearest name."""
        self.dictionary[name]
        return self.relation.column(name)

    def attribute(self, name: str) -> Attribute:
        """Return an attribute of the dictionary, or raise with the nearest name."""
        return self.dictionary[name]

    def with_dictionary(self, dictionary: Dictionary, *, given: bool = True) -> Self:
        """Return the same tuples under another dictionary; the two must fit."""
        dictionary.check_fits([c.name for c in self.columns], where=f"dictionary of '{dictionary.name}'")
        return replace(self, dictionary=dictionary, dictionary_is_given=given)
