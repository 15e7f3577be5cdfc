"""Versioned predicates: epochs, the choice of one binding, and what an older version may no longer do."""

from __future__ import annotations

import pytest
from tests.oracles.rules import Null, record, same_up_to_nulls
from tests.rules.generated import interpreted

from tacita.errors import ReasoningError, RuleError

COUNTING = """
@versioned("V", key = ["K"]).
V(1, 0). V(2, 5).
V(K, X), X < 3 -> V(K, X + 1).
V(K, X) -> Seen(K, X).
V(K, X), X >= 3 -> Done(K).
"""


def test_only_the_last_version_counts():
    result = interpreted(COUNTING)
    assert result.facts["V"] == {(1, 3), (2, 5)}
    assert result.facts["Seen"] == {(1, 3), (2, 5)}
    assert result.facts["Done"] == {(1,), (2,)}
    assert result.epochs == 3


def test_an_endless_change_is_stopped():
    with pytest.raises(ReasoningError, match="20 epochs"):
        interpreted(COUNTING.replace("X < 3", "X < 1000"), limit=20)


def test_the_same_version_again_is_no_change():
    assert interpreted('@versioned("V", key = ["K"]). V(1, 2). V(K, X) -> V(K, X).').epochs == 0


SUPPRESSION = """
@versioned("Tuple", key = ["M", "I"]).
@group_equality("maybe").
[1] Val(M, I, A, V), VSet = munion((A, V)) -> Tuple(M, I, VSet).
[2] Tuple(M, I, VSet), N = mcount(<I>) -> Group(M, N, *VSet).
[3] Tuple(M, I, VSet), Group(M, N, Q*), Q = VSet, N < 2 -> anonymize(I).
[4] Tuple(M, I, VSet), not anonymize(I) -> Safe(M, I, VSet).
@route(choose_one_per = ["M", "I"])
[5] Tuple(M, I, VSet), anonymize(I), Cat(M, A, "Quasi-identifier"), VSet[A] is not null
    -> exists Z: Tuple(M, I, VSet[A := Z]).
Cat("db", "Sector", "Quasi-identifier"). Cat("db", "Area", "Quasi-identifier").
"""
VALUES = {
    "Val": [
        ("db", 1, "Area", "North"),
        ("db", 1, "Sector", "S"),
        ("db", 2, "Area", "North"),
        ("db", 2, "Sector", "T"),
        ("db", 3, "Area", "South"),
        ("db", 3, "Sector", "T"),
    ]
}


def test_suppression_takes_attributes_in_the_order_of_their_categories():
    result = interpreted(SUPPRESSION, VALUES)
    one, two, three = Null(1), Null(2), Null(3)
    # All three are unique; each loses its sector. Then 1 and 2 may be the same, 3 still stands alone.
    expected = [
        ("db", 1, record({"Area": "North", "Sector": one})),
        ("db", 2, record({"Area": "North", "Sector": two})),
        ("db", 3, record({"Area": Null(4), "Sector": three})),
    ]
    assert same_up_to_nulls({"Safe": result.facts["Safe"]}, {"Safe": expected})
    assert result.facts["Safe"] == result.facts["Tuple"]
    assert result.facts["anonymize"] == set()
    assert result.epochs == 2


def test_a_route_by_value():
    text = SUPPRESSION.replace('["M", "I"])\n[5]', '["M", "I"], order = "A")\n[5]')
    result = interpreted(text, VALUES)
    # Area comes first now: 2 and 3 may be the same, 1 stands alone.
    assert sum(isinstance(row[2].get("Area"), Null) for row in result.facts["Safe"]) == 3
    assert sum(isinstance(row[2].get("Sector"), Null) for row in result.facts["Safe"]) == 1


def test_one_step_at_a_time():
    text = SUPPRESSION.replace('["M", "I"])\n[5]', '["M", "I"], step = "one")\n[5]')
    result = interpreted(text, VALUES)
    # Once 1 has lost its sector, it may be 2; only 3 is left.
    nulls = [part for row in result.facts["Safe"] for _, part in row[2].items if isinstance(part, Null)]
    assert len(nulls) < 4
    assert result.epochs == len(nulls)


def test_one_choice_for_several_keys():
    text = """@versioned("V", key = ["G", "K"]).
    V("g", 1, 0). V("g", 2, 0). V("h", 1, 0).
    @route(choose_one_per = ["G"])
    V(G, K, X), not Full(G), X < 1 -> V(G, K, X + 1).
    V(G, K, X), msum(X, <K>) >= 1 -> Full(G)."""
    assert interpreted(text).facts["V"] == {("g", 1, 1), ("g", 2, 0), ("h", 1, 1)}


def test_versions_of_derived_facts():
    text = """@versioned("V", key = ["K"]).
    B(1). B(2). B(K) -> V(K, "new").
    V(K, "new"), Old(K) -> V(K, "old"). B(K), K > 1 -> Old(K)."""
    assert interpreted(text).facts["V"] == {(1, "new"), (2, "old")}


def test_what_a_key_must_be():
    with pytest.raises(RuleError, match="key Nope"):
        interpreted('@versioned("V", key = ["Nope"]). V(K, X) -> V(K, X + 1).')
