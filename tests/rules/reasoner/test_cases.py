"""External truth: what public documents and the VADA-SA paper say that programs entail."""

from __future__ import annotations

import json

import pytest

from tacita.engines.duckdb import DuckDBEngine
from tacita.rules.reasoner import InputTable, reason
from tacita.rules.reasoner.values import Null


@pytest.fixture(scope="session")
def cases(shared):
    return shared.parent / "rules" / "cases"


def plain(value, nulls):
    """Return a value as the cases write it: nulls numbered in the order in which they come."""
    if isinstance(value, Null):
        return f"_:{nulls.setdefault(value, len(nulls) + 1)}"
    return sorted(value) if isinstance(value, frozenset) else value


def as_written(rows):
    nulls = {}
    return sorted(([plain(value, nulls) for value in row] for row in rows), key=repr)


def renamed(rows):
    """Return expected rows with their nulls numbered in the order of the sorted rows."""
    names = {}
    return sorted(
        (
            [
                f"_:{names.setdefault(v, len(names) + 1)}" if isinstance(v, str) and v.startswith("_:") else v
                for v in row
            ]
            for row in rows
        ),
        key=repr,
    )


@pytest.mark.slow
def test_all_documented_cases_hold(cases):
    wanted = json.loads((cases / "vadalog_docs.json").read_text(encoding="utf-8"))
    for name, case in wanted.items():
        result = reason(case["program"])
        expected = dict(case["expected"])
        violations = expected.pop("#violations", 0)
        for predicate, rows in expected.items():
            assert as_written(result.facts(predicate)) == renamed(rows), name
        assert len(result.violations) == violations, name
        result.close()
    assert len(wanted) == 15


def test_a_chase_through_two_cycles_ends(cases):
    result = reason((cases / "chase" / "tgds.vada").read_text(encoding="utf-8"))
    assert result.facts("t1") == [("alpha", "beta", "gamma")]
    assert result.facts("t2") == result.facts("w1") == result.facts("w2") == [("alpha", "beta"), ("beta", "beta")]
    assert [row[:2] for row in result.facts("t3")] == [("alpha", "beta"), ("beta", "beta")]
    assert len({row[2] for row in result.facts("t3")}) == 2


def test_a_restricted_chase_makes_one_null(cases):
    result = reason((cases / "chase" / "weak.vada").read_text(encoding="utf-8"))
    [(_, manager, _)] = result.facts("dept")
    assert isinstance(manager, Null)
    assert result.facts("emp") == [("mary", "cs"), (manager, "cs")]


@pytest.mark.slow
def test_control_over_the_company_graph(cases, shared):
    import pyarrow.csv as csv

    names = csv.ReadOptions(column_names=["owner", "company", "share"])
    graph = csv.read_csv(cases / "company" / "company_graph_100k.csv", read_options=names)
    engine = DuckDBEngine()
    own = engine.adopt(graph.to_batches(), graph.schema)
    text = (shared.parent / "rules" / "programs" / "lib_company_control.vada").read_text(encoding="utf-8")
    result = reason(text.split("[3]")[0], {"Own": InputTable(own, ("owner", "company", "share"))}, engine=engine)
    assert result.count("Control") == 93_777
    result.close()
