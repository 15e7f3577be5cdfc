"""Mask a data set by a recipe, compare recipes, explore methods.

>>> import tacita as tc
>>> recipe = {"seed": 1, "step": [{"method": "intervals", "attributes": ["W"], "width": 100}]}
>>> tc.mask(tc.sample("figure-1"), recipe).masked.changed
('W',)
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from tacita.api.dataset import Dataset
from tacita.api.releasing import ReleaseAttempt, release_to
from tacita.errors import OutputError, UsageError
from tacita.files.atomic import write_text
from tacita.files.file_names import file_names
from tacita.forms import Form, names_in, once, split_pair
from tacita.model.result import Result
from tacita.options import option
from tacita.progress import Progress
from tacita.recipes.carry_out import MaskedMicrodata, carry_out
from tacita.recipes.comparison import RecipeComparison, compare_recipes, with_title
from tacita.recipes.evaluation import Evaluation, evaluate, has_limit, reasons_against
from tacita.recipes.exploration import recipes_to_explore
from tacita.recipes.ground import ground_for
from tacita.recipes.recipe import Judgement, Recipe
from tacita.recipes.recipe_file import read_recipe, recipe_of, recipe_text
from tacita.release.kinds.masked.kind import check_ungated
from tacita.release.options import MaskedOptions
from tacita.release.writing import check_folder

__all__ = [
    "ExploreOptions",
    "MaskedOptions",
    "Masking",
    "RecipeComparison",
    "RecipeLike",
    "as_recipe",
    "check_new",
    "compare",
    "explore",
    "mask",
    "mask_to",
    "titled_recipe",
    "write_page",
    "write_recipe",
    "write_recipes",
]

RecipeLike = Recipe | Mapping[str, Any] | str | PathLike[str]


@dataclass(frozen=True, slots=True, repr=False)
class Masking(Result):
    """Microdata after a recipe, and what that costs and still tells. `release_to` writes it."""

    released_as: ClassVar = "masked release"
    masked: MaskedMicrodata
    evaluation: Evaluation
    notes: tuple[str, ...] = ()
    """Roles that nobody decided on: attributes that are dropped because they look like identifiers."""

    @property
    def data(self) -> Dataset:
        """The masked records, in the order of the source. Identifiers go when they are released."""
        return Dataset(self.masked.released)

    @property
    def against(self) -> tuple[str, ...]:
        """Every limit of the recipe that is not kept, in words."""
        return tuple(reasons_against(self.masked.recipe, self.evaluation))

    @property
    def has_limit(self) -> bool:
        """Whether the recipe says which risk is accepted; without that nothing is released unless somebody insists."""
        return has_limit(self.masked.recipe)

    def _in_short(self) -> str:
        methods = ", ".join(step.method for step in self.masked.recipe.steps)
        return f"'{self.masked.original.name}' by {methods}: {self.evaluation._in_short()}"


def as_recipe(given: RecipeLike) -> Recipe:
    """Return a recipe that is given as such, as the tables of its file, or as the path of its file."""
    if isinstance(given, Recipe):
        return given
    return recipe_of(dict(given)) if isinstance(given, Mapping) else read_recipe(given)


def mask(data: Dataset, recipe: RecipeLike, *, seed: int | None = None, progress: Progress | None = None) -> Masking:
    """Return a data set after a recipe, measured and attacked. Nothing is written. `seed` goes before the recipe's."""
    progress = progress or data.context.progress
    steps = as_recipe(recipe)
    steps = steps if seed is None else steps.with_(seed=seed)
    data, notes = data.for_release(progress=progress)
    masked = carry_out(data.microdata, steps, progress=progress)
    ground = ground_for(data.microdata, [masked], masked.recipe.judgement)
    evaluation = evaluate(masked, ground, progress=progress)
    return Masking(masked, replace(evaluation, notes=(*evaluation.notes, *ground.notes)), notes)


def mask_to(
    folder: Path | None,
    data: Dataset,
    recipe: RecipeLike,
    options: MaskedOptions | None = None,
    *,
    seed: int | None = None,
    progress: Progress | None = None,
) -> ReleaseAttempt:
    """Mask a data set by a recipe, and release it to a folder if the limits of the recipe are kept.

    Without a limit of risk in the recipe nothing is released, unless the options say so. That the folder can be written
    is seen before any work. Without a folder nothing is written.
    """
    options, steps = options or MaskedOptions(), as_recipe(recipe)
    if folder is not None:
        check_ungated(steps, ungated=options.ungated)
        check_folder(folder, options)
    masking = mask(data, steps, seed=seed, progress=progress)
    is_refused = folder is not None and not (masking.has_limit or options.ungated)
    passed = not is_refused and (options.anyway or not masking.against)
    release = None
    if folder is not None and passed:
        release = release_to(folder, masking, options, progress=progress or data.context.progress)
    return ReleaseAttempt(masking, release, passed, is_refused)


def compare(
    data: Dataset,
    recipes: Sequence[RecipeLike],
    *,
    seed: int | None = None,
    at_once: int | None = None,
    progress: Progress | None = None,
) -> RecipeComparison:
    """Return recipes carried out on the same data and judged on the same ground; a file gives its recipe a title."""
    progress = progress or data.context.progress
    titled = [titled_recipe(recipe) for recipe in recipes]
    data, notes = data.for_release(progress=progress)
    comparison = compare_recipes(data.microdata, titled, seed=seed, at_once=at_once, progress=progress)
    return replace(comparison, notes=(*notes, *comparison.notes))


def titled_recipe(recipe: RecipeLike) -> Recipe:
    """Return a recipe; one without a title that is read from a file is called as its file."""
    if isinstance(recipe, Recipe | Mapping):
        return as_recipe(recipe)
    return with_title(as_recipe(recipe), Path(recipe).stem)


# -- exploring ---------------------------------------------------------------------------------------------------------


def _parse_grid(typed: Sequence[str], flag: str) -> dict[str, list[Any]]:
    given = once((split_pair(pair, flag) for pair in typed), flag)
    return {key: [_toml_value(text) for text in names_in(values)] for key, values in given.items()}


def _toml_value(text: str) -> Any:
    """Return a value as TOML would read it; a bare word is a text."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploreOptions:
    """Which methods and parameters are tried, and how their results are judged."""

    methods: tuple[str, ...] = option(
        (), help="Methods to try, with commas between; may be repeated; default: those that fit the data."
    )
    attributes: tuple[str, ...] = option(
        (),
        help="Attributes to protect, with commas between; may be repeated; default: quasi-identifiers and numbers.",
    )
    grid: Mapping[str, Sequence[Any]] = option(
        {},
        form=Form(list[str], parse=_parse_grid),
        metavar="METHOD.PARAMETER=VALUE,VALUE",
        help="Values of a parameter to try; may be repeated.",
    )
    secret: tuple[str, ...] = option(
        (), help="What the intruder wants to learn; may be repeated; default: the sensitive attributes."
    )
    accept: float | None = option(
        None, least=0, most=1, metavar="SHARE", help="The risk that is accepted; goes into the recipes."
    )
    seed: int | None = option(None, least=0, secret=True, help="Where randomness begins; the same seed, the same map.")
    at_once: int | None = option(None, least=1, help="How many recipes run at a time; default: all cores.")


def explore(
    data: Dataset,
    options: ExploreOptions | None = None,
    *,
    judgement: Judgement | None = None,
    take: int | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> RecipeComparison:
    """Return the R-U map of methods and parameters that fit the data.

    `more` are fields of `ExploreOptions` by name. `take` is a point that will be taken: it is looked for before any
    work.
    """
    options, progress = replace(options or ExploreOptions(), **more), progress or data.context.progress
    data, notes = data.for_release(progress=progress)
    recipes = recipes_to_explore(
        data.microdata, attributes=options.attributes, methods=options.methods, grid=options.grid
    )
    if take is not None and take > len(recipes):
        raise UsageError(f"there is no point {take}", do=f"take one from 1 to {len(recipes)}")
    judgement = judgement or Judgement(secret=options.secret, accept=options.accept)
    comparison = compare_recipes(
        data.microdata,
        [recipe.with_(judgement=judgement) for recipe in recipes],
        judgement=judgement,
        seed=options.seed,
        at_once=options.at_once,
        must_run=False,
        progress=progress,
    )
    return replace(comparison, notes=(*notes, *comparison.notes))


def check_new(*files: Path | None, force: bool = False) -> None:
    """Raise before any work if a page, recipe or folder exists that is to be written."""
    for file in files:
        if file is not None and file.exists() and not force:
            raise OutputError("exists already", where=str(file), do="choose another name, or add --force to replace it")


def write_page(comparison: RecipeComparison, file: Path, *, force: bool = False) -> None:
    """Write the map and all figures as a page."""
    write_text(file, comparison.to_html(), force=force)


def write_recipe(comparison: RecipeComparison, point: int, file: Path, *, force: bool = False) -> None:
    """Write a point of a map, counted from 1, as a recipe."""
    write_text(file, recipe_text(comparison.points[point - 1].recipe), force=force)


def write_recipes(comparison: RecipeComparison, folder: Path) -> None:
    """Write every point of a map as a recipe into a new folder."""
    folder.mkdir(parents=True)
    stems = file_names([point.recipe.label for point in comparison.points])
    for number, stem in enumerate(stems, 1):
        write_recipe(comparison, number, folder / f"{number:02d}-{stem}.toml")
