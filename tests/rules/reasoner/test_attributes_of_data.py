"""Rules that name attributes of microdata: what is no part of a record is refused, never silently nothing."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tacita as tc
from tacita.errors import DictionaryError, ReasoningError, RuleError
from tacita.knowledge.programs import find
from tacita.rules.reasoner import ReasoningOptions, reason

COLUMNS = {
    "Id": ["a", "b", "c", "d"],
    "Area": ["N", "N", "S", "S"],
    "Sector": ["x", "y", "y", "y"],
    "Weight": [2, 3, 4, 5],
}
KEYS = {"Area": "quasi-identifier", "Sector": "quasi-identifier"}
RISKS = ["individual_risk", "k_anonymity", "reidentification", "suda"]


def run(text, categories=None, **options):
    data = tc.read(pa.table(COLUMNS), name="db").with_categories(categories or {}).microdata
    return reason(text, data=data, engine=data.relation.engine, options=ReasoningOptions(find=find, **options))


@pytest.mark.parametrize("program", RISKS)
@pytest.mark.parametrize("parameters", [{}, {"AnonSet": ["Area", "Sector"]}])
def test_without_categories_no_record_is_called_safe(program, parameters):
    with pytest.raises((RuleError, DictionaryError), match="quasi-identifier"):
        run(f'@use("{program}").', parameters=parameters)


def test_without_categories_a_cycle_releases_nothing():
    with pytest.raises(DictionaryError, match="no attribute of 'db' is a quasi-identifier"):
        run('@use("cycle").', parameters={"AnonSet": ["Area"]})


@pytest.mark.parametrize("program", ["individual_risk", "reidentification"])
def test_a_risk_that_needs_a_weight_says_so(program):
    with pytest.raises(ReasoningError, match="no attribute of the microdata DB has the category Weight"):
        run(f'@use("{program}").', KEYS)
    assert len(run(f'@use("{program}").', {**KEYS, "Weight": "weight"}).facts("riskOutput")) == 4


def test_suda_refuses_attributes_that_are_no_quasi_identifiers():
    with pytest.raises(ReasoningError, match="AnonSet names an attribute that is not a quasi-identifier"):
        run('@use("suda").', KEYS, parameters={"AnonSet": ["Weight"]})


@pytest.mark.parametrize(
    ("rules", "place"),
    [
        ('Tuple(_, I, V), V["Id"] = "a" -> P(I).', "program:1:19"),
        ('Tuple(_, I, V), W = V[{"Area", "Id"}] -> P(I, W).', "program:1:32"),
        ('Tuple(_, I, V) -> Q(I, V). Q(I, V), W = V["Id"] -> P(I, W).', "program:1:43"),
        ('Tuple(_, I, V), W = V, X = W["Id"] -> P(I, X).', "program:1:30"),
        ('Tuple(M, I, V) -> P(M, I, V["Id" := "z"]).', "program:1:29"),
    ],
)
@pytest.mark.parametrize("category", ["identifier", None])
def test_an_attribute_that_is_no_part_of_a_tuple_is_a_fault_with_its_place(rules, place, category):
    categories = {**KEYS, **({"Id": category} if category else {})}
    has = f"has the category {category}" if category else "has no category"
    with pytest.raises(RuleError, match=f"R210: 'Id' of 'db' {has}") as raised:
        run(rules, categories)
    assert place in str(raised.value)
    assert "tacita categorize FILE --set Id=quasi-identifier" in str(raised.value)


def test_a_record_of_the_programs_own_may_hold_any_attribute():
    rules = (
        'Val(M, I, A, V), Att(M, A, _), W = munion((A, V)) -> Tuple(M, I, W). Tuple(_, I, W), W["Id"] = "b" -> P(I).'
    )
    assert run(rules).facts("P") == [(2,)]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ('Val(_, I, "Id", V), V != "a" -> P(I, V).', [(2, "b"), (3, "c"), (4, "d")]),
        ('Val(_, I, "Area", "S"), Val(_, I, "Weight", W) -> P(I, W).', [(3, 4), (4, 5)]),
        ('Val(_, I, "Area", V), Val(_, J, "Area", V), Val(_, I, "Id", _), I < J -> P(I, J).', [(1, 2), (3, 4)]),
        ('Val(_, I, "Weight", W), not Val(_, I, "Area", "S") -> P(I, W).', [(1, 2), (2, 3)]),
        ("Val(_, 1, A, V) -> P(A, V).", [("Area", "N"), ("Id", "a"), ("Sector", "x"), ("Weight", 2)]),
    ],
)
def test_val_reads_attributes_of_any_category_and_type(rules, expected):
    assert run(rules).facts("P") == expected


def test_a_value_of_an_attribute_that_is_not_there_is_a_fault():
    with pytest.raises(RuleError, match=r"R210: no attribute 'Are'.*did you mean 'Area'"):
        run('Val(_, I, "Are", V) -> P(I, V).')


def test_over_facts_an_attribute_that_records_do_not_have_is_refused():
    text, _ = find("k_anonymity")
    facts = {"Val": [("db", 1, "Area", "N"), ("db", 2, "Area", "S")], "riskInput": [(1,), (2,)]}
    whole = "Val(M, I, A, V), W = munion((A, V)) -> Tuple(M, I, W)."
    with pytest.raises(ReasoningError, match="AnonSet names an attribute that a record does not have"):
        reason(f"{text}\n{whole}", {**facts, "Cat": []}, options=ReasoningOptions(parameters={"AnonSet": ["Aera"]}))


def test_the_command_line_refuses_too(tmp_path, tacita):
    rows = zip(*COLUMNS.values(), strict=True)
    lines = ["Id,Area,select,Weight", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "md.csv").write_text("\n".join(lines))
    done = tacita("reason", "k_anonymity", "--data", "md.csv", "--param", 'AnonSet=["Area","select"]')
    assert (done.returncode, done.stdout) == (3, "")
    assert "--set select=quasi-identifier" in done.stderr
