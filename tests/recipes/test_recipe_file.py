"""Recipes as files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as tc
from tacita.errors import InputError, UsageError
from tacita.recipes.recipe import IndicatorWish, Judgement, Model, Recipe, RecipeStep
from tacita.recipes.recipe_file import parse_recipe, read_recipe, recipe_text
from tacita.release.options import ReleaseOptions
from tacita.tables.specification.specification import ProtectPlan

SEED = 987654321987


def test_no_representation_shows_a_seed():
    data = tc.sample("figure-1")
    tables = {"seed": SEED, "step": [{"method": "intervals", "attributes": ["W"], "width": 100}]}
    plan = ProtectPlan(method="random-rounding", seed=SEED)
    shown = [tc.mask(data, tables), tc.compare(data, [tables]), tc.compare(data, [tables], seed=SEED), plan]
    for each in (*shown, Recipe((RecipeStep("mdav"),), seed=SEED), ReleaseOptions(seed=SEED)):
        assert str(SEED) not in f"{each!r} {each}"


WHOLE = """
title = "Firms for researchers"
seed = 20260101

[[step]]
method = "intervals"
attributes = ["employees"]
width = 10

[[step]]
method = "k-anonymity"
k = 5

[attack]
known = ["employees"]
secret = ["turnover"]
attackers = ["distance-linkage"]
accept = 0.1

[utility]
attributes = ["turnover"]
measures = ["probabilistic"]

[[utility.model]]
formula = "turnover ~ employees"
by = ["sector"]
overlap = 0.5

[[utility.indicator]]
name = "mean turnover"
sql = "SELECT avg(turnover) FROM data"
tolerance = 0.02
"""


@pytest.mark.parametrize("given", ["nan", "inf"])
def test_a_limit_is_a_finite_number(given):
    with pytest.raises(InputError, match=f"is {given}, but must be a finite number"):
        parse_recipe(f'[[step]]\nmethod = "mdav"\nattributes = ["W"]\n[attack]\naccept = {given}\n')


@pytest.mark.parametrize("accept", [2.0, float("nan")])
def test_a_limit_is_one_of_the_risk(accept):
    with pytest.raises(UsageError, match="the accepted risk is"):
        Judgement(accept=accept)


def test_a_whole_recipe():
    found = parse_recipe(WHOLE)
    assert found.title == "Firms for researchers"
    assert found.seed == 20260101
    assert found.steps == (
        RecipeStep("intervals", {"attributes": ["employees"], "width": 10}),
        RecipeStep("k-anonymity", {"k": 5}),
    )
    assert found.judgement == Judgement(
        known=("employees",),
        secret=("turnover",),
        attackers=("distance-linkage",),
        accept=0.1,
        attributes=("turnover",),
        measures=("probabilistic",),
        models=(Model("turnover ~ employees", "linear", ("sector",), 0.5),),
        indicators=(IndicatorWish("mean turnover", "SELECT avg(turnover) FROM data", 0.02),),
    )


def test_written_and_read_it_is_the_same():
    recipe = parse_recipe(WHOLE)
    assert parse_recipe(recipe_text(recipe)) == recipe
    assert parse_recipe(recipe_text(recipe, with_seed=False)) == recipe.with_(seed=None)


@pytest.mark.slow
@given(
    st.lists(
        st.fixed_dictionaries(
            {"k": st.integers(2, 99), "by": st.sampled_from(["suppression", "recoding", "auto"])},
            optional={"attributes": st.lists(st.text(min_size=1), min_size=1, max_size=3)},
        ),
        min_size=1,
        max_size=3,
    ),
    st.one_of(st.none(), st.integers(0, 2**63)),
    st.text(),
)
def test_any_recipe_survives_its_file(parameters, seed, title):
    recipe = Recipe(tuple(RecipeStep("k-anonymity", each) for each in parameters), title.strip(), seed)
    text = recipe_text(recipe)
    assert parse_recipe(text).steps == recipe.steps
    assert parse_recipe(text).seed == seed


def test_all_faults_come_at_once_with_their_lines():
    text = """sede = 3
[[step]]
method = "k-anonimity"
[[step]]
method = "intervals"
attributes = ["W"]
widht = 10
[attack]
accept = 3
"""
    with pytest.raises(InputError) as raised:
        parse_recipe(text, where="r.toml")
    said = str(raised.value)
    assert "line 1: unknown key 'sede'; did you mean 'seed'?" in said
    assert "line 2: no method 'k-anonimity'; did you mean 'k-anonymity'?" in said
    assert "line 4: 'intervals' has no parameter 'widht'; did you mean 'width'?" in said
    assert "line 9: 'accept' in [attack]" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the recipe has no step"),
        ("step = 3", "write \\[\\[step\\]\\]"),
        ("[[step]]\nk = 3", "a step needs a 'method'"),
        ('[[step]]\nmethod = "k-anonymity"\nk = "three"', "'k' of 'k-anonymity' must be a whole number"),
        ('[[step]]\nmethod = "k-anonymity"\nk = 1', "k is 1"),
        ('[[step]]\nmethod = "intervals"', "'intervals' needs 'attributes'"),
        ('[[step]]\nmethod = "k-anonymity"\nwithin = 3', "'within' must be a list"),
        ('[[step]]\nmethod = "k-anonymity"\n[[utility.model]]\nkind = "cubic"', "a model needs a 'formula'"),
        ('[[step]]\nmethod = "k-anonymity"\n[[utility.indicator]]\nname = "x"', "an indicator needs 'sql'"),
        ("[[step", "this is not TOML"),
    ],
)
def test_what_is_wrong_is_said(text, said):
    with pytest.raises(InputError, match=said):
        parse_recipe(text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml"):
        read_recipe(tmp_path / "none.toml")


def test_a_negative_seed_is_refused():
    with pytest.raises(UsageError, match="seed is negative"):
        Recipe((RecipeStep("k-anonymity"),), seed=-1)


def test_a_control_file_is_found_from_wherever_the_recipe_is_kept(tmp_path):
    (tmp_path / "others.csv").write_text("a\n1\n")
    (tmp_path / "r.toml").write_text(
        '[[step]]\nmethod = "mdav"\nattributes = ["a"]\n[attack]\ncontrol = "others.csv"\n'
    )
    found = read_recipe(tmp_path / "r.toml")
    assert found.judgement.control == str((tmp_path / "others.csv").resolve())
    assert parse_recipe(recipe_text(found)) == found
    assert "control" not in recipe_text(found.with_(judgement=Judgement()))
