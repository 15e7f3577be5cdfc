"""The checks as a whole: verdicts on known programs, what is known from outside, size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.rules.work import calls

from tacita.rules.logic.checks import CHECKS, CODES, check, termination
from tacita.rules.logic.checks.annotations import FORMS
from tacita.rules.logic.faults import errors
from tacita.rules.logic.program import Program, Rule
from tacita.rules.logic.terms import Atom, Comparison, Constant, Operation, Term, Variable
from tacita.rules.syntax import parse

KNOWN = ("riskInput", "riskOutput", "anonymize", "#rel")
PROGRAMS = (
    "01_categorise",
    "02_cycle",
    "03_reidentification",
    "04_k_anonymity",
    "05_individual_risk",
    "06_suda",
    "07_local_suppression",
    "08_global_recoding",
    "09_enhanced_cycle",
    "lib_company_control",
)


@pytest.fixture(scope="module")
def rules(shared: Path) -> Path:
    folder = shared.parent / "rules"
    if not folder.is_dir():
        pytest.skip("the rule programs of peers are not beside the project")
    return folder


@pytest.mark.parametrize("name", PROGRAMS)
def test_known_programs_have_no_errors(rules: Path, name: str) -> None:
    text = (rules / "programs" / f"{name}.vada").read_text(encoding="utf-8")
    faults = errors(check(parse(text, name).program, KNOWN))
    assert not faults, "\n".join(fault.shown(text) for fault in faults)


def test_the_printed_suda_is_rejected_with_its_cycle(rules: Path) -> None:
    text = (rules / "programs" / "06_suda_paper.vada").read_text(encoding="utf-8")
    program = parse(text, "suda").program
    (fault,) = errors(check(program, KNOWN))
    assert fault.code == "R501"
    assert "In depends on Comb by [3] (suda:7:1), and Comb depends on not In by [3] (suda:7:1)" in fault.message
    assert fault.origin.line == 7 and text.splitlines()[6][fault.origin.column - 1 :].startswith("not In(A, Z1)")
    assert termination(program).ending == "guarded"


def test_documented_cases_have_no_errors(rules: Path) -> None:
    cases = json.loads((rules / "cases" / "vadalog_docs.json").read_text(encoding="utf-8"))
    programs = {name: case["program"] for name, case in cases.items()}
    programs |= {path.stem: path.read_text(encoding="utf-8") for path in (rules / "cases" / "chase").glob("*.vada")}
    for name, text in programs.items():
        program = parse(text, name).program
        assert not errors(check(program)), name
        assert termination(program).ending == "weakly acyclic", name


def test_what_is_known_from_outside_is_not_missing() -> None:
    program = parse("@output('x'). Own(X, Y), #rel(X, Y) -> Linked(X, Y).".replace("'x'", '"Linked"'), "p").program
    assert {fault.code for fault in check(program)} == {"R201", "R702"}
    assert check(program, ["Own", "rel"]) == check(program, ["Own", "#rel"]) == ()


def test_data_with_unknown_values_can_make_a_join_dangerous() -> None:
    program = parse("a(X, Y), b(Y, Z) -> c(Y, Z).", "p").program
    plain, holes = check(program, ["a", "b"]), check(program, ["a", "b"], [("a", 1), ("b", 0)])
    assert {fault.code for fault in holes} - {fault.code for fault in plain} == {"R601"}


def test_modules_may_offer_more_than_is_used() -> None:
    text = '@output("B"). A(1). A(X) -> B(X). A(X) -> C(X).'
    clauses = parse(text, "p").program.clauses
    linked = [
        Rule(c.body, c.head, origin=c.origin, module="lib") if isinstance(c, Rule) and c.head[0].predicate == "C" else c  # type: ignore[union-attr]
        for c in clauses
    ]
    assert [fault.code for fault in check(Program(clauses))] == ["R202"]
    assert check(Program(tuple(linked))) == ()


def test_faults_come_in_the_order_of_the_text_and_once() -> None:
    text = "b(X) -> a(X, Y1).\nc(Z), Z > W -> d(1).\nc(Z), Z > W -> d(1)."
    faults = check(parse(text, "p").program)
    assert [fault.origin.line for fault in faults] == sorted(fault.origin.line for fault in faults)
    assert len({(f.code, f.message, f.origin) for f in faults}) == len(faults)


def test_an_empty_program_is_fine() -> None:
    assert check(Program()) == ()


def test_the_parser_and_the_checks_know_the_same_annotations() -> None:
    from tacita.rules.syntax.words import ANNOTATIONS

    assert FORMS.keys() == ANNOTATIONS.keys()


def test_every_fault_says_what_to_do() -> None:
    folder = Path(__file__).parent / "faults"
    for path in folder.glob("*.vada"):
        for fault in check(parse(path.read_text(encoding="utf-8"), path.name).program):
            assert fault.do and fault.origin.line and fault.severity is CODES[fault.code].severity


def test_deep_terms_do_not_recurse() -> None:
    term: Term = Variable("X")
    for _ in range(3000):
        term = Operation("+", (term, Constant(1)))
    x, y = Variable("X"), Variable("Y")
    body = (Atom("p", (x,)), Comparison("=", y, term), Comparison("<", x, Constant(5)))
    program = Program((Rule(body, (Atom("p", (y,)),)), Rule((Atom("p", (term,)),), (Atom("q", (x,)),))))
    assert {fault.code for fault in check(program, ["p"])} == {"R301"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "template",
    [
        "[{i}] P{i}(X, Y, W), W > 0.5, not Q{i}(X) -> P{j}(X, Y, W).",
        "[{i}] P{i}(X, Z), P0(Z, Y, W), msum(W, <Z>) > 0.5 -> P{j}(X, Y).",
        "[{i}] P{i}(X, Y), not P{k}(X, Y) -> exists Z: P{j}(Y, Z), R{i}(Z, X).",
        "[{i}] P{i}(X, Y), P{k}(Y, Z), V = Z + 1 -> P{j}(X, V).",
    ],
    ids=["many unknown names", "one recursion", "everything negated", "everything grows"],
)
def test_checks_take_work_in_proportion_to_the_program(template: str) -> None:
    def checked(size: int) -> int:
        lines = (template.format(i=i, j=(i + 1) % size, k=(i + 7) % size) for i in range(size))
        program = parse("\n".join(lines), "large").program
        return calls(lambda: check(program))

    assert checked(800) < 4.8 * checked(200)


def test_checks_are_named_for_what_they_look_at() -> None:
    assert len({one.__name__ for one in CHECKS}) == len(CHECKS)
    assert all(one.__doc__ for one in CHECKS)


def test_a_rule_that_a_pass_took_apart_is_still_one_rule() -> None:
    program = parse("A(1, 2). [1] A(X, Y), B(Y), C(Y, X) -> P(X).", "p").program
    (fact, rule) = program.clauses
    assert isinstance(rule, Rule)
    piece = Rule(rule.body[:1], (Atom("Asked", (Variable("X", rule.origin),)),), label="1", origin=rule.origin)
    assert check(Program((fact, piece, rule)), ["B", "C"]) == ()


def test_a_sentence_may_name_a_rule_of_a_module() -> None:
    program = parse('A(1). @explain("lib [1]", "because of [X]"). [1] A(X) -> P(X).', "p").program
    linked = [Rule(c.body, c.head, label="1", module="lib") if isinstance(c, Rule) else c for c in program.clauses]
    assert [fault.code for fault in check(program)] == ["R205"]
    assert check(Program(tuple(linked))) == ()
