"""Cubes from data: codes, whole numbers, faults with counts and never a value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacita as tc
from tacita.errors import InputError, LimitError
from tacita.queries.cube.build import build_cube
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy_file import parse_query_policy

POLICY = """
name = "staff"
unit = "firm"
[[filter]]
attribute = "age"
cuts = [30, 60]
[[filter]]
attribute = "sex"
values = ["m", "f"]
[[measure]]
attribute = "salary"
lower = 0
upper = 100
decimals = 1
"""
FRAME = pd.DataFrame(
    {
        "age": [29.5, 30.0, 60.0, None, 31.0],
        "sex": ["m", "f", None, "m", "f"],
        "salary": [0.1, 100.0, 50.5, 7.0, 3.3],
        "firm": ["a", "b", "a", "c", "b"],
    }
)


def cube_of(frame: pd.DataFrame, policy: str = POLICY) -> Cube:
    return build_cube(tc.read(frame, name="staff").microdata, parse_query_policy(policy))


def test_records_stand_in_their_cells():
    cube = cube_of(FRAME)
    age, sex = cube.attribute("age").labels, cube.attribute("sex").labels
    assert age == ("below 30", "30 to below 60", "60 and above", "")
    assert sex == ("m", "f", "")
    cells = {
        (age[a], sex[s]): (int(n), int(total))
        for a, s, n, total in zip(cube.codes["age"], cube.codes["sex"], cube.n, cube.sums["salary"], strict=True)
    }
    assert cells == {
        ("below 30", "m"): (1, 1),
        ("30 to below 60", "f"): (2, 1033),
        ("60 and above", ""): (1, 505),
        ("", "m"): (1, 70),
    }
    everything = np.ones(len(cube), np.bool_)
    assert cube.records == 5 and cube.contributors(everything) == 3
    assert sorted(cube.contributions(everything, "salary").tolist()) == [70, 506, 1033]
    assert sum(cube.squares("salary")) == 1 + 1000**2 + 505**2 + 70**2 + 33**2


@pytest.mark.parametrize(
    ("column", "values", "word"),
    [
        ("sex", ["m", "f", "x", "x", "f"], "'sex': 2 values not declared"),
        ("salary", [0.1, 1e6, 3, 4, 5], "'salary': 1 value outside"),
        ("salary", [0.12, 0.34, 3, 4, 5], "'salary': 2 values with more than 1 decimals"),
        ("salary", [None, 1, 3, 4, 5], "'salary': 1 missing value"),
        ("salary", ["a", "b", "c", "d", "e"], "not numbers"),
        ("age", ["old", "b", "c", "d", "e"], "not numbers"),
        ("firm", ["a", None, "c", "d", None], "'firm': 2 records without it"),
    ],
)
def test_data_that_do_not_fit_are_refused_with_counts(column: str, values: list[object], word: str):
    with pytest.raises(InputError) as caught:
        cube_of(FRAME.assign(**{column: values}))
    assert word in str(caught.value)
    assert "1000000" not in str(caught.value) and "0.34" not in str(caught.value)


def test_a_policy_may_refuse_missing_values():
    complete = POLICY.replace('values = ["m", "f"]', 'values = ["m", "f"]\nmissing = "refuse"')
    complete = complete.replace("cuts = [30, 60]", 'cuts = [30, 60]\nmissing = "refuse"')
    with pytest.raises(InputError, match="'sex': 1 record without a value") as caught:
        cube_of(FRAME, complete)
    assert "'age': 1 record without a value" in str(caught.value)
    cube = cube_of(FRAME.dropna(), complete)
    assert cube.attribute("sex").labels == ("m", "f")
    assert cube.attribute("age").labels == ("below 30", "30 to below 60", "60 and above")


def test_a_regressor_may_declare_its_values():
    policy = POLICY + '[[regressor]]\nattribute = "grade"\nvalues = [1, 2, 3]\n'
    cube = cube_of(FRAME.assign(grade=[1, 2, 2, 1, 1]), policy)
    numbers = cube.attribute("grade").numbers
    assert numbers is not None and numbers.tolist() == [1, 2, 3]
    with pytest.raises(InputError, match="'grade': 1 record without a value"):
        cube_of(FRAME.assign(grade=[1, 2, None, 1, 1]), policy)
    with pytest.raises(InputError, match="'grade' has values that are not numbers"):
        cube_of(FRAME.assign(grade=["x", "y", "x", "y", "x"]), POLICY + '[[regressor]]\nattribute = "grade"\n')


def test_values_beyond_bounds_count_as_bounds_if_the_policy_says_so():
    cube = cube_of(FRAME.assign(salary=[-5, 1e9, 1, None, 2]), POLICY + 'outside = "clamp"\nmissing = "zero"\n')
    assert sorted(cube.values["salary"].tolist()) == [0, 0, 10, 20, 1000]


def test_too_many_cells_name_the_attribute_that_costs_most():
    frame = pd.DataFrame({"street": [f"s{i}" for i in range(50)], "sex": ["m", "f"] * 25})
    policy = 'name = "x"\n[[filter]]\nattribute = "street"\n[[filter]]\nattribute = "sex"\n[limits]\ncells = 10\n'
    with pytest.raises(LimitError) as caught:
        cube_of(frame, policy)
    assert "50 cells" in str(caught.value) and "without 'street' there would be 2" in str(caught.value)


def test_every_attribute_that_is_not_there_is_named():
    policy = POLICY.replace('"sex"', '"sexes"').replace('"salary"', '"pay"')
    with pytest.raises(InputError) as caught:
        cube_of(FRAME, policy)
    assert "no attribute 'sexes'; did you mean 'sex'?" in str(caught.value) and "no attribute 'pay'" in str(
        caught.value
    )


def test_an_empty_file_is_not_opened():
    with pytest.raises(InputError, match="no records"):
        cube_of(FRAME.iloc[:0])


def test_a_joined_file_brings_attributes(tmp_path):
    (tmp_path / "firms.csv").write_text("firm,region\na,North\nb,South\n")
    policy = parse_query_policy(
        'name = "staff"\n[[filter]]\nattribute = "region"\njoin = "firms"\n'
        '[[join]]\nname = "firms"\nfile = "firms.csv"\nkey = "firm"\n',
        folder=tmp_path,
    )
    cube = build_cube(tc.read(FRAME, name="staff").microdata, policy)
    labels = cube.attribute("region").labels
    assert {labels[code]: int(n) for code, n in zip(cube.codes["region"], cube.n, strict=True)} == {
        "North": 2,
        "South": 2,
        "": 1,
    }
    (tmp_path / "firms.csv").write_text("firm,region\na,North\na,South\n")
    with pytest.raises(InputError, match="one of another row"):
        build_cube(tc.read(FRAME, name="staff").microdata, policy)


def test_texts_that_look_like_numbers_are_declared_as_they_stand():
    policy = POLICY.replace('["m", "f"]', '["01234", "1E5", "2.0"]')
    frame = FRAME.assign(sex=["01234", "1E5", "2.0", None, "01234"])
    assert cube_of(frame, policy).attribute("sex").labels == ("01234", "1E5", "2.0", "")
    numbers = FRAME.assign(sex=[1234.0, 100_000.0, 2.0, None, 1234.0])
    assert cube_of(numbers, policy).attribute("sex").labels == ("1234", "100000", "2", "")
