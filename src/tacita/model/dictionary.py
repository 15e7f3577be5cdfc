"""The metadata dictionary: what is known of a microdata DB before its data is read.

The facts of section 4.1 of the VADA-SA paper, ``MicroDB(name)``, ``Att(microDB, name, description)`` and
``Cat(microDB, attribute, category)``, as one frozen value. Rules speak about these facts only, and so are independent
of any schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, Self

from tacita.errors import DictionaryError, did_you_mean, faults_text
from tacita.model.attribute import Attribute, Category


class DictionaryFact(NamedTuple):
    """A ground atom: a predicate and its constants."""

    predicate: str
    terms: tuple[str, ...]

    def __str__(self) -> str:
        quoted = ", ".join('"' + term.replace("\\", "\\\\").replace('"', '\\"') + '"' for term in self.terms)
        return f"{self.predicate}({quoted})."


class MissingAs(StrEnum):
    """How a value that is missing in the source counts in risk groups."""

    UNKNOWN = "unknown"
    """An empty cell is a labelled null; a code that says why there is no value is a category, as readers see it."""
    EMPTY = "empty"
    """Codes are no more than empty cells: they count as labelled nulls, and are released as empty cells."""
    CATEGORY = "category"
    """An empty cell is a category, too."""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The dictionary of one microdata DB, attributes in the order of the data.

    >>> d = Dictionary("I&G", (Attribute("Area", Category.QUASI_IDENTIFIER, description="Geographic Area"),))
    >>> for fact in d.facts(): print(fact)
    MicroDB("I&G").
    Att("I&G", "Area", "Geographic Area").
    Cat("I&G", "Area", "quasi-identifier").
    """

    name: str
    attributes: tuple[Attribute, ...] = ()
    description: str = ""
    missing_as: MissingAs = MissingAs.UNKNOWN
    scenarios: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Attack scenarios: name -> the attributes that the intruder is supposed to know."""
    _by_name: Mapping[str, Attribute] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scenarios", MappingProxyType(dict(self.scenarios)))
        object.__setattr__(self, "_by_name", {attribute.name: attribute for attribute in self.attributes})
        faults = _doubles(tuple(attribute.name for attribute in self.attributes))
        for scenario, names in self.scenarios.items():
            faults += [
                f"scenario '{scenario}' names '{name}', which is no attribute{did_you_mean(name, self.names)}"
                for name in names
                if name not in self._by_name
            ]
        weights = [a.name for a in self.attributes if a.category is Category.WEIGHT]
        if len(weights) > 1:
            faults.append(f"{len(weights)} attributes are weights ({', '.join(weights)}); only one can be")
        if faults:
            raise DictionaryError(faults_text(faults), where=f"dictionary of '{self.name}'", do="correct these entries")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all attributes."""
        return tuple(self._by_name)

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __getitem__(self, name: str) -> Attribute:
        if name in self._by_name:
            return self._by_name[name]
        raise DictionaryError(
            f"no attribute '{name}' in the dictionary of '{self.name}'{did_you_mean(name, self.names)}",
            do=f"use one of: {', '.join(self.names[:20])}",
        )

    def of(self, category: Category) -> tuple[Attribute, ...]:
        """Return the attributes of a category."""
        return tuple(a for a in self.attributes if a.category is category)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return tuple(a.name for a in self.of(Category.QUASI_IDENTIFIER))

    @property
    def weight(self) -> str | None:
        """The name of the sampling weight, if there is one."""
        weights = self.of(Category.WEIGHT)
        return weights[0].name if weights else None

    def mapped(self, change: Callable[[Attribute], Attribute]) -> Self:
        """Return this dictionary with every attribute passed through a function."""
        return replace(self, attributes=tuple(change(attribute) for attribute in self.attributes))

    def with_categories(self, categories: Mapping[str, Category]) -> Self:
        """Return this dictionary with the categories of some attributes set.

        >>> Dictionary("d", (Attribute("a"),)).with_categories({"a": Category.WEIGHT}).weight
        'a'
        """
        for name in categories:
            self[name]
        return self.mapped(lambda a: a.with_(category=categories[a.name]) if a.name in categories else a)

    def facts(self) -> Iterator[DictionaryFact]:
        """Yield the dictionary as facts; an attribute without a category has no ``Cat`` fact."""
        yield DictionaryFact("MicroDB", (self.name,))
        for attribute in self.attributes:
            yield DictionaryFact("Att", (self.name, attribute.name, attribute.description))
            if attribute.category is not None:
                yield DictionaryFact("Cat", (self.name, attribute.name, attribute.category.value))

    @classmethod
    def from_facts(cls, facts: Iterable[DictionaryFact]) -> Self:
        """Return the dictionary that the facts of one microdata DB describe.

        >>> d = Dictionary("d", (Attribute("a", Category.WEIGHT),))
        >>> Dictionary.from_facts(d.facts()) == d
        True
        """
        facts = list(facts)
        dbs = list(dict.fromkeys(f.terms[0] for f in facts))
        if len(dbs) != 1:
            raise DictionaryError(
                f"the facts describe {len(dbs)} microdata DBs", do="give the facts of exactly one MicroDB"
            )
        categories = {f.terms[1]: Category.parse(f.terms[2]) for f in facts if f.predicate == "Cat"}
        attributes = tuple(
            Attribute(f.terms[1], categories.pop(f.terms[1], None), description=(*f.terms, "")[2])
            for f in facts
            if f.predicate == "Att"
        )
        if categories:
            raise DictionaryError(
                f"Cat facts without an Att fact: {', '.join(categories)}",
                do="add the Att facts or drop the Cat facts",
            )
        return cls(dbs[0], attributes)

    def check_fits(self, columns: Iterable[str], where: str) -> None:
        """Raise, with all faults at once, if the dictionary and the columns of the data do not agree."""
        columns = tuple(columns)
        known = frozenset(columns)
        faults = [
            f"the dictionary names '{name}', which the data does not have{did_you_mean(name, columns)}"
            for name in self.names
            if name not in known
        ]
        faults += [
            f"the data has '{name}', of which the dictionary says nothing"
            for name in columns
            if name not in self._by_name
        ]
        if faults:
            raise DictionaryError(
                faults_text(faults),
                where=where,
                do="edit the dictionary, or make it anew with 'tacita categorize FILE --accept --force'",
            )


def _doubles(names: tuple[str, ...]) -> list[str]:
    return [f"attribute '{name}' stands there {n} times" for name, n in Counter(names).items() if n > 1]
