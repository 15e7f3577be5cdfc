"""What depends on what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.rules.logic.dependencies import (
    Edge,
    EdgeKind,
    components,
    cycle,
    edges,
    is_recursive,
    predicates,
    version_rules,
    versioned,
)
from tacita.rules.logic.program import Program, Rule
from tacita.rules.syntax import parse

ANY = Rule((), ())


def program(text: str) -> Program:
    parsed = parse(text, "program")
    assert not parsed.faults
    return parsed.program


def shown(found: tuple[Edge, ...]) -> set[str]:
    signs = {EdgeKind.POSITIVE: "->", EdgeKind.NEGATIVE: "-not->", EdgeKind.AGGREGATE: "-sum->"}
    return {f"{edge.source} {signs[edge.kind]} {edge.target}" for edge in found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a(X), b(X) -> c(X).", {"a -> c", "b -> c"}),
        ("a(X), not b(X) -> c(X).", {"a -> c", "b -not-> c"}),
        ("a(X), not (b(X), not d(X)) -> c(X).", {"a -> c", "b -not-> c", "d -not-> c"}),
        ("a(X), b(X), not b(Y) -> c(X), d(X).", {"a -> c", "a -> d", "b -> c", "b -> d", "b -not-> c", "b -not-> d"}),
        ("a(X) -> c(X), d(X).", {"a -> c", "a -> d"}),
        ("a(X) -> exists Z: c(X, Z), d(Z).", {"a -> c", "a -> d", "c -> d", "d -> c"}),
        ("a(X), #risk(X, R) -> #mask(X).", {"a -> #mask", "#risk -> #mask"}),
        ("a(X) -> false.", set()),
        # aggregates whose use stays true once it is true, and others
        ("a(X, W), msum(W, <X>) > 1 -> c(X).", {"a -> c"}),
        ("a(X, W), 1 <= msum(W, <X>) -> c(X).", {"a -> c"}),
        ("a(X, W), S = msum(W, <X>), S > 1 -> c(X).", {"a -> c"}),
        ("a(X, W), S = msum(W, <X>), T = S, T > 1 -> c(X, T).", {"a -> c"}),
        ("a(X, W), size(munion(W)) > 1 -> c(X).", {"a -> c"}),
        ("a(X, W), mmin(W) < 1 -> c(X).", {"a -> c"}),
        ("a(X, W) -> c(X, mmin(W)).", {"a -> c"}),
        ("a(X, W) -> c(X, mprod(W)).", {"a -sum-> c"}),
        ("a(X, W), mmin(W) > 1 -> c(X).", {"a -sum-> c"}),
        ("a(X, W), msum(W) = 1 -> c(X).", {"a -sum-> c"}),
        ("a(X, W), msum(W) > mcount(<W>) -> c(X).", {"a -sum-> c"}),
        ("a(X, W), munion(W) > 1 -> c(X).", {"a -sum-> c"}),
        ("a(X, W), S = msum(W), R = 1 / S -> c(X, R).", {"a -sum-> c"}),
        ("a(X, W), S = msum(W), S > 1, S != 3 -> c(X).", {"a -sum-> c"}),
        ("a(X, W), S = sum(W), S > 1 -> c(X).", {"a -sum-> c"}),
        ("a(X, W), S = mcount(<W>), not b(S) -> c(X).", {"a -sum-> c", "b -not-> c"}),
        # equality rules change what carries the values, and where their nulls come from
        ("a(X, Y), b(X), a(X, Z) -> Y = Z.", {"a -> a", "b -> a"}),
        ("a(X, Y), d(X, Z) -> Y = Z.", {"a -> a", "a -> d", "d -> a", "d -> d"}),
        (
            "p(X) -> exists N: s(X, N). s(X, N) -> a(X, N). a(X, Y), a(X, Z) -> Y = Z.",
            {"p -> s", "s -> a", "a -> a", "a -> s"},
        ),
        (
            "p(X) -> exists N: s(X, N). s(X, N), N is not null -> a(X, N). a(X, Y), a(X, Z) -> Y = Z.",
            {"p -> s", "s -> a", "a -> a"},
        ),
    ],
)
def test_edges(text: str, expected: set[str]) -> None:
    assert shown(edges(program(text))) == expected


def test_unknown_values_of_the_data_flow_into_equality_rules() -> None:
    text = program("s(X, N) -> a(X, N). a(X, Y), a(X, Z) -> Y = Z.")
    assert "a -> s" not in shown(edges(text))
    assert "a -> s" in shown(edges(text, nullable=[("s", 1)]))
    assert "a -> s" not in shown(edges(text, nullable=[("s", 0)]))


VERSIONS = """
@versioned("Tuple", key = ["M", "I"]).
[1] Val(M, I, V) -> Tuple(M, I, V).
[2] Tuple(M, I, V), not Safe(I) -> Risky(I).
[3] Risky(I) -> Mask(I).
[4] Mask(I), Tuple(M, I, V), V is not null -> exists Z: Tuple(M, I, Z).
[5] Tuple(M, I, V), not Risky(I) -> Out(M, I, V).
[6] Out(M, I, V) -> Tuple(M, I, V).
"""


def test_rules_that_make_new_versions_wait() -> None:
    text = program(VERSIONS)
    assert [rule.label for rule in version_rules(text)] == ["4", "6"]
    assert versioned(text) == {"Tuple": ("M", "I")}
    cut = edges(text, versioned(text))
    assert {"Mask -> Tuple", "Tuple -> Tuple", "Out -> Tuple"} == shown(edges(text)) - shown(cut)
    assert "Val -> Tuple" in shown(cut)
    assert all(len(group) == 1 for group in components(predicates(text), cut))


def test_without_versions_nothing_waits() -> None:
    assert version_rules(program("a(X) -> b(X). b(X) -> a(X).")) == ()


def test_components_follow_the_text_where_they_may() -> None:
    text = program("z(X) -> y(X). y(X) -> x(X). x(X) -> y(X). a(X) -> z(X). b(1).")
    assert components(predicates(text), edges(text)) == (("a",), ("z",), ("y", "x"), ("b",))


@pytest.mark.slow
def test_a_deep_program_does_not_recurse() -> None:
    chain = [Edge(f"p{i}", f"p{i + 1}", EdgeKind.POSITIVE, ANY) for i in range(20_000)]
    assert len(components((), chain)) == 20_001
    circle = [*chain, Edge("p20000", "p0", EdgeKind.NEGATIVE, ANY)]
    (group,) = components((), circle)
    assert len(group) == 20_001
    assert len(cycle(circle, group)) == 20_001


LETTERS = st.sampled_from("abcdefg")


@given(st.lists(st.tuples(LETTERS, LETTERS), max_size=20))
def test_components_are_what_reaches_each_other_in_order(links: list[tuple[str, str]]) -> None:
    found = components("abcdefg", [Edge(a, b, EdgeKind.POSITIVE, ANY) for a, b in links])
    reach = {(a, a) for a in "abcdefg"} | set(links)
    while more := {(a, d) for a, b in reach for c, d in reach if b == c} - reach:
        reach |= more
    place = {node: number for number, group in enumerate(found) for node in group}
    assert sorted(place) == list("abcdefg")
    for a in place:
        for b in place:
            assert (place[a] == place[b]) == ((a, b) in reach and (b, a) in reach)
            assert place[a] <= place[b] or (a, b) not in reach


@given(st.lists(st.tuples(LETTERS, LETTERS), min_size=1, max_size=20))
def test_a_cycle_goes_round_once_inside_its_component(links: list[tuple[str, str]]) -> None:
    every = [Edge(a, b, EdgeKind.POSITIVE, ANY) for a, b in links]
    for group in components("abcdefg", every):
        for bad in (e for e in every if e.source in group and e.target in group):
            found = cycle(every, group, bad)
            assert found[0] is bad
            assert all(a.target == b.source for a, b in zip(found, (*found[1:], found[0]), strict=True))
            assert len({edge.source for edge in found}) == len(found)
        if not is_recursive(group, every):
            assert cycle(every, group) == ()
