"""Over microdata rules are specialised to the columns of the dictionary: the same must follow as from plain facts."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest
from tests.knowledge.programs.running import as_values, sample_facts
from tests.oracles.rules import same_up_to_nulls

import tacita as tc
from tacita.knowledge import programs
from tacita.rules.reasoner import ReasoningOptions, reason

OVER_FACTS = """
[Tuple] Val(M, I, A, V), Cat(M, A, C), C in {"Quasi-identifier", "Weight"}, VSet = munion((A, V)) -> Tuple(M, I, VSet).
[asked] Tuple(_, I, _) -> riskInput(I).
"""
HIERARCHY = {
    "TypeOf": [("Area", "City")],
    "SubTypeOf": [("City", "Region")],
    "InstOf": [("Roma", "City"), ("Milano", "City"), ("Torino", "City"), ("Center", "Region"), ("North", "Region")],
    "IsA": [("Roma", "Center"), ("Milano", "North"), ("Torino", "North")],
}
FOUR = ["Area", "Sector", "Employees", "Residential Rev."]


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """Rules are unfolded over the dictionary before anything is run: an endless loop there has no budget."""

    def stop(*_: object) -> None:
        raise TimeoutError("not done in two minutes")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.slow
@pytest.mark.parametrize("program", ["individual_risk", "k_anonymity", "reidentification", "suda"])
@pytest.mark.parametrize("attributes", [FOUR, FOUR[:2]], ids=len)
def test_risk(program: str, attributes: list[str]) -> None:
    parameters = {"AnonSet": attributes}
    with tc.reason(program, data=tc.sample("figure-1"), parameters=parameters) as found:
        staged = as_values(found["riskOutput"])
    text = f'@use("{program}").\n{OVER_FACTS}'
    plain = reason(text, sample_facts("figure-1"), options=ReasoningOptions(find=programs.find, parameters=parameters))
    assert len(staged) == 20
    assert same_up_to_nulls({"riskOutput": staged}, {"riskOutput": as_values(plain.facts("riskOutput"))})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "inputs"),
    [
        ("cycle", {}),
        ("enhanced_cycle", {"Own": [("099876", "765389", 0.6)]}),
        ('@use("cycle"). @bind_module("risk", "suda").', {}),
        ('@use("cycle"). @bind_module("anonymize", "global_recoding").', HIERARCHY),
    ],
    ids=["cycle", "enhanced_cycle", "suda", "recoding"],
)
def test_cycle(program: str, inputs: dict[str, list[tuple[Any, ...]]]) -> None:
    attributes = ["Area", "Sector", "Employees", "Residential Revenue"]
    with tc.reason(program, inputs, data=tc.sample("figure-5")) as found:
        staged = {name: as_values(found[name]) for name in ("TupleA", "TooRisky")}
    text = program if "@" in program else f'@use("{program}").'
    facts = {**sample_facts("figure-5"), **inputs}
    plain = reason(text, facts, options=ReasoningOptions(find=programs.find, parameters={"AnonSet": attributes}))
    assert len(staged["TupleA"]) == 7
    assert same_up_to_nulls(staged, {name: as_values(plain.facts(name)) for name in staged})
