"""Households: what their members have in common stays common, or somebody is told."""

import numpy as np
import pyarrow as pa
import pytest

import tacita as tc
from tacita.engines.records import records_of
from tacita.errors import InputError, UsageError
from tacita.recipes.carry_out import carry_out
from tacita.recipes.exploration import recipes_to_explore
from tacita.recipes.recipe import Recipe, RecipeStep
from tacita.recipes.recipe_file import parse_recipe, recipe_text


@pytest.fixture(scope="module")
def people():
    random = np.random.default_rng(5)
    home = np.sort(random.integers(0, 80, 240))
    rent, area = random.integers(300, 900, 80)[home], np.array(["n", "s", "w"])[random.integers(0, 3, 80)][home]
    table = pa.table({"home": home, "rent": rent, "area": area, "age": random.integers(1, 90, 240)})
    return tc.read(table, name="people").with_roles(quasi=["rent", "area", "age"], cluster="home")


def step(method, *names, **more):
    by_cluster = more.pop("by_cluster", False)
    return RecipeStep(method, {"attributes": list(names), **more}, by_cluster=by_cluster)


def differing(masked, name):
    held = records_of(masked.released, [name]).categories(name).codes
    home = records_of(masked.original, ["home"]).categories("home").codes
    return sum(len(set(held[home == each])) > 1 for each in set(home.tolist()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "name"), [("correlated-noise", "rent"), ("mdav", "rent"), ("pram-invariant", "area")]
)
def test_a_household_is_treated_as_one(people, method, name):
    apart = carry_out(people.microdata, Recipe((step(method, name),), seed=1))
    assert differing(apart, name) > 0
    assert any(f"{name} was the same" in note for note in apart.notes)
    together = carry_out(people.microdata, Recipe((step(method, name, by_cluster=True),), seed=1))
    assert together.changed == (name,)
    assert differing(together, name) == 0
    assert not any("was the same" in note for note in together.notes)


@pytest.mark.slow
def test_what_cannot_be_done_by_cluster_is_said(people):
    with pytest.raises(InputError, match="age differs between records of the same 'home'"):
        carry_out(people.microdata, Recipe((step("mdav", "age", by_cluster=True),), seed=1))
    sampled = RecipeStep("sampling", {"share": 0.5}, by_cluster=True)
    with pytest.raises(UsageError, match="cannot be carried out by cluster"):
        carry_out(people.microdata, Recipe((sampled,), seed=1))
    with pytest.raises(UsageError, match="does not work by cluster"):
        carry_out(people.microdata, Recipe((step("k-anonymity", "area", k=2, by_cluster=True),), seed=1))
    alone = people.with_categories({"home": "non-identifying"})
    with pytest.raises(UsageError, match="no attribute tells which records belong together"):
        carry_out(alone.microdata, Recipe((step("mdav", "rent", by_cluster=True),), seed=1))


@pytest.mark.slow
def test_an_exploration_masks_by_household(people):
    found = {
        (part.method, name): part.by_cluster
        for recipe in recipes_to_explore(people.microdata, methods=["mdav", "pram-invariant"])
        for part in recipe.steps
        for name in part.parameters["attributes"]
    }
    assert found == {("mdav", "rent"): True, ("mdav", "age"): False, ("pram-invariant", "area"): True}
    told = tc.compare(people, [Recipe((step("mdav", "age"),))], seed=1).notes
    assert any("all records of one 'home'" in note for note in told)


def test_the_file_of_a_recipe_tells_it():
    recipe = Recipe((step("mdav", "rent", by_cluster=True),))
    assert parse_recipe(recipe_text(recipe)) == recipe
    with pytest.raises(InputError, match="'by_cluster' must be true or false"):
        parse_recipe('[[step]]\nmethod = "mdav"\nattributes = ["rent"]\nby_cluster = 3')
