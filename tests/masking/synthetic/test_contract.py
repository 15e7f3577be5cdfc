"""Every method of synthesis keeps to the contract, and meets bad input with a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.masking.synthetic.samples import odd, people

from tacita.errors import InputError, UsageError
from tacita.masking.catalogue import METHODS
from tacita.masking.contract import breaches
from tacita.masking.method import Method
from tacita.masking.within import treated_within
from tacita.model.records import Categories, Numbers, Records

PART = ["income", "wealth", "job"]
DOMAINS: dict[str, Any] = {
    "bounds": {"age": [18, 90], "income": [0, 6000], "wealth": [0, 300]},
    "categories": {"job": ["miner", "cook", "baker", "judge"], "school": ["none", "basic", "high"]},
    "may_be_missing": ["wealth", "job"],
}
WAYS: list[tuple[str, dict[str, Any]]] = [
    ("synthetic-trees", {}),
    ("synthetic-trees", {"attributes": PART}),
    ("synthetic-trees", {"records": 37, "data_sets": 2, "smoothing": False}),
    ("synthetic-copula", {}),
    ("synthetic-copula", {"attributes": PART}),
    ("synthetic-copula", {"records": 37, "data_sets": 2}),
    ("hybrid", {"attributes": ["age", "income"], "k": 5}),
]
MODELS = ["synthetic-trees", "synthetic-copula"]


@pytest.mark.parametrize(("name", "parameters"), WAYS)
def test_methods_keep_to_the_contract(name: str, parameters: dict[str, Any]) -> None:
    method = METHODS.make(name, parameters)
    assert isinstance(method, Method) and METHODS.named(name).name == name
    assert breaches(method, people(150)) == []


def test_the_private_method_keeps_to_all_but_the_seed() -> None:
    method = METHODS.make("synthetic-marginals", {"epsilon": 1, **DOMAINS})
    assert set(breaches(method, people(150))) <= {"it does not give the same again for the same seed"}
    assert not method.is_repeatable  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "parameters"), [*WAYS, ("synthetic-marginals", {"epsilon": 1, **DOMAINS})])
def test_within_strata(name: str, parameters: dict[str, Any]) -> None:
    records = people(400)
    own = {key: value for key, value in parameters.items() if key != "data_sets"}
    found = treated_within(METHODS.make(name, own), records, ["school"], np.random.default_rng(1))
    school = found.records.categories("school")
    assert len(found.records) == (3 * 37 if "records" in own else 400)
    assert (found.origin is not None) == (name == "hybrid" or "attributes" in own)
    if name != "synthetic-marginals" and "records" not in own:  # a stratum is modelled by itself and keeps its size
        assert np.array_equal(school.counts, records.categories("school").counts)


@pytest.mark.parametrize("name", MODELS)
def test_columns_with_nothing_to_model(name: str) -> None:
    records = odd()
    found = METHODS.make(name, {}).treated(records, np.random.default_rng(1)).records
    assert np.all(found.numbers("one").values == 7.5)
    assert found["gone"].missing.all() and found["absent"].missing.all()
    assert not found["same"].missing.any() and found.categories("same").values == ("here",)
    assert 0 < found["rarely"].missing.sum() < len(found)
    assert np.isfinite(found.numbers("huge").values).all()
    part = METHODS.make(name, {"attributes": ["one", "gone", "absent", "same", "rarely"]})
    kept = part.treated(records, np.random.default_rng(1)).records
    for each in records.names:
        assert np.array_equal(kept[each].missing, records[each].missing)


@pytest.mark.parametrize("name", MODELS)
def test_few_records_are_refused(name: str) -> None:
    for count in (0, 1, 4):
        with pytest.raises(InputError, match=f"^{count} records? cannot be modelled"):
            METHODS.make(name, {}).treated(people(30).taken(np.arange(count)), np.random.default_rng(1))
    five = people(30).only(["age", "income"]).taken(np.arange(5))
    assert len(METHODS.make(name, {}).treated(five, np.random.default_rng(1)).records) == 5


@pytest.mark.parametrize("name", MODELS)
def test_names_of_people_are_refused_with_advice(name: str) -> None:
    x = np.random.default_rng(2).normal(0, 1, 100)
    records = Records({"x": Numbers.of(x), "who": Categories.of([f"person {i}" for i in range(100)])})
    with pytest.raises(InputError, match="'who' has 100 values, and most records") as error:
        METHODS.make(name, {}).treated(records, np.random.default_rng(1))
    assert "recode" in str(error.value) and "person" not in str(error.value)
    # It may stay, where only others are synthesised; and it does not tell the value beside it.
    found = (
        METHODS.make(name, {"attributes": ["x"]}).treated(records, np.random.default_rng(1)).records.numbers("x").values
    )
    assert np.abs(np.corrcoef(found, x)[0, 1]) < 0.4


@pytest.mark.parametrize("name", MODELS)
def test_rare_categories_are_noted(name: str) -> None:
    jobs = ["cook"] * 60 + ["astronaut"] * 2
    found = METHODS.make(name, {}).treated(Records({"job": Categories.of(jobs)}), np.random.default_rng(1))
    assert any("'job' has categories that fewer than 5 records share" in note for note in found.notes)
    assert not any("astronaut" in note for note in found.notes)


@pytest.mark.parametrize("name", MODELS)
def test_infinite_values_are_refused(name: str) -> None:
    records = Records({"x": Numbers.of([*range(20), np.inf])})
    with pytest.raises(InputError, match="1 infinite value"):
        METHODS.make(name, {}).treated(records, np.random.default_rng(1))


@pytest.mark.parametrize("name", MODELS)
def test_values_of_fewer_respondents_than_donors_are_refused(name: str) -> None:
    few = Numbers.of([1.0, 2.0, 3.0, 4.0, *[None] * 30])
    rare = Categories.of(["here", *[None] * 33])
    for column in (few, rare):
        records = Records({"x": column, "y": Numbers.of(np.arange(34.0))})
        for parameters in ({}, {"attributes": ["x"]}):
            with pytest.raises(InputError, match=r"'x' has only \d values?, of fewer than 5 respondents"):
                METHODS.make(name, parameters).treated(records, np.random.default_rng(1))
        assert len(METHODS.make(name, {"attributes": ["y"]}).treated(records, np.random.default_rng(1)).records) == 34


@pytest.mark.parametrize("name", MODELS)
def test_numbers_beyond_arithmetic_are_refused(name: str) -> None:
    records = Records({"x": Numbers.of([1e308, -1e308, 1, 2, 3, 4])})
    with pytest.raises(InputError, match="too large to compute with"):
        METHODS.make(name, {}).treated(records, np.random.default_rng(1))


@pytest.mark.parametrize("name", MODELS)
def test_parameters_are_checked(name: str) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"attributes": ["x", "x"]}, "more than once"),
        ({"attributes": ["x"], "records": 5}, "only if all attributes are synthetic"),
        ({"records": 0}, "'records' is below 1"),
        ({"data_sets": 0}, "'data_sets' is below 1"),
        ({"extremes": 0}, "'extremes' is below 1"),
    ]
    for parameters, told in wrong:
        with pytest.raises(UsageError, match=told):
            METHODS.make(name, parameters)


@pytest.mark.parametrize("name", MODELS)
def test_several_files_stand_beside_and_differ(name: str) -> None:
    records = people(200)
    found = METHODS.make(name, {"data_sets": 3}).treated(records, np.random.default_rng(1))
    assert set(found.beside) == {"data-set-2", "data-set-3"} and found.figures["data sets"] == 3
    files = [found.records, *found.beside.values()]
    assert all(file.names == records.names and len(file) == 200 for file in files)
    incomes = [file.numbers("income").values for file in files]
    assert not np.array_equal(incomes[0], incomes[1]) and not np.array_equal(incomes[1], incomes[2])
    part = METHODS.make(name, {"data_sets": 2, "attributes": ["income"]}).treated(records, np.random.default_rng(1))
    assert part.beside["data-set-2"]["age"] is records["age"]
