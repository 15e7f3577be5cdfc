"""Codes are no numbers: methods that compute refuse them, wherever they are asked for."""

import numpy as np
import pyarrow as pa
import pytest

import tacita as tc
from tacita.errors import InputError
from tacita.model.attribute import Kind
from tacita.recipes.carry_out import carry_out
from tacita.recipes.exploration import recipes_to_explore
from tacita.recipes.kinds import with_kinds
from tacita.recipes.recipe import Recipe, RecipeStep


def homes(roof, **more):
    random = np.random.default_rng(3)
    table = pa.table({"roof": roof, "wage": random.integers(1000, 9000, len(roof)), **more})
    return tc.read(table, name="homes").with_roles(quasi=["roof"], sensitive=["wage"])


CODES = np.random.default_rng(1).choice([1, 2, 5, 9], 200)
COMPUTING = [
    ("mdav", {"k": 3}),
    ("individual-ranking", {"k": 3}),
    ("uncorrelated-noise", {}),
    ("correlated-noise", {}),
    ("rank-swapping", {}),
    ("rounding", {"base": 2}),
    ("top-bottom-coding", {"top": 5}),
    ("hybrid", {}),
    ("intervals", {"width": 2}),
]


@pytest.mark.parametrize(("method", "more"), COMPUTING)
def test_a_method_that_computes_refuses_codes(method, more):
    recipe = Recipe((RecipeStep(method, {"attributes": ["roof"], **more}),), seed=1)
    with pytest.raises(InputError, match=r"'roof' (is categorical|has no order)"):
        carry_out(homes(CODES).microdata, recipe)


def test_codes_with_missing_values_are_codes():
    """They come as 1.0 and 9.0 from files and from pandas."""
    roof = np.where(np.arange(200) % 40 == 0, np.nan, CODES)
    recipe = Recipe((RecipeStep("mdav", {"attributes": ["roof"], "k": 3}),), seed=1)
    with pytest.raises(InputError, match="categorical"):
        carry_out(homes(roof).microdata, recipe)


def test_a_dictionary_that_says_number_is_believed():
    data = homes(CODES)
    told = data.microdata.dictionary.mapped(
        lambda each: each.with_(kind=tc.Kind.CONTINUOUS) if each.name == "roof" else each
    )
    recipe = Recipe((RecipeStep("mdav", {"attributes": ["roof"], "k": 3}),), seed=1)
    assert carry_out(data.microdata.with_dictionary(told), recipe).changed == ("roof",)


def test_every_door_refuses_alike():
    recipe = {"seed": 1, "step": [{"method": "mdav", "attributes": ["roof", "wage"], "k": 3}]}
    with pytest.raises(InputError, match="'roof' is categorical"):
        tc.mask(homes(CODES), recipe)
    with pytest.raises(InputError, match="'roof' is categorical"):
        tc.compare(homes(CODES), [recipe])


def test_weights_that_look_like_codes_are_weights():
    data = homes(CODES, w=np.random.default_rng(2).choice([10, 20, 40], 200))
    found = carry_out(data.microdata, Recipe((RecipeStep("weight-noise", {"weight": "w"}),), seed=1))
    assert found.changed == ("w",)


@pytest.mark.slow
def test_an_exploration_gives_codes_methods_for_categories(shared):
    """testdata of sdcMicro: `explore` took every code for a number and never tried PRAM."""
    data = tc.read(shared / "data/sdcmicro/testdata.csv")
    data = data.with_roles(quasi=["urbrur", "roof", "walls", "water", "sex", "age"], weight="sampling_weight")
    tried = {}
    for recipe in recipes_to_explore(data.microdata):
        for step in recipe.steps:
            tried.setdefault(step.method, set()).update(step.parameters["attributes"])
    assert {"urbrur", "roof", "walls", "water", "sex"} <= tried["pram-invariant"]
    for method in ("mdav", "individual-ranking", "rank-swapping", "correlated-noise"):
        assert "age" in tried[method]
        assert not tried[method] & {"urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "hhcivil"}


def test_whole_numbers_whose_name_means_a_category_are_codes() -> None:
    values = list(range(1, 41)) * 2
    data = tc.read(pa.table({"district": values, "country_of_birth": values, "wage": values, "v17": values}))
    kinds = {attribute.name: attribute.kind for attribute in with_kinds(data.microdata).dictionary}
    assert kinds["district"] is kinds["country_of_birth"] is Kind.CATEGORICAL
    assert kinds["wage"] is kinds["v17"] is Kind.CONTINUOUS
