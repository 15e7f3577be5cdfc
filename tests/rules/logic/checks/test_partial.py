"""All faults at once: what cannot be read hides nothing, and what it may have said is not held against the rest."""

from __future__ import annotations

import pytest

from tacita.errors import RuleError
from tacita.knowledge.programs import ProgramText
from tacita.reasoning.diagnosis import diagnose
from tacita.rules.reasoner.program import ReasoningOptions, prepare


def diagnosed(text: str) -> list[str]:
    return [fault.code for fault in diagnose(ProgramText(text)).faults]


def refused(text: str) -> list[str]:
    with pytest.raises(RuleError) as found:
        prepare(text, ReasoningOptions())
    return [fault.code for fault in found.value.faults]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("clause", "code"),
    [
        ("A(X), Y > 1 -> P(X).", "R301"),
        ('A(1, 2). @output("P"). A(X) -> P(X).', "R401"),
        ('@model("B", ["a", "b"], "[a] is").', "R206"),
        ('A(X), B(X), @output("P").', "R111"),
        ('@use("nowhere").', "R701"),
        ('@on_violation("never") A(X) -> false.', "R708"),
        ("@versioned(3).", "R704"),
        ('C(date("2024-02-30")).', "R403"),
        ("A(X), not P(X) -> P(X).", "R501"),
    ],
)
def test_a_fault_of_writing_hides_no_fault_of_another_clause(clause: str, code: str) -> None:
    text = f"A(1.\nB(2).\n{clause}\n"
    assert "R112" in diagnosed(text)
    assert code in diagnosed(text)
    assert refused(text) == [c for c in diagnosed(text) if c not in {"R302"}]


@pytest.mark.parametrize(
    "text",
    [
        "B(§). B(X) -> C(X).",  # B may be defined there
        '@output("C"). A(1). B(2). A(X) -> C(X). B(X) § D(X).',  # and used here
        "@param(§). A(1). A(X), X > $k -> B(X).",
        '@bind_module("risk" §). A(1). A(X), #risk(X, R) -> B(R).',
        "A(1). A(x), X > 1 -> B(X).",  # x was meant to be X
        '@versioned("T" §). T("a", 2). T(X, R), not Done(X) -> T(X, R - 1). T(X, 1) -> Done(X).',
        '@use("nowhere" §). Control(X, Y) -> B(X, Y).',
    ],
)
def test_consequences_of_what_could_not_be_read_are_left_out(text: str) -> None:
    assert diagnosed(text)
    assert {code[:2] for code in diagnosed(text)} == {"R1"}
    assert {code[:2] for code in refused(text)} == {"R1"}


def test_what_a_missing_module_would_define_is_left_out() -> None:
    assert diagnosed('@use("nowhere"). Control(X, Y) -> B(X, Y).') == ["R701"]


def test_the_faults_of_a_module_are_told_with_those_of_the_program() -> None:
    modules = {"m": ("A(1.\nA(X), Y > 1 -> P(X).\n", "m.vada")}
    with pytest.raises(RuleError) as found:
        prepare('@use("m"). A(X), Z > 1 -> Q(X).', ReasoningOptions(find=modules.get))
    assert [(f.origin.source, f.code) for f in found.value.faults] == [  # type: ignore[attr-defined]
        ("program", "R301"),
        ("m.vada", "R112"),
        ("m.vada", "R301"),
    ]


def test_an_external_predicate_bound_to_nothing_is_told_once() -> None:
    text = "A(1). A(X), #rsk(X, R) -> B(R)."
    assert diagnosed(text) == ["R702"]
    assert refused(text) == ["R702"]
