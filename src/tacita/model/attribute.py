"""An attribute of a microdata DB: its name, what it may reveal (category) and how its values behave (kind)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self, TypeVar

from tacita.errors import DictionaryError, did_you_mean


class Category(StrEnum):
    """What an attribute reveals about a respondent (section 2.1 of the VADA-SA paper, and common practice)."""

    IDENTIFIER = "identifier"
    """Singles out the respondent by itself; never released."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """Known to outsiders and selective together with others."""
    SENSITIVE = "sensitive"
    """What an intruder wants to learn."""
    NON_IDENTIFYING = "non-identifying"
    """Neither known outside nor harmful."""
    WEIGHT = "weight"
    """Sampling weight: how many of the population the tuple stands for."""
    CLUSTER_KEY = "cluster-key"
    """Ties tuples together: household, enterprise group."""

    @classmethod
    def parse(cls, text: str) -> Category:
        """Return the category of that name; spaces, underscores and case do not matter.

        >>> Category.parse("Quasi_Identifier")
        <Category.QUASI_IDENTIFIER: 'quasi-identifier'>
        """
        return _parse(cls, text, "category", _CATEGORY_SYNONYMS)


class Kind(StrEnum):
    """How the values of an attribute behave."""

    CATEGORICAL = "categorical"
    """A label; only equality means something."""
    ORDINAL = "ordinal"
    """Ordered labels, such as size classes."""
    CONTINUOUS = "continuous"
    """Numbers with meaningful differences."""
    DATE = "date"
    """A day or a moment."""
    TEXT = "text"
    """Free text or names: mostly different in every tuple."""

    @classmethod
    def parse(cls, text: str) -> Kind:
        """Return the kind of that name."""
        return _parse(cls, text, "kind", {})


_CATEGORY_SYNONYMS = {
    "direct-identifier": "identifier",
    "id": "identifier",
    "quasi": "quasi-identifier",
    "key": "quasi-identifier",
    "qi": "quasi-identifier",
    "confidential": "sensitive",
    "non-sensitive": "non-identifying",
    "insensitive": "non-identifying",
    "sampling-weight": "weight",
    "cluster": "cluster-key",
    "household": "cluster-key",
}


_E = TypeVar("_E", bound=StrEnum)


def _parse(enum: type[_E], text: str, what: str, synonyms: Mapping[str, str]) -> _E:
    wanted = "-".join(text.casefold().replace("_", " ").replace("-", " ").split())
    wanted = synonyms.get(wanted, wanted)
    try:
        return enum(wanted)
    except ValueError:
        names = [member.value for member in enum]
        raise DictionaryError(
            f"no {what} '{text}'{did_you_mean(text, names)}", do=f"use one of {', '.join(names)}"
        ) from None


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute and all that the dictionary knows of it.

    >>> Attribute("Area", category=Category.QUASI_IDENTIFIER, description="Geographic Area").is_quasi_identifier
    True
    """

    name: str
    category: Category | None = None
    kind: Kind | None = None
    description: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Value labels of statistical packages: code -> text."""
    missing: tuple[str, ...] = ()
    """User-defined missing codes: values such as ``99``, ranges such as ``90..99``, tags such as ``.a``."""
    order: tuple[str, ...] = ()
    """The values of an ordinal attribute, lowest first."""
    hierarchy: str = ""
    """File of the hierarchy, beside the dictionary."""
    hierarchy_rule: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """A hierarchy given as a rule (intervals, dates, prefixes) instead of a file."""
    format: str = ""
    """Display format of a statistical package (``F8.2``, ``%td``), kept for the output."""

    def __post_init__(self) -> None:
        if not self.name:
            raise DictionaryError("an attribute has an empty name", do="name every column in the header")
        for name in ("labels", "hierarchy_rule"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        if self.hierarchy and self.hierarchy_rule:
            raise DictionaryError(
                f"attribute '{self.name}' has a hierarchy file and a hierarchy rule", do="keep one of the two"
            )

    @property
    def is_quasi_identifier(self) -> bool:
        """Whether it takes part in re-identification."""
        return self.category is Category.QUASI_IDENTIFIER

    def with_(self, **changes: Any) -> Self:
        """Return this attribute with some fields changed."""
        return replace(self, **changes)
