"""Tacita: release data without releasing people.

    >>> import tacita as tc
    >>> firms = tc.sample("figure-1")
    >>> firms.rows
    20

The names below are the whole public interface; they are loaded when first used, so that ``import tacita`` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tacita.version import __version__

if TYPE_CHECKING:
    from tacita.api.assessing import Question
    from tacita.api.attacking import AttackOptions, attack
    from tacita.api.catalogues import catalogue_of, enter, measures, methods
    from tacita.api.concealing import (
        ConcealedOptions,
        ConcealPlan,
        DependencyOptions,
        conceal,
        erase_persons,
        export_person,
        make_key,
        reveal,
        rotate_key,
    )
    from tacita.api.dataset import Dataset
    from tacita.api.masking import ExploreOptions, MaskedOptions, Masking, compare, explore, mask
    from tacita.api.reading import from_generated, generate, read, sample
    from tacita.api.reasoning import Conclusions, ReasoningRequest, reason
    from tacita.api.releases import explain, verify
    from tacita.api.releasing import ReleaseOptions, anonymize, release_to
    from tacita.api.remote import connect
    from tacita.api.rules import check_rules, explain_rules
    from tacita.api.tables import (
        ProtectionOptions,
        TableOptions,
        assess_table,
        audit_table,
        build_table,
        protect_table,
    )
    from tacita.cycle.outcome import Outcome
    from tacita.cycle.plan import Plan
    from tacita.errors import TacitaError
    from tacita.files.contract import ReadOptions
    from tacita.model.attribute import Attribute, Category, Kind
    from tacita.model.dictionary import Dictionary
    from tacita.model.relation import ColumnType
    from tacita.model.roles import Roles
    from tacita.recipes.recipe import Recipe, RecipeStep
    from tacita.recipes.recipe_file import read_recipe
    from tacita.settings import Settings

_HOMES = {
    "ExploreOptions": "api.masking",
    "ProtectionOptions": "api.tables",
    "TableOptions": "api.tables",
    "MaskedOptions": "api.masking",
    "ReleaseOptions": "api.releasing",
    "Question": "api.assessing",
    "explain_rules": "api.rules",
    "check_rules": "api.rules",
    "methods": "api.catalogues",
    "measures": "api.catalogues",
    "explain": "api.releases",
    "verify": "api.releases",
    "AttackOptions": "api.attacking",
    "attack": "api.attacking",
    "catalogue_of": "api.catalogues",
    "enter": "api.catalogues",
    "Masking": "api.masking",
    "compare": "api.masking",
    "connect": "api.remote",
    "ConcealPlan": "api.concealing",
    "ConcealedOptions": "api.concealing",
    "DependencyOptions": "api.concealing",
    "conceal": "api.concealing",
    "erase_persons": "api.concealing",
    "export_person": "api.concealing",
    "make_key": "api.concealing",
    "reveal": "api.concealing",
    "rotate_key": "api.concealing",
    "Database": "api.querying",
    "QueryAnswer": "api.querying",
    "open_for_questions": "api.querying",
    "explore": "api.masking",
    "mask": "api.masking",
    "Recipe": "recipes.recipe",
    "RecipeStep": "recipes.recipe",
    "read_recipe": "recipes.recipe_file",
    "Outcome": "cycle.outcome",
    "Plan": "cycle.plan",
    "anonymize": "api.releasing",
    "release_to": "api.releasing",
    "Dataset": "api.dataset",
    "from_generated": "api.reading",
    "generate": "api.reading",
    "read": "api.reading",
    "sample": "api.reading",
    "TacitaError": "errors",
    "ReadOptions": "files.contract",
    "Attribute": "model.attribute",
    "Category": "model.attribute",
    "Kind": "model.attribute",
    "Dictionary": "model.dictionary",
    "ColumnType": "model.relation",
    "Roles": "model.roles",
    "Conclusions": "api.reasoning",
    "ReasoningRequest": "api.reasoning",
    "reason": "api.reasoning",
    "Settings": "settings",
    "assess_table": "api.tables",
    "audit_table": "api.tables",
    "build_table": "api.tables",
    "protect_table": "api.tables",
}

__all__ = [
    "AttackOptions",
    "Attribute",
    "Category",
    "ColumnType",
    "ConcealPlan",
    "ConcealedOptions",
    "Conclusions",
    "Database",
    "Dataset",
    "DependencyOptions",
    "Dictionary",
    "ExploreOptions",
    "Kind",
    "MaskedOptions",
    "Masking",
    "Outcome",
    "Plan",
    "ProtectionOptions",
    "QueryAnswer",
    "Question",
    "ReadOptions",
    "ReasoningRequest",
    "Recipe",
    "RecipeStep",
    "ReleaseOptions",
    "Roles",
    "Settings",
    "TableOptions",
    "TacitaError",
    "__version__",
    "anonymize",
    "assess_table",
    "attack",
    "audit_table",
    "build_table",
    "catalogue_of",
    "check_rules",
    "compare",
    "conceal",
    "connect",
    "enter",
    "erase_persons",
    "explain",
    "explain_rules",
    "explore",
    "export_person",
    "from_generated",
    "generate",
    "make_key",
    "mask",
    "measures",
    "methods",
    "open_for_questions",
    "protect_table",
    "read",
    "read_recipe",
    "reason",
    "release_to",
    "reveal",
    "rotate_key",
    "sample",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"tacita.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'tacita' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
