"""What the clauses mean: directions, terms, conditions, annotations, places."""

from __future__ import annotations

import sys

import pytest
from tests.rules.work import calls

from tacita.rules.logic.faults import Origin
from tacita.rules.logic.program import Annotation, Directive, Rule
from tacita.rules.logic.terms import (
    Access,
    Aggregate,
    Atom,
    Blank,
    Call,
    Case,
    Comparison,
    Constant,
    Denial,
    IsNull,
    ListOf,
    Member,
    Negation,
    Operation,
    Pack,
    Pair,
    Parameter,
    SetOf,
    Similar,
    Subset,
    Term,
    Unpack,
    Update,
    Variable,
)
from tacita.rules.syntax import parse, text_of
from tacita.rules.syntax.cursor import DEEPEST

X, Y, Z = map(Variable, "XYZ")
ONE, TWO, THREE = map(Constant, (1, 2, 3))


def rule(text: str) -> Rule:
    parsed = parse(text)
    assert parsed.faults == ()
    (found,) = parsed.program.rules
    return found


def term(text: str) -> Term:
    item = rule(f"p(X), Q = {text} -> q(X).").body[1]
    assert isinstance(item, Comparison)
    return item.right


def item(text: str) -> object:
    return rule(f"p(X), {text} -> q(X).").body[1]


# -- clauses -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "[1] A(X), B(X) -> C(X), D(X).",
        "[1] C(X), D(X) :- A(X), B(X).",
        "[1] C(X) and D(X) <- A(X) and B(X).",
        "[1] C(X) and D(X)<-A(X) and B(X).",
        "[1] if A(X) and B(X) then C(X) and D(X).",
        "[1] if A(X), B(X) then C(X), D(X).",
        "[1] if A(X), B(X) -> C(X), D(X).",
        "[ 1 ]A(X),B(X)->C(X),D(X).",
        "[1]\nA(X),\nB(X)\n-> C(X),\nD(X)\n.",
    ],
)
def test_all_directions_are_the_same_rule(text: str) -> None:
    expected = Rule((Atom("A", (X,)), Atom("B", (X,))), (Atom("C", (X,)), Atom("D", (X,))), label="1")
    assert rule(text) == expected


def test_facts_stand_side_by_side() -> None:
    program = parse('Own("a", "b", 0.6). Own("b", "c", -1). p().').program
    assert [fact.atom for fact in program.facts] == [
        Atom("Own", (Constant("a"), Constant("b"), Constant(0.6))),
        Atom("Own", (Constant("b"), Constant("c"), Constant(-1))),
        Atom("p", ()),
    ]


def test_existential_variables_stand_before_the_head_in_every_direction() -> None:
    for text in (
        "A(X) -> exists Z, Y: B(X, Z), C(Y).",
        "exists Z, Y: B(X, Z), C(Y) :- A(X).",
        "if A(X) then exists Z, Y: B(X, Z), C(Y).",
    ):
        assert rule(text).exists == (Z, Y)


def test_equality_rules_and_denials() -> None:
    assert rule("A(X), A(Y) -> X = Y.").head == (Comparison("=", X, Y),)
    assert rule("X = Y <- A(X), A(Y).").head == (Comparison("=", X, Y),)
    assert rule('A(X) -> false "never".').head == (Denial("never"),)
    assert rule("false :- A(X).").head == (Denial(),)
    assert rule("A(X) -> false = X.").head == (Comparison("=", Constant(False), X),)


def test_annotations_belong_to_their_clause() -> None:
    program = parse('@output("A") @param("k", 2).\n@ask("x")\n@route(step = "all", of = [1])\n[2] A(1).').program
    assert program.clauses[0] == Directive(
        (Annotation("output", (Constant("A"),)), Annotation("param", (Constant("k"), TWO)))
    )
    (fact,) = program.facts
    assert fact.label == "2"
    assert fact.annotations[1].named == (("step", Constant("all")), ("of", ListOf((ONE,))))


def test_atoms_in_annotations_are_calls() -> None:
    (directive,) = parse("@explain(Control(X, _), #risk(X), 'a b'(1)).").program.clauses
    assert isinstance(directive, Directive)
    assert directive.annotations[0].arguments == (
        Call("Control", (X, Blank())),
        Call("#risk", (X,)),
        Call("a b", (ONE,)),
    )


@pytest.mark.parametrize("label", ["1", "6a", "rule one", "a.b:c-d", "Ä", "1.2.3"])
def test_labels(label: str) -> None:
    assert rule(f"[{label}] A(X) -> B(X).").label == label


def test_a_list_may_begin_a_rule_behind_its_label() -> None:
    assert rule("[1] [X] = Y, A(X, Y) -> B(X).").body[0] == Comparison("=", ListOf((X,)), Y)


# -- items -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X = 1", Comparison("=", X, ONE)),
        ("X == 1", Comparison("=", X, ONE)),
        ("X <> 1", Comparison("!=", X, ONE)),
        ("X >= 1", Comparison(">=", X, ONE)),
        ("X <-1", Comparison("<", X, Constant(-1))),
        ("X<-Y+1", Comparison("<", X, Operation("+", (Operation("-", (Y,)), ONE)))),
        ("X ~ Y", Similar(X, Y)),
        ("X in {1, 2}", Member(X, SetOf((ONE, TWO)))),
        ("X not in Y", Member(X, Y, True)),
        ("X subset of Y", Subset(X, Y)),
        ("X is null", IsNull(X)),
        ("X is not null", IsNull(X, True)),
        ('contains(X, "a")', Comparison("=", Call("contains", (X, Constant("a"))), Constant(True))),
        ('not contains(X, "a")', Negation((Comparison("=", Call("contains", (X, Constant("a"))), Constant(True)),))),
        ("not B(X, _)", Negation((Atom("B", (X, Blank())),))),
        (
            "not (B(X), not C(X), X > 1)",
            Negation((Atom("B", (X,)), Negation((Atom("C", (X,)),)), Comparison(">", X, ONE))),
        ),
        ("not(B(X) and C(X))", Negation((Atom("B", (X,)), Atom("C", (X,))))),
        ("#risk(X, Y)", Atom("risk", (X, Y), True)),
        ("'Résidence principale %'(X)", Atom("Résidence principale %", (X,))),
        ("'it''s'(X)", Atom("it's", (X,))),
        ("'year'(X)", Atom("year", (X,))),
        ("subset(X, Y)", Atom("subset", (X, Y))),
        ("select(X)", Atom("select", (X,))),
        ("T(X, *Y[Z])", Atom("T", (X, Unpack(Access(Y, Z))))),
        ("T(X, Y*)", Atom("T", (X, Pack(Y)))),
        ("T(X, Y * Z)", Atom("T", (X, Operation("*", (Y, Z))))),
        ("mcount(<X>) = 1", Comparison("=", Aggregate("mcount", None, (X,)), ONE)),
        ("(X, Y) = Z", Comparison("=", Pair(X, Y), Z)),
    ],
)
def test_items(text: str, expected: object) -> None:
    assert item(text) == expected


# -- terms -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", Operation("+", (ONE, Operation("*", (TWO, THREE))))),
        ("(1 + 2) * 3", Operation("*", (Operation("+", (ONE, TWO)), THREE))),
        ("1 - 2 - 3", Operation("-", (Operation("-", (ONE, TWO)), THREE))),
        ("1 - 2 * 3 - 1", Operation("-", (Operation("-", (ONE, Operation("*", (TWO, THREE)))), ONE))),
        ("1 / 2 / 3", Operation("/", (Operation("/", (ONE, TWO)), THREE))),
        ("X union Y minus Z", Operation("minus", (Operation("union", (X, Y)), Z))),
        ("X intersect Y", Operation("intersect", (X, Y))),
        ("-1", Constant(-1)),
        ("- 1", Constant(-1)),
        ("-(1)", Operation("-", (ONE,))),
        ("--1", Operation("-", (Constant(-1),))),
        ("-1[X]", Operation("-", (Access(ONE, X),))),
        ("X -1", Operation("-", (X, ONE))),
        ("-X * Y", Operation("*", (Operation("-", (X,)), Y))),
        ("X[1][Y := 2]", Update(Access(X, ONE), Y, TWO)),
        ("X[$k]", Access(X, Parameter("k"))),
        ("VSet'", Variable("VSet'")),
        ("1", ONE),
        ("1.0", Constant(1.0)),
        ("1e3", Constant(1000.0)),
        ("true", Constant(True)),
        (r'"a\n\t\"\\\u{1F600}"', Constant('a\n\t"\\\U0001f600')),
        ('"a % b"', Constant("a % b")),
        ("[]", ListOf(())),
        ("{(X, 1), (Y, _)}", SetOf((Pair(X, ONE), Pair(Y, Blank())))),
        ("((X))", X),
        ('date("2026-01-31")', Call("date", (Constant("2026-01-31"),))),
        ("msum(X * 2, <Y, Z>)", Aggregate("msum", Operation("*", (X, TWO)), (Y, Z))),
        ("mcount()", Aggregate("mcount", None)),
        ("munion((X, Y))", Aggregate("munion", Pair(X, Y))),
        (
            "case X > 1 and Y in Z then 1 else 2 + 3",
            Case((Comparison(">", X, ONE), Member(Y, Z)), ONE, Operation("+", (TWO, THREE))),
        ),
    ],
)
def test_terms(text: str, expected: Term) -> None:
    assert term(text) == expected


def test_integers_and_numbers_are_told_apart() -> None:
    assert term("1") != term("1.0")
    assert term("1") != term("true")


# -- places ------------------------------------------------------------------------------------------------------------


def test_parts_know_their_place() -> None:
    text = '@ask("x")\n[1] Own(X, Y),\n    X + 1 * (2) > -3 -> P(X).'
    (found,) = parse(text, "p").program.rules
    assert found.origin == Origin("p", 1, 1, 3, 30)
    assert found.annotations[0].origin == Origin("p", 1, 1, 1, 10)
    atom, comparison = found.body
    assert atom.origin == Origin("p", 2, 5, 2, 14)
    assert isinstance(atom, Atom)
    assert atom.arguments[1].origin == Origin("p", 2, 12, 2, 13)
    assert isinstance(comparison, Comparison)
    assert comparison.origin == Origin("p", 3, 5, 3, 21)
    assert comparison.left.origin == Origin("p", 3, 5, 3, 16)
    assert isinstance(comparison.left, Operation)
    assert comparison.left.operands[1].origin == Origin("p", 3, 9, 3, 16)
    assert comparison.right.origin == Origin("p", 3, 19, 3, 21)


def test_comments_around_clauses() -> None:
    parsed = parse("% one\n% two\nA(1).  % behind\n\n% three\nB(X)  % inside\n -> C(X).\n% last")
    assert [(comments.before, comments.behind) for comments in parsed.comments] == [
        (("% one", "% two"), "% behind"),
        (("% three",), ""),
    ]


# -- size --------------------------------------------------------------------------------------------------------------


def test_nesting_has_a_limit_and_never_overflows() -> None:
    deep = "(" * DEEPEST + "X" + ")" * DEEPEST
    assert term(deep) == X
    for text in (f"({deep})", "-" * 5000 + "X", "1" + " + 1" * 5000, "X" + "[1]" * 5000, "{" * 100_000, "case " * 5000):
        faults = parse(f"p(X), Y = {text} -> q(X).").faults
        assert "R129" in {fault.code for fault in faults}
    assert "R129" in {fault.code for fault in parse("p(X), " + "not " * 5000 + "q(X) -> r(X).").faults}
    # The deepest program that is read can be compared, shown and hashed.
    text = f"p(X), Y = {'abs(-' * 99}X{')' * 99} -> q(X)."
    largest = parse(text)
    assert largest.faults == ()
    assert largest.program == parse(text).program
    assert repr(largest.program)
    assert hash(largest.program)


def test_a_caller_with_little_stack_left_gets_a_fault_and_no_error() -> None:
    def called(depth: int) -> object:
        return called(depth - 1) if depth else parse(f"p(X), Y = {'(' * 150}X{')' * 150} -> q(X).\np(1).")

    here = 0
    frame = sys._getframe()
    while frame.f_back:
        here, frame = here + 1, frame.f_back
    parsed = called(sys.getrecursionlimit() - here - 200)
    assert [fault.code for fault in parsed.faults] == ["R129"]  # type: ignore[attr-defined]
    assert len(parsed.program.facts) == 1  # type: ignore[attr-defined]


@pytest.mark.slow
def test_large_programs_are_read() -> None:
    rules = [f"[{n}] Own{n % 50}(X, Y, W), W > 0.{n} -> Control(X, Y)." for n in range(1, 10_001)]
    assert len(parse(" ".join(rules)).program.rules) == 10_000
    long = f"A(X), X in {{{', '.join(map(str, range(150_000)))}}} -> B(X)."
    assert len(long) > 1_000_000
    assert parse(long).faults == ()
    assert parse(" " * 1_000_000 + "\n" + "\t" * 1_000_000).faults == ()


def test_reading_takes_work_in_proportion_to_the_text() -> None:
    rules = [f"[{n}] Control(X, Z), Own{n % 9}(Z, Y, W), W > 0.5 -> Control(X, Y)." for n in range(100, 500)]
    assert calls(lambda: parse("\n".join(rules))) < 4.2 * calls(lambda: parse("\n".join(rules[:100])))


def test_the_smallest_integer_can_be_written() -> None:
    parsed = parse("A(-9223372036854775808).")
    assert not parsed.faults
    assert parsed.program.facts[0].atom.arguments == (Constant(-(2**63)),)
    assert parse(text_of(parsed.program)).program == parsed.program
    for text in ("A(9223372036854775808).", "A(-9223372036854775809).", "A(1 - 9223372036854775808)."):
        assert [fault.code for fault in parse(text).faults] == ["R105"]
