"""Generic rules over microdata: specialised to columns, and the same result as on records as values."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

import tacita
from tacita.errors import RuleError
from tacita.knowledge.programs import find
from tacita.model.dictionary import MissingAs
from tacita.rules.reasoner import Null, ReasoningOptions, reason

NAMES = ["Area", "Sector", "Employees", "ResRev"]
FIGURE_5 = [
    ("Roma", "Textiles", "1000+", "0-30"),
    ("Roma", "Commerce", "1000+", "0-30"),
    ("Roma", "Commerce", "1000+", "0-30"),
    ("Roma", "Financial", "1000+", "0-30"),
    ("Roma", "Financial", "1000+", "0-30"),
    ("Milano", "Construction", "0-200", "60-90"),
    ("Torino", "Construction", "0-200", "60-90"),
]
CYCLE = """
@bind_module("risk", "k_anonymity").
@bind_module("anonymize", "local_suppression").
@output("TupleA").
@versioned("Tuple", key = ["M", "I"]).
[1] Val(M, I, A, V), Cat(M, A, C), C in {"Quasi-identifier", "Weight"}, VSet = munion((A, V)) -> Tuple(M, I, VSet).
[2] Tuple(M, I, VSet), #risk(I, R), R > 0.5 -> #anonymize(I).
[3] Tuple(M, I, VSet), #risk(I, R), R <= 0.5 -> TupleA(M, I, VSet).
"""


def microdata(rows=FIGURE_5, names=NAMES):
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
    return tacita.read(table, name="db").with_categories(dict.fromkeys(names, "quasi-identifier")).microdata


def run_staged(text, rows=FIGURE_5, **options):
    data = microdata(rows)
    return reason(text, data=data, engine=data.relation.engine, options=ReasoningOptions(find=find, **options))


def run_generic(text, rows=FIGURE_5, **options):
    values = [("db", i + 1, a, v) for i, row in enumerate(rows) for a, v in zip(NAMES, row, strict=True)]
    categories = [("db", name, "Quasi-identifier") for name in NAMES]
    return reason(
        text,
        {"Val": values, "Cat": categories},
        options=ReasoningOptions(find=find, parameters={"AnonSet": NAMES}, **options),
    )


def suppressed(result):
    return {(i, a) for _, i, record in result.facts("TupleA") for a, v in record.items if isinstance(v, Null)}


@pytest.mark.slow
@pytest.mark.parametrize("run", [run_staged, run_generic])
def test_the_cycle_suppresses_as_little_as_figure_5(run):
    result = run(CYCLE)
    assert suppressed(result) == {(1, "Sector"), (6, "Area"), (7, "Area")}
    released = result.facts("TupleA")
    assert [i for _, i, _ in released] == [1, 2, 3, 4, 5, 6, 7]  # each tuple once: the newest version, no older one
    assert result.facts("anonymize") == []
    assert result.history.epochs == 2


@pytest.mark.slow
def test_an_older_version_is_nowhere_in_the_result():
    result = run_staged(CYCLE)
    for predicate in ("Tuple", "TupleA"):
        assert not any(record["Sector"] == "Textiles" for _, _, record in result.facts(predicate))


def test_a_module_alone_measures_all_tuples():
    text, _ = find("k_anonymity")
    result = run_staged(text)
    assert result.facts("riskOutput") == [(1, 1), (2, 0), (3, 0), (4, 0), (5, 0), (6, 1), (7, 1)]


def test_an_attribute_that_is_not_there_is_a_fault_with_its_place():
    with pytest.raises(RuleError, match=r"R210: no attribute 'Secto'.*did you mean 'Sector'"):
        run_staged('Tuple(M, I, V), V["Secto"] = "Commerce" -> P(I).')


@pytest.mark.slow
def test_missing_values_count_as_the_dictionary_says():
    rows = [("Roma", None, "1", "a"), ("Roma", None, "1", "a"), ("Roma", "Textiles", "1", "a")]
    text, _ = find("k_anonymity")
    assert run_staged(text, rows).facts("riskOutput") == [(1, 0), (2, 0), (3, 0)]
    data = microdata(rows)
    category = replace(data.dictionary, missing_as=MissingAs.CATEGORY)
    result = reason(
        text, data=data.with_dictionary(category), engine=data.relation.engine, options=ReasoningOptions(find=find)
    )
    assert result.facts("riskOutput") == [(1, 0), (2, 0), (3, 1)]
