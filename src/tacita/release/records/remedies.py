"""What can be done about hidden cells that can be derived, and what it costs, the cheapest first.

A remedy is tried before it is proposed: the compared records are changed as it would change them, and the attacker
looks again. What it then finds is remedied too, until nothing is left; so a `RemedyPlan` is everything that has to be
added to the command, not the first step of a long way. Plans differ in what they prefer:

* suppressing an attribute along with the key that it tells costs as many cells as the key has suppressed ones,
* recoding it alike, in a recipe, and noise on weights change all cells of an attribute,
* leaving it out costs all its cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tacita.attacks.microdata.derivation import DerivableValues
from tacita.attacks.microdata.relations.search import search_derivations
from tacita.errors import counted
from tacita.release.records.compared import ORDER, PLACE, ComparedRecords
from tacita.release.records.compared_columns import ComparedColumn

RemedyKind = Literal["shuffle", "suppress along", "recode alike", "noise on weights", "leave out keys", "drop"]

_ROUNDS = 8
"""How often the attacker may find something new after a remedy."""
_PERCENTS = (10, 20, 30, 50, 75)
_DRAWS = (1, 2, 3)
"""Noise must help in each of some draws."""
_MOST_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that can be done, as what to ask for, and how many cells it takes away or changes."""

    kind: RemedyKind
    attribute: str
    action: str
    cells: int

    def to_dict(self) -> dict[str, Any]:
        """Return it in words of JSON."""
        return {"remedy": self.kind, "attribute": self.attribute, "action": self.action, "cells": self.cells}


@dataclass(frozen=True, slots=True)
class RemedyPlan:
    """Remedies after which nothing can be derived any more."""

    remedies: tuple[Remedy, ...]

    @property
    def cells(self) -> int:
        """How many cells are lost or changed."""
        return sum(remedy.cells for remedy in self.remedies)

    @property
    def cost(self) -> tuple[int, int]:
        """What plans are ordered by: cells, then whether they are lost or changed only."""
        return self.cells, sum(remedy.kind in {"drop", "leave out keys"} for remedy in self.remedies)

    def __str__(self) -> str:
        actions = " and ".join(dict.fromkeys(remedy.action for remedy in self.remedies))
        return f"{actions} ({counted(self.cells, 'cell')})" if self.cells else actions

    def to_dict(self) -> dict[str, Any]:
        """Return it in words of JSON."""
        return {"cells": self.cells, "remedies": [remedy.to_dict() for remedy in self.remedies]}


@dataclass(frozen=True, slots=True, eq=False)
class Leeway:
    """What may be done to the attributes of a release."""

    known: frozenset[str] = frozenset()
    """Quasi-identifiers: they are needed for the claim."""
    linkable_keys: frozenset[str] = frozenset()
    """Quasi-identifiers along with which others can be suppressed."""
    not_linkable: frozenset[str] = frozenset()
    weight: str | None = None
    """The weight, if noise may be put on it."""
    clusters: frozenset[str] = frozenset()
    """Household keys that are released on request."""
    pseudonyms: frozenset[str] = frozenset()
    drop_option: str = "--drop"
    recoded: Callable[[str, str], tuple[Sequence[ComparedColumn], str] | None] | None = field(default=None, repr=False)
    """Gives the columns if an attribute is recoded like a target, and what to ask for; None if that cannot be done."""


def remedy_plans(
    records: ComparedRecords, derived: Sequence[DerivableValues], leeway: Leeway
) -> tuple[RemedyPlan, ...]:
    """Return plans after which the attacker finds nothing, the cheapest first."""
    plans: dict[frozenset[str], RemedyPlan] = {}
    blurred: set[bool] = set()
    for prefers in _preferences(derived, leeway):
        if prefers.noise and prefers.links in blurred:
            continue  # less noise is enough
        plan = _Planning(records, leeway, prefers).plan(derived)
        if plan is not None and plan.remedies:
            blurred |= {prefers.links} if prefers.noise else set()
            plans.setdefault(frozenset(remedy.action for remedy in plan.remedies), plan)
    return tuple(sorted(plans.values(), key=lambda plan: plan.cost))


@dataclass(frozen=True, slots=True)
class _Prefers:
    """What is tried before an attribute is left out."""

    links: bool = False
    noise: int = 0
    """Percent; 0: none."""
    recoding: bool = False


def _preferences(derived: Sequence[DerivableValues], leeway: Leeway) -> Iterator[_Prefers]:
    if leeway.linkable_keys and any(one.suppressed for one in derived):
        yield _Prefers(links=True)
    if leeway.weight is not None and any(leeway.weight in one.attributes for one in derived):
        for percent in _PERCENTS:
            yield _Prefers(noise=percent)
            if leeway.linkable_keys:
                yield _Prefers(links=True, noise=percent)
    if leeway.recoded is not None:
        yield _Prefers(recoding=True)
    yield _Prefers()


class _Planning:
    """One way through: remedy what is found, look again, until nothing is found."""

    def __init__(self, records: ComparedRecords, leeway: Leeway, prefers: _Prefers) -> None:
        self._records, self._leeway, self._prefers = records, leeway, prefers
        self._remedies: list[Remedy] = []
        self._linked_with: dict[str, str] = {}

    def plan(self, derived: Sequence[DerivableValues]) -> RemedyPlan | None:
        """Return everything that has to be done; None if this way ends nowhere."""
        for _ in range(_ROUNDS):
            if not derived:
                break
            before = len(self._remedies)
            if not all(self._remedy(one, derived) for one in derived) or len(self._remedies) == before:
                return None
            derived = search_derivations(self._records.view).derivations
        if derived or not self._noise_always_helps():
            return None
        return RemedyPlan(tuple(_merged(self._remedies)))

    def _remedy(self, one: DerivableValues, derived: Sequence[DerivableValues]) -> bool:
        """Do something about a derivation; return whether that was possible."""
        names = {column.name for column in self._records.columns}
        if one.clue == ORDER or one.clue.startswith(PLACE):
            if self._records.circumstances.in_order:
                self._records = self._records.shuffled()
                self._add("shuffle", "", "leave out --no-shuffle", 0)
            return True
        if not set(one.attributes) <= names or one.target not in names or self._is_done(one):
            return True  # something that was done about another one helps here, too
        often = Counter(name for other in derived for name in other.attributes)
        choices = sorted(one.attributes, key=lambda name: (-often[name], one.attributes.index(name)))
        ways = (self._link, self._blur, self._recode, self._leave_out)
        return any(way(one, name) for way in ways for name in choices)

    def _is_done(self, one: DerivableValues) -> bool:
        """Return whether an attribute of the set was suppressed along, blurred or recoded in this round."""
        return any(remedy.attribute in one.attributes and self._helps(remedy, one) for remedy in self._remedies)

    def _helps(self, remedy: Remedy, one: DerivableValues) -> bool:
        if remedy.kind == "suppress along":
            return remedy.action == _link_action(self._key_of(one.target), remedy.attribute)
        return True

    def _link(self, one: DerivableValues, name: str) -> bool:
        leeway, key = self._leeway, self._key_of(one.target)
        if not (self._prefers.links and one.suppressed and key in leeway.linkable_keys):
            return False
        if name in leeway.known | leeway.not_linkable or name == key:
            return False
        self._records, cells = self._records.suppressed_along(name, key)
        self._linked_with[name] = key
        return self._add("suppress along", name, _link_action(key, name), cells)

    def _key_of(self, target: str) -> str:
        """Return the key along with which an attribute is suppressed, if it is."""
        return self._linked_with.get(target, target)

    def _blur(self, one: DerivableValues, name: str) -> bool:
        percent = self._prefers.noise
        if not percent or name != self._leeway.weight:
            return False
        self._records = _blurred(self._records, name, percent, _DRAWS[0])
        return self._add("noise on weights", name, f"--weight-noise {percent}", len(self._records))

    def _recode(self, one: DerivableValues, name: str) -> bool:
        if not self._prefers.recoding or self._leeway.recoded is None or one.suppressed:
            return False
        recoded = self._leeway.recoded(one.target, name)
        if recoded is None:
            return False
        columns, action = recoded
        for column in columns:
            self._records = self._records.with_column(column)
        return self._add("recode alike", name, action, len(self._records))

    def _leave_out(self, one: DerivableValues, name: str) -> bool:
        leeway = self._leeway
        cells = int((self._records.column(name).after >= 0).sum())
        if name in leeway.clusters:
            self._drop(name)
            return self._add("leave out keys", name, "leave out --keep-clusters", cells)
        if name in leeway.pseudonyms:
            self._drop(name)
            return self._add("leave out keys", name, f"leave out --pseudonymise {name}", cells)
        if name in leeway.known:
            if any(other not in leeway.known for other in one.attributes):
                return False  # another attribute of the set is easier to do without
            self._drop(name)
            action = f"take {name} out of the quasi-identifiers and {leeway.drop_option} {name}"
            return self._add("drop", name, action, cells)
        self._drop(name)
        return self._add("drop", name, f"{leeway.drop_option} {name}", cells)

    def _drop(self, name: str) -> None:
        self._records = self._records.without({name})

    def _add(self, kind: RemedyKind, attribute: str, action: str, cells: int) -> bool:
        self._remedies.append(Remedy(kind, attribute, action, cells))
        return True

    def _noise_always_helps(self) -> bool:
        """Return whether noise that helped in one draw helps in others."""
        blurred = next((remedy for remedy in self._remedies if remedy.kind == "noise on weights"), None)
        if blurred is None:
            return True
        return all(
            not search_derivations(
                _blurred(self._records, blurred.attribute, self._prefers.noise, draw).view
            ).derivations
            for draw in _DRAWS[1:]
        )


def _link_action(key: str, name: str) -> str:
    return f"--linked {key}={name}"


def _merged(remedies: Sequence[Remedy]) -> list[Remedy]:
    """Return remedies each once, those of one option together."""
    return list({remedy.action: remedy for remedy in remedies}.values())


def _blurred(records: ComparedRecords, name: str, percent: int, draw: int) -> ComparedRecords:
    """Return records whose weights have noise, in as many decimals as before."""
    column = records.column(name)
    weights = column.numbers if column.true_numbers is None else column.true_numbers
    assert weights is not None
    values = np.nan_to_num(weights)
    decimals = next(
        (places for places in range(_MOST_DECIMALS) if np.array_equal(np.round(values, places), values)), _MOST_DECIMALS
    )
    random = np.random.Generator(np.random.PCG64(draw))
    noisy = values * (1 + percent / 100 * random.uniform(-1, 1, len(values)))
    return records.with_values(name, np.maximum(np.round(noisy, decimals), 10.0**-decimals))


def plans_text(plans: Sequence[RemedyPlan], most: int = 3) -> list[str]:
    """Return the cheapest plans in words."""
    return [str(plan) for plan in plans[:most]]


def remedies_by_derivation(derived: Collection[DerivableValues], plans: Sequence[RemedyPlan]) -> list[dict[str, Any]]:
    """Return for each derivation the remedies of all plans that are about it, the cheapest first."""
    answers = []
    for one in derived:
        of_it = {
            remedy.action: remedy
            for plan in plans
            for remedy in plan.remedies
            if remedy.attribute in one.attributes or (remedy.kind == "shuffle" and one.clue.startswith((ORDER, PLACE)))
        }
        cheapest = sorted(of_it.values(), key=lambda remedy: remedy.cells)
        answers.append({**one.to_dict(), "remedies": [remedy.to_dict() for remedy in cheapest]})
    return answers
