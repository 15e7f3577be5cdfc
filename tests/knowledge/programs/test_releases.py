"""A cycle releases each record at most once, as its newest version, and nothing that is too risky: on any data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacita.knowledge import programs
from tacita.rules.reasoner import Null, Reasoned, ReasoningOptions, Record, reason

Values: TypeAlias = dict[str, Any]
Records: TypeAlias = Mapping[int, Values]
ATTRIBUTES = ("Age", "Area", "Sector")
HIERARCHY = {
    "TypeOf": [("Area", "City"), ("Age", "Year")],
    "SubTypeOf": [("City", "Region"), ("Region", "Country"), ("Year", "Class")],
    "InstOf": [
        *((city, "City") for city in ("Roma", "Milano", "Torino")),
        *(("Center", "Region"), ("North", "Region"), ("Italy", "Country")),
        *((year, "Year") for year in ("30", "31", "60")),
        *(("30-39", "Class"), ("60-69", "Class")),
    ],
    "IsA": [
        *(("Roma", "Center"), ("Milano", "North"), ("Torino", "North"), ("Center", "Italy"), ("North", "Italy")),
        *(("30", "30-39"), ("31", "30-39"), ("60", "60-69")),
    ],
}
RECORD = st.fixed_dictionaries(
    {
        "Area": st.sampled_from(["Roma", "Milano", "Torino", None]),
        "Sector": st.sampled_from(["Textiles", "Commerce", "Construction"]),
        "Age": st.sampled_from(["30", "31", "60"]),
        "Weight": st.sampled_from([1, 2, 10]),
    }
)
FEW = settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# -- risk once more, in Python -----------------------------------------------------------------------------------------


def maybe(a: Values, b: Values, attributes: tuple[str, ...]) -> bool:
    return all(isinstance(a[n], Null) or isinstance(b[n], Null) or a[n] == b[n] for n in attributes)


def alike(one: Values, records: Records, attributes: tuple[str, ...]) -> list[Values]:
    return [other for other in records.values() if maybe(one, other, attributes)]


def k_anonymity(one: Values, records: Records) -> float:
    return 1 if len(alike(one, records, ATTRIBUTES)) < 2 else 0


def reidentification(one: Values, records: Records) -> float:
    return 1 / sum(float(other["Weight"]) for other in alike(one, records, ATTRIBUTES))


def individual_risk(one: Values, records: Records) -> float:
    near = alike(one, records, ATTRIBUTES)
    return len(near) / sum(float(other["Weight"]) for other in near)


def suda(one: Values, records: Records) -> float:
    parts = [part for size in (1, 2) for part in combinations(ATTRIBUTES, size)]
    return 1 if any(len(alike(one, records, part)) == 1 for part in parts) else 0


MEASURES: dict[str, Callable[[Values, Records], float]] = {
    "individual_risk": individual_risk,
    "k_anonymity": k_anonymity,
    "reidentification": reidentification,
    "suda": suda,
}


# -- runs --------------------------------------------------------------------------------------------------------------


def released(cycle: str, risk: str, method: str, records: list[Values], **parameters: Any) -> Reasoned:
    text = f'@use("{cycle}"). @bind_module("risk", "{risk}"). @bind_module("anonymize", "{method}").'
    inputs: dict[str, list[tuple[Any, ...]]] = {
        "Val": [("db", number, name, value) for number, r in enumerate(records, 1) for name, value in r.items()],
        "Cat": [("db", name, "Quasi-identifier") for name in ATTRIBUTES] + [("db", "Weight", "Weight")],
    }
    if method == "global_recoding":
        inputs |= HIERARCHY
    if cycle == "enhanced_cycle":
        inputs["Cat"].append(("db", "Id", "Identifier"))
        inputs["Val"] += [("db", number, "Id", f"firm {number}") for number in range(1, len(records) + 1)]
        inputs["Own"] = [("firm 1", "firm 2", 0.6), ("firm 2", "firm 3", 0.7)]
    given_parameters = {"AnonSet": list(ATTRIBUTES), "T": 0.4, **parameters}
    return reason(text, inputs, options=ReasoningOptions(find=programs.find, parameters=given_parameters))


def assert_safe(result: Reasoned, records: list[Values], risk: str) -> None:
    newest = {number: dict(values.items) for _, number, values in result.facts("Tuple")}
    assert len(newest) == result.count("Tuple") == len(records)
    out = [(number, dict(values.items)) for _, number, values in result.facts("TupleA")]
    assert len({number for number, _ in out}) == len(out), "a record is released twice"
    assert all(values == newest[number] for number, values in out), "an older version is released"
    too_risky = {number for _, number in result.facts("TooRisky")}
    # What would be left of a file was measured together with what is too risky, so it is all or nothing.
    assert {number for number, _ in out} == (set() if too_risky else set(newest))
    for number, values in out:
        assert MEASURES[risk](values, newest) <= 0.4 + 1e-9, f"record {number} is released"
    # Whatever a record read before it was changed is in no output.
    for predicate in result.outputs:
        for row in result.facts(predicate):
            held = [dict(part.items) for part in row if isinstance(part, Record)]
            assert not held or predicate == "TupleA", f"{predicate} shows records"
    for number, values in out:
        before = records[number - 1]
        changed = [name for name in ATTRIBUTES if before[name] is not None and values[name] != before[name]]
        assert all(isinstance(values[n], Null) or (before[n], values[n]) in broader() for n in changed)


def broader() -> set[tuple[Any, Any]]:
    pairs = set(HIERARCHY["IsA"])
    return pairs | {(a, c) for a, b in pairs for b2, c in pairs if b == b2}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["local_suppression", "global_recoding"])
def test_what_was_changed_is_nowhere_in_the_outputs(method: str) -> None:
    records: list[Values] = [
        {"Area": "Roma", "Sector": "Textiles", "Age": "30", "Weight": 1},
        *({"Area": "Roma", "Sector": "Commerce", "Age": "30", "Weight": 1} for _ in range(2)),
    ]
    result = released("cycle", "k_anonymity", method, records)
    assert_safe(result, records, "k_anonymity")
    assert "Textiles" not in repr([result.facts(predicate) for predicate in result.outputs])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["local_suppression", "global_recoding"])
@pytest.mark.parametrize("risk", sorted(MEASURES))
@FEW
@given(records=st.lists(RECORD, min_size=1, max_size=6))
def test_cycle(risk: str, method: str, records: list[Values]) -> None:
    assert_safe(released("cycle", risk, method, records), records, risk)


@pytest.mark.slow
@FEW
@given(records=st.lists(RECORD, min_size=3, max_size=6))
def test_enhanced_cycle(records: list[Values]) -> None:
    result = released("enhanced_cycle", "reidentification", "local_suppression", records)
    assert_safe(result, records, "reidentification")
    newest = {number: dict(values.items) for _, number, values in result.facts("Tuple")}
    own = {number: min(1.0, reidentification(values, newest)) for number, values in newest.items()}
    shared = {number: risk for _, number, risk in result.facts("Risk")}
    safe = (1 - own[1]) * (1 - own[2]) * (1 - own[3])
    for number in newest:
        assert shared[number] == pytest.approx(1 - safe if number < 4 else own[number])
