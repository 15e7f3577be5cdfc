"""A recipe as a TOML file: read with every fault in one message, and written so that reading gives the same recipe."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from tacita.errors import InputError, TacitaError
from tacita.model.hierarchy.text_file import read_text
from tacita.recipes.methods import METHODS
from tacita.recipes.recipe import HOLDOUT, NO_CONTROL, IndicatorWish, Judgement, Model, Recipe, RecipeStep
from tacita.toml.checked import Checked
from tacita.toml.faults import Faults, tables_of
from tacita.toml.writing import toml_text

_TOP = ("title", "seed", "step", "attack", "utility")
_ATTACK = ("known", "secret", "attackers", "control", "accept", "accept_unique")
_MODEL = ("formula", "kind", "by", "overlap")
_UTILITY = ("attributes", "measures", "model", "indicator")
_DO = "correct the recipe; docs/reference/recipes.md lists every key"


def read_recipe(path: str | PathLike[str]) -> Recipe:
    """Return the recipe of a TOML file."""
    path = Path(path)
    return parse_recipe(read_text(path, InputError, "a recipe, a TOML file"), where=str(path), folder=path.parent)


def parse_recipe(text: str, *, where: str = "the recipe", folder: Path = Path()) -> Recipe:
    """Return the recipe of a text; files that it names are in `folder`.

    >>> recipe = parse_recipe('''
    ... seed = 7
    ... [[step]]
    ... method = "mdav"
    ... attributes = ["turnover", "employees"]
    ... k = 3
    ... ''')
    >>> recipe.steps[0].method, dict(recipe.steps[0].parameters)["k"], recipe.seed
    ('mdav', 3, 7)
    """
    return recipe_of(tables_of(text, where=where), text=text, where=where, folder=folder)


def recipe_of(tables: dict[str, Any], *, text: str = "", where: str = "the recipe", folder: Path = Path()) -> Recipe:
    """Return the recipe of the tables that a TOML file holds; `text` is that of the file, for the lines of faults."""
    faults = Faults()
    top = Checked.of(tables, (), faults, folder, _TOP)
    steps = _steps(top)
    attack, utility = top.below("attack", _ATTACK), top.below("utility", _UTILITY)
    title, seed = top.text("title", ""), top.whole("seed", None)
    judgement = Judgement(
        known=attack.texts("known"),
        secret=attack.texts("secret"),
        attackers=attack.texts("attackers"),
        control=_control(attack),
        accept=attack.number("accept", None, least=0, most=1),
        accept_unique=attack.number("accept_unique", 0.0, least=0, most=1),
        attributes=utility.texts("attributes"),
        measures=utility.texts("measures"),
        models=_models(utility),
        indicators=_indicators(utility),
    )
    faults.raise_any(text, where=where, do=_DO)
    return Recipe(steps, title, seed, judgement)


def _steps(top: Checked) -> tuple[RecipeStep, ...]:
    steps: list[RecipeStep] = []
    for number, given in top.tables("step"):
        keys = ("step", str(number))
        method = given.get("method")
        if not isinstance(method, str) or not method:
            top.faults.add(keys, "a step needs a 'method'")
            continue
        within = given.get("within", [])
        within = [within] if isinstance(within, str) else within
        if not isinstance(within, list) or not all(isinstance(name, str) and name for name in within):
            top.faults.add((*keys, "within"), "'within' must be a list of attributes")
            within = []
        by_cluster = given.get("by_cluster", False)
        if not isinstance(by_cluster, bool):
            top.faults.add((*keys, "by_cluster"), "'by_cluster' must be true or false")
            by_cluster = False
        parameters = {key: value for key, value in given.items() if key not in {"method", "within", "by_cluster"}}
        if isinstance(parameters.get("attributes"), str):
            parameters["attributes"] = [parameters["attributes"]]
        try:
            METHODS.make(method, parameters)
        except TacitaError as error:
            top.faults.add_error(keys, error)
        steps.append(RecipeStep(method, parameters, tuple(within), by_cluster))
    if not steps and not top.faults.notes:
        top.fault("step", "the recipe has no step: add a [[step]] with a method")
    return tuple(steps)


def _control(attack: Checked) -> str:
    given = attack.text("control", HOLDOUT)
    # the whole path: the recipe is kept in the internal folder, from where a relative one would lead nowhere
    return given if given in (HOLDOUT, NO_CONTROL) else str(attack.path("control", given).resolve())


def _models(utility: Checked) -> tuple[Model, ...]:
    models = []
    for number, given in utility.tables("model"):
        table = Checked.of(given, ("utility", "model", str(number)), utility.faults, Path(), _MODEL)
        formula = table.text("formula", None)
        if formula is None:
            table.fault("formula", "a model needs a 'formula' such as \"income ~ age + C(region)\"")
            continue
        kind = table.text("kind", "linear", among=("linear", "logistic", "poisson"))
        overlap = table.number("overlap", None, least=0, most=1)
        models.append(Model(formula, kind, table.texts("by", single=True), overlap))
    return tuple(models)


def _indicators(utility: Checked) -> tuple[IndicatorWish, ...]:
    wishes = []
    for number, given in utility.tables("indicator"):
        keys = ("utility", "indicator", str(number))
        table = Checked.of(given, keys, utility.faults, Path(), ("name", "sql", "tolerance"))
        sql = table.text("sql", None)
        if sql is None:
            table.fault("sql", "an indicator needs 'sql', such as \"SELECT avg(income) FROM data\"")
            continue
        tolerance = table.number("tolerance", 0.0, least=0)
        wishes.append(IndicatorWish(table.text("name", sql), sql, tolerance))
    return tuple(wishes)


def recipe_text(recipe: Recipe, *, with_seed: bool = True) -> str:
    """Return the recipe as the text of a TOML file.

    >>> print(recipe_text(Recipe((RecipeStep("mdav", {"attributes": ["turnover"], "k": 3}),), seed=7)))
    seed = 7
    <BLANKLINE>
    [[step]]
    method = "mdav"
    attributes = ["turnover"]
    k = 3
    <BLANKLINE>
    """
    entries: dict[str, Any] = {"title": recipe.title} if recipe.title else {}
    if with_seed and recipe.seed is not None:
        entries["seed"] = recipe.seed
    entries["step"] = [_step_entry(step) for step in recipe.steps]
    judged = recipe.judgement
    attack: dict[str, Any] = {k: list(names) for k in ("known", "secret", "attackers") if (names := getattr(judged, k))}
    attack |= {} if judged.control == HOLDOUT else {"control": judged.control}
    attack |= {} if judged.accept is None else {"accept": judged.accept}
    attack |= {"accept_unique": judged.accept_unique} if judged.accept_unique else {}
    utility: dict[str, Any] = {k: list(names) for k in ("attributes", "measures") if (names := getattr(judged, k))}
    utility |= {"model": [_model_entry(model) for model in judged.models]} if judged.models else {}
    wishes = [{"name": wish.name, "sql": wish.sql, "tolerance": wish.tolerance} for wish in judged.indicators]
    utility |= {"indicator": wishes} if wishes else {}
    entries |= {"attack": attack} if attack else {}
    return toml_text(entries | ({"utility": utility} if utility else {}))


def _step_entry(step: RecipeStep) -> dict[str, Any]:
    within = {"within": list(step.within)} if step.within else {}
    return {"method": step.method, **step.parameters, **within, **({"by_cluster": True} if step.by_cluster else {})}


def _model_entry(model: Any) -> dict[str, Any]:
    by = {"by": list(model.by)} if model.by else {}
    return {"formula": model.formula, "kind": model.kind, **by} | (
        {} if model.overlap is None else {"overlap": model.overlap}
    )
