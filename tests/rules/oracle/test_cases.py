"""The facts that public documentation and the paper say small programs entail, and two chase scenarios."""

from __future__ import annotations

import json

import pytest
from tests.oracles.rules import Null, same_up_to_nulls
from tests.rules.generated import interpreted

NAMES = [
    "recursion_path",
    "negation_safe",
    "negation_recursion_local_var",
    "msum_bag",
    "mprod_contributor_min",
    "indegree_contributor",
    "mmax",
    "mcount",
    "existential_join",
    "existential_distinct_nulls",
    "egd_connected_components",
    "egd_constant_conflict",
    "munion",
    "company_control_paper",
    "company_control_reflexive",
]


def expected_value(value):
    if isinstance(value, str) and value.startswith("_:"):
        return Null(int(value[2:]))
    return frozenset(map(expected_value, value)) if isinstance(value, list) else value


@pytest.fixture(scope="session")
def cases(shared):
    return json.loads((shared.parent / "rules/cases/vadalog_docs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_documented_cases(cases, name):
    case = cases[name]
    result = interpreted(case["program"])
    expected = {
        p: [tuple(map(expected_value, row)) for row in rows] for p, rows in case["expected"].items() if p[0] != "#"
    }
    assert same_up_to_nulls({predicate: result.facts[predicate] for predicate in expected}, expected)
    assert len(result.violations) == case["expected"].get("#violations", 0)


def test_no_documented_case_is_left_out(cases):
    assert sorted(cases) == sorted(NAMES)


def test_two_cycles_one_through_an_existential(shared):
    result = interpreted((shared.parent / "rules/cases/chase/tgds.vada").read_text(encoding="utf-8"))
    pairs = {("alpha", "beta"), ("beta", "beta")}
    expected = {
        "s": {("alpha", "beta", "gamma")},
        "t1": {("alpha", "beta", "gamma")},
        "t2": pairs,
        "w1": pairs,
        "w2": pairs,
        "t3": {("alpha", "beta", Null(1)), ("beta", "beta", Null(2))},
    }
    assert same_up_to_nulls(result.facts, expected)


def test_a_weakly_acyclic_pair(shared):
    result = interpreted((shared.parent / "rules/cases/chase/weak.vada").read_text(encoding="utf-8"))
    expected = {
        "deptemp": {("cs", "m", "mary")},
        "dept": {("cs", Null(1), "m")},
        "emp": {("mary", "cs"), (Null(1), "cs")},
    }
    assert same_up_to_nulls(result.facts, expected)
