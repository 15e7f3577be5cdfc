"""Same up to the names of nulls, and homomorphic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.rules import Null, homomorphic, maps_into, record, same_up_to_nulls

N = [Null(number) for number in range(10)]


def cycle(nulls):
    return {"E": [(nulls[at], nulls[(at + 1) % len(nulls)]) for at in range(len(nulls))]}


def test_renaming_is_one_to_one():
    assert same_up_to_nulls({"P": [(N[1], N[1])]}, {"P": [(N[5], N[5])]})
    assert not same_up_to_nulls({"P": [(N[1], N[1])]}, {"P": [(N[1], N[2])]})
    assert not same_up_to_nulls({"P": [(N[1], N[2])]}, {"P": [(N[1], N[1])]})
    assert not same_up_to_nulls({"P": [(N[1],)]}, {"P": [("a",)]})
    assert not same_up_to_nulls({"P": [(1,)]}, {"P": [(True,)]})
    assert not same_up_to_nulls({"P": [(1,)]}, {"Q": [(1,)]})
    assert same_up_to_nulls({"P": [(1,)], "Q": []}, {"P": [(1.0,)]})


def test_nulls_are_the_same_across_predicates():
    assert same_up_to_nulls({"P": [(N[1],)], "Q": [(N[1],)]}, {"P": [(N[3],)], "Q": [(N[3],)]})
    assert not same_up_to_nulls({"P": [(N[1],)], "Q": [(N[1],)]}, {"P": [(N[3],)], "Q": [(N[4],)]})


def test_colours_alone_do_not_decide():
    # Every null looks the same in both: two triangles, and a ring of six.
    triangles = {"E": [*cycle(N[:3])["E"], *cycle(N[3:6])["E"]]}
    assert not same_up_to_nulls(triangles, cycle(N[:6]))
    assert same_up_to_nulls(triangles, {"E": [*cycle(N[6:9])["E"], *cycle([N[0], N[5], N[2]])["E"]]})
    assert same_up_to_nulls(cycle(N[:6]), cycle(N[3:9]))
    assert homomorphic(triangles, cycle(N[:3]))
    assert not homomorphic(cycle(N[:6]), cycle(N[:3]))
    assert maps_into(cycle(N[:6]), cycle(N[:3]))


def test_nulls_inside_values():
    a = {"P": [(record({"x": N[1]}), frozenset({N[1], N[2], "c"}))]}
    assert same_up_to_nulls(a, {"P": [(record({"x": N[8]}), frozenset({N[8], N[7], "c"}))]})
    assert not same_up_to_nulls(a, {"P": [(record({"x": N[6]}), frozenset({N[8], N[7], "c"}))]})
    assert maps_into(a, {"P": [(record({"x": 1}), frozenset({1, "c"}))]})
    assert not maps_into(a, {"P": [(record({"x": 1}), frozenset({2, 3, "c"}))]})
    assert not maps_into(a, {"P": [(record({"x": 1}), frozenset({1, 2, 3, "c"}))]})


def test_numbers_are_compared_with_a_tolerance():
    assert same_up_to_nulls({"P": [(0.1 + 0.2,)]}, {"P": [(0.3,)]})
    assert not same_up_to_nulls({"P": [(0.3 + 1e-9,)]}, {"P": [(0.3,)]})
    assert homomorphic({"P": [(0.1 + 0.2,)]}, {"P": [(0.3,)]})


def test_homomorphism_is_weaker():
    bigger = {"P": [(1, N[1]), (1, 2), (1, N[2])]}
    assert homomorphic(bigger, {"P": [(1, 2)]})
    assert not same_up_to_nulls(bigger, {"P": [(1, 2)]})
    assert not homomorphic({"P": [(1, 2)]}, {"P": [(1, N[1])]})


values = st.one_of(st.integers(0, 2), st.builds(Null, st.integers(0, 5)))


@pytest.mark.slow
@given(st.lists(st.tuples(values, values), max_size=8), st.permutations(range(6)), st.randoms(use_true_random=False))
def test_a_renamed_set_of_facts_is_the_same(rows, names, random):
    renamed = [tuple(Null(names[v.number] + 10) if isinstance(v, Null) else v for v in row) for row in rows]
    random.shuffle(renamed)
    assert same_up_to_nulls({"P": rows}, {"P": renamed})
    assert homomorphic({"P": rows}, {"P": renamed})


@given(st.lists(st.tuples(values, values), max_size=6), st.lists(st.tuples(values, values), max_size=6))
def test_the_same_is_homomorphic(a, b):
    if same_up_to_nulls({"P": a}, {"P": b}):
        assert homomorphic({"P": a}, {"P": b})
