"""Proofs of versioned facts: which rule changed them, in which epoch, and what they were before."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tacita
from tacita.knowledge.programs import find
from tacita.rules.proofs.tree import Changed, Derived, Remembers, Uses
from tacita.rules.reasoner import Null, ReasoningOptions, reason

DRIVER = """
@use("local_suppression").
@bind_module("risk", "k_anonymity").
@output("Out").
[d1] Val(M, I, A, V), VSet = munion((A, V)) -> Tuple(M, I, VSet).
[d2] Tuple(M, I, VSet), #risk(I, R), R > 0.5 -> anonymize(I).
[d3] Tuple(M, I, VSet), #risk(I, R), R <= 0.5 -> Out(M, I, VSet).
"""
NAMES = ["Area", "Sector", "Employees"]


@pytest.fixture(scope="module")
def suppressed(shared):
    programs = {p.stem[3:]: p for p in (shared.parent / "rules" / "programs").glob("*.vada")}

    def find(name):
        return (programs[name].read_text(encoding="utf-8"), f"{name}.vada") if name in programs else None

    rows = [("1", "N", "x", "s"), ("2", "N", "x", "s"), ("3", "N", "y", "s")]
    values = [("m", i, a, v) for i, *told in rows for a, v in zip(NAMES, told, strict=True)]
    categories = [("m", a, "Quasi-identifier") for a in NAMES]
    return reason(DRIVER, {"Val": values, "Cat": categories}, options=ReasoningOptions(find=find))


@pytest.mark.slow
def test_a_changed_tuple_says_its_rule_epoch_and_older_version(suppressed):
    proof = suppressed.why('Tuple("m", "3", _)')
    step = proof.steps[proof.goal]
    assert isinstance(step, Changed)
    assert (step.epoch, step.rule.name) == (1, "local_suppression [1]")
    assert [m.variable for m in step.new_nulls] == ["Z"]
    assert dict(step.binding)["A"] == "Sector"
    older = next(p.fact for p in step.premises if isinstance(p, Uses) and p.fact.predicate == "Tuple")
    assert older.values[2]["Sector"] == "y"
    assert isinstance(proof.steps[older], Derived)
    assert Remembers('anonymize("3")', 1) in step.premises
    assert step.explanation == "the value y of Sector in record 3 is suppressed because the record is too risky"
    assert proof.is_complete


@pytest.mark.slow
def test_what_is_released_rests_on_the_newest_version(suppressed):
    proof = suppressed.why('Out("m", "3", _)', limit=None)
    assert isinstance(proof.goal.values[2]["Sector"], Null)
    assert proof.is_complete
    sentences = proof.as_sentences()
    assert (
        "record 3 shares its combination Area N, Employees s, Sector ⊥1 with 3 record(s); the minimum is 2" in sentences
    )


def test_an_older_version_is_said_to_be_replaced(suppressed):
    pairs = '{("Area", "N"), ("Employees", "s"), ("Sector", "y")}'
    answer = suppressed.why_not(f'Tuple("m", "3", {pairs})')
    assert answer.verdict == "superseded"
    assert "⊥1" in str(answer.near[1])
    assert "was replaced by Tuple(" in answer.as_sentences()


@pytest.mark.slow
def test_a_counter_that_was_raised_again_and_again():
    result = reason(
        '@versioned("V", key = ["K"]). [1] Start(K, X) -> V(K, X). [2] V(K, X), X < 4 -> V(K, X + 1).',
        {"Start": [("a", 1), ("b", 4)]},
    )
    proof = result.why('V("a", _)', limit=None)
    chain = [step for step in proof.steps.values() if isinstance(step, Changed)]
    assert [(s.fact.values[1], s.epoch) for s in chain] == [(4, 3), (3, 2), (2, 1)]
    assert proof.is_complete
    assert result.why_not('V("a", 2)').verdict == "superseded"


@pytest.mark.slow
def test_tuples_of_microdata_are_explained_column_by_column():
    rows = [("Roma", "Textiles"), ("Roma", "Commerce"), ("Roma", "Commerce"), ("Milano", "Commerce")]
    table = pa.table({"Area": [area for area, _ in rows], "Sector": [sector for _, sector in rows]})
    data = (
        tacita.read(table, name="db").with_categories(dict.fromkeys(table.column_names, "quasi-identifier")).microdata
    )
    program = """
    @bind_module("risk", "k_anonymity").
    @bind_module("anonymize", "local_suppression").
    @versioned("Tuple", key = ["M", "I"]).
    [1] Val(M, I, A, V), Cat(M, A, "Quasi-identifier"), VSet = munion((A, V)) -> Tuple(M, I, VSet).
    [2] Tuple(M, I, VSet), #risk(I, R), R > 0.5 -> #anonymize(I).
    [3] Tuple(M, I, VSet), #risk(I, R), R <= 0.5 -> TupleA(M, I, VSet).
    """
    result = reason(program, data=data, engine=data.relation.engine, options=ReasoningOptions(find=find))
    assert result.count("TupleA") == 4
    for _, identifier, record in result.facts("TupleA"):
        proof = result.why(f"TupleA(_, {identifier}, _)", limit=None)
        assert proof.is_complete
        assert proof.goal.values[2] == record
        changed = [
            step for step in proof.steps.values() if isinstance(step, Changed) and step.fact.values[1] == identifier
        ]
        assert len(changed) == sum(isinstance(value, Null) for _, value in record.items)
        sources = [fact for fact in proof.steps if fact.predicate == "Val.row" and fact.values[1] == identifier]
        assert [tuple(v for _, v in fact.values[2].items) for fact in sources] == [rows[identifier - 1]]
    assert result.why_not("anonymize(1)").nearest.words == "0 is not more than 0.5"
