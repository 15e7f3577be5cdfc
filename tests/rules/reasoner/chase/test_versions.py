"""Versioned predicates: keys, epochs, and what an older version may no longer do; the oracle says the same."""

from __future__ import annotations

import pytest
from tests.rules.generated import assert_same

from tacita.errors import InputError, ReasoningError, RuleError
from tacita.rules.reasoner import Null, ReasoningOptions, reason
from tacita.rules.reasoner.program import Budget

# -- keys --------------------------------------------------------------------------------------------------------------

SECOND_COLUMN = """@versioned("T", key = ["id"]). @input("T", ["grp", "id", "v"]).
T(G, X, V), V > 3 -> T(G, X, V - 1)."""


def test_a_key_is_named_by_columns_wherever_they_are():
    facts = {"T": [("g", 1, 5), ("g", 2, 2)]}
    assert reason(SECOND_COLUMN, facts).facts("T") == [("g", 1, 3), ("g", 2, 2)]
    assert_same(SECOND_COLUMN, facts)


@pytest.mark.parametrize("columns", ['"grp:text", "id", "v"', '"id", "grp", "v"'])
def test_columns_go_before_variables(columns):
    text = f'@versioned("T", key = ["id"]). @input("T", [{columns}]). T(A, id, V), V > 3 -> T(A, id, V - 1).'
    text = text.replace("id, V", "I, V")
    facts = {"T": [("g", 1, 5), ("h", 2, 2)]}
    assert_same(text, facts)


def test_rules_that_make_no_versions_do_not_name_the_key():
    text = """@versioned("V", key = ["I"]). @param("n", 3).
    V(J, I), Z(J) -> W(J, I).
    V(I, A), A < $n -> V(I, A + 1)."""
    facts = {"V": [(1, 0), (2, 7)], "Z": [(2,)]}
    result = reason(text, facts, options=ReasoningOptions(budget=Budget(rounds=50)))
    assert result.facts("V") == [(1, 3), (2, 7)]
    assert result.facts("W") == [(2, 7)]


@pytest.mark.parametrize(
    "rules",
    [
        "V(K, X), X < 3 -> V(K, X + 1).",
        "V(I, X), X < 3 -> V(I, X). V(J, I), J < 3 -> V(J, I).",
    ],
)
def test_a_key_that_nothing_names_is_a_fault_with_its_place(rules):
    with pytest.raises(RuleError, match=r"program:1:1: error R711: the key of V is I: no columns"):
        reason(f'@versioned("V", key = ["I"]).\n{rules}', {"V": [(1, 1)]})


def test_two_facts_of_one_key_are_refused_without_their_values():
    text = '@versioned("V", key = ["I"]). V(I, A) -> D(I). V(I, A), A < 3 -> V(I, A + 1).'
    with pytest.raises(InputError, match=r"1 key of the versioned predicate V with more than one fact \(key: I\)") as e:
        reason(text, {"V": [(77, 1), (77, 2), (8, 1)]})
    assert "77" not in str(e.value)
    with pytest.raises(ReasoningError, match=r"2 keys of the versioned predicate V .*"):
        reason(f"E(I, A) -> V(I, A). {text}", {"E": [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]})


@pytest.mark.slow
def test_a_key_may_be_unknown():
    text = '@versioned("V", key = ["K"]). V(K, X), X < 3 -> V(K, X + 1).'
    facts = {"V": [(None, 1), ("a", 1), (None, 2)]}
    assert {(type(k), x) for k, x in reason(text, facts).facts("V")} == {(Null, 3), (str, 3)}
    assert_same(text, facts)


# -- epochs ------------------------------------------------------------------------------------------------------------

STEP = '@versioned("V", key = ["I"]). V(I, A), A < 3 -> V(I, A + 1).'


def test_the_same_version_again_is_no_change():
    result = reason(
        '@versioned("V", key = ["K"]). V(1, 2). V(K, X) -> V(K, X).', options=ReasoningOptions(budget=Budget(rounds=20))
    )
    assert result.history.epochs == 1


@pytest.mark.slow
def test_a_rule_with_conclusions_of_both_halves():
    text = f"{STEP} Seed(X) -> A(X), D(X). V(I, A), A = 3 -> D(I). A(X), D(X) -> Both(X)."
    facts = {"V": [(1, 1), (2, 2)], "Seed": [(7,), (2,)]}
    result = reason(text, facts)
    assert result.facts("A") == [(2,), (7,)]
    assert result.facts("D") == [(1,), (2,), (7,)]
    assert_same(text, facts)


@pytest.mark.parametrize("head", ["V(I, A + 1), Log(I, A)", "Log(I, A), V(I, A + 1)"])
def test_a_version_rule_has_one_conclusion(head):
    with pytest.raises(RuleError, match=r"R712: rule \[r\] makes new versions, and concludes something else"):
        reason(f'@versioned("V", key = ["I"]). [r] V(I, A), A < 3 -> {head}.', {"V": [(1, 1)]})


@pytest.mark.slow
def test_an_equality_rule_over_both_halves():
    text = f"""{STEP}
    V(I, A) -> D(I, A).
    N(I) -> exists Y: E(I, Y).
    D(I, A), A = 3, K(X), E(I, Y), E(I, Z) -> Y = Z."""
    facts = {"V": [(1, 1)], "K": [(5,)], "N": [(1,)], "E": [(1, "a")]}
    assert reason(text, facts).facts("E") == [(1, "a")]
    assert_same(text, facts)


def test_an_equality_rule_looks_at_new_versions_too():
    text = """@versioned("V", key = ["I"]).
    V(I, A, B), A < 2 -> exists Z: V(I, A + 1, Z).
    V(I, A, B), F(I, C) -> B = C."""
    facts = {"V": [(1, 0, "x"), (2, 2, "y")], "F": [(1, "known")]}
    result = reason(text, facts)
    assert result.facts("V") == [(1, 2, "known"), (2, 2, "y")]


@pytest.mark.slow
def test_two_versioned_predicates_do_not_see_each_others_new_versions():
    text = """@versioned("V", key = ["I"]). @versioned("W", key = ["I"]).
    V(I, A), A < 3 -> V(I, A + 1).
    W(I, N, B), V(I, A), N < 3 -> W(I, N + 1, B + A)."""
    facts = {"V": [(1, 1)], "W": [(1, 1, 1)]}
    assert reason(text, facts).facts("W") == [(1, 3, 4)]
    assert_same(text, facts)


@pytest.mark.slow
def test_a_versioned_predicate_that_follows_another():
    text = """@versioned("V", key = ["I"]). @versioned("W", key = ["I"]).
    V(I, A), A < 3 -> V(I, A + 1).
    V(I, A) -> W(I, A).
    W(I, A), Stop(I, S), A = S -> W(I, -1).
    W(I, A) -> Seen(I, A)."""
    facts = {"V": [(1, 1), (2, 1)], "Stop": [(2, 2)]}
    assert reason(text, facts).facts("Seen") == [(1, 3), (2, -1)]
    assert_same(text, facts)


def test_facts_that_an_older_version_kept_out_come_back():
    text = f"""{STEP}
    V(I, A) -> D(I, A).
    @on_violation("quarantine")
    D(I, A), A < 3, K(I, X), L(I, Y) -> X = Y."""
    result = reason(text, {"V": [(1, 1)], "K": [(1, "a")], "L": [(1, "b")]})
    assert result.violations == ()
    assert result.quarantined("K") == result.quarantined("D") == []
    assert result.facts("K") == [(1, "a")]
    assert result.facts("D") == [(1, 3)]


def test_what_was_found_before_the_first_epoch_is_not_forgotten():
    text = f"""{STEP}
    @on_violation("quarantine")
    K(I, X), L(I, Y) -> X = Y."""
    result = reason(text, {"V": [(1, 1)], "K": [(1, "a")], "L": [(1, "b")]})
    assert len(result.violations) == 1
    assert result.quarantined("K") == [(1, "a")]
    assert result.facts("K") == []


LONG = '@versioned("V", key = ["I"]). V(I, A), A < 100 -> V(I, A + 1). V(I, A), Other(J) -> D(J, A).'


@pytest.mark.slow
def test_only_living_facts_count_for_the_budget():
    facts = {"V": [(1, 1)], "Other": [(i,) for i in range(10)]}
    result = reason(LONG, facts, options=ReasoningOptions(budget=Budget(facts=30)))
    assert result.run.facts == 1 + 10 + 10
    assert result.run.nulls == 0  # no rule makes any


@pytest.mark.slow
def test_tables_of_older_epochs_are_dropped():
    text = """@versioned("V", key = ["I"]). V(I, A), A < 25 -> V(I, A + 1).
    V(I, A) -> exists Z: D(I, Z).
    V(I, A), A = 25 -> C(I). C(X), E(X, Y), mcount(<X>) >= 1 -> C(Y)."""
    result = reason(text, {"V": [(1, 0)], "E": [(1, 2), (2, 3)], "C": [(9,)]})
    assert result.facts("C") == [(1,), (2,), (3,), (9,)]
    tables = result.run.engine._connection.execute("SHOW TABLES").fetchall()
    changes = len(result.history.changes)
    assert changes == 25
    assert len(tables) < changes + 15
    assert result.why("V(1, 25)", limit=None).is_complete
