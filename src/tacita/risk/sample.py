"""A sample: the records at risk, and what an intruder knows of them.

Section 2.2 of the VADA-SA paper: the risk of a record depends on the subset of the quasi-identifiers that the attacker
is supposed to know. The same microdata under three attack scenarios are three samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from tacita.engines.protocol import Engine, Relation
from tacita.engines.published_codes import Published, published_codes
from tacita.errors import DictionaryError, UsageError
from tacita.model.attribute import Category
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.risk.null_semantics import Nulls

_OF_NO_NULLS = ("published", "combinations", "codes", "has_nulls")


@dataclass(frozen=True, slots=True)
class Sample:
    """Microdata as an intruder meets them."""

    microdata: Microdata
    known: tuple[str, ...]
    """The attributes that the intruder knows."""
    nulls: Nulls = field(default_factory=Nulls)
    population: Relation | None = None
    """The population that the sample was drawn from, or a register that the intruder has: same attribute names."""
    scenario: str = ""
    """The name of the attack scenario, if it has one."""
    judged: tuple[str, ...] | None = None
    """Sensitive attributes that measures look at which name none; None: all."""
    cache: dict[Any, Any] = field(init=False, default_factory=dict, repr=False, compare=False)
    """What measures computed once and share: combinations, frequencies."""

    def __post_init__(self) -> None:
        if not self.known:
            raise DictionaryError(
                f"no attribute of '{self.microdata.name}' is a quasi-identifier: records without one all look alike",
                where=f"dictionary of '{self.microdata.name}'",
                do="name what an intruder knows: --quasi NAME,NAME, or in Python known=[...]",
            )
        if len(set(self.known)) < len(self.known):
            raise UsageError("an attribute that the intruder knows is named twice", do="name each attribute once")
        for name in self.known:
            self.microdata.column(name)

    @classmethod
    def of(cls, microdata: Microdata, known: Sequence[str] | None = None, nulls: Nulls | None = None) -> Self:
        """Return microdata as met by an intruder who knows all quasi-identifiers, or those given."""
        names = microdata.dictionary.quasi_identifiers if known is None else known
        return cls(microdata, tuple(names), nulls or Nulls(microdata.dictionary.missing_as))

    @property
    def records(self) -> Relation:
        """The records as the intruder reads them: codes of missing values are values (`published_codes`)."""
        return self.published.relation

    @property
    def published(self) -> Published:
        """The records, and the codes among their known values."""
        if "published" not in self.cache:
            relation = self.microdata.relation
            as_empty = self.nulls.missing_as is MissingAs.EMPTY
            names = () if as_empty else self.known
            self.cache["published"] = published_codes(relation, self.microdata.dictionary, names)
        cached: Published = self.cache["published"]
        return cached

    @property
    def engine(self) -> Engine:
        """The engine that holds the records."""
        relation = self.microdata.relation
        return relation.engine

    @property
    def weight(self) -> str | None:
        """The sampling weight, if there is one."""
        return self.microdata.dictionary.weight

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes."""
        return tuple(a.name for a in self.microdata.dictionary.of(Category.SENSITIVE))

    @property
    def clusters(self) -> tuple[str, ...]:
        """The keys that tie records together: household, dwelling, enterprise group."""
        return tuple(a.name for a in self.microdata.dictionary.of(Category.CLUSTER_KEY))

    def with_nulls(self, nulls: Nulls) -> Self:
        """Return the same sample with nulls counted otherwise; what does not depend on them need not be made again."""
        if nulls == self.nulls:
            return self
        sample = replace(self, nulls=nulls)
        if (nulls.missing_as is MissingAs.EMPTY) != (self.nulls.missing_as is MissingAs.EMPTY):
            return sample
        sample.cache.update((key, self.cache[key]) for key in _OF_NO_NULLS if key in self.cache)
        return sample

    def with_known(self, known: Sequence[str], scenario: str = "") -> Self:
        """Return the same records as met by an intruder who knows these attributes."""
        return replace(self, known=tuple(known), scenario=scenario)
