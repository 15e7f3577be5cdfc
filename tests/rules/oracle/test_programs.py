"""The programs of the paper that need no external predicate, as they are written."""

from __future__ import annotations

import pytest
from rapidfuzz.distance import JaroWinkler
from tests.oracles.rules import Null, record
from tests.rules.generated import interpreted

from tacita.errors import RuleError


@pytest.fixture(scope="session")
def program(shared):
    return lambda name: (shared.parent / "rules/programs" / f"{name}.vada").read_text(encoding="utf-8")


def alike(a: str, b: str) -> bool:
    return JaroWinkler.similarity(a.casefold(), b.casefold()) >= 0.9


def test_algorithm_1(program):
    inputs = {
        "Att": [("db", "Sectors"), ("db", "Area"), ("db", "Xyz"), ("db", "Weight")],
        "ExpBase": [("Sector", "Quasi-identifier"), ("Area", "Quasi-identifier"), ("Weight", "Weight")],
    }
    result = interpreted(program("01_categorise"), inputs, similarity=alike)
    categories = {attribute: category for _, attribute, category in result.facts["Cat"]}
    assert categories["Sectors"] == categories["Area"] == "Quasi-identifier"
    assert categories["Weight"] == "Weight"
    assert isinstance(categories["Xyz"], Null)
    assert len(result.facts["Cat"]) == 4
    assert ("Sectors", "Quasi-identifier") in result.facts["ExpBase"]


FIRMS = {
    1: {"Area": "North", "Sector": "Textiles", "Employees": "0-50", "Weight": 10},
    2: {"Area": "North", "Sector": "Textiles", "Employees": "0-50", "Weight": 30},
    3: {"Area": "South", "Sector": "Textiles", "Employees": "0-50", "Weight": 20},
    4: {"Area": None, "Sector": "Textiles", "Employees": "0-50", "Weight": 60},
    5: {"Area": "South", "Sector": "Commerce", "Employees": "50+", "Weight": 5},
}
INPUTS = {
    "Tuple": [("db", i, values) for i, values in FIRMS.items()],
    "riskInput": [(i,) for i in FIRMS],
    "Cat": [("db", a, "Weight" if a == "Weight" else "Quasi-identifier") for a in FIRMS[1]],
}


def test_algorithm_3(program):
    risks = dict(interpreted(program("03_reidentification"), INPUTS).facts["riskOutput"])
    assert risks == {1: 1 / 100, 2: 1 / 100, 3: 1 / 80, 4: 1 / 120, 5: 1 / 5}


def test_algorithm_4(program):
    assert dict(interpreted(program("04_k_anonymity"), INPUTS).facts["riskOutput"]) == {1: 0, 2: 0, 3: 0, 4: 0, 5: 1}
    strict = interpreted(program("04_k_anonymity"), INPUTS, parameters={"k": 3})
    assert dict(strict.facts["riskOutput"]) == {1: 0, 2: 0, 3: 1, 4: 0, 5: 1}


def test_algorithm_5(program):
    risks = dict(interpreted(program("05_individual_risk"), INPUTS).facts["riskOutput"])
    assert risks == {1: 3 / 100, 2: 3 / 100, 3: 2 / 80, 4: 4 / 120, 5: 1 / 5}


def test_algorithm_6(program):
    result = interpreted(program("06_suda"), INPUTS, parameters={"k": 2})
    minimal = {(i, q.attributes) for _, i, q in result.facts["MSU"]}
    assert minimal == {
        (3, ("Area", "Employees")),
        (3, ("Area", "Sector")),
        (4, ("Area",)),
        (5, ("Sector",)),
        (5, ("Employees",)),
    }
    assert dict(result.facts["riskOutput"]) == {1: 0, 2: 0, 3: 0, 4: 1, 5: 1}


def test_algorithm_6_as_printed_is_refused(program):
    with pytest.raises(RuleError, match="its own negation"):
        interpreted(program("06_suda_paper"), INPUTS)


def test_algorithm_7(program):
    result = interpreted(program("07_local_suppression"), {**INPUTS, "anonymize": [(1,), (4,)]})
    newest = {i: values for _, i, values in result.facts["Tuple"]}
    for i in (1, 4):
        assert [a for a, value in newest[i].items if not isinstance(value, Null)] == ["Weight"]
    assert newest[2] == record(FIRMS[2])
    assert len({value for i in (1, 4) for _, value in newest[i].items if isinstance(value, Null)}) == 6
    assert result.epochs == 3


def test_company_control(program):
    own = [("a", "b", 0.6), ("a", "c", 0.3), ("b", "c", 0.3), ("c", "d", 0.9), ("b", "e", 0.51)]
    result = interpreted(program("lib_company_control"), {"Own": own})
    assert result.facts["Control"] == {("a", "b"), ("c", "d"), ("b", "e"), ("a", "e")}
    assert ("e", "a") in result.facts["rel"]
