"""External predicates bound to Python functions: where they may stand, and what is said where they may not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tacita as tc
from tacita.errors import RuleError


def after(x: int) -> int:
    return x + 1


def tenfold(x: int) -> int:
    return x * 10


FUNCTIONS: dict[str, Callable[..., object]] = {"after": after, "tenfold": tenfold}


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ("A(X), not #after(X, 4) -> P(X).", [(5,)]),
        ("A(X), not #after(X + 1, 5) -> P(X).", [(5,)]),
        ("A(X), not (B(Y), #after(Y, X)) -> P(X).", [(5,)]),
        ("A(X), #after(X, Y), not #tenfold(Y, 40) -> P(X).", [(5,)]),
        ("A(X), #after(X, Y), #tenfold(Y, Z) -> P(Z).", [(40,), (60,)]),
        ("A(X), #tenfold(Y, Z), #after(X, Y) -> P(Z).", [(40,), (60,)]),
    ],
)
def test_functions_are_asked_in_negations_and_about_what_others_give(rule: str, found: list[tuple[int, ...]]) -> None:
    assert sorted(tc.reason(f"A(3). A(5). B(2). {rule}", functions=FUNCTIONS).facts("P")) == found


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("A(X), not #after(Y, 4) -> P(X).", "R301: Y has no value when the function behind #after is asked"),
        ("#after(X, Y) -> P(Y).", "R301: X has no value when the function behind #after is asked"),
        ("A(X), not #after(_, 4) -> P(X).", "R305: the function behind #after needs a value for its argument 1"),
    ],
)
def test_a_function_without_a_value_to_be_asked_about_is_refused_in_the_words_of_the_program(
    rule: str, said: str
) -> None:
    with pytest.raises(RuleError, match=r"1 fault in the rules") as found:
        tc.reason(f"A(3). {rule}", functions=FUNCTIONS)
    assert said in str(found.value)
    assert "afterInput" not in str(found.value)
