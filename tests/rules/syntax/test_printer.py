"""How terms, items and clauses are written."""

from __future__ import annotations

import datetime
import math

import pytest

from tacita.rules.logic.terms import Atom, Constant, Operation, Variable
from tacita.rules.syntax import parse, text_of


@pytest.mark.parametrize(
    "text",
    [
        "(1 + 2) * 3",
        "1 + 2 * 3",
        "1 - (2 - 3)",
        "1 - 2 - 3",
        "X / (Y * Z)",
        "-(1)",
        "-X",
        "-(X + Y)",
        "(-1)[X]",
        "(X union Y)[Z]",
        "X[Y][Z := 1]",
        "(case X > 1 then 2 else 3) + 1",
        "case X > 1 then (case Y > 1 then 1 else 2) else case Y > 2 then 3 else 4",
        "1.0",
        "1e-07",
        "1e+16",
        '"say \\"hi\\" \\\\ \\n \\t \\u{0}"',
    ],
)
def test_terms_have_as_many_parentheses_as_they_need(text: str) -> None:
    (rule,) = parse(f"p(X), Q = {text} -> q(X).").program.rules
    assert text_of(rule.body[1]) == f"Q = {text}"


def test_a_rule_that_begins_with_a_list_is_not_read_as_a_label() -> None:
    (rule,) = parse("p(X), [X] = Y -> q(X).").program.rules
    turned = type(rule)(tuple(reversed(rule.body)), rule.head)
    assert text_of(turned) == "([X]) = Y, p(X) -> q(X)."
    assert parse(text_of(turned)).program.rules == (turned,)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Own", "Own(X)"),
        ("own_2", "own_2(X)"),
        ("Größe", "Größe(X)"),
        ("select", "select(X)"),
        ("size", "'size'(X)"),
        ("msum", "'msum'(X)"),
        ("not", "'not'(X)"),
        ("_", "'_'(X)"),
        ("2nd", "'2nd'(X)"),
        ("it's", "'it''s'(X)"),
        ('a"; drop table', "'a\"; drop table'(X)"),
    ],
)
def test_names_are_quoted_where_needed(name: str, written: str) -> None:
    atom = Atom(name, (Variable("X"),))
    assert text_of(atom) == written
    (rule,) = parse(f"{written} -> q(X).").program.rules
    assert rule.body == (atom,)


def test_values_that_no_literal_has() -> None:
    assert text_of(Constant(datetime.date(2026, 1, 31))) == 'date("2026-01-31")'
    assert text_of(Constant(datetime.datetime(2026, 1, 31, 12, 30))) == 'timestamp("2026-01-31 12:30:00")'
    assert text_of(Constant(math.inf)) == 'number("inf")'


def test_a_negative_number_is_an_operand_like_any_other() -> None:
    assert text_of(Operation("-", (Variable("X"), Constant(-1)))) == "X - -1"
    assert text_of(Operation("-", (Constant(-1),))) == "--1"


def test_the_whole_program() -> None:
    text = (
        '@output("B").\n'
        '@ask("sure?")\n'
        '[1] A(X), not (C(X), X > 1), contains(X, "a") -> exists Z: B(X, Z), #risk(Z).\n'
        'A(X), not C(X) -> false "no".\n'
        "A(X), B(X, Y), X is not null -> X = Y.\n"
        "[2] A(1).\n"
    )
    assert text_of(parse(text).program) == text
