"""What can be chosen by name, and how a class of one's own is added to it.

>>> import tacita as tc
>>> tc.catalogue_of("measure").meaning("k-anonymity")
'Risk 1 if fewer than k records look alike on the known attributes, 0 otherwise.'
"""

from __future__ import annotations

import importlib
from typing import Any

from tacita.catalogue import Catalogue
from tacita.errors import UsageError, did_you_mean, listed

_HOMES = {
    "measure": ("risks", "tacita.risk.catalogue:MEASURES"),
    "method": ("treated", "tacita.masking.catalogue:METHODS"),
    "step": ("applied", "tacita.recipes.methods:METHODS"),
    "loss": ("lost", "tacita.utility.catalogue:LOSSES"),
    "attacker": ("attack", "tacita.attacks.microdata.catalogue:ATTACKERS"),
}
"""The method that a class of each kind has, and where the catalogue is."""


def catalogue_of(kind: str) -> Catalogue[Any]:
    """Return the catalogue of a kind.

    A "measure" says how risky records are, a "loss" what a change costs, an "attacker" attacks what would be released.
    A "method" masks records; a "step" is whatever a step of a recipe can name, methods and those of the engine.
    """
    if kind not in _HOMES:
        raise UsageError(f"no catalogue of '{kind}'{did_you_mean(kind, _HOMES)}", do=f"use one of: {', '.join(_HOMES)}")
    module, _, member = _HOMES[kind][1].partition(":")
    catalogue: Catalogue[Any] = getattr(importlib.import_module(module), member)
    return catalogue


def enter(entry: type[Any]) -> None:
    """Let a class of one's own be named like any other: a measure, a method, a loss or an attacker.

    Its kind is known by the method that it has: `risks`, `treated` (or `applied`, to work in the engine), `lost` or
    `attack`. It holds for this process; a class of the same name takes the place of the one before.
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
