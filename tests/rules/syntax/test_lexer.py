"""Tokens and their places."""

from __future__ import annotations

import pytest

from tacita.rules.syntax.lexer import lexed


def kinds(text: str) -> list[str]:
    return lexed(text).kinds[:-3]


def test_places_count_from_one_and_lines_are_those_of_python() -> None:
    found = lexed('A(X).\r\n  Bé("ü\t").\x0bC(1).')
    tokens = [found.token(at) for at in range(len(found.kinds) - 3)]
    assert [(t.text, t.line, t.column, t.end_column) for t in tokens if t.kind in ("variable", "text")] == [
        ("A", 1, 1, 2),
        ("X", 1, 3, 4),
        ("Bé", 2, 3, 5),
        ('"ü\t"', 2, 6, 10),
        ("C", 3, 1, 2),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Own own _ _x VSet''", ["variable", "name", "_", "variable", "variable"]),
        ("Élan élan 名 ǅ", ["variable", "name", "name", "name"]),
        ("1 1.5 1e-3 1.5E+10 6a .5", ["number"] * 6),
        ("X > 1.", ["variable", ">", "number", "."]),
        ("p(1).q", ["name", "(", "number", ")", ".", "name"]),
        ("X<-1", ["variable", "<", "-", "number"]),
        ("[A:=Z]", ["[", "variable", ":=", "variable", "]"]),
        ("'it''s' #risk #'a b' $k @output", ["quoted", "external", "external", "parameter", "annotation"]),
        ("if is of isof", ["if", "is", "of", "name"]),
        ("A % B\nC", ["variable", "variable"]),
        ('"% no comment"', ["text"]),
        (r'"\"" "\\"', ["text", "text"]),
        ("X ∉ S", ["variable", "not", "in", "variable"]),
        ('"open', ["fault"]),
        ("§", ["fault"]),
        ("\ufeffA", ["variable"]),
        ("A\u00a0B", ["variable", "variable"]),
        ("", []),
    ],
)
def test_kinds(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


def test_comments_are_kept_apart() -> None:
    (comment,) = lexed("A(1).  % why  ").comments
    assert (comment.text, comment.line, comment.column) == ("% why", 1, 8)
