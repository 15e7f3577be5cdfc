"""The roles of attributes as a person names them: beside the dictionary, for one job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TypedDict

from tacita.errors import UsageError
from tacita.forms import NAMES
from tacita.model.attribute import Category
from tacita.model.dictionary import Dictionary
from tacita.options import option

_ROLES = "Roles"


def _some_names(typed: list[str], flag: str) -> tuple[str, ...]:
    names: tuple[str, ...] = NAMES.parse(typed, flag)
    if not names:
        raise UsageError(f"{flag} names no attribute", do="name some, or leave it out to have them proposed")
    return names


@dataclass(frozen=True, slots=True)
class Roles:
    """Which attributes identify, are sensitive, or hold the weight or the household key.

    >>> Roles(quasi=("Area",)).over(Roles(quasi=("Sector",), weight="W"))
    Roles(quasi=('Area',), sensitive=(), identifier=(), weight='W', cluster=None)
    """

    quasi: tuple[str, ...] | None = option(
        None,
        form=replace(NAMES, parse=_some_names),
        panel=_ROLES,
        help="Quasi-identifiers, with commas between; may be repeated.",
    )
    """The quasi-identifiers; None: those of the dictionary, or proposed ones."""
    sensitive: tuple[str, ...] = option(
        (), panel=_ROLES, help="Sensitive attributes, with commas between; may be repeated."
    )
    identifier: tuple[str, ...] = option((), panel=_ROLES, help="Identifiers, with commas between; may be repeated.")
    weight: str | None = option(None, panel=_ROLES, help="Sampling weight.")
    cluster: str | None = option(None, panel=_ROLES, help="Household or group key.")

    def __post_init__(self) -> None:
        for name in ("quasi", "sensitive", "identifier"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) for one in fields(self))

    def over(self, others: Roles) -> Roles:
        """Return these roles, with those of `others` where no attribute is named."""
        return Roles(
            quasi=others.quasi if self.quasi is None else self.quasi,
            sensitive=self.sensitive or others.sensitive,
            identifier=self.identifier or others.identifier,
            weight=self.weight or others.weight,
            cluster=self.cluster or others.cluster,
        )

    def assign(self, dictionary: Dictionary, *, only: bool = True) -> Dictionary:
        """Return a dictionary with these roles.

        Quasi-identifiers named here are the only ones of the dictionary; with ``only=False`` the others stay too.
        """
        quasi = list(self.quasi or ())
        named = [*quasi, *self.sensitive, *self.identifier, *filter(None, (self.weight, self.cluster))]
        twice = [name for name in dict.fromkeys(named) if named.count(name) > 1 and quasi.count(name) < 2]
        if twice:
            raise UsageError(
                f"'{twice[0]}' is given two roles", do="give each attribute one: an attribute has one category"
            )
        roles = {
            **dict.fromkeys(self.sensitive, Category.SENSITIVE),
            **dict.fromkeys(self.identifier, Category.IDENTIFIER),
            **({self.weight: Category.WEIGHT} if self.weight else {}),
            **({self.cluster: Category.CLUSTER_KEY} if self.cluster else {}),
            **dict.fromkeys(quasi, Category.QUASI_IDENTIFIER),
        }
        exclusive = {
            a.name: Category.NON_IDENTIFYING
            for a in dictionary
            if (quasi and only and a.category is Category.QUASI_IDENTIFIER and a.name not in roles)
            or (self.weight and a.category is Category.WEIGHT and a.name != self.weight)
            or (self.cluster and a.category is Category.CLUSTER_KEY and a.name != self.cluster)
        }
        return dictionary.with_categories({**exclusive, **roles})


class RoleKeywords(TypedDict, total=False):
    """The same, as keywords of `Dataset.with_roles`."""

    quasi: Sequence[str]
    sensitive: Sequence[str]
    identifier: Sequence[str]
    weight: str | None
    cluster: str | None
