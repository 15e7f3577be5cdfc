"""Who wants what confidential: from tables, an attribute and rules, and what these give away themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.concealment.people import N, dataset, people, some, table

import tacita as tc
from tacita.concealment.concealment import Concealment
from tacita.errors import InputError, TacitaError, UsageError

MINORS = '@output("Confidential").\nVal(M, I, "age", V), number(V) < 18 -> Confidential(I, "illness").\n'


def hiders(result: Concealment, attribute: str) -> set[int]:
    return {*np.flatnonzero(result.hidden.hidden(attribute)).tolist()}


def conceal(*policies: str, **more: object) -> Concealment:
    return tc.conceal(dataset(), tc.ConcealPlan(policies=policies, seed=1, **more))  # type: ignore[arg-type]


def test_a_list_for_each_person(tmp_path: Path) -> None:
    result = conceal(table(tmp_path / "p.csv", {**some("sex; illness"), **some("sex", 1, 30)}))
    assert hiders(result, "illness") == {*range(0, 40, 2)}
    assert hiders(result, "sex") == {*range(0, 40, 2), *range(1, 30, 2)}
    assert "person" not in result.attributes
    assert len(result.hidden.groups) == 3, "equal policies are one group, and one hides nothing"


@pytest.mark.slow
def test_a_line_for_each_attribute_says_the_same(tmp_path: Path) -> None:
    lines = [f"P{i:03d},{name}" for i in range(0, 40, 2) for name in ("illness", "sex")]
    (tmp_path / "long.csv").write_text("\n".join(["person,attribute", *lines]) + "\n")
    listed = conceal(table(tmp_path / "p.csv", some("sex;illness")))
    assert conceal(str(tmp_path / "long.csv")).to_dict() == listed.to_dict()


@pytest.mark.slow
def test_lists_with_more_semicolons_than_the_line_has_commas(tmp_path: Path) -> None:
    result = conceal(table(tmp_path / "p.csv", some("zip;age;sex;illness")))
    assert {*result.counts} == {"zip", "age", "sex", "illness"}


def test_records_by_number_where_nobody_has_a_name(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("record,confidential\n" + "".join(f"{i + 1},sex\n" for i in range(0, 40, 2)))
    columns = people()
    del columns["person"]
    result = tc.conceal(dataset(columns), tc.ConcealPlan(policies=(str(tmp_path / "p.csv"),), seed=1))
    assert hiders(result, "sex") == {*range(0, 40, 2)}


def test_an_attribute_of_the_data_is_a_list_and_is_not_released() -> None:
    columns = people()
    columns["wishes"] = ["sex;illness" if i < 40 else None for i in range(N)]
    result = tc.conceal(dataset(columns), tc.ConcealPlan(policy_column="wishes", person="person", seed=1))
    assert hiders(result, "sex") == hiders(result, "illness") == {*range(40)}
    assert not {"wishes", "person"} & {*result.attributes}


def test_policies_of_several_kinds_add_up(tmp_path: Path) -> None:
    columns = people()
    columns["wishes"] = ["sex" if i < 20 else None for i in range(N)]
    plan = tc.ConcealPlan(
        policies=(table(tmp_path / "p.csv", some("illness")),),
        policy_column="wishes",
        confidential=("age",),
        seed=1,
    )
    result = tc.conceal(dataset(columns), plan)
    assert hiders(result, "sex") == {*range(20)}
    assert hiders(result, "illness") == {*range(0, 40, 2)}
    assert hiders(result, "age") == {*range(N)}


def test_all_records_of_a_person_hide_what_one_of_them_does(tmp_path: Path) -> None:
    columns = people()
    columns["person"] = [f"P{i // 2:03d}" for i in range(N)]
    columns["wishes"] = ["sex" if i % 4 == 0 else None for i in range(N)]
    plan = tc.ConcealPlan(policy_column="wishes", person="person", several_records=True, seed=1)
    assert hiders(tc.conceal(dataset(columns), plan), "sex") == {i for i in range(N) if i % 4 < 2}
    with pytest.raises(InputError, match="60 values of 'person' in several records"):
        tc.conceal(dataset(columns), tc.ConcealPlan(policy_column="wishes", person="person"))


@pytest.mark.slow
def test_rules_hide_what_they_read(tmp_path: Path) -> None:
    (tmp_path / "minors.vada").write_text(MINORS)
    result = conceal(str(tmp_path / "minors.vada"))
    minors = {i for i, age in enumerate(people()["age"]) if age < 18}
    assert hiders(result, "illness") == hiders(result, "age") == minors
    assert any("shows by what it hides" in note for note in result.notes), "that rules select somebody is told"


@pytest.mark.slow
def test_a_share_of_others_hides_what_rules_select(tmp_path: Path) -> None:
    (tmp_path / "minors.vada").write_text(MINORS)
    result = conceal(str(tmp_path / "minors.vada"), cover=0.5)
    minors = {i for i, age in enumerate(people()["age"]) if age < 18}
    assert hiders(result, "illness") > minors
    assert len(hiders(result, "illness") - minors) == int(np.ceil(0.5 * (N - len(minors))))
    assert hiders(result, "age") == hiders(result, "illness"), "an age that is shown would tell who covers"
    again = conceal(str(tmp_path / "minors.vada"), cover=0.5)
    assert hiders(again, "illness") == hiders(result, "illness"), "the same people with the same seed"


WRONG_TABLES = {
    "unknown person": ("person,confidential\nP001,sex\nZed,sex\n", "1 line about persons who are not in the data"),
    "unknown attribute": ("person,confidential\nP001,sexx\n", "1 name in a policy that no attribute has; did you mean"),
    "all faults at once": (
        "person,confidential\nP001,sexx\nZed,sex\n,sex\n",
        "(?s)without a person.*not in the data.*that no attribute has",
    ),
    "nobody": ("person,confidential\nP001,sex\n,sex\n", "1 line without a person"),
    "again": ("person,confidential\nP001,sex\nP001,age\n", "1 person with several lines"),
    "no list": ("person,other\nP001,sex\n", "neither a column 'confidential' nor a column 'attribute'"),
    "no person": ("who,confidential\nP001,sex\n", "no column of the file is an attribute of the data"),
    "two may be": ("person,zip,confidential\nP001,10000,sex\n", "each may name the persons"),
    "nothing": ("person,confidential\nP001,\nP002,\n", "no policy keeps anything confidential"),
    "not released": ("person,confidential\nP001,person\n", "no policy keeps anything confidential"),
}


@pytest.mark.parametrize("case", WRONG_TABLES)
def test_wrong_tables(case: str, tmp_path: Path) -> None:
    content, fault = WRONG_TABLES[case]
    (tmp_path / "p.csv").write_text(content)
    with pytest.raises(TacitaError, match=fault) as caught:
        conceal(str(tmp_path / "p.csv"))
    assert "P001" not in str(caught.value) and "Zed" not in str(caught.value), "no name of a person"


def test_persons_who_are_not_in_the_data_can_be_skipped(tmp_path: Path) -> None:
    wanted = {**some("sex"), "Zed": "sex"}
    result = conceal(table(tmp_path / "p.csv", wanted), skip_unknown=True)
    assert hiders(result, "sex") == {*range(0, 40, 2)}
    assert "1 line of p.csv about persons not in the data skipped" in result.notes


WRONG_RULES = {
    "other arguments": ('Val(M, I, "age", V) -> Confidential(I).', "Confidential has 1 argument"),
    "no record": ('Val(M, I, "city", V) -> Confidential(V, "sex").', "not the number of a record"),
    "no attribute": ('Val(M, I, "age", V) -> Confidential(I, "sexx").', "not a released attribute"),
    "nothing": ('Val(M, I, "age", V) -> Other(I, "sex").', "concludes nothing for Confidential"),
}


@pytest.mark.parametrize("case", WRONG_RULES)
def test_wrong_rules(case: str, tmp_path: Path) -> None:
    rules, fault = WRONG_RULES[case]
    head = "Other" if "Other" in rules else "Confidential"
    (tmp_path / "r.vada").write_text(f'@output("{head}").\n{rules}\n')
    with pytest.raises(TacitaError, match=fault):
        conceal(str(tmp_path / "r.vada"))


WRONG_PLANS = {
    "nobody says what": ({}, "nobody says what is confidential"),
    "cover without rules": ({"confidential": ("sex",), "cover": 0.1}, "--cover is for policies by rules"),
    "skip without tables": ({"confidential": ("sex",), "skip_unknown": True}, "--skip-unknown is for tables"),
    "several without persons": ({"confidential": ("sex",), "several_records": True}, "--several-records is for"),
    "unknown names": ({"confidential": ("sexx",), "keep": ("agee",)}, "--confidential names 'sexx'.*\n.*--keep names"),
    "costs of nothing": ({"confidential": ("sex",), "costs": {"age": 0.0}}, "costs 0"),
    "everything": ({"confidential": ("zip", "city", "age", "sex", "illness")}, "nothing would be left"),
}


@pytest.mark.parametrize("case", WRONG_PLANS)
def test_wrong_plans(case: str) -> None:
    fields, fault = WRONG_PLANS[case]
    with pytest.raises(UsageError, match=fault):
        tc.conceal(dataset(), tc.ConcealPlan(**{"person": "person"} | fields if case == "everything" else fields))  # type: ignore[arg-type]
