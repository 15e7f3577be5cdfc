"""The Python front door: mask a data set by a recipe, compare recipes, explore methods.

>>> import tacita as tc
>>> recipe = {"seed": 1, "step": [{"method": "intervals", "attributes": ["W"], "width": 100}]}
>>> tc.mask(tc.sample("figure-1"), recipe).masked.changed
('W',)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from tacita.api.dataset import Dataset
from tacita.model.result import Result
from tacita.progress import Progress, silent
from tacita.recipes.carry_out import Masked, carried_out
from tacita.recipes.comparison import Comparison, compared
from tacita.recipes.evaluation import Evaluation, evaluated
from tacita.recipes.exploration import explored_recipes
from tacita.recipes.ground import ground_for
from tacita.recipes.recipe import Judgement, Recipe
from tacita.recipes.recipe_file import read_recipe, recipe_of

RecipeLike = Recipe | Mapping[str, Any] | str | PathLike[str]


@dataclass(frozen=True, slots=True, repr=False)
class Masking(Result):
    """Microdata after a recipe, and what that costs and still tells. `release_to` writes it."""

    masked: Masked
    evaluation: Evaluation
    notes: tuple[str, ...] = ()
    """Roles that nobody decided on: attributes that are dropped because they look like identifiers."""

    def _in_short(self) -> str:
        methods = ", ".join(step.method for step in self.masked.recipe.steps)
        return f"'{self.masked.original.name}' by {methods}: {self.evaluation._in_short()}"

    @property
    def data(self) -> Dataset:
        """The masked records, in the order of the source. Identifiers go when they are released."""
        return Dataset(self.masked.released)


def as_recipe(given: RecipeLike) -> Recipe:
    """Return a recipe that is given as such, as the tables of its file, or as the path of its file."""
    if isinstance(given, Recipe):
        return given
    if isinstance(given, Mapping):
        return recipe_of(dict(given))
    return read_recipe(given)


def mask(data: Dataset, recipe: RecipeLike, *, progress: Progress = silent) -> Masking:
    """Return a data set after a recipe, measured and attacked. Nothing is written."""
    data, notes = data.for_release(progress=progress)
    masked = carried_out(data.microdata, as_recipe(recipe), progress=progress)
    ground = ground_for(data.microdata, [masked], masked.recipe.judgement)
    found = evaluated(masked, ground, progress=progress)
    return Masking(masked, replace(found, notes=(*found.notes, *ground.notes)), notes)


def compare(
    data: Dataset, recipes: Sequence[RecipeLike], *, seed: int | None = None, progress: Progress = silent
) -> Comparison:
    """Return recipes carried out on the same data and judged on the same ground."""
    data, notes = data.for_release(progress=progress)
    found = compared(data.microdata, [as_recipe(each) for each in recipes], seed=seed, progress=progress)
    return replace(found, notes=(*notes, *found.notes))


def explore(
    data: Dataset,
    *,
    attributes: Sequence[str] = (),
    methods: Sequence[str] = (),
    grid: Mapping[str, Sequence[Any]] | None = None,
    judgement: Judgement | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> Comparison:
    """Return the R-U map of methods and parameters that fit the data."""
    data, notes = data.for_release(progress=progress)
    recipes = explored_recipes(data.microdata, attributes=attributes, methods=methods, grid=grid or {})
    found = compared(data.microdata, recipes, judgement=judgement, seed=seed, must_run=False, progress=progress)
    return replace(found, notes=(*notes, *found.notes))
