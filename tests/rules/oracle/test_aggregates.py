"""Aggregates: final and in a recursion, with and without contributors."""

from __future__ import annotations

import pytest
from tests.oracles.rules import Null, record, same_up_to_nulls
from tests.rules.generated import interpreted

from tacita.errors import ReasoningError, RuleError


def found(text, predicate="Q", inputs=None, **options):
    return interpreted(text, inputs, **options).facts[predicate]


SALES = 'S("a",1,10). S("a",1,20). S("a",2,20). S("b",1,5). '


@pytest.mark.parametrize(
    ("aggregate", "a", "b"),
    [
        ("msum(V)", 50, 5),
        ("sum(V)", 50, 5),
        ("msum(V, <P>)", 40, 5),
        ("sum(V, <P>)", 40, 5),
        ("msum(1, <P>)", 2, 1),
        ("mprod(V)", 4000, 5),
        ("mprod(V, <P>)", 200, 5),
        ("prod(V, <P>)", 200, 5),
        ("mcount()", 3, 1),
        ("mcount(<P>)", 2, 1),
        ("mcount(V)", 2, 1),
        ("count(<P, V>)", 3, 1),
        ("mmin(V)", 10, 5),
        ("min(V)", 10, 5),
        ("mmax(V)", 20, 5),
        ("max(V)", 20, 5),
        ("avg(V)", 50 / 3, 5.0),
        ("avg(V, <P>)", 20.0, 5.0),
        ("munion(V)", frozenset({10, 20}), frozenset({5})),
        ("collect(V)", frozenset({10, 20}), frozenset({5})),
        ("msum(V * 2) + 1", 101, 11),
        ("size(munion(V))", 2, 1),
        ("msum(V) / mcount()", 50 / 3, 5.0),
    ],
)
def test_aggregates(aggregate, a, b):
    assert found(SALES + f"S(G,P,V), R = {aggregate} -> Q(G,R).") == {("a", a), ("b", b)}


def test_the_smallest_value_per_contributor_counts_in_a_product():
    text = "S(0.1,2). S(0.2,2). S(0.5,3). S(X,Y), J = mprod(X,<Y>) -> Q(J)."
    assert found(text) == {(0.05,)}


def test_sums_do_not_depend_on_the_order():
    assert found("S(0.1,1). S(0.2,2). S(0.2,3). S(X,Y), J = msum(X,<Y>) -> Q(J).") == {(0.5,)}
    assert found("S(0.1,1). S(0.2,2). S(X,Y), J = msum(X,<Y>) -> Q(J).") == {(0.3,)}


def test_blanks_make_no_different_matches():
    assert found("S(1,1). S(1,2). S(X,_), J = msum(X) -> Q(J).") == {(1,)}
    assert found("S(1,1). S(1,2). S(X,Y), J = msum(X) -> Q(J).") == {(2,)}


def test_the_group_is_what_the_head_says():
    assert found(SALES + "S(G,P,V), N = mcount(<V>) -> Q(N).") == {(3,)}
    assert found(SALES + "S(G,P,V), N = mcount(<V>) -> Q(P,N).") == {(1, 3), (2, 1)}
    assert found(SALES + "S(G,P,V), N = mcount(<V>) -> Q(G,N), R(P).") == {("a", 2), ("a", 1), ("b", 1)}
    assert found(SALES + "S(G,P,V), N = mcount(<V>) -> Q(P + 1, N).") == {(2, 3), (3, 1)}
    assert found(SALES + "S(G,P,V) -> Q(G, msum(V)).") == {("a", 50), ("b", 5)}


def test_conditions_on_aggregates_filter_groups():
    assert found(SALES + "S(G,P,V), mcount(<P>) > 1 -> Q(G).") == {("a",)}
    assert found(SALES + "S(G,P,V), N = mcount(<P>), N = 1 -> Q(G).") == {("b",)}
    assert found(SALES + "S(G,P,V), V > 5, N = mcount() -> Q(G,N).") == {("a", 3)}
    assert found(SALES + "S(G,P,V), S = msum(V), N = mcount(<P>), M = S / N, M > 5 -> Q(G,M).") == {("a", 25.0)}
    assert found(SALES + "T(2). S(G,P,V), N = mcount(<P>), not T(N) -> Q(G).") == {("b",)}
    assert found(SALES + 'S(G,P,V), R = case mcount() > 1 then "many" else "one" -> Q(G,R).') == {
        ("a", "many"),
        ("b", "one"),
    }


def test_each_rule_aggregates_on_its_own():
    assert found("A(1). A(2). B(5). A(X), S = msum(X) -> Q(S). B(X), S = msum(X) -> Q(S).") == {(3,), (5,)}


def test_no_match_no_group():
    assert found("A(X), N = mcount() -> Q(N).") == set()


def test_unknown_values_under_aggregates():
    inputs = {"A": [(1, None), (1, None), (2, 5)]}
    assert found("A(X,V), N = mcount(<V>) -> Q(X,N).", inputs=inputs) == {(1, 2), (2, 1)}
    assert found("A(X,V), N = mcount(V) -> Q(X,N).", inputs=inputs) == {(1, 2), (2, 1)}
    sets = found("A(X,V), N = munion(V) -> Q(X,N).", inputs=inputs)
    assert same_up_to_nulls({"Q": sets}, {"Q": [(1, frozenset({Null(1), Null(2)})), (2, frozenset({5}))]})
    for name in ("msum", "mprod", "mmin", "mmax", "sum", "prod", "min", "max", "avg"):
        with pytest.raises(ReasoningError, match="unknown value"):
            found(f"A(X,V), N = {name}(V) -> Q(X,N).", inputs=inputs)


def test_a_match_without_a_value_counts_nowhere():
    text = "A(1,0). A(1,2). A(2,0). A(X,Y), S = msum(4 / Y), N = mcount() -> Q(X,S,N)."
    assert found(text) == {(1, 2.0, 1)}


def test_records_and_sets_of_pairs():
    text = 'P(1,"a",1). P(1,"b",2). P(2,"a",1). P(I,A,V), R = munion((A,V)) -> Q(I,R).'
    rows = dict(found(text))
    assert rows[1] == record({"a": 1, "b": 2})
    assert len(dict(found("P(1,1). P(1,2). P(I,V), R = munion((I,V)) -> Q(I,R)."))[1]) == 2
    with pytest.raises(ReasoningError, match="two values"):
        found(text + 'P(2,"a",2).')


# -- in a recursion ----------------------------------------------------------------------------------------------------

OWN = 'Own("a","b",0.6). Own("a","c",0.25). Own("b","c",0.26). Own("c","d",0.5). Own("d","a",0.1). '
CONTROL = "Own(X,_,_) -> C(X,X). C(X,Z), Own(Z,Y,W), msum(W,<Z>) > 0.5 -> C(X,Y)."


def test_thresholds():
    assert {pair for pair in found(OWN + CONTROL, "C") if pair[0] != pair[1]} == {("a", "b"), ("a", "c")}
    text = "F(1,2). F(1,3). F(2,4). F(3,4). F(4,5). Start(1). Start(X) -> R(X). R(X), F(X,Y), mcount(<X>) >= 2 -> R(Y)."
    assert found(text + "Start(2). Start(3).", "R") == {(1,), (2,), (3,), (4,)}
    assert found(text, "R") == {(1,)}


def test_downward_thresholds():
    text = "P(1). L(1,2,0.5). L(1,3,0.9). L(2,3,0.5). P(X), L(X,Y,W), mprod(W,<X>) < 0.6 -> P(Y)."
    assert found(text, "P") == {(1,), (2,), (3,)}
    assert found(text.replace("0.6", "0.45"), "P") == {(1,)}


def test_the_smallest_of_the_values_that_rules_give():
    edges = "E(1,2,5). E(1,3,1). E(3,2,1). E(2,4,1). E(4,1,1). "
    short = (
        "E(X,Y,W), D = mmin(W) -> S(X,Y,D). S(X,Y,D1), E(Y,Z,W), D = mmin(D1 + W) -> S(X,Z,D). "
        "S(X,Y,D), M = min(D) -> Q(X,Y,M)."
    )
    rows = found(edges + short)
    assert {(y, d) for x, y, d in rows if x == 1} == {(2, 2), (3, 1), (4, 3), (1, 4)}
    assert len(rows) == 16
    through = "E(X,Y,W) -> C(X,Y,W). S(X,Y,D), E(Y,Z,W) -> C(X,Z,D + W). C(X,Y,D), M = mmin(D) -> S(X,Y,M)."
    assert found(edges + through, "S") == rows


LARGEST = "N(X,V), M = mmax(V) -> B(X,M). E(X,Y), B(Y,V), M = mmax(V) -> B(X,M)."


def test_largest_values_in_a_recursion():
    text = "N(1,3). N(2,7). N(3,1). E(1,2). E(2,1). E(3,1). "
    # What the first rule says stays beside what the second one says.
    assert found(text + LARGEST, "B") == {(1, 3), (1, 7), (2, 7), (3, 1), (3, 7)}


def test_what_a_replaced_value_led_to_is_gone():
    text = "N(1,3). N(2,7). E(1,2). E(3,1). B(X,V) -> Q(X,V). "
    assert found(text + LARGEST) == {(1, 3), (1, 7), (2, 7), (3, 7)}


def test_a_growing_set_in_a_recursion():
    text = 'L(1,"a"). L(2,"b"). E(1,2). E(2,1). E(X,Y) -> R(X,Y). R(X,Y), L(Y,T), size(munion(T)) >= 1 -> R(X,Y).'
    assert found(text, "R") == {(1, 2), (2, 1)}


@pytest.mark.parametrize(
    "rule",
    [
        "P(X), E(X,Y,W), S = msum(W), S < 3 -> P(Y).",
        "P(X), E(X,Y,W), mprod(W) > 0.5 -> P(Y).",
        "P(X), E(X,Y,W), N = mcount(<X>), N = 1 -> P(Y).",
        "P(X), E(X,Y,W), S = msum(W), R = 1 / S, R < 3 -> P(Y).",
        "P(X), E(X,Y,W), S = msum(W) -> P(S + Y).",
        "P(X), E(X,Y,W), sum(W) > 1 -> P(Y).",
        "P(X), E(X,Y,W), msum(W) > mcount(<X>) -> P(Y).",
        "P(X), E(X,Y,W), N = mcount(<X>), P(N) -> P(Y).",
        "P(X), E(X,Y,W), S = mprod(W) -> P(S).",
    ],
)
def test_other_uses_in_a_recursion_are_refused(rule):
    with pytest.raises(RuleError, match="not monotone"):
        interpreted(rule)


def test_values_out_of_range_in_a_recursion():
    with pytest.raises(ReasoningError, match="negative"):
        interpreted("P(1). E(1,2,-1). P(X), E(X,Y,W), msum(W) > 1 -> P(Y).")
    with pytest.raises(ReasoningError, match="outside 0 to 1"):
        interpreted("P(1). E(1,2,1.5). P(X), E(X,Y,W), mprod(W) < 0.5 -> P(Y).")
    assert found("P(1). E(1,2,-1). P(X), E(X,Y,W), S = msum(W) -> Q(Y,S).") == {(2, -1)}


def test_a_value_that_grows_without_end_is_stopped():
    with pytest.raises(ReasoningError, match="no fixpoint after 30 rounds"):
        interpreted("B(1,1). E(1,1). E(X,Y), B(Y,V), M = mmax(V + 1) -> B(X,M).", limit=30)


# -- groups of records that match maybe --------------------------------------------------------------------------------

TUPLES = {
    "Tuple": [
        ("db", 1, {"Area": "North", "Sector": "S", "W": 2}),
        ("db", 2, {"Area": None, "Sector": "S", "W": 3}),
        ("db", 3, {"Area": "South", "Sector": "S", "W": 4}),
        ("db", 4, {"Area": "South", "Sector": "T", "W": 5}),
    ]
}
K_ANONYMITY = """
@param("k", 2). @param("AnonSet", ["Area", "Sector"]).
[1] Tuple(M, I, VSet), R = mcount(<I>) -> TupleA(M, R, *VSet[$AnonSet]).
[2] Tuple(M, I, VSet), TupleA(M, R1, Q*), Q = VSet[$AnonSet], R = case R1 < $k then 1 else 0 -> Risk(I, R).
"""


def test_groups_by_maybe_match():
    text = '@group_equality("maybe").' + K_ANONYMITY
    assert found(text, "Risk", TUPLES) == {(1, 0), (2, 0), (3, 0), (4, 1)}
    assert sorted(row[1] for row in found(text, "TupleA", TUPLES)) == [1, 2, 2, 3]
    assert found(K_ANONYMITY, "Risk", TUPLES) == {(1, 1), (2, 1), (3, 1), (4, 1)}


def test_weights_by_maybe_match():
    text = """@group_equality("maybe").
    Tuple(M, I, VSet), S = msum(VSet["W"], <I>) -> A(M, S, *VSet[["Area", "Sector"]]).
    Tuple(M, I, VSet), A(M, S, Q*), Q = VSet[["Area", "Sector"]] -> Q(I, S)."""
    assert found(text, "Q", TUPLES) == {(1, 5), (2, 9), (3, 7), (4, 5)}
