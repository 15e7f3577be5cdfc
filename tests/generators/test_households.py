import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import UsageError
from tacita.generators.households import households
from tacita.generators.stream import BLOCK
from tacita.model.attribute import Category, Kind

ROWS = BLOCK + 5_000


@pytest.fixture(scope="module")
def persons() -> pd.DataFrame:
    return households(seed=0, rows=ROWS).table().to_pandas()


@pytest.fixture(scope="module")
def with_head(persons) -> pd.DataFrame:
    """Every person beside the head and the partner of the household."""
    both = persons
    for relation in ("Head", "Partner"):
        chosen = persons[persons["Relation to head"] == relation].set_index("Household")
        both = both.join(chosen[["Age", "Marital status"]].add_prefix(f"{relation} "), on="Household")
    return both


@given(rows=st.integers(1, 3_000), seed=st.integers(0, 1_000))
@settings(max_examples=25, deadline=None)
def test_exact_rows_and_whole_households(rows: int, seed: int) -> None:
    table = households(seed=seed, rows=rows).table()
    assert table.num_rows == rows
    homes = table.group_by("Household").aggregate([([], "count_all"), ("Household size", "max")])
    assert homes["count_all"].to_pylist() == homes["Household size_max"].to_pylist()


def test_keys(persons) -> None:
    assert persons["Person"].is_unique
    assert persons["Household"].nunique() == (persons["Relation to head"] == "Head").sum()
    assert persons.groupby("Household").size().eq(persons.groupby("Household")["Household size"].first()).all()


def test_a_household_shares_its_place_and_weight(persons) -> None:
    shared = ["Region", "Municipality size class", "Household size", "Weight"]
    assert (persons.groupby("Household")[shared].nunique() == 1).all(axis=None)
    assert persons["Weight"].min() > 1


@pytest.mark.slow
def test_one_head_and_at_most_one_partner(persons) -> None:
    per_home = pd.crosstab(persons["Household"], persons["Relation to head"])
    assert (per_home["Head"] == 1).all()
    assert set(per_home["Partner"]) == {0, 1}
    assert set(per_home["Parent"]) == {0, 1}


def test_ages_fit_the_relations(with_head) -> None:
    children = with_head[with_head["Relation to head"] == "Child"]
    assert len(children) > 10_000
    assert (children["Head Age"] - children["Age"] >= 18).all()
    partner_gap = (children["Partner Age"] - children["Age"]).dropna()
    assert (partner_gap >= 18).all()
    parents = with_head[with_head["Relation to head"] == "Parent"]
    assert len(parents) > 100
    assert (parents["Age"] - parents["Head Age"] >= 20).all()
    adults = with_head[with_head["Relation to head"].isin(["Head", "Partner"])]
    assert adults["Age"].min() >= 18


def test_partners_are_both_married_or_neither(with_head) -> None:
    partners = with_head[with_head["Relation to head"] == "Partner"]
    married = partners["Marital status"] == "Married"
    assert (married == (partners["Head Marital status"] == "Married")).all()
    assert 0.7 < married.mean() < 0.95
    alone = with_head["Partner Age"].isna()
    assert not (with_head[alone]["Marital status"] == "Married").any()
    assert (with_head[with_head["Relation to head"] == "Child"]["Marital status"] == "Single").all()


def test_children_have_neither_job_nor_income(persons) -> None:
    young = persons[persons["Age"] < 15]
    assert set(young["Occupation"]) == {"Child"}
    assert (young["Income"] == 0).all()
    assert not young["Education"].isin(["Upper secondary", "Tertiary"]).any()
    assert not (persons[persons["Age"] >= 15]["Occupation"] == "Child").any()
    assert persons[persons["Occupation"] == "Retired"]["Age"].min() >= 58


def test_dependences_between_attributes(persons) -> None:
    workers = persons[persons["Age"].between(30, 55)]
    income = workers.groupby("Education")["Income"].median()
    assert income["Tertiary"] > income["Upper secondary"] > income["Primary"]
    assert persons[persons["Marital status"] == "Widowed"]["Age"].median() > 65
    ill = persons["Health condition"] != "None"
    assert ill[persons["Age"] > 75].mean() > 3 * ill[persons["Age"] < 30].mean()
    assert np.log(persons[persons["Income"] > 0]["Income"]).skew() < persons["Income"].skew()


def test_dictionary_is_true() -> None:
    generated = households(seed=0, rows=5_000)
    table = generated.table()
    dictionary = generated.dictionary
    assert [a.name for a in dictionary.of(Category.CLUSTER_KEY)] == ["Household"]
    assert [a.name for a in dictionary.of(Category.SENSITIVE)] == ["Income", "Health condition"]
    assert len(dictionary.quasi_identifiers) == 10
    for attribute in dictionary:
        if attribute.kind is Kind.ORDINAL:
            assert set(table[attribute.name].unique().to_pylist()) == set(attribute.order)


def test_no_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="a survey of 0 persons"):
        households(seed=0, rows=0)
