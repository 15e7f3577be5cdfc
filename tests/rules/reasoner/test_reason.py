"""What programs mean, one construct at a time, and what happens to inputs that go wrong."""

from __future__ import annotations

import datetime

import pytest

from tacita.errors import InputError, ReasoningError, RuleError
from tacita.rules.passes.externals import Batch
from tacita.rules.reasoner import Budget, Null, ReasoningOptions, Record, reason


def facts(text, predicate="Q", inputs=None, **options):
    result = reason(text, inputs, options=ReasoningOptions(**options))
    found = result.facts(predicate)
    result.close()
    return found


# -- terms and conditions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P(1). P(2). P(X), Y = X * 2 + 1 -> Q(X, Y).", [(1, 3), (2, 5)]),
        ('P(3). P(X), Z = case X > 1 and X < 5 then "in" else "out" -> Q(Z).', [("in",)]),
        ('P({"a", "b"}). P(S), X in S -> Q(X).', [("a",), ("b",)]),
        ("P([1, 2], 3). P(L, X), size(L) = 2, X not in L -> Q(X).", [(3,)]),
        ('P(("x", 3)). P(V), A = first(V), B = second(V) -> Q(A, B).', [("x", 3)]),
        ('P("a"). P(X), Y = {X} union {"b"} minus {"a"} -> Q(Y).', [(frozenset({"b"}),)]),
        ('P("x", 1). P(X, Y), Z = X + "y" + text(Y) -> Q(Z).', [("xy1",)]),
        ('P("Ä b"). P(X), contains(X, " "), Y = upper(trim(X)), N = length(X) -> Q(Y, N).', [("Ä B", 3)]),
        (
            'P(date("2026-01-31")). P(D), E = add_days(D, 30), E > D -> Q(year(E), E, days_between(D, E)).',
            [(2026, datetime.date(2026, 3, 2), 30)],
        ),
        ("P(7). P(X), Y = X / 2, Z = mod(X, 4), W = round(Y, 0) -> Q(Y, Z, W).", [(3.5, 3, 4.0)]),
        ("P(1). P(X), X / 0 > 1 -> Q(X).", []),
        ("P(1). P(X), X / 0 != 1 -> Q(X).", []),
        ('P("abc"). P(X), Y = number(X) -> Q(Y).', []),
        ("P(1). P(2.5). P(X), X > 2 -> Q(X).", [(2.5,)]),
        ("p(). p(), not r() -> Q(1). r() :- s(2). s(X) :- t(X), X > 2. t(1).", [(1,)]),
        ("select(1, 2). 'group by'(X, Y) :- select(X, Y). 'group by'(X, _) -> Q(X).", [(1,)]),
    ],
)
def test_terms(text, expected):
    assert facts(text) == expected


def test_records_are_read_changed_and_cut():
    text = """
    V("r1", "a", 1). V("r1", "b", 2). V(I, A, X), R = munion((A, X)) -> T(I, R).
    T(I, R), X = R["a"], R2 = R["c" := 5], "c" in R2, R subset of R2 -> Q(X, size(R), keys(R2), R2[{"a", "c"}]).
    """
    assert facts(text) == [(1, 2, frozenset({"a", "b", "c"}), Record((("a", 1), ("c", 5))))]


def test_values_are_never_read_as_sql():
    nasty = "O'Brien\"; DROP TABLE x; --\\"
    assert facts("P(X), Y = X + X -> Q(X, Y).", inputs={"P": [(nasty,)]}) == [(nasty, nasty + nasty)]


@pytest.mark.slow
def test_a_long_chain_of_terms_is_not_written_out():
    chain = ", ".join(f"X{i + 1} = X{i} + X{i}" for i in range(40))
    assert facts(f"P(1). P(X0), {chain} -> Q(X40).") == [(2**40,)]


def test_a_rule_joined_with_itself_ten_times():
    atoms = ", ".join(f"E(X{i}, X{i + 1})" for i in range(10))
    assert facts(f"E(1, 2). E(2, 3). E(3, 1). {atoms} -> Q(X0, X10).") == [(1, 2), (2, 3), (3, 1)]


# -- nulls -------------------------------------------------------------------------------------------------------------


def test_missing_values_are_nulls_of_their_own():
    rows = [("a", None), ("b", float("nan")), ("c", 2.0), ("d", 2.0)]
    text = "P(X, Y), Y is null -> N(X). P(X, Y), not (P(Z, Y), Z != X) -> Alone(X). P(X, Y), Y > 1 -> Q(X)."
    result = reason(text, {"P": rows})
    assert result.facts("N") == [("a",), ("b",)]
    assert result.facts("Alone") == [("a",), ("b",)]
    assert result.facts("Q") == [("c",), ("d",)]


def test_unknown_values_are_not_added_up():
    with pytest.raises(ReasoningError, match="unknown in 1 of its matches"):
        reason("P(X, Y), S = msum(Y) -> Q(S).", {"P": [("a", None), ("b", 1.0)]})


def test_a_condition_on_an_unknown_value_takes_neither_branch():
    text = "P(X, Y), R = case Y < 2 then 1 else 0 -> Q(X, R)."
    assert facts(text, inputs={"P": [("a", None), ("b", 1.0)]}) == [("b", 1)]


# -- aggregates --------------------------------------------------------------------------------------------------------


def test_sums_do_not_depend_on_the_order():
    rows = [("c", f"o{i}", share) for i, share in enumerate([0.1, 0.2, 0.2])]
    assert facts("Own(C, O, W), S = msum(W, <O>), S > 0.5 -> Q(C).", inputs={"Own": rows}) == []
    assert facts("Own(C, O, W), S = msum(W, <O>) -> Q(C, S).", inputs={"Own": rows}) == [("c", 0.5)]


def test_a_recursive_minimum_is_final():
    text = """
    E(1, 2, 5). E(2, 3, 1). E(1, 3, 10). E(3, 1, 1).
    E(X, Y, W) -> D(X, Y, W).  D(X, Z, A), E(Z, Y, B), C = mmin(A + B) -> D(X, Y, C).
    """
    # What the first rule says stays: the edges themselves. Of the second only the shortest is a fact.
    assert facts(text, "D")[:5] == [(1, 1, 7), (1, 2, 5), (1, 2, 12), (1, 3, 6), (1, 3, 10)]


def test_negative_values_in_a_recursive_sum_are_refused():
    text = "C(X, X) :- O(X, _, _). C(X, Z), O(Z, Y, W), msum(W, <Z>) > 0.5 -> C(X, Y)."
    with pytest.raises(ReasoningError, match="negative"):
        reason(text, {"O": [("a", "b", -0.2)]})


# -- chase, equality, denials ------------------------------------------------------------------------------------------


def test_an_endless_chase_that_is_warded_ends():
    result = reason('Person("a"). Person(X) -> exists Y: Parent(X, Y), Person(Y).')
    assert len(result.facts("Parent")) == 2


def test_a_term_around_a_new_null_is_made_once():
    text = 'F(1, "a", 2). F(I, S, V), R = munion((S, V)) -> T(I, R). T(I, R) -> exists Z: Q(I, R["a" := Z]).'
    [(one, record)] = facts(text)
    assert one == 1
    assert isinstance(record["a"], Null)


def test_equality_rules_merge_nulls_everywhere():
    text = """
    Emp("a"). Emp("b"). Emp("c"). Same("a", "b").
    Emp(X) -> exists D: Works(X, D), Dept(D).  Works(X, D), Works(Y, E), Same(X, Y) -> D = E.
    """
    result = reason(text)
    works = dict(result.facts("Works"))
    assert works["a"] == works["b"] != works["c"]
    assert result.count("Dept") == 2


def test_policies_of_violations():
    text = 'Cat("a", "x"). Cat("a", "y"). Cat("b", "y"). [4] Cat(A, C1), Cat(A, C2) -> C1 = C2. Cat(A, C) -> Q(A, C).'
    asked = reason(text)
    [violation] = asked.violations
    assert violation.clash == ("x", "y")
    assert violation.values == {"A": "a"}
    assert violation.facts == (("Cat", ("a", "x")), ("Cat", ("a", "y")))
    assert asked.count("Q") == 3
    with pytest.raises(ReasoningError, match="equality rule"):
        reason(text.replace("[4]", '@on_violation("fail") [4]'))
    apart = reason(text.replace("[4]", '@on_violation("quarantine") [4]'))
    assert apart.facts("Q") == [("b", "y")]
    assert apart.quarantined("Cat") == [("a", "x"), ("a", "y")]


def test_a_denial_stops_a_run_and_says_how_often():
    with pytest.raises(ReasoningError, match="too large: 2 cases"):
        reason('P(3). P(5). P(1). [d] P(X), X > 2 -> false "too large".')


# -- externals ---------------------------------------------------------------------------------------------------------


def test_a_function_behind_an_external_predicate():
    asked = []

    def half(name: str) -> float | None:
        asked.append(name)
        return None if name == "c" else len(name) / 2

    text = 'P("a"). P("bb"). P("c"). P(X), #half(X, Y), Y >= 0.5 -> Q(X, Y).'
    assert facts(text, functions={"half": half}) == [("a", 0.5), ("bb", 1.0)]
    assert sorted(asked) == ["a", "bb", "c"]
    batch = Batch(lambda rows: [(x, len(x)) for (x,) in rows], inputs=1, gives=(int,))
    assert facts(text.replace("0.5", "1"), functions={"half": batch}) == [("a", 1), ("bb", 2), ("c", 1)]


def test_what_a_function_raises_does_not_tell_values():
    def broken(name: str) -> float:
        raise ValueError(name)

    with pytest.raises(ReasoningError) as caught:
        reason('P("secret"). P(X), #f(X, Y) -> Q(Y).', options=ReasoningOptions(functions={"f": broken}))
    assert "ValueError" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def test_an_endless_run_is_stopped_and_its_rule_named():
    with pytest.raises(ReasoningError, match=r"no end after 40 rounds.*\[loop\]"):
        reason("P(0). [loop] P(X) -> P(X + 1).", options=ReasoningOptions(budget=Budget(rounds=40)))


def test_numbers_beyond_64_bits_are_refused():
    with pytest.raises(ReasoningError, match=r"^program:2:1: a whole number grew beyond 64 bits"):
        reason("P(9223372036854775807).\nP(X), Y = X + 1 -> Q(Y).")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('P(1). P("a").', "R411"),
        ('P("a"). Q(1). P(X), Q(X) -> R(X).', "R412"),
        ('P("a"). P(X), X > 1 -> R(X).', "R412"),
        ('P("a"). P(X), Y = X * 2 -> R(Y).', "R413"),
        ("P(3). P(X), Y = upper(X) -> R(Y).", "R413"),
    ],
)
def test_types_that_do_not_fit(text, code):
    with pytest.raises(RuleError) as caught:
        reason(text)
    assert [fault.code for fault in caught.value.faults] == [code]


def test_inputs_that_do_not_fit():
    with pytest.raises(InputError, match="2 columns for P, which has 1 argument"):
        reason("P(X) -> Q(X).", {"P": [(1, 2)]})
    with pytest.raises(InputError, match="different types"):
        reason("P(X) -> Q(X).", {"P": [(1,), ("a",)]})
    assert facts("P(X) -> Q(X).", inputs={"P": []}) == []


@pytest.mark.slow
def test_many_rules():
    number = 300
    chain = "P0(1). " + " ".join(f"P{i}(X) -> P{i + 1}(X)." for i in range(number))
    assert facts(chain, f"P{number}") == [(1,)]
    wide = " ".join(f'F(X, "{i}", Y), Y > {i} -> G(X, {i}).' for i in range(number))
    assert facts(wide, "G", inputs={"F": [(1, "3", 100), (2, "5", 1)]}) == [(1, 3)]


def test_the_same_run_gives_the_same_labels():
    text = 'E("b"). E("a"). E("c"). E(X) -> exists Y: M(Y, X).'
    assert facts(text, "M") == facts(text, "M")


def test_a_null_that_becomes_a_constant_does_so_in_every_atom_of_its_rule():
    text = 'Emp("a"). Known("a", "it"). Emp(X) -> exists D: Works(X, D), Dept(D). Works(X, D), Known(X, K) -> D = K.'
    assert facts(text, "Dept") == [("it",)]
