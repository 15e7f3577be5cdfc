"""The layout of programs."""

from __future__ import annotations

import pytest

from tacita.errors import RuleError
from tacita.rules.syntax import formatted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A( X ,Y )->B(X).", "A(X, Y) -> B(X)."),
        ("B(X):-A(X),X>- 1.", "B(X) :- A(X), X > -1."),
        ("B(X)<-A(X),X<-1.", "B(X) <- A(X), X < -1."),
        ("if A(X)and not(B(X),C(X))then D(X).", "if A(X) and not (B(X), C(X)) then D(X)."),
        ("[ 6a ]A(X)->exists Z,Y:B( Z,Y ).", "[6a] A(X) -> exists Z, Y: B(Z, Y)."),
        ("A(X,V*)->B(X,* V [ S ]).", "A(X, V*) -> B(X, *V[S])."),
        ("A(X),N=mcount( < I,J > ),M=msum(X*2,<I>)->B(N).", "A(X), N = mcount(<I, J>), M = msum(X * 2, <I>) -> B(N)."),
        ("A(X),Y=X [1] [$k:=2],Z=[1,2]->B(Y).", "A(X), Y = X[1][$k := 2], Z = [1, 2] -> B(Y)."),
        ("A(S),X=(S union{1})*-2->B(X).", "A(S), X = (S union {1}) * -2 -> B(X)."),
        ("A(S),S subset of(T union S)->B(S).", "A(S), S subset of (T union S) -> B(S)."),
        ('@output("A")@param("k",2) .', '@output("A")\n@param("k", 2).'),
        ("@route(else=1,case = 2,of=3)A(1).", "@route(else = 1, case = 2, of = 3)\nA(1)."),
        ("A(1). A(2).A(3).", "A(1).\nA(2).\nA(3)."),
        ("A(1).\n\n\n\nA(2).\nA(3).\n\n\n", "A(1).\n\nA(2).\nA(3)."),
        ("A(1).%why\n%above\nA(2).", "A(1).  %why\n%above\nA(2)."),
        ("A(X)   % first\n% second\n->B(X). % third", "A(X)  % first\n    % second\n    -> B(X).  % third"),
        ("@ask(1)% why\n% what\nA(1).", "@ask(1)  % why\n% what\nA(1)."),
        ("\n\n% only\n\n\n% comments\n", "% only\n\n% comments"),
    ],
)
def test_layout(text: str, expected: str) -> None:
    assert formatted(text) == expected + "\n"


def test_nothing_is_nothing() -> None:
    assert formatted("") == ""
    assert formatted("\n \n") == ""


def test_long_bodies_are_wrapped_between_items() -> None:
    atoms = [f"Predicate{n}(Variable{n}, Other{n})" for n in range(6)]
    assert formatted(", ".join(atoms) + " -> Result(Variable1).") == (
        "Predicate0(Variable0, Other0), Predicate1(Variable1, Other1), Predicate2(Variable2, Other2),\n"
        "    Predicate3(Variable3, Other3), Predicate4(Variable4, Other4), Predicate5(Variable5, Other5)\n"
        "    -> Result(Variable1).\n"
    )
    assert formatted("Result(Variable1) :- " + " and ".join(atoms[:4]) + ".") == (
        "Result(Variable1) :- Predicate0(Variable0, Other0) and Predicate1(Variable1, Other1)\n"
        "    and Predicate2(Variable2, Other2) and Predicate3(Variable3, Other3).\n"
    )


def test_an_item_that_is_too_long_is_wrapped_inside() -> None:
    names = ", ".join(f'"attribute {n}"' for n in range(10))
    assert formatted(f"A(X), X in {{{names}}}, B(X) -> C(X).") == (
        "A(X),\n"
        '    X in {"attribute 0", "attribute 1", "attribute 2", "attribute 3", "attribute 4", "attribute 5",\n'
        '        "attribute 6", "attribute 7", "attribute 8", "attribute 9"}, B(X) -> C(X).\n'
    )


def test_a_long_text_is_left_alone() -> None:
    text = f'A("{"x" * 200}").\n'
    assert formatted(text) == text


def test_a_program_with_faults_is_refused_and_all_faults_are_told() -> None:
    with pytest.raises(RuleError) as refused:
        formatted("A(X.\nB(X) => C(X).", "mine.vada")
    assert [fault.code for fault in refused.value.faults] == ["R112", "R106"]
    assert "mine.vada:2:6" in str(refused.value)


def test_warnings_do_not_keep_from_formatting() -> None:
    assert formatted("A(X),X=True->B(X).") == "A(X), X = True -> B(X).\n"
