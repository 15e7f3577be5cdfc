"""What is hidden besides what people want confidential: decoys, borderline cases, formulas, and gains of models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.concealment.people import N, dataset, people, some, table

import tacita as tc
from tacita.api.concealing import conceal_to
from tacita.concealment.concealment import Concealment
from tacita.concealment.decoys import DecoyTurns
from tacita.concealment.policies.policy import Policies
from tacita.concealment.search import HidingSearch
from tacita.dependencies.dependency import Dependency
from tacita.dependencies.hiding.choice import Disclosure, DisclosureKind
from tacita.errors import OutputError, UsageError


def conceal(folder: Path, wanted: dict[str, str], **more: object) -> Concealment:
    plan = tc.ConcealPlan(policies=(table(folder / "p.csv", wanted),), **{"seed": 1} | more)  # type: ignore[arg-type]
    return tc.conceal(dataset(), plan)


def hiders(result: Concealment, attribute: str) -> set[int]:
    return {*np.flatnonzero(result.hidden.hidden(attribute)).tolist()}


@pytest.mark.slow
def test_what_determines_a_confidential_attribute_is_hidden_as_well(tmp_path: Path) -> None:
    result = conceal(tmp_path, some("city"))
    assert hiders(result, "zip") == hiders(result, "city") == {*range(0, 40, 2)}
    (group,) = [one for one in result.to_dict()["policies"] if one["confidential"] == ["city"]]
    assert group["extra"] == [{"attribute": "zip", "because": ["zip determines city"], "kinds": ["determines"]}]
    assert result.derivations.derived == 0
    assert result.to_dict()["price"] == {"confidential": 20, "derivation": 20, "prediction": 0, "decoys": 0}
    assert "zip determines city" in str(result.to_text())


@pytest.mark.slow
def test_one_person_does_not_hide_alone(tmp_path: Path) -> None:
    result = conceal(tmp_path, {"P007": "city"})
    assert hiders(result, "city") == hiders(result, "zip")
    assert len(hiders(result, "city")) == 5
    assert 7 in hiders(result, "city")
    assert result.price.decoys == 2 * 4
    assert len({people()["city"][row] for row in hiders(result, "city")}) > 1
    other = conceal(tmp_path, {"P007": "city"}, seed=2)
    assert hiders(other, "city") != hiders(result, "city"), "who is a decoy is random"
    with pytest.raises(UsageError, match="only 1 person hides 'city'"):
        conceal(tmp_path, {"P007": "city"}, decoys=False)


@pytest.mark.slow
def test_decoys_stay_decoys_in_a_second_release_of_other_people(tmp_path: Path) -> None:
    """With others, whoever hides in both releases would be the one who asked for it."""
    columns = people()
    fewer = {name: column[: N - 20] for name, column in columns.items()}
    plan = tc.ConcealPlan(policies=(table(tmp_path / "p.csv", {"P007": "sex"}),))
    tc.make_key(tmp_path / "key.bin")
    first = conceal_to(tmp_path / "one", dataset(fewer), plan, tc.ConcealedOptions(key=tmp_path / "key.bin"))
    again = tc.ConcealedOptions(key=tmp_path / "key.bin", keys_of=tmp_path / "one")
    second = conceal_to(tmp_path / "two", dataset(columns), plan, again)
    assert hiders(first.result, "sex") == hiders(second.result, "sex")


def test_hidden_values_that_are_all_alike_get_company(tmp_path: Path) -> None:
    rows = [i for i, sex in enumerate(people()["sex"]) if sex == "f"][:8]
    result = conceal(tmp_path, {f"P{row:03d}": "sex" for row in rows})
    assert {people()["sex"][row] for row in hiders(result, "sex")} == {"f", "m"}


def test_a_formula_is_closed_or_accepted(tmp_path: Path) -> None:
    columns = people()
    columns["months"] = [12 * age for age in columns["age"]]  # a dependency, too
    columns["noisy"] = [2 * age + 1 if i % 3 else 0 for i, age in enumerate(columns["age"])]
    wanted = table(tmp_path / "p.csv", some("age"))
    result = tc.conceal(dataset(columns), tc.ConcealPlan(policies=(wanted,), seed=1))
    assert {"months", "noisy"} <= {*result.counts}
    with pytest.raises((UsageError, OutputError)):
        tc.conceal(dataset(columns), tc.ConcealPlan(policies=(wanted,), keep=("months", "noisy"), seed=1))


def test_what_tells_an_attribute_that_only_protects_others_is_closed_for_their_sake() -> None:
    """Pay is confidential for some; others hide it since it determines the grade, and the wage must not tell it."""
    codes = {name: np.arange(12) // 2 for name in ("grade", "pay", "wage")}
    policies = Policies.of(12, {row: {"grade"} if row < 6 else {"pay"} for row in range(10)})
    turns = DecoyTurns.of(np.arange(12), [*"abcdefghijkl"], 1, "decoys")
    plan = tc.ConcealPlan(confidential=("grade",), least_hiders=1)
    search = HidingSearch(plan, tuple(codes), (Dependency(("pay",), "grade", 12),), policies, turns, codes)
    hidden = search.hidden()
    (grade,) = [i for i in policies.used if policies.sets[i] == {"grade"}]
    guess = Disclosure("pay", frozenset({"wage"}), DisclosureKind.PREDICTS)
    assert search.close([guess], hidden)
    hidden = search.hidden()
    assert hidden.groups[grade].extra == ("pay",), "a guess of what they do not keep confidential need not be prevented"
    way = Disclosure("pay", frozenset({"wage"}), DisclosureKind.TELLS)
    assert search.close([way], hidden)
    closed = search.hidden()
    assert closed.groups[grade].extra == ("pay", "wage")
    assert [one.in_words for one in closed.groups[grade].reasons("wage")] == [
        "wage tells pay, which is hidden to protect grade"
    ]
    assert not search.close([way], closed), "it is closed for all who hide the attribute"


def test_costs_decide_what_is_hidden(tmp_path: Path) -> None:
    columns = people()
    columns["area"] = [f"{a}{b}" for a, b in zip(columns["city"], columns["sex"], strict=True)]
    del columns["zip"]
    wanted = table(tmp_path / "p.csv", some("city"))
    result = tc.conceal(dataset(columns), tc.ConcealPlan(policies=(wanted,), seed=1))
    assert {*result.counts} == {"city", "area"}
    plan = tc.ConcealPlan(policies=(wanted,), keep=("area",), seed=1)
    with pytest.raises(UsageError, match="'city' cannot be kept confidential while area must stay"):
        tc.conceal(dataset(columns), plan)


def predictable() -> dict[str, list[object]]:
    """A file in which two attributes say much about a third one, but do not determine it."""
    random = np.random.default_rng(8)
    n = 1200
    ill = random.random(n) < 0.5
    columns: dict[str, list[object]] = {
        "person": [f"P{i:04d}" for i in range(n)],
        "drug": np.where(random.random(n) < 0.9, np.where(ill, "a", "b"), np.where(ill, "b", "a")).tolist(),
        "ward": np.where(random.random(n) < 0.8, np.where(ill, "x", "y"), np.where(ill, "y", "x")).tolist(),
        "sex": random.choice(["f", "m"], n).tolist(),
        "ill": np.where(ill, "yes", "no").tolist(),
    }
    return columns


@pytest.mark.slow
def test_more_is_hidden_until_a_model_guesses_badly(tmp_path: Path) -> None:
    wanted = table(tmp_path / "p.csv", {f"P{i:04d}": "ill" for i in range(0, 1200, 4)})
    plan = {"policies": (wanted,), "allow_derivable": True, "seed": 1}
    free = tc.conceal(dataset(predictable()), tc.ConcealPlan(**plan))  # type: ignore[arg-type]
    assert {*free.counts} == {"ill"}
    (score,) = free.predictions.scores
    assert score.gain is not None and score.gain.value > 0.6
    limited = tc.conceal(dataset(predictable()), tc.ConcealPlan(**plan, max_gain=0.3))  # type: ignore[arg-type]
    assert {*limited.counts} == {"ill", "drug", "ward"}
    assert limited.price.prediction == 2 * 300
    assert limited.predictions.part == "report", "the gain is that of people by whom nothing was chosen"
    (score,) = limited.predictions.scores
    assert score.gain is not None and score.gain.lower <= 0.3
    assert "predicts ill" in str(limited.to_text())
    with pytest.raises(OutputError, match=r"better than --max-gain 0\.05 allows, whatever is hidden"):
        tc.conceal(dataset(predictable()), tc.ConcealPlan(**plan, max_gain=0.05, keep=("drug", "ward", "sex")))  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result(tmp_path: Path) -> None:
    one, two = (conceal(tmp_path, {"P007": "city", "P009": "illness"}) for _ in range(2))
    assert one.to_dict() == two.to_dict()
    assert np.array_equal(one.hidden.of_record, two.hidden.of_record)


def test_nothing_prints_a_value_or_a_person(tmp_path: Path) -> None:
    result = conceal(tmp_path, some("city"))
    shown = repr(result) + repr(result.hidden) + repr(result.persons) + repr(result.plan) + str(result.to_dict())
    assert "P00" not in shown and "10000" not in shown and "asthma" not in shown and "city0" not in shown


@pytest.mark.slow
def test_wide_thresholds_are_refused_unless_accepted(tmp_path: Path) -> None:
    plan = tc.ConcealPlan(policies=(table(tmp_path / "p.csv", some("city")),), seed=1)
    with pytest.raises(UsageError, match="next to nothing") as caught:
        tc.conceal(dataset(), plan, tc.DependencyOptions(within={"age": 100.0}))
    assert "--allow-wide" in str(caught.value)
    wide = tc.DependencyOptions(within={"age": 100.0}, allow_wide=True)
    assert tc.conceal(dataset(), plan, wide).derivations.derived == 0
    near = tc.conceal(dataset(), plan, tc.DependencyOptions(within={"zip": 1.0, "age": 1.0}, tolerance=0.05))
    assert hiders(near, "zip") == {*range(0, 40, 2)}
