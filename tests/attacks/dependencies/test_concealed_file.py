"""What is attacked: checked where it is made, and silent about values."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tacita.attacks.dependencies.chase import DerivationLimits, chase
from tacita.attacks.dependencies.concealed_file import ConcealedFile, KnownCondition, KnownDependency
from tacita.attacks.dependencies.exclusion import exclude
from tacita.attacks.dependencies.prediction import PredictionOptions
from tacita.errors import InputError, UsageError
from tacita.model.records import Categories, Numbers, Records

TRUTH = Records({"Area": Categories.of(["Secretville", "b", "b"]), "Age": Numbers.of([31, 977, 977], is_whole=True)})
SHOWN, FIRST = np.zeros(3, dtype=bool), np.array([True, False, False])


def test_a_matrix_and_a_mapping_say_the_same() -> None:
    matrix = np.array([[True, False], [False, False], [False, True]])
    file = ConcealedFile(TRUTH, matrix, np.zeros((3, 2), dtype=bool))  # type: ignore[arg-type]
    assert file.is_hidden("Area").tolist() == [True, False, False]
    assert file.is_hidden("Age").tolist() == [False, False, True]
    assert not file.is_confidential("Age").any()
    assert file.numbers.tolist() == [1, 2, 3]
    assert repr(file) == "<ConcealedFile: 3 records, 2 hidden cells, 0 confidential>"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"hidden": {"Arae": FIRST}}, "did you mean 'Area'"),
        ({"hidden": {"Area": FIRST[:2]}}, "one true or false for each record"),
        ({"hidden": {"Area": [1, 0, 0]}}, "one true or false for each record"),
        ({"hidden": np.zeros((2, 2), dtype=bool)}, "the shape"),
        ({"confidential": {"Area": FIRST}}, "not hidden"),
        ({"dependencies": (KnownDependency(("Agee",), "Area"),)}, "did you mean 'Age'"),
        ({"totals": ("Ages",)}, "did you mean 'Age'"),
        ({"rows": np.array([1, 2])}, "row numbers"),
    ],
)
def test_faults_are_said(given: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        ConcealedFile(TRUTH, **{"hidden": {}, "confidential": {}, **given})  # type: ignore[arg-type]


def test_all_faults_are_said_at_once() -> None:
    rules = (KnownDependency(("Agee",), "Area"), KnownDependency(("Age",), "Aera"))
    with pytest.raises(InputError) as error:
        ConcealedFile(TRUTH, {"Area": FIRST}, {"Age": FIRST}, rules)
    assert all(word in str(error.value) for word in ("Agee", "Aera", "not hidden"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"left": ("A", "B"), "right": "A"},
        {"left": ("A", "A"), "right": "B"},
        {"left": ("A",), "right": "B", "thresholds": {"C": 1}},
        {"left": ("A",), "right": "B", "thresholds": {"A": -1}},
        {"left": ("A",), "right": "B", "thresholds": {"A": float("nan")}},
        {"left": ("A",), "right": "B", "error": 1.0},
    ],
)
def test_a_dependency_is_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        KnownDependency(**wrong)  # type: ignore[arg-type]


def test_an_attribute_without_numbers_has_no_difference() -> None:
    rule = KnownDependency(("Age",), "Area", {"Area": 1})
    file = ConcealedFile(TRUTH, {"Area": FIRST}, {"Area": FIRST}, (rule,), distances={"Area": "difference"})
    with pytest.raises(InputError, match="is not a number"):
        chase(file)


def test_limits_and_options_are_checked() -> None:
    with pytest.raises(UsageError):
        DerivationLimits(rounds=0)
    with pytest.raises(UsageError):
        PredictionOptions(people=0)
    with pytest.raises(UsageError):
        PredictionOptions(within={"Age": -1})


def test_no_value_and_no_seed_is_printed() -> None:
    rules = (
        KnownDependency(("Age",), "Area"),
        KnownDependency(("Area",), "Age", condition=KnownCondition("Area", "Secretville")),
    )
    hidden = {"Area": np.array([True, True, False]), "Age": np.array([False, False, True])}
    file = ConcealedFile(TRUTH, hidden, hidden, rules)
    derived = exclude(file)
    assert derived.derived
    words = [repr(file), repr(rules), repr(derived), json.dumps(derived.to_dict()), *map(repr, derived.cells())]
    words.append(repr(PredictionOptions(seed=977)))
    assert not any(secret in text for text in words for secret in ("Secretville", "977", "'b'"))


def test_counts_are_part_of_the_json() -> None:
    hidden = {"Area": np.array([False, True, False])}
    derived = exclude(ConcealedFile(TRUTH, hidden, hidden, (KnownDependency(("Age",), "Area"),)))
    plain = derived.to_dict()
    assert (plain["derived"], plain["right"], plain["confidential"]) == (1, 1, 1)
    assert plain["cells"][0]["steps"][0] == {
        "row": 2, "attribute": "Area", "way": "twin", "left": ["Age"], "right": "Area", "rows": [3], "condition": None
    }  # fmt: skip
    assert derived.is_derived("Area").tolist() == [False, True, False]
    assert not derived.is_derived("Age").any()
    assert derived.to_dict(most=0)["cells"] == []


def test_a_file_without_records_or_hidden_cells_gives_nothing() -> None:
    assert exclude(ConcealedFile(TRUTH, {}, {}, (KnownDependency(("Age",), "Area"),))).derived == 0
    nobody = Records({"A": Categories.of([]), "B": Numbers.of([])})
    assert exclude(ConcealedFile(nobody, {}, {}, (KnownDependency(("A",), "B", {"B": 1}),))).derived == 0
