"""A cycle that a user wrote: what comes out of it, why, and what it may not do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.risk.samples import microdata

import tacita as tc
from tacita.cycle.outcome import Outcome
from tacita.cycle.program.run import anonymize_by_rules
from tacita.cycle.program.why import why_linked
from tacita.errors import RuleError, UsageError
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.sample import Sample

# Whole numbers and dates among the values, attributes that do not stand in the order of their names.
ROWS = [
    {"Id": f"f{i}", "Sector": s, "Age": a, "Weight": w, "Note": f"n{i}"}
    for i, (s, a, w) in enumerate(
        [("T", 1, 5.0), ("T", 1, 5.0), ("C", 2, 4.0), ("C", 3, 3.0), ("C", None, 2.0), ("F", 4, 9.0)], 1
    )
]
ROLES: dict[str, Any] = {"quasi": ["Sector", "Age"], "weight": "Weight", "identifier": ["Id"]}


def values(data: Microdata) -> list[dict[str, Any]]:
    return [row for batch in data.relation.batches() for row in batch.to_pylist()]


def cells(outcome: Outcome) -> set[tuple[int, str]]:
    """Return the cells that are not what they were."""
    both = zip(values(outcome.original), values(outcome.protected), strict=True)
    return {(i, name) for i, (old, new) in enumerate(both, 1) for name in old if old[name] != new[name]}


@pytest.mark.slow
def test_one_decision_for_each_changed_cell_and_nothing_else_is_touched() -> None:
    outcome = anonymize_by_rules(microdata(ROWS, **ROLES).microdata, "cycle", parameters={"k": 6})
    assert outcome.is_safe
    decided = [(d.tuple_id, d.attribute) for d in outcome.decisions]
    assert sorted(decided) == sorted(cells(outcome))
    assert {name for _, name in cells(outcome)} <= {"Sector", "Age"}
    assert [c.name for c in outcome.protected.columns] == list(ROWS[0])
    for decision in outcome.decisions:
        assert (decision.rule, decision.risk_before) == ("local_suppression [2]", 1.0)
    assert {d.step for d in outcome.decisions} == {1, 2}
    # Nobody else has either value of record 6: the one that stands first in the data goes first.
    first, second = [d for d in outcome.decisions if d.tuple_id == 6]
    assert (first.attribute, first.risk_after, second.attribute, second.risk_after) == ("Sector", 1.0, "Age", 0.0)
    assert [(a.action, a.reason[:18]) for a in first.alternatives] == [("suppress Age", "equal in the order")]
    assert not second.alternatives
    assert outcome.claim.measure == "k-anonymity"
    assert outcome.claim.parameters == {"k": 6, "threshold": 0.5}
    assert (outcome.before.unsafe, outcome.after.unsafe, outcome.after.largest_risk) == (6, 0, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parameters", "stuck"),
    [({"k": 4}, [1, 2, 3]), ({"k": 2, "partial": True, "local_suppression.AnonSet": ["Age"]}, [3])],
    ids=["too-few", "partial"],
)
def test_what_cannot_be_made_safe_is_not_released(parameters: dict[str, Any], stuck: list[int]) -> None:
    rows = [*ROWS[:2], {**ROWS[0], "Id": "f9", "Sector": "C"}]
    outcome = anonymize_by_rules(microdata(rows, **ROLES).microdata, "cycle", parameters=parameters)
    assert not outcome.is_safe
    assert [s.row for s in outcome.stuck] == stuck
    assert outcome.after.unsafe == len(stuck)
    assert all(s.remedies for s in outcome.stuck)


MY_RISK = """% A firm alone in its sector is at risk.
@module("my_risk").
@param("least", 2).
@input("Tuple", ["db", "id", "values"]).
@input("riskInput", ["id"]).
@output("riskOutput", ["id", "risk"]).
[1] Tuple(M, I, V), S = V["Sector"], S is not null, N = mcount(<I>) -> Firms(M, S, N).
[2] riskInput(I), Tuple(M, I, V), Firms(M, S, N), S = V["Sector"], R = case N < $least then 0.9 else 0.1
    -> riskOutput(I, R).
[3] riskInput(I), Tuple(M, I, V), V["Sector"] is null -> riskOutput(I, 0.0).
"""
MY_ORDER = """% Age goes last.
@module("my_order").
@input("placeInput", ["id", "attribute"]).
[1] placeInput(I, A), P = case A = "Age" then 1 else 0 -> placeOutput(I, A, P).
"""
MY_CYCLE = """% My own cycle.
@use("cycle").
@bind_module("risk", "my_risk").
@bind_module("anonymize", "sequential_suppression").
@bind_module("place", "my_order").
"""


@pytest.mark.slow
def test_a_users_own_measure_and_order(tmp_path: Path) -> None:
    for name, text in {"my_risk": MY_RISK, "my_order": MY_ORDER, "my_cycle": MY_CYCLE}.items():
        (tmp_path / f"{name}.vada").write_text(text, encoding="utf-8")
    outcome = anonymize_by_rules(microdata(ROWS, **ROLES).microdata, tmp_path / "my_cycle.vada", parameters={"T": 0.5})
    assert cells(outcome) == {(6, "Sector")}
    (decision,) = outcome.decisions
    assert (decision.risk_before, decision.risk_after) == (0.9, 0.0)
    assert decision.rule == "sequential_suppression [2]"
    assert [(a.action, a.reason) for a in decision.alternatives] == [
        ("suppress Age", "it comes later in the order of the rule (S, I, P)")
    ]
    assert outcome.is_safe
    assert outcome.claim.measure == str(tmp_path / "my_risk.vada")
    assert outcome.claim.parameters == {"least": 2, "threshold": 0.5}
    assert outcome.before.unsafe == 1
    assert outcome.settings["program"] == str(tmp_path / "my_cycle.vada")


@pytest.mark.slow
def test_two_measures_are_told_in_the_programs_own_words() -> None:
    text = '@use("cycle"). @bind_module("risk", "k_anonymity"). @bind_module("risk", "individual_risk").'
    outcome = anonymize_by_rules(microdata(ROWS, **ROLES).microdata, text, parameters={"T": 0.3})
    assert outcome.is_safe
    # The last four: F / S is 2/6, 2/5, 3/9 and 1; the first two share a combination of weight 10.
    assert (outcome.before.unsafe, outcome.after.unsafe) == (4, 0)
    assert outcome.claim.parameters == {"T": 0.3, "threshold": 0.3}


def test_a_program_that_is_no_cycle() -> None:
    with pytest.raises(RuleError, match="concludes nothing for TupleA"):
        anonymize_by_rules(tc.sample("figure-5").microdata, "k_anonymity")
    with pytest.raises(UsageError, match="no parameter 'treshold'"):
        anonymize_by_rules(tc.sample("figure-5").microdata, "cycle", parameters={"treshold": 1})


def test_missing_values_that_are_a_category_cannot_stand_beside_suppressed_ones() -> None:
    data = microdata(ROWS, **ROLES).microdata
    category = replace(data.dictionary, missing_as=MissingAs.CATEGORY)
    data = data.with_dictionary(category)
    with pytest.raises(UsageError, match="count as a category"):
        anonymize_by_rules(data, "cycle")


@pytest.mark.slow
def test_the_chain_of_ownership() -> None:
    own = [("f1", "x", 0.6), ("x", "f6", 0.7), ("f4", "f5", 0.1)]
    data = microdata(ROWS, **ROLES).microdata
    found = why_linked(Sample.of(data), 1, "company_groups", {"Own": own}, measure=KAnonymity(2))
    assert found is not None
    assert (found.other, found.members, found.risk) == (6, ((1, 0.0), (6, 1.0)), 1.0)
    assert "x owns 0.7 of f6" in found.as_sentences()
    assert 'Own("f1", "x", 0.6)' in found.as_text()
    assert found.as_json()["members"][1] == {"row": 6, "risk": 1.0}
    assert why_linked(Sample.of(data), 4, "company_groups", {"Own": own}) is None
    with pytest.raises(UsageError, match="no record 9"):
        why_linked(Sample.of(data), 9, "company_groups", {"Own": own})


@pytest.mark.slow
def test_linked_records_are_measured_together() -> None:
    own = [("f1", "f6", 0.7)]
    outcome = anonymize_by_rules(
        microdata(ROWS, **ROLES).microdata, "enhanced_cycle", inputs={"Own": own}, parameters={"T": 0.5}
    )
    assert outcome.is_safe
    assert outcome.claim.related == "company_groups"
    assert (1, "Sector") in cells(outcome) or (1, "Age") in cells(outcome)
    assert outcome.settings["related"] == "company_groups"
    assert outcome.links is not None
