"""``A ~ B``: texts that are alike, wherever a rule asks for it, by whatever the caller says is alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from rapidfuzz.distance import JaroWinkler as Measure
from tests.rules.generated import assert_same

import tacita as tc
from tacita.errors import ReasoningError, RuleError, UsageError
from tacita.reasoning.queries import answers
from tacita.rules.reasoner import reason
from tacita.rules.reasoner.similar import JaroWinkler

pytestmark = pytest.mark.slow

CITIES = {
    "A": [("Milano",), ("Milan",), ("milano",), ("Roma",)],
    "B": [("Milano",), ("Torino",)],
    "E": [(1, "Milano"), (1, "Milan"), (2, "Roma"), (2, "Rome"), (3, "Torin")],
    "N": [("Milano",), (None,), ("Roma",)],
}


def alike(a: str, b: str) -> bool:
    return Measure.similarity(a.casefold(), b.casefold()) >= 0.9


ASKED = [
    'A(X), X ~ "Milano" -> P(X).',
    'A(X), "Milano" ~ X -> P(X).',
    'A(X), Y = "Milano", X ~ Y -> P(X).',
    'A(X), lower(X) ~ "milano" -> P(X).',
    'A(X), B(Z), Y = X + "o", Y ~ Z -> P(X, Z).',
    'A(X), "Milano" ~ "Milan" -> P(X).',
    'A(X), "Milano" ~ "Roma" -> P(X).',
    "A(X), B(Y), X ~ Y -> P(X, Y).",
    "A(X), A(Y), X ~ Y, X != Y -> P(X, Y).",
    'A(X), Y in {"Milano", "Rom"}, X ~ Y -> P(X, Y).',
    'A(X), B(Z), S = {Z, "Rom"}, Y in S, X ~ Y -> P(X, Y).',
    "E(K, X), E(K, Y), X + Y ~ Y + X -> P(X, Y).",
    "E(K, X), A(Y), B(Z), X + Y ~ Z + Y -> P(X, Y, Z).",
    # inside negations
    "A(X), not (B(Y), X ~ Y) -> P(X).",
    'A(X), not (X ~ "Milano") -> P(X).',
    "A(X), not (B(Y), not (E(_, Z), Z ~ X, Z != Y)) -> P(X).",
    'A(X), not (B(Y), Z = Y + "x", X ~ Z) -> P(X).',
    "A(X), not (B(Y), E(_, Z), X + Z ~ Y + Z) -> P(X).",
    "A(X), not (B(Y), (case X ~ Y then 1 else 0) = 1) -> P(X).",
    # inside terms
    'E(K, X), T = case X ~ "Milano" then 1 else 0 -> P(K, X, T).',
    "A(X), B(Y) -> P(X, Y, case X ~ Y then 1 else 0).",
    'A(X) -> P(case X ~ "Milano" then 1 else 0).',
    'A(X), B(Y), (case X ~ Y then "Milano" else "Roma") ~ X -> P(X, Y).',
    'A(X), S = {(case X ~ "Milano" then "m" else "r"), "k"}, Y in S -> P(X, Y).',
    'A(X), (case X ~ "Milano" then 1 else 0) in {1} -> P(X).',
    # nulls, which are like nothing and unlike nothing
    'N(X), T = case X ~ "Milano" then 1 else 0 -> P(T).',
    'N(X), X ~ "Milano" -> P(X).',
    "N(X), N(Y), X ~ Y -> P(X, Y).",
    "N(X), B(Y), not (X ~ Y) -> P(X, Y).",
    "A(X) -> exists Z: Q(X, Z). Q(X, Z), not (Z ~ X) -> P(X).",
    # around aggregates
    'E(K, X), C = sum(case X ~ "Milano" then 1 else 0, <X>) -> P(K, C).',
    'E(K, X), C = count(<X>) -> P((case X ~ "Milano" then 1 else 0), C).',
    'E(K, X), M = max(X), M ~ "Milano" -> P(K, M).',
    "E(K, X), M = max(X), L = min(X), M ~ L -> P(K, M, L).",
    'E(K, X), max(X) ~ "Milano" -> P(K).',
    "E(K, X), M = max(X), not (B(Y), Y ~ M) -> P(K, M).",
    'E(K, X), M = max(X), T = M + "o", T ~ "Romeo" -> P(K, T).',
    'E(K, X), M = max(X) -> P(K, case M ~ "Milano" then 1 else 0).',
    'E(K, X), X ~ "Milan", C = count(<X>), M = max(X), M ~ "milano" -> P(K, C).',
    'E(K, X), M = max(X), C = count(<X>), (case M ~ "Rome" then C else 0) > 1 -> P(K).',
    "E(K, X), E(K, Y), M = max(X), M ~ Y -> P(K, M, Y).",
    # recursion
    'E(1, X) -> P(X). P(X), A(Y), Y ~ X -> P(Y). P(X), E(_, Y), not (Y ~ X), Y ~ "Rome" -> P(Y).',
    'B(X) -> P(X, 0). P(X, N), N < 3, Y = X + "o", Y ~ "Milanooo" -> P(Y, N + 1).',
]


@pytest.mark.parametrize("rules", ASKED)
def test_it_means_the_same_to_the_oracle(rules: str) -> None:
    assert_same(f'{rules}\n@output("P").', CITIES, similarity=alike)


def test_a_parameter_is_compared() -> None:
    assert_same('A(X), X ~ $p -> P(X).\n@output("P").', CITIES, similarity=alike, parameters={"p": "Rom"})


def test_without_a_word_on_it_jaro_winkler_is_meant() -> None:
    result = reason('A(X), X ~ "Milano" -> P(X).', {"A": CITIES["A"]})
    assert result.facts("P") == [("Milan",), ("Milano",), ("milano",)]


ANYTHING: list[tuple[object]] = [("Milano",), (3,), ("Roma",), (None,)]


def test_values_of_any_type_are_compared_where_they_are_texts() -> None:
    text = '@input("V", ["x:any"]). V(X) -> P(X, case X ~ "Milan" then 1 else 0). V(X), X ~ "Milan" -> Q(X).'
    result = reason(text, {"V": ANYTHING})
    assert result.facts("P") == [("Milano", 1), ("Roma", 0)]
    assert result.facts("Q") == [("Milano",)]


def test_denials_and_equalities_ask_too() -> None:
    text = '@on_violation("ask") A(X), not (X ~ "Milan") -> false "far".'
    assert len(reason(text, {"A": CITIES["A"]}).violations) == 1
    text = 'A(X) -> exists Z: P(X, Z). P(X, Z) -> Z = case X ~ "Milan" then "M" else "R".'
    found = reason(text, {"A": CITIES["A"]}).facts("P")
    assert found == [("Milan", "M"), ("Milano", "M"), ("Roma", "R"), ("milano", "M")]


def test_versions_ask_too() -> None:
    text = """@versioned("P", key = ["K"]).
    E(K, X) -> P(K, X).
    P(K, X), Y = X + "o", Y ~ "Milanoo", length(X) < 8 -> P(K, Y)."""
    assert reason(text, {"E": [(1, "Milano"), (2, "Roma")]}).facts("P") == [(1, "Milanooo"), (2, "Roma")]


def test_a_question_compares_texts_that_no_rule_compared() -> None:
    result = reason('A(X), X ~ "Milano" -> P(X).', {"A": CITIES["A"]})
    assert answers(result, 'A(X), X ~ "Rom"').rows == (("Roma",),)
    assert answers(result, 'A(X), not (X ~ "Milan")').rows == (("Roma",),)


def test_a_fact_cannot_ask() -> None:
    with pytest.raises(RuleError, match="~ cannot stand in a fact") as caught:
        reason('P(case "a" ~ "b" then 1 else 0).')
    assert caught.value.where == "program:1:1"


# -- what the caller says ----------------------------------------------------------------------------------------------


def found(similarity: object, directive: str = "") -> list[tuple[str]]:
    program = f'{directive} A(X), X ~ "Milano" -> P(X).'
    return tc.reason(program, {"A": CITIES["A"]}, similarity=similarity)["P"]  # type: ignore[arg-type]


def half(a: str, b: str) -> float:
    return 1.0 if a == b else 0.5


class FirstLetter:
    def pairs(self, left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
        return [(a, b) for a in left for b in right if a[0] == b[0]]


def test_a_function_of_two_texts_is_held_against_the_threshold() -> None:
    everything = sorted(CITIES["A"])
    assert found(half) == [("Milano",)]
    assert found(half, "@similarity(threshold = 0.5).") == everything
    assert found(half, "@similarity(threshold = 0).") == everything
    assert found(lambda a, b: True) == everything


def test_an_object_finds_the_pairs_itself() -> None:
    assert found(FirstLetter()) == [("Milan",), ("Milano",)]
    assert found(JaroWinkler(1.0)) == [("Milano",), ("milano",)]


@pytest.mark.parametrize("given", [5, "jaro_winkler", object(), FirstLetter, {"pairs": []}])
def test_anything_else_is_refused_before_data_is_read(given: object) -> None:
    with pytest.raises(UsageError, match="cannot compare texts") as caught:
        found(given)
    assert "a function of two texts" in (caught.value.do or "")


class Failing:
    def pairs(self, left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
        raise ValueError(left[0])


def failing(a: str, b: str) -> float:
    raise ValueError(a)


WRONG: list[tuple[object, str]] = [
    (failing, "raised ValueError"),
    (Failing(), "raised ValueError"),
    (lambda a: 1.0, "raised TypeError"),
    (lambda a, b: f"like {a}", "gave str where a number from 0 to 1 is needed"),
    (lambda a, b: 80, "gave a number that is not from 0 to 1"),
    (lambda a, b: float("nan"), "gave a number that is not from 0 to 1"),
]


@pytest.mark.parametrize(("given", "said"), WRONG)
def test_what_the_callers_code_does_wrong_is_told_without_values(given: Callable[..., float], said: str) -> None:
    with pytest.raises(ReasoningError) as caught:
        found(given)
    assert said in caught.value.found
    assert "Mil" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


# -- what @similarity says ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("directive", "code", "said"),
    [
        ('@similarity(method = "jaro").', "R708", "knows no method 'jaro'"),
        ('@similarity("jaro_winker").', "R708", "did you mean 'jaro_winkler'?"),
        ("@similarity(threshold = 1.5).", "R704", "must be a number from 0 to 1"),
        ('@similarity("jaro_winkler", -0.1).', "R704", "must be a number from 0 to 1"),
        ("@similarity(treshold = 0.5).", "R703", "did you mean 'threshold'?"),
        ("@similarity(threshold = 0.5)", "R706", "is said of the whole program"),
    ],
)
def test_a_wrong_directive_is_a_fault(directive: str, code: str, said: str) -> None:
    with pytest.raises(RuleError) as caught:
        found(None, directive)
    (fault,) = caught.value.faults
    assert fault.code == code  # type: ignore[attr-defined]
    assert said in fault.message  # type: ignore[attr-defined]


def test_the_threshold_counts_by_its_place_too() -> None:
    assert found(None, '@similarity("jaro_winkler", 1).') == [("Milano",), ("milano",)]
    assert found(None, "@similarity(threshold = 0).") == sorted(CITIES["A"])


# -- proofs ------------------------------------------------------------------------------------------------------------


def test_proofs_tell_what_was_alike() -> None:
    text = '[1] A(X), X ~ "Milano" -> P(X). [2] A(X), not (B(Y), X ~ Y) -> Q(X).'
    found = tc.reason(text, {"A": CITIES["A"], "B": CITIES["B"]})
    assert "Milan is like Milano" in str(found.why('P("Milan")'))
    assert "Roma is not like Milano" in str(found.why_not('P("Roma")'))
    assert 'nothing like B(Y), "Roma" ~ Y was found' in str(found.why('Q("Roma")'))
    assert 'B("Milano") was found' in str(found.why_not('Q("Milan")'))
