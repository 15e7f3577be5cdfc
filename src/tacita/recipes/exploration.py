"""Which methods and parameters fit some data: the grid that an exploration runs through.

Numbers get methods for numbers, categories of quasi-identifiers get methods for categories, and where there are both,
each recipe treats both: a file is no safer than its weakest part. Methods of one's own state a grid, or are named with
one. What the members of a household have in common is treated household by household. Synthetic data are tried if they
are asked for: beside invented records nothing can be judged by pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from tacita.engines.records import records_of
from tacita.errors import UsageError, did_you_mean, listed
from tacita.masking.method import Grid
from tacita.model.attribute import Category, Kind
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.recipes.clusters import RecordClusters
from tacita.recipes.kinds import with_kinds
from tacita.recipes.methods import METHODS
from tacita.recipes.recipe import Recipe, RecipeStep


def recipes_to_explore(
    microdata: Microdata, *, attributes: Sequence[str] = (), methods: Sequence[str] = (), grid: Grid | None = None
) -> list[Recipe]:
    """Return a recipe for each method and choice of parameters.

    `attributes` are those to protect, by default the quasi-identifiers and all numbers; `methods` the methods to try;
    `grid` holds further values as ``{"mdav.k": [3, 5]}``.
    """
    microdata = with_kinds(microdata)
    numbers, categories = _kinds(microdata, attributes)
    common = _common(microdata, [*numbers, *categories])
    wanted = _values_wanted(grid or {})
    for name in methods:
        METHODS.named(name)
    of = {kind: _grids(kind) for kind in ("numbers", "categories", "all")}
    chosen = tuple(methods) or (tuple(wanted) if wanted else (*of["numbers"], *of["categories"]))
    of_numbers = _steps(of["numbers"], chosen, wanted, numbers) if numbers else []
    of_categories = _steps(of["categories"], chosen, wanted, categories) if categories else []
    of_all = _steps(of["all"], chosen, wanted, attributes)  # none named: the whole file is invented
    others = [name for name in chosen if not any(name in grids for grids in of.values())]
    own = [step for name in others for step in _grid_steps(name, {}, wanted.get(name, {}), attributes or numbers)]
    recipes = [_recipe((step,), common) for step in of_all + own]
    if of_numbers and of_categories:
        recipes += [_recipe(pair, common) for pair in _paired(of_numbers, of_categories)]
    else:
        recipes += [_recipe((step,), common) for step in of_numbers + of_categories]
    if not recipes:
        raise UsageError(
            "there is nothing to protect by these methods",
            where=f"'{microdata.name}'",
            do="name quasi-identifiers or attributes (--attributes), or other methods",
        )
    return recipes


def _kinds(microdata: Microdata, attributes: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the numbers and the categories that are to be protected; undecided attributes may be known, too."""
    dictionary = microdata.dictionary
    hidden = (Category.IDENTIFIER, Category.WEIGHT, Category.CLUSTER_KEY)
    wanted = attributes or [a.name for a in dictionary if a.category not in hidden]
    numbers, categories = [], []
    for name in wanted:
        attribute, column = dictionary[name], microdata.column(name)
        labelled = attribute.kind in {Kind.CATEGORICAL, Kind.ORDINAL, Kind.TEXT} or attribute.order
        if column.type in {ColumnType.INTEGER, ColumnType.NUMBER} and not labelled:
            numbers.append(name)
        elif attributes or attribute.is_quasi_identifier or attribute.category is None:
            categories.append(name)
    return numbers, categories


def _grids(kind: str) -> dict[str, Grid]:
    """Return the methods that an exploration tries on numbers, on categories or on all, and the values it tries."""
    tried = [name for name in METHODS.names() if METHODS.fact(name, "grid") is not None]
    return {name: METHODS.fact(name, "grid") for name in tried if METHODS.fact(name, "treats") == kind}


def _values_wanted(grid: Grid) -> dict[str, dict[str, Sequence[Any]]]:
    wanted: dict[str, dict[str, Sequence[Any]]] = {}
    for key, values in grid.items():
        method, dot, parameter = key.partition(".")
        if not dot or not parameter:
            raise UsageError(f"'{key}' is not METHOD.PARAMETER", do="write for example --grid mdav.k=3,5,10")
        if parameter not in (there := _parameters(method)):
            raise UsageError(
                f"'{method}' has no parameter '{parameter}'{did_you_mean(parameter, there)}",
                do=f"'{method}' takes {listed(there, 20)}",
            )
        wanted.setdefault(method, {})[parameter] = list(values)
    return wanted


def _steps(
    grids: Mapping[str, Mapping[str, Sequence[Any]]],
    chosen: Sequence[str],
    wanted: Mapping[str, Mapping[str, Sequence[Any]]],
    attributes: Sequence[str],
) -> list[RecipeStep]:
    return [
        step
        for name, grid in grids.items()
        if name in chosen
        for step in _grid_steps(name, grid, wanted.get(name, {}), attributes)
    ]


def _grid_steps(
    name: str, grid: Mapping[str, Sequence[Any]], wanted: Mapping[str, Sequence[Any]], attributes: Sequence[str]
) -> list[RecipeStep]:
    values = {**grid, **wanted}
    base = {"attributes": list(attributes)} if attributes and "attributes" in _parameters(name) else {}
    return [
        RecipeStep(name, {**base, **dict(zip(values, choice, strict=True))})
        for choice in itertools.product(*values.values())
    ]


def _parameters(method: str) -> list[str]:
    return [parameter.name for parameter in METHODS.parameters(method)]


def _paired(numbers: Sequence[RecipeStep], categories: Sequence[RecipeStep]) -> list[tuple[RecipeStep, RecipeStep]]:
    """Return each step of one kind with one of the other, so that weak goes with weak and strong with strong.

    All pairs would be many and mostly unbalanced. The steps of a method stand in the order of their strength.
    """
    pairs: list[tuple[RecipeStep, RecipeStep]] = []
    for _, group in itertools.groupby(numbers, key=lambda step: step.method):
        own = list(group)
        for _, others in itertools.groupby(categories, key=lambda step: step.method):
            theirs = list(others)
            for place, step in enumerate(own):
                pairs.append((step, theirs[min(place * len(theirs) // len(own), len(theirs) - 1)]))
    return pairs


def _common(microdata: Microdata, names: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes that all members of a household have in common; none if there are no households."""
    clusters = RecordClusters.of(microdata)
    return () if clusters is None else clusters.shared(records_of(microdata, names), names)


def _recipe(steps: Sequence[RecipeStep], common: Sequence[str]) -> Recipe:
    """Return a recipe of steps that treat what households have in common household by household."""
    parts = [part for step in steps for part in _by_cluster(step, common)]
    return Recipe(tuple(parts), title=" + ".join(step.label for step in steps))


def _by_cluster(step: RecipeStep, common: Sequence[str]) -> list[RecipeStep]:
    names = step.parameters.get("attributes", [])
    of_all = [name for name in names if name in common]
    if METHODS.fact(step.method, "in_engine") or METHODS.fact(step.method, "treats") == "all" or not of_all:
        return [step]
    own = [name for name in names if name not in common]
    parts = [RecipeStep(step.method, {**step.parameters, "attributes": own}, step.within)] if own else []
    return [*parts, RecipeStep(step.method, {**step.parameters, "attributes": of_all}, step.within, by_cluster=True)]
