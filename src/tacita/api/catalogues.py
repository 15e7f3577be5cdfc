"""What can be chosen by name, and how a class of one's own is added to it.

>>> import tacita as tc
>>> tc.catalogue_of("measure").meaning("k-anonymity")
'Risk 1 if fewer than k records look alike on the known attributes, 0 otherwise.'
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tacita.catalogue import Catalogue
from tacita.errors import UsageError, counted, did_you_mean, listed
from tacita.model.result import Result
from tacita.parameters import EntryParameter

_HOMES = {
    "measure": ("risks", "tacita.risk.catalogue:MEASURES"),
    "method": ("treated", "tacita.masking.catalogue:METHODS"),
    "step": ("applied", "tacita.recipes.methods:METHODS"),
    "loss": ("lost", "tacita.utility.catalogue:LOSSES"),
    "attacker": ("attack", "tacita.attacks.microdata.catalogue:ATTACKERS"),
    "table rule": ("findings", "tacita.tables.sensitivity.catalogue:RULES"),
    "table method": ("protect", "tacita.tables.protect.catalogue:WAYS"),
    "similarity": ("neighbours", "tacita.dependencies.catalogue:SIMILARITIES"),
}
"""The method that a class of each kind has, and where the catalogue is."""


def catalogue_of(kind: str) -> Catalogue[Any]:
    """Return the catalogue of a kind.

    A "measure" says how risky records are, a "loss" what a change costs, an "attacker" attacks what would be released.
    A "method" masks records; a "step" is whatever a step of a recipe can name, methods and those of the engine.
    A "table rule" says which cells are sensitive, a "table method" protects a table. A "similarity" says which
    values of an attribute are alike when dependencies are looked for.
    """
    if kind not in _HOMES:
        raise UsageError(f"no catalogue of '{kind}'{did_you_mean(kind, _HOMES)}", do=f"use one of: {', '.join(_HOMES)}")
    module, _, member = _HOMES[kind][1].partition(":")
    catalogue: Catalogue[Any] = getattr(importlib.import_module(module), member)
    return catalogue


def enter(entry: type[Any]) -> None:
    """Let a class of one's own be named like any other: a measure, a method, a loss, an attacker, a rule, a similarity.

    Its kind is known by the method that it has: `risks`, `treated` (or `applied`, to work in the engine), `lost`,
    `attack`, `neighbours`, or for tables `findings` or `protect`. It holds for this process; a class of the same name
    takes the place of the one before.
    """
    kinds = [kind for kind, (method, _) in _HOMES.items() if callable(getattr(entry, method, None))]
    if len(kinds) != 1:
        raise UsageError(
            f"the class {entry.__name__} is of no kind that can be entered"
            if not kinds
            else f"the class {entry.__name__} could be of several kinds: {listed(kinds)}",
            do=f"give it one of the methods {listed([method for method, _ in _HOMES.values()])}",
        )
    catalogue_of(kinds[0]).enter(entry)


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """What is known of an entry of a catalogue: its meaning, its parameters, and its class with all other facts."""

    name: str
    meaning: str
    entry: type[Any]
    parameters: tuple[EntryParameter, ...]


@dataclass(frozen=True, slots=True, repr=False)
class MeasureList(Result):
    """The measures of risk."""

    entries: tuple[EntryFacts, ...]

    def _in_short(self) -> str:
        return counted(len(self.entries), "measure")


@dataclass(frozen=True, slots=True, repr=False)
class MethodList(Result):
    """The methods that a step of a recipe can name, or one of them with all that is known."""

    entries: tuple[EntryFacts, ...]
    is_single: bool = False

    def _in_short(self) -> str:
        return counted(len(self.entries), "method")


def measures() -> MeasureList:
    """Return the measures of risk, what they say, and their parameters."""
    return MeasureList(_facts("measure", catalogue_of("measure").names()))


def methods(name: str | None = None) -> MethodList:
    """Return the methods of masking, what they promise, and their parameters; or one of them."""
    names = sorted(catalogue_of("step").names()) if name is None else [name]
    return MethodList(_facts("step", names), name is not None)


def _facts(kind: str, names: Iterable[str]) -> tuple[EntryFacts, ...]:
    known = catalogue_of(kind)
    return tuple(
        EntryFacts(name, known.meaning(name), known.named(name), tuple(known.parameters(name))) for name in names
    )
