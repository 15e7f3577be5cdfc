"""Recipes on one map."""

import math
import threading
import time
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as tc
from tacita.attacks.microdata.attacker import Attacked, Rate
from tacita.attacks.microdata.catalogue import ATTACKERS
from tacita.errors import TacitaError, UsageError
from tacita.masking.catalogue import METHODS
from tacita.masking.noise.additive import UncorrelatedNoise
from tacita.progress import Step, silent
from tacita.recipes.attacking import risk_of
from tacita.recipes.comparison import compare_recipes, frontier
from tacita.recipes.evaluation import Evaluation, reasons_against
from tacita.recipes.exploration import recipes_to_explore
from tacita.recipes.recipe import Judgement, Recipe, RecipeStep

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def people():
    random = np.random.default_rng(5)
    n = 300
    age = random.integers(18, 90, n)
    income = np.round(random.lognormal(10, 0.5, n) + 100 * age, 2)
    region = np.array(["north", "south", "east", "west"])[random.integers(0, 4, n)]
    ill = np.where(random.random(n) < age / 150, "yes", "no")
    table = pa.table({"id": np.arange(n), "region": region, "age": age, "income": income, "ill": ill})
    data = tc.read(table, name="people")
    return data.with_roles(quasi=["region", "age"], sensitive=["ill"], identifier=["id"])


def noise(alpha, **more):
    return Recipe((RecipeStep("correlated-noise", {"attributes": ["age", "income"], "alpha": alpha}),), **more)


def test_more_noise_tells_less_and_costs_more(people):
    found = compare_recipes(people.microdata, [noise(0.0001), noise(0.1), noise(10.0)], seed=1)
    risks = [point.evaluation.disclosure_risk for point in found.points]
    losses = [point.evaluation.information_loss for point in found.points]
    assert risks == sorted(risks, reverse=True)
    assert losses == sorted(losses)
    assert risks[0] > 60 > risks[-1]
    assert found.ground.known == ("region", "age", "income")
    assert found.ground.secret == ("ill",)
    assert found.better == (1, 2)
    assert set(found.frontier) == {1, 2}


def test_a_recipe_that_hardly_protects_is_no_better_than_the_unmasked_file(people):
    found = tc.compare(people, [noise(0.0001)], seed=1)
    assert found.baseline.information_loss == 0
    assert found.baseline.score == pytest.approx(50, abs=2)
    assert found.points[0].evaluation.disclosure_risk > 80
    assert (found.best, found.frontier, found.better) == (None, (), ())
    told = found.to_dict()
    assert told["points"][0]["better_than_unmasked"] is False
    assert told["baseline"]["score"] == found.baseline.score
    assert "No recipe is better than the unmasked file" in told["verdict"]
    page = found.to_html()
    assert "no better than the unmasked file" in page
    assert page.count("unmasked file") >= 4  # verdict, map, table, mark


def test_what_a_limit_forbids_is_marked(people):
    found = tc.explore(
        people,
        attributes=["age", "income"],
        methods=["rank-swapping"],
        grid={"rank-swapping.p": [5, 30]},
        judgement=Judgement(accept=0.5),
        seed=1,
    )
    assert ["over a limit" in found.marks(place) for place in range(2)] == [True, False]
    assert found.best == 1
    none = tc.explore(
        people,
        attributes=["age", "income"],
        methods=["rank-swapping"],
        grid={"rank-swapping.p": [5]},
        judgement=Judgement(accept=0.01),
        seed=1,
    )
    assert none.best is None
    assert "keeps the limits" in none.verdict


def test_the_score_is_the_mean_of_both(people):
    point = compare_recipes(people.microdata, [noise(0.1)], seed=1).points[0].evaluation
    assert point.score == pytest.approx((point.information_loss + point.disclosure_risk) / 2)
    assert 0 <= point.information_loss <= 100
    assert 0 <= point.disclosure_risk <= 100


def test_the_same_seed_gives_the_same_map_at_any_speed(people):
    recipes = [noise(0.1), noise(0.5), noise(1.0)]
    one = compare_recipes(people.microdata, recipes, seed=3, at_once=1).to_dict()
    two = compare_recipes(people.microdata, recipes, seed=3, at_once=3).to_dict()
    other = compare_recipes(people.microdata, recipes, seed=4).to_dict()
    assert one == two
    assert one != other


def test_recipes_that_want_to_be_judged_differently_are_not_compared(people):
    with pytest.raises(UsageError, match="different things"):
        compare_recipes(
            people.microdata,
            [noise(0.1, judgement=Judgement(known=("age",))), noise(0.1, judgement=Judgement(known=("income",)))],
        )


def test_what_is_known_is_said_by_one_for_all(people):
    found = compare_recipes(people.microdata, [noise(0.1, judgement=Judgement(known=("age",))), noise(0.2)], seed=1)
    assert found.ground.known == ("age",)


def test_names_that_are_not_there_are_told(people):
    with pytest.raises(UsageError, match="did you mean 'income'"):
        compare_recipes(people.microdata, [noise(0.1, judgement=Judgement(secret=("incme",)))])


def test_a_recipe_that_cannot_be_carried_out_stops_a_comparison_and_not_an_exploration(people):
    bad = Recipe((RecipeStep("mdav", {"attributes": ["income"], "k": 1000}),))
    with pytest.raises(TacitaError):
        compare_recipes(people.microdata, [noise(0.1), bad])
    found = compare_recipes(people.microdata, [noise(0.1), bad], seed=1, must_run=False)
    assert found.points[0].failed is None
    assert found.points[1].failed
    assert found.best == 0
    assert found.points[1].failed in found.to_html()


def test_an_exploration_treats_numbers_and_categories(people):
    recipes = recipes_to_explore(people.microdata)
    assert all(len(recipe.steps) == 2 for recipe in recipes if recipe.steps[0].method == "mdav")
    assert {name for r in recipes for s in r.steps for name in s.parameters["attributes"]} >= {"income", "region"}
    only = recipes_to_explore(people.microdata, attributes=["income"], methods=["mdav"], grid={"mdav.k": [4, 6]})
    assert [recipe.label for recipe in only] == ["mdav k=4", "mdav k=6"]


def test_any_method_is_explored_if_it_is_named(people):
    wish = {"methods": ["ward", "sampling"], "grid": {"sampling.share": [0.5]}, "attributes": ["income"]}
    found = recipes_to_explore(people.microdata, **wish)
    assert [recipe.label for recipe in found] == ["ward", "sampling share=0.5"]
    assert "attributes" not in found[1].steps[0].parameters
    cycle = recipes_to_explore(people.microdata, attributes=["region"], grid={"k-anonymity.k": [4]})
    assert [recipe.label for recipe in cycle] == ["k-anonymity k=4"]


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"methods": ["mdva"]}, "did you mean 'mdav'"),
        ({"grid": {"mdav": [3]}}, "METHOD.PARAMETER"),
        ({"grid": {"mdva.k": [3]}}, "no method 'mdva'"),
        ({"grid": {"mdav.kk": [3]}}, "no parameter 'kk'; did you mean 'k'"),
        ({"attributes": ["incme"]}, "did you mean 'income'"),
        ({"attributes": ["income"], "methods": ["pram-invariant"]}, "nothing to protect"),
    ],
)
def test_what_cannot_be_explored_is_said(people, wish, said):
    with pytest.raises(TacitaError, match=said):
        recipes_to_explore(people.microdata, **wish)


def test_indicators_and_models_are_judged(people):
    recipe = {
        "seed": 1,
        "step": [{"method": "mdav", "attributes": ["age", "income"], "k": 5}],
        "attack": {"accept": 0.0},
        "utility": {
            "model": [{"formula": "income ~ age", "overlap": 0.999}],
            "indicator": [
                {"name": "mean", "sql": "SELECT avg(income) FROM data", "tolerance": 0.001},
                {"name": "spread", "sql": "SELECT stddev(income) FROM data", "tolerance": 0.0},
            ],
        },
    }
    from tacita.recipes.evaluation import reasons_against

    found = tc.mask(people, recipe)
    assert [each.holds for each in found.evaluation.indicators] == [True, False]
    assert found.evaluation.models[0].figure < 0.5
    against = reasons_against(found.masked.recipe, found.evaluation)
    assert any("distance-linkage" in reason for reason in against)
    assert any("'spread'" in reason for reason in against)
    assert any("income ~ age overlap" in reason for reason in against)


def test_what_exceeds_the_control_is_the_risk():
    def attack(success, control):
        beside = None if control is None else Rate(control, control, control)
        return risk_of(Attacked("mine", success, success, success, 0.1, 100, control=beside))

    assert attack(0.5, 0.5) == 0
    assert attack(0.75, 0.5) == 0.5
    assert attack(0.2, 0.4) == 0
    assert attack(0.3, None) == 0.3
    assert attack(0.9, 1.0) == 0.9


@pytest.mark.parametrize(
    ("control", "accept", "is_kept"),
    [(0.755, 0.25, True), (0.755, 0.2, False), (None, 0.8, False), (None, 0.81, True), (1.0, 0.8, False)],
)
def test_a_limit_is_one_of_the_risk_and_of_the_success_where_there_is_no_control(control, accept, is_kept):
    """80.9 % beside a control of 75.5 % is a risk of 22 %: a homogeneous file is not refused for being homogeneous."""
    beside = None if control is None else Rate(control, control, control)
    attack = Attacked("attribute-inference", 0.809, 0.79, 0.83, 0.755, 500, control=beside)
    recipe = noise(0.1, judgement=Judgement(accept=accept))
    assert (reasons_against(recipe, Evaluation((), (attack,))) == []) is is_kept


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), max_size=12))
def test_the_frontier_is_what_nobody_beats(points):
    def beats(a, b):
        return a[0] <= b[0] and a[1] <= b[1] and a != b

    found = frontier(points)
    for place in found:
        assert not any(beats(other, points[place]) for other in points)
    for place in set(range(len(points))) - set(found):
        assert any(beats(points[i], points[place]) or points[i] == points[place] for i in found)
    assert not any(math.isnan(points[i][0]) for i in found)


def test_a_sample_loses_what_the_file_tells(people):
    """Its records are as they were; its statistics are not those of the file."""
    recipe = {"seed": 1, "step": [{"method": "sampling", "share": 0.1}]}
    found = tc.mask(people, recipe).evaluation
    losses = {lost.measure: lost.figure for lost in found.losses}
    assert losses["bounded-distance"] == 0
    assert losses["probabilistic"] > 0.05


def test_recipes_with_and_without_pairs_meet_the_same_threats(people):
    invented = Recipe((RecipeStep("synthetic-copula"),))
    found = tc.compare(people, [noise(0.01), invented], seed=3)
    threats = [{attack.attacker for attack in point.evaluation.attacks} for point in found.points]
    assert threats[0] == threats[1]
    assert "membership-inference" in threats[0]
    risks = [point.evaluation.disclosure_risk for point in found.points]
    assert risks[0] > risks[1]  # hardly any noise tells who was in the file, invented records do not


def test_a_recipe_that_half_of_the_records_are_too_few_for_is_still_judged(people):
    steps = [{"method": "sampling", "size": 200}, {"method": "synthetic-copula"}]
    found = tc.mask(people, {"seed": 1, "step": steps}).evaluation
    assert any("half of the records" in note for note in found.notes)


def test_a_limit_is_not_kept_by_an_attacker_who_could_not_attack(people):
    attackers = ["distance-linkage", "membership-inference"]
    attack = {"known": ["age"], "attackers": attackers, "accept": 1.0, "control": "none"}
    recipe = {"seed": 1, "step": [{"method": "mdav", "attributes": ["age"]}]}
    found = tc.mask(people, {**recipe, "attack": attack})
    assert any(
        "membership-inference could not" in said for said in reasons_against(found.masked.recipe, found.evaluation)
    )


def test_what_stands_in_another_table_is_told(people):
    found = tc.mask(people, {"seed": 1, "step": [{"method": "anatomy", "sensitive": "region", "l": 2}]})
    assert any("region" in note and "not counted" in note for note in found.evaluation.notes)


def test_when_one_recipe_fails_the_others_stop_at_their_next_progress(people):
    is_done = threading.Event()

    class Endless(UncorrelatedNoise):
        name = "endless"

        def treated(self, records, random, progress=silent):
            for _ in range(100_000):  # it ends by itself only if nobody stops it
                progress(Step("endless"))
                time.sleep(0.01)
            is_done.set()
            return super().treated(records, random, progress)

    METHODS.enter(Endless)
    try:
        recipes = [Recipe((RecipeStep("endless", {"attributes": ["age"]}),)), noise(-1)]
        with pytest.raises(UsageError, match="alpha"):
            compare_recipes(people.microdata, recipes, at_once=2)
    finally:
        METHODS.withdraw("endless")
    assert not is_done.is_set()  # all threads have ended here, this one before its time


def test_numbers_of_which_only_intervals_are_left_have_lost_their_statistics(people):
    step = {"method": "intervals", "attributes": ["income"], "classes": 2}
    found = tc.mask(people, {"seed": 1, "step": [step]}).evaluation
    [lost] = [lost for lost in found.losses if lost.measure == "probabilistic"]
    assert lost.figure == 0.5  # of income everything, of age nothing


@pytest.mark.parametrize(("threat", "risk"), [(None, 100.0), ("identity", 100.0), ("attribute", 50.0)])
def test_an_attacker_of_ones_own_counts_in_the_disclosure_risk(people, threat, risk):
    @dataclass(frozen=True)
    class Own:
        name = "own"

        def lacks(self, scene):
            return ()

        def attack(self, scene, progress=silent):
            return Attacked("own", 1.0, 1.0, 1.0, 0.0, 10)

    if threat is not None:
        Own.threat = threat
    ATTACKERS.enter(Own)
    try:
        step = {"method": "rank-swapping", "attributes": ["age", "income"], "p": 50}
        attack = {"known": ["age"], "attackers": ["own", "distance-linkage"]}
        found = tc.mask(people, {"seed": 1, "step": [step], "attack": attack}).evaluation
        linkage = 100 * next(risk_of(each) for each in found.attacks if each.attacker == "distance-linkage")
        assert linkage < 50
        assert found.disclosure_risk == pytest.approx(risk if risk == 100 else risk + linkage / 2)
        Own.threat = "identify"
        with pytest.raises(UsageError, match="did you mean 'identity'"):
            ATTACKERS.enter(Own)
    finally:
        ATTACKERS.withdraw("own")


def test_who_infers_or_singles_out_is_controlled_by_a_hold_out(people):
    """Perturbed records too: the recipe on one half is attacked, and the other half is the control."""
    step = {"method": "correlated-noise", "attributes": ["age", "income"], "alpha": 0.1}
    attackers = [
        "distance-linkage",
        "attribute-inference",
        "singling-out",
        "replicated-uniques",
        "membership-inference",
    ]
    found = tc.mask(people, {"seed": 1, "step": [step], "attack": {"attackers": attackers}}).evaluation
    by = {each.attacker: each for each in found.attacks}
    assert {name: each.control_by for name, each in by.items()} == {
        "distance-linkage": "random matching of records",
        "attribute-inference": "records that were not in the data",
        "singling-out": "records that were not in the data",
        "replicated-uniques": "records that were not in the data",
        "membership-inference": "even odds",
    }
    assert by["distance-linkage"].attempts == 300
    assert by["attribute-inference"].attempts == 150
    assert any("a half of the records" in note for note in found.notes)
    bare = tc.mask(people, {"seed": 1, "step": [step], "attack": {"attackers": ["singling-out"], "control": "none"}})
    assert bare.evaluation.attacks[0].risk is None


def test_invented_records_are_searched_for_replicas_by_default(people):
    recipe = {"seed": 1, "step": [{"method": "synthetic-trees"}]}
    found = tc.mask(people, recipe).evaluation.attacks
    assert [each.attacker for each in found] == ["attribute-inference", "membership-inference", "replicated-uniques"]
    assert all(each.risk is not None for each in found)


def test_a_control_file_of_the_recipe(people, tmp_path):
    data = tc.generate("households", rows=200).write(tmp_path / "all.csv")
    lines = (tmp_path / "all.csv").read_text().splitlines()
    (tmp_path / "in.csv").write_text("\n".join(lines[:101]) + "\n")
    (tmp_path / "out.csv").write_text("\n".join([lines[0], *lines[101:]]) + "\n")
    (tmp_path / "r.toml").write_text(
        'seed = 1\n[[step]]\nmethod = "mdav"\nattributes = ["Age", "Income"]\n[attack]\ncontrol = "out.csv"\n'
        'attackers = ["singling-out", "replicated-uniques"]\n'
    )
    data = tc.read(tmp_path / "in.csv").with_roles(
        quasi=["Region", "Sex"], identifier=["Person"], cluster="Household", weight="Weight"
    )
    found = tc.mask(data, tmp_path / "r.toml").evaluation
    assert all(each.control_by == "records that were not in the data" for each in found.attacks)
    assert found.attacks[1].attempts > 50  # the release itself, not a half
    (tmp_path / "out.csv").write_text("\n".join(lines[:101]) + "\n")
    with pytest.raises(UsageError, match="100 % of the records of the control equal"):
        tc.mask(data, tmp_path / "r.toml")
    place = lines[0].split(",").index("Weight")
    other = [line.split(",") for line in lines[1:101]]
    weighed = [",".join([*row[:place], str(float(row[place]) * 1.01), *row[place + 1 :]]) for row in other]
    (tmp_path / "out.csv").write_text("\n".join([lines[0], *weighed]) + "\n")
    with pytest.raises(UsageError, match="100 % of the records of the control equal"):
        tc.mask(data, tmp_path / "r.toml")
    (tmp_path / "out.csv").unlink()
    with pytest.raises(TacitaError, match="control"):
        tc.mask(data, tmp_path / "r.toml")


def test_households_are_not_divided_by_a_hold_out(tmp_path):
    from tacita.recipes.carry_out import carry_out
    from tacita.recipes.holdout import halves

    data = tc.generate("households", rows=200)
    masked = carry_out(data.microdata, Recipe((RecipeStep("mdav", {"attributes": ["Age"], "k": 3}),), seed=1))
    parts = halves(masked, ["Age"], 1, [])
    both = [
        {part.categories("Household").values[c] for c in part.categories("Household").codes}
        for part in (parts.members, parts.others)
    ]
    assert both[0] and both[1] and not both[0] & both[1]
    assert abs(len(parts.members) - len(parts.others)) < 12
    assert len(parts.origin) == len(parts.released) == len(parts.members)
