"""Bodies and heads: joins, recursion, negation, conditions, assignments, collections, parameters."""

from __future__ import annotations

import math

import pytest
from tests.oracles.rules import Null, PairValue, record
from tests.rules.generated import interpreted

from tacita.errors import ReasoningError, RuleError


def found(text, predicate="Q", inputs=None, **options):
    return interpreted(text, inputs, **options).facts[predicate]


EDGES = "E(1,2). E(2,3). E(3,1). E(3,4). "


def test_joins():
    assert found(EDGES + "E(X,Y), E(Y,Z) -> Q(X,Z).") == {(1, 3), (2, 1), (2, 4), (3, 2)}
    assert found(EDGES + "E(X,Y), E(Y,X) -> Q(X).") == set()
    assert found("E(1,1). E(1,2). E(X,X) -> Q(X).") == {(1,)}
    assert found(EDGES + "E(3,Y) -> Q(Y).") == {(1,), (4,)}
    assert found(EDGES + "E(X,_) -> Q(X).") == {(1,), (2,), (3,)}
    assert found('P(1,"a"). R("a",true). P(X,A), R(A,true) -> Q(X).') == {(1,)}


def test_integers_join_with_numbers():
    assert found("P(1). R(1.0). P(X), R(X) -> Q(X).") == {(1,)}


def test_several_head_atoms():
    result = interpreted("P(1,2). P(X,Y) -> Q(X), R(Y).")
    assert (result.facts["Q"], result.facts["R"]) == ({(1,)}, {(2,)})


def test_no_arguments():
    assert found("P(1). P(X), X > 0 -> Yes(). Yes() -> Q(1).") == {(1,)}
    assert found("P(0). P(X), X > 0 -> Yes(). Yes() -> Q(1).") == set()


def test_recursion():
    linear = EDGES + "E(X,Y) -> Q(X,Y). Q(X,Y), E(Y,Z) -> Q(X,Z)."
    double = EDGES + "E(X,Y) -> Q(X,Y). Q(X,Y), Q(Y,Z) -> Q(X,Z)."
    closure = {(x, y) for x in (1, 2, 3) for y in (1, 2, 3, 4)}
    assert found(linear) == found(double) == closure


def test_mutual_recursion():
    text = (
        "N(0). N(1). N(2). N(3). S(0,1). S(1,2). S(2,3). Even(0). Even(X), S(X,Y) -> Odd(Y). Odd(X), S(X,Y) -> Even(Y)."
    )
    assert found(text, "Even") == {(0,), (2,)}
    assert found(text, "Odd") == {(1,), (3,)}


def test_items_in_any_order():
    assert found("P(3). Z = Y + 1, Y > 2, Y = X * 2, P(X) -> Q(Z).") == {(7,)}
    assert found("P(3). X + 1 = Y, P(X) -> Q(Y).") == {(4,)}
    assert found("P(3). P(4). X = 3, P(X) -> Q(X).") == {(3,)}


def test_expressions_in_arguments():
    assert found("P(1). R(2,5). P(X), R(X + 1, Y) -> Q(Y - X).") == {(4,)}
    assert found("P(1,0). P(1,2). P(X,Y) -> Q(X / Y).") == {(0.5,)}


def test_a_head_without_a_value_gives_no_fact_at_all():
    result = interpreted("P(1,0). P(X,Y) -> Q(X / Y), R(X).")
    assert (result.facts["Q"], result.facts["R"]) == (set(), set())


def test_negation():
    assert found("P(1). P(2). R(2). P(X), not R(X) -> Q(X).") == {(1,)}
    assert found("P(1). P(2). R(2,7). P(X), not R(X,Z) -> Q(X).") == {(1,)}
    assert found("P(1). P(2). R(2,7). P(X), not R(X,_) -> Q(X).") == {(1,)}
    assert found("P(1). P(2). R(3). P(X), not R(X + 1) -> Q(X).") == {(1,)}


def test_negated_conjunctions():
    facts = "P(1). P(2). P(3). R(1,5). R(2,1). S(5). S(1). "
    assert found(facts + "P(X), not (R(X,Y), S(Y), Y > 1) -> Q(X).") == {(2,), (3,)}
    assert found(facts + "P(X), P(Z), Z = 3, not (R(X,Y), Y > Z) -> Q(X).") == {(2,), (3,)}
    assert found(facts + "P(X), not (R(X,Y), not S(Y)) -> Q(X).") == {(1,), (2,), (3,)}
    assert found("P(1). R(1,0). P(X), not (R(X,Y), 1 / Y > 0) -> Q(X).") == {(1,)}


def test_unsafe_rules_are_refused():
    for text in [
        "P(X), Y > 1 -> Q(X).",
        "P(X), not R(Y), Y > X -> Q(X).",
        "P(X), X = Y -> R(X), Q(Z). P(X), Z > 1 -> Q(X).",
    ]:
        with pytest.raises(RuleError, match="no value for"):
            interpreted(text)


def test_unstratified_programs_are_refused():
    with pytest.raises(RuleError, match="its own negation"):
        interpreted("P(X), not Q(X) -> R(X). R(X) -> Q(X).")
    assert found("P(1). P(2). A(1). A(X) -> R(X), S(X). P(X), not R(X) -> S(X).", "S") == {(1,), (2,)}


def test_comparisons():
    facts = 'P(1,"a"). P(2,"b"). P(3,"c"). '
    assert found(facts + "P(X,A), X != 2 -> Q(X).") == {(1,), (3,)}
    assert found(facts + "P(X,A), X <= 2, X >= 2 -> Q(X).") == {(2,)}
    assert found(facts + 'P(X,A), A > "a", A < "c" -> Q(X).') == {(2,)}
    assert found('P(date("2026-01-31")). P(D), D < date("2026-02-01") -> Q(year(D)).') == {(2026,)}


def test_unknown_values():
    inputs = {"P": [(1, None), (2, "b"), (3, math.nan)]}
    assert found("P(X,A), A is null -> Q(X).", inputs=inputs) == {(1,), (3,)}
    assert found("P(X,A), A is not null -> Q(X).", inputs=inputs) == {(2,)}
    assert found('P(X,A), A != "b" -> Q(X).', inputs=inputs) == {(1,), (3,)}
    assert found('P(X,A), A = "b" -> Q(X).', inputs=inputs) == {(2,)}
    assert found('P(X,A), A < "z" -> Q(X).', inputs=inputs) == {(2,)}
    assert found("P(X,A), P(Y,A) -> Q(X,Y).", inputs=inputs) == {(1, 1), (2, 2), (3, 3)}
    assert found("P(X,A), B = upper(A) -> Q(X).", inputs=inputs) == {(2,)}
    assert found('P(X,A), A in {"a", "b"} -> Q(X).', inputs=inputs) == {(2,)}
    assert found('P(X,A), A not in {"a", "b"} -> Q(X).', inputs=inputs) == {(1,), (3,)}
    assert found('P(X,A), not (P(X,A), A < "z") -> Q(X).', inputs=inputs) == {(1,), (3,)}


def test_given_nulls_keep_their_identity():
    rows = {"P": [(1, Null(4)), (2, Null(4)), (3, None)]}
    assert found("P(X,A), P(Y,A), X < Y -> Q(X,Y).", inputs=rows) == {(1, 2)}


def test_case():
    assert found("P(1). P(5). P(X), R = case X < 3 and X > 0 then 1 else 0 -> Q(X,R).") == {(1, 1), (5, 0)}
    assert found("P(0). P(2). P(X), R = case X != 0 then 4 / X else 9 -> Q(R).") == {(9,), (2.0,)}
    assert found("P(X), R = case X < 3 then 1 else 0 -> Q(R).", inputs={"P": [(None,), (1,)]}) == {(1,)}


def test_collections():
    assert found("P(1). P(X), Y in {X, 7} -> Q(Y).") == {(1,), (7,)}
    assert found("P(1). P(X), Y in [7, X, 7] -> Q(Y).") == {(1,), (7,)}
    assert found("P(1). P(2). P(X), X in {2, 3} -> Q(X).") == {(2,)}
    assert found("P(1). P(2). P(X), X not in {2, 3} -> Q(X).") == {(1,)}
    assert found("P(1). P(X), S = {X} union {2}, Y in S -> Q(Y, size(S)).") == {(1, 2), (2, 2)}
    assert found("P(1). P(X) -> Q({X, 2} minus {1}).") == {(frozenset({2}),)}
    assert found("P(1). P(X), {X} subset of {1, 2}, {1, 2} intersect {2} subset of {2} -> Q(X).") == {(1,)}
    assert found('P(1). P(X) -> Q((X, "a")).') == {(PairValue(1, "a"),)}


RECORD = 'P(1, "Area", "North"). P(1, "Sector", "S"). P(I,A,V), R = munion((A, V)) -> T(I, R). '


def test_records():
    whole = {"Area": "North", "Sector": "S"}
    assert found(RECORD, "T") == {(1, record(whole))}
    assert found(RECORD + "T(I,R), A in R -> Q(A).") == {("Area",), ("Sector",)}
    assert found(RECORD + 'T(I,R), V = R["Area"] -> Q(V).') == {("North",)}
    assert found(RECORD + 'T(I,R), V = R["Nope"] -> Q(V).') == set()
    assert found(RECORD + 'T(I,R), not (V = R["Nope"]) -> Q(I).') == {(1,)}
    assert found(RECORD + 'T(I,R) -> Q(R[{"Area", "Nope"}]).') == {(record({"Area": "North"}),)}
    assert found(RECORD + 'T(I,R) -> Q(R["Area" := "South"]).') == {(record(whole | {"Area": "South"}),)}
    assert found(RECORD + 'T(I,R) -> Q(R minus ("Area", _)).') == {(record({"Sector": "S"}),)}
    assert found(RECORD + 'T(I,R), R["Area" := "x"] subset of R -> Q(I).') == set()
    assert found(RECORD + "T(I,R) -> Q(keys(R), size(R)).") == {(frozenset(whole), 2)}
    assert found(RECORD + 'T(I,R), Q1 = R["Area"], Q1 = "North" -> Q(I).') == {(1,)}


def test_packing_and_unpacking():
    text = RECORD + '@param("S", ["Area"]). T(I,R) -> U(I, *R[$S]). U(I, Q*), T(I,R), Q = R[$S] -> Q(I, Q).'
    assert found(text) == {(1, record({"Area": "North"}))}


def test_parameters():
    text = '@param("k", 2). P(1). P(2). P(3). P(X), X > $k -> Q(X).'
    assert found(text) == {(3,)}
    assert found(text, parameters={"k": 1}) == {(2,), (3,)}
    with pytest.raises(RuleError, match=r"\$j"):
        interpreted("P(X), X > $j -> Q(X).")


def test_similarity_is_the_callers():
    text = 'A("Area"). A("Sector"). A(X), X ~ "area" -> Q(X).'
    assert found(text, similarity=lambda a, b: a.casefold() == b.casefold()) == {("Area",)}
    with pytest.raises(ReasoningError, match="similarity"):
        found(text)


def test_functions_as_conditions():
    assert found('A("Area"). A("Sector"). A(X), contains(X, "ect") -> Q(X).') == {("Sector",)}


def test_a_run_without_end_is_stopped():
    with pytest.raises(ReasoningError, match=r"more than 50 facts"):
        interpreted("P(0). P(X) -> P(X + 1).", limit=50)


def test_every_predicate_has_facts_even_if_none():
    assert interpreted("P(X) -> Q(X).").facts == {"P": set(), "Q": set()}
