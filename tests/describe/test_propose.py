"""Proposals: what names, descriptions, formats and distributions say, and when a person must decide."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as tc
from tacita.describe.formats import recognised
from tacita.describe.similarity import NameSimilarity
from tacita.knowledge.experience_base import Experience, ExperienceBase
from tacita.model.attribute import Category


def proposed(base: ExperienceBase | None = None, **columns: list[object]):
    return tc.read(pa.table(columns)).propose(experience=base or ExperienceBase.load())


def test_the_paper(tmp_path) -> None:
    """Figure 1 of the VADA-SA paper (Figure 4 swaps three categories; Figure 1 is right)."""
    firms = tc.sample("figure-1")
    blank = tc.Dataset(
        firms.microdata.with_dictionary(firms.dictionary.mapped(lambda a: a.with_(category=None)), given=False)
    )
    found = {name: p.category for name, p in blank.propose(experience=ExperienceBase.load()).items()}
    assert found == {a.name: a.category for a in firms.dictionary}


@pytest.mark.slow
def test_reference_files(shared) -> None:
    adult = tc.read(shared / "data/adult/adult.csv").propose(experience=ExperienceBase.load())
    assert {name for name, p in adult.items() if p.category is Category.QUASI_IDENTIFIER} == set(adult) - {
        "salary-class"
    }
    testdata = tc.read(shared / "data/sdcmicro/testdata.csv").propose(experience=ExperienceBase.load())
    assert testdata["sampling_weight"].category is Category.WEIGHT
    assert testdata["ori_hid"].category is Category.CLUSTER_KEY
    assert {testdata[n].category for n in ("income", "expend", "savings")} == {Category.SENSITIVE}
    assert {testdata[n].category for n in ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age")} == {
        Category.QUASI_IDENTIFIER
    }


def test_every_proposal_says_why() -> None:
    for proposal in proposed(sex=["m", "f"], zz=[1.5, 2.5], mail=["a@b.org", "c@d.org"]).values():
        assert proposal.why
        assert proposal.reasons[0].strength == proposal.confidence


def test_the_description_counts_too() -> None:
    data = tc.read(pa.table({"v17": ["a", "b"] * 20}))
    dictionary = data.dictionary.mapped(lambda a: a.with_(description="Marital status"))
    found = tc.Dataset(data.microdata.with_dictionary(dictionary)).propose(experience=ExperienceBase.load())["v17"]
    assert found.category is Category.QUASI_IDENTIFIER
    assert found.why.startswith("the description means civil status")


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        (["a@b.org", "c@d.eu"], "e-mail addresses"),
        (["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"], "IBANs (check digits hold)"),
        (["RSSMRA85T10A562S"], "Italian fiscal codes (check letter holds)"),
        (["1234-12-1234", "2345-23-2345"], "social security numbers"),
        (["192.168.0.1", "10.0.0.2"], "IP addresses"),
        (["+39 06 4792 1", "+49 30 123456"], "telephone numbers"),
        (["50-200", "1000+", "<10"], "size classes or ranges"),
        (["2020-01-02"], "dates"),
    ],
)
def test_formats(cells: list[str], name: str) -> None:
    found = recognised(cells)
    assert found is not None
    assert found[0].name == name


def test_plain_words_have_no_format() -> None:
    assert recognised(["North", "South"]) is None
    assert recognised([]) is None


def test_values_never_appear_in_reasons() -> None:
    secret = [f"person{i}@secret.example" for i in range(40)]
    proposal = proposed(zzz=secret)["zzz"]
    assert proposal.category is Category.IDENTIFIER
    assert "secret" not in repr(proposal)


def test_a_name_and_its_data_that_disagree_are_for_a_person() -> None:
    proposal = proposed(passport=["x", "y"] * 50)["passport"]
    assert "hardly an identifier" in proposal.conflict
    weight = proposed(weight=[1.0, -1.0, 3.0])["weight"]
    assert "not all numbers above zero" in weight.conflict


def test_only_one_weight() -> None:
    found = proposed(weight=[1.5, 2.5, 1.5], sampling_weight=[3.5, 4.5, 3.5])
    assert [p.category for p in found.values()].count(Category.WEIGHT) == 1
    other = next(p for p in found.values() if p.category is not Category.WEIGHT)
    assert "both weights by their names" in other.conflict


def test_in_doubt_nothing_is_called_harmless() -> None:
    data = tc.read(pa.table({"qx7z": [i + 0.5 for i in range(100)], "sex": ["m", "f"] * 50}))
    proposals = data.propose(experience=ExperienceBase.load())
    assert proposals["qx7z"].conflict == "no known name is like it: harmless, sensitive, or known to outsiders?"
    accepted = data.accept(proposals).dictionary
    assert accepted["qx7z"].category is None
    assert accepted["sex"].category is Category.QUASI_IDENTIFIER


def test_amounts_are_not_taken_for_identifiers() -> None:
    found = proposed(qx7z=[i * 7919 for i in range(100)], qx8z=list(range(1, 101)))
    assert found["qx7z"].category is Category.NON_IDENTIFYING
    assert found["qx8z"].category is Category.IDENTIFIER


def test_short_names_must_be_equal() -> None:
    likes = NameSimilarity(["age", "sex", "income"])
    assert dict(likes.alike("wage")) == {}
    assert dict(likes.alike("sec")) == {}
    assert dict(likes.alike("incomes"))["income"] > 0.8


def test_the_similarity_is_pluggable() -> None:
    class Everything:
        def alike(self, name: str) -> Iterator[tuple[str, float]]:
            yield "shoe size", 0.9

    base = ExperienceBase([Experience("shoe size", Category.SENSITIVE, "shoe-size", "why not")])
    found = tc.read(pa.table({"a": [1.5]})).propose(experience=base, similarity=Everything())
    assert found["a"].category is Category.SENSITIVE


def test_little_entropy_makes_the_rare_ones_stand_out() -> None:
    proposal = proposed(qx7z=["n"] * 500 + ["y"])["qx7z"]
    assert proposal.category is Category.QUASI_IDENTIFIER
    assert proposal.why == "nearly all tuples share one value (0.02 bits of entropy), so the others stand out"


def labelled(labels: dict[str, str], **columns: list[object]):
    data = tc.read(pa.table(columns))
    dictionary = data.dictionary.mapped(lambda a: a.with_(description=labels.get(a.name, "")))
    return tc.Dataset(data.microdata.with_dictionary(dictionary)).propose(experience=ExperienceBase.load())


def test_a_file_of_persons_is_weighted_by_the_weight_of_persons() -> None:
    weights = {"a": [1.5, 2.5, 1.5], "b": [3.5, 4.5, 3.5]}
    labels = {"a": "Household cross-sectional weight", "b": "Personal cross-sectional weight", "s": "Sex of person"}
    found = labelled(labels, **weights, s=["1", "2", "1"])
    assert found["b"].category is Category.WEIGHT and found["a"].category is not Category.WEIGHT
    assert found["s"].why.startswith("the description is like 'sex'")
    found = labelled(labels, **weights)
    assert found["a"].category is Category.WEIGHT


def test_a_benefit_is_a_benefit() -> None:
    amounts: list[object] = [0.0, 0.0, 812.5, 40.25]
    found = labelled({"x": "Disability benefits"}, x=amounts, PY110G=amounts, PY130G=amounts, HH010=amounts)
    assert {found[name].category for name in ("x", "PY110G", "PY130G")} == {Category.SENSITIVE}
    assert all("means benefits" in found[name].why for name in ("x", "PY110G", "PY130G"))
    assert found["HH010"].category is not Category.CLUSTER_KEY  # a code of a dwelling, not "hh", the household


def test_kilograms_are_not_a_sampling_weight() -> None:
    found = labelled({"v437": "Respondent's weight in kilograms (1 decimal)"}, v437=[60.5, 71.0, 80.5])["v437"]
    assert found.category is Category.SENSITIVE


@pytest.mark.slow
def test_the_page_shows_how_often_names_and_labels_are_right() -> None:
    script = Path(__file__).parents[2] / "scripts" / "measure_categories.py"
    spec = importlib.util.spec_from_file_location("measure_categories", script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module.PAGE.read_text(encoding="utf-8")
    assert module.written(page) == page, "run scripts/measure_categories.py"
