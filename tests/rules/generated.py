"""Random small programs with random small inputs, and the comparison of the reasoner with its oracle.

Every strategy yields a program text and its inputs. The programs are safe, stratified and typed by construction, end on
any input, and mean the same in every order that the language leaves open; where two readings are possible
(which constant a null takes, which of two existential rules fires first) the programs do not ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from tests.oracles.rules import Null, Result, homomorphic, interpret, same_up_to_nulls
from tests.oracles.rules.values import Value, from_python
from tests.rules.layers import VALUES, Case, Draw, Inputs, inputs, literal, programs

from tacita.rules.logic.terms import Atom
from tacita.rules.syntax import parse

# -- the oracle and the comparison -------------------------------------------------------------------------------------


def interpreted(text: str, inputs: Mapping[str, Sequence[tuple[object, ...]]] | None = None, **options: Any) -> Result:
    """Return what the reference makes of a program text."""
    parsed = parse(text)
    assert not parsed.faults, "\n".join(fault.shown(text) for fault in parsed.faults)
    return interpret(parsed.program, inputs or {}, **options)


def derived(text: str) -> list[str]:
    """Return the predicates that the rules of a program derive."""
    heads = [item for rule in parse(text).program.rules for item in rule.head]
    return sorted({item.predicate for item in heads if isinstance(item, Atom)})


def assert_same(text: str, inputs: Inputs, *, up_to: str = "renaming", **options: Any) -> None:
    """Run the reasoner and its oracle and compare all derived facts, up to the names of nulls or up to homomorphism."""
    from tacita.rules.reasoner import ReasoningOptions, reason  # type: ignore[attr-defined, unused-ignore]  # it is what is tested

    expected = interpreted(text, inputs, **options)
    result = reason(text, inputs=inputs, options=ReasoningOptions(**options))
    wanted = {name: expected.facts[name] for name in derived(text)}
    found = {name: {tuple(map(_value, row)) for row in result.facts(name)} for name in wanted}
    compare = same_up_to_nulls if up_to == "renaming" else homomorphic
    assert compare(wanted, found), f"{text}\n{inputs}\n{_difference(wanted, found)}"
    if hasattr(result, "violations"):
        violations = result.violations() if callable(result.violations) else result.violations
        assert len(violations) == len(expected.violations), f"{text}\n{inputs}\n{violations}\n{expected.violations}"


def _value(given: object) -> Value:
    """Return what the reasoner gave as a value of the reference."""
    if isinstance(given, dict):
        return from_python({name: _value(part) for name, part in given.items()}, _unlabelled)
    if isinstance(given, list):
        return from_python([_value(item) for item in given], _unlabelled)
    if isinstance(given, tuple):
        return from_python(tuple(map(_value, given)), _unlabelled)
    if isinstance(given, set | frozenset):
        return from_python(frozenset(map(_value, given)), _unlabelled)
    if isinstance(attributes := getattr(given, "items", None), tuple):
        return from_python({name: _value(part) for name, part in attributes}, _unlabelled)
    number = getattr(given, "number", None)
    return Null(number) if isinstance(number, int) else from_python(given, _unlabelled)


def _unlabelled() -> Null:
    raise AssertionError("the reasoner gave an unknown value without a label")


def _difference(wanted: Mapping[str, set[Any]], found: Mapping[str, set[Any]]) -> str:
    lines = []
    for name in wanted:
        if wanted[name] != found[name]:
            lines += [
                f"{name}: expected {sorted(map(str, wanted[name]))}",
                f"{name}: found {sorted(map(str, found[name]))}",
            ]
    return "\n".join(lines)


# -- programs of one kind ----------------------------------------------------------------------------------------------


@st.composite
def recursive_thresholds(draw: Draw) -> Case:
    """Aggregates against a threshold inside a recursion."""
    share = draw(st.integers(0, 12)) / 4
    number = draw(st.integers(1, 3))
    greater = draw(st.sampled_from([">", ">="]))
    smaller = draw(st.sampled_from(["<", "<="]))
    start = draw(st.sampled_from(["A(X) -> C(X, X).", f"W(X, Y, V), V > {share} -> C(X, Y).", "E(X, Y) -> C(X, Y)."]))
    programs_ = [
        f"{start} C(X, Z), W(Z, Y, V), msum(V, <Z>) {greater} {share} -> C(X, Y).",
        f"{start} C(X, Z), W(Z, Y, V), T = msum(V, <Z>), {share} {smaller} T -> C(X, Y). C(X, Y), C(Y, X) -> D(X, Y).",
        f"{start} C(X, Z), W(Z, Y, V), msum(V) {greater} {share} -> C(X, Y).",
        f"{start} C(X, Z), E(Z, Y), mcount(<Z>) {greater} {number} -> C(X, Y).",
        f"A(X) -> C(X). C(X), E(X, Y), N = mcount(<X>), N >= {number} -> C(Y). A(X), not C(X) -> D(X).",
        f"A(X) -> C(X). C(X), W(X, Y, V), mmax(V) {greater} {share} -> C(Y).",
        f"A(X) -> C(X). C(X), W(X, Y, V), mmin(V) {smaller} {share} -> C(Y).",
        f"A(X) -> C(X). C(X), W(X, Y, V), V <= 1, mprod(V, <X>) {smaller} {share} -> C(Y).",
        f"{start} C(X, Z), E(Z, Y), L(Z, S), size(munion(S)) {greater} {number} -> C(X, Y).",
        f"{start} C(X, Z), E(Z, Y), mcount(<Z>) >= {number} -> D(X, Y). D(X, Y), A(Y) -> C(X, Y).",
    ]
    after = draw(st.sampled_from(["", "C(X, Y), N = mcount(<Y>) -> Size(X, N).", "E(X, Y), not C(X, Y) -> Not(X, Y)."]))
    text = draw(st.sampled_from(programs_))
    return text + ("" if "C(X)." in text else f" {after}"), draw(inputs())


@st.composite
def recursive_values(draw: Draw) -> Case:
    """Aggregates as a head value inside a recursion: only the last value of a group of a rule is a fact."""
    text = draw(
        st.sampled_from(
            [
                "W(X, Y, V), D = mmin(V) -> S(X, Y, D). S(X, Y, U), W(Y, Z, V), D = mmin(U + V) -> S(X, Z, D).",
                "W(X, _, V), M = mmax(V) -> S(X, M). E(X, Y), S(Y, V), M = mmax(V) -> S(X, M).",
                "W(X, _, V), M = mmin(V) -> S(X, M). E(X, Y), S(Y, V), M = mmin(V) -> S(X, M).",
                "L(X, T) -> H(X, T). E(X, Y), S(Y, U), T in U -> H(X, T). H(X, T), U = munion(T) -> S(X, U).",
                "A(X) -> H(X, X). H(X, Y), E(Y, Z) -> H(X, Z). H(X, Y), S(Y, N), N >= 2 -> Big(X, Y). "
                "H(X, Y), N = mcount(<Y>) -> S(X, N). Big(X, Y) -> H(X, Y).",
                "A(X), M = msum(0.25, <X>) -> S(X, M). W(X, Y, V), X < Y, S(Y, U), M = msum(U + V, <Y>) -> S(X, M).",
            ]
        )
    )
    if "S(X, Y, D)" in text:
        after = " S(X, Y, D), D < 1 -> Near(X, Y). E(X, Y), not Near(X, Y) -> Far(X, Y)."
    else:
        after = " S(X, V) -> Q(X, V). A(X), not S(X, _) -> Without(X)."
    after = draw(st.sampled_from(["", after]))
    return text + after, draw(inputs())


@st.composite
def several_values(draw: Draw) -> Case:
    """Recursive values beside others: two head atoms, two aggregates in a head, plain rules, facts and inputs."""
    number = draw(st.integers(1, 3))
    plain = ["W(X, Y, V) -> S(X, Y, V).", "E(X, Y), W(X, _, V) -> S(X, Y, V).", "S(X, Y, _), W(Y, _, V) -> S(X, X, V)."]
    shortest = [
        "S(X, Y, U), W(Y, Z, V), D = mmin(U + V) -> S(X, Z, D).",
        "A(X), W(X, Y, V), D = mmin(V) -> S(X, Y, D).",
    ]
    largest = [
        "S(X, Y, U), E(Y, Z), D = mmax(U) -> S(X, Z, D).",
        "S(X, Y, U), E(Y, Z), D = mmax(U) -> S(X, Z, D), S(Z, X, D).",
        f"S(X, Y, U), U >= {number}, W(X, Z, V), D = mmax(V) -> S(Y, Z, D), Reached(Y).",
    ]
    start = draw(st.sampled_from(["A(X) -> C(X, X).", "E(X, Y) -> C(X, Y)."]))
    thresholds = [
        f"{start} C(X, Z), W(Z, Y, V), msum(V, <Z>) >= {number} -> C(X, Y), C(Y, X).",
        f"{start} C(X, Z), E(Z, Y), mcount(<Z>) >= {number} -> C(X, Y), D(Y, X). D(X, Y), A(X) -> C(X, Y).",
    ]
    pairs = [
        f"{start} C(X, Z), W(Z, Y, V), M = msum(V, <Z>), N = mcount(<Z>) -> S(X, Y, M, N). "
        f"S(X, Y, _, N), N >= {number} -> C(X, Y).",
        f"{start} C(X, Z), W(Z, Y, V), M = mmin(V), N = mmax(V) -> S(X, Y, M, N). S(X, Y, M, _), M <= 1 -> C(X, Y).",
        f"{start} C(X, Z), L(Z, T), E(Z, Y), M = munion(T), N = mcount(<Z>) -> S(X, Y, M, N). "
        f"S(X, Y, M, _), size(M) >= {number} -> C(X, Y).",
    ]
    sets = [
        "L(X, T) -> S(X, {T}). E(X, Y), S(Y, U), T in U, M = munion(T) -> S(X, M).",
        "L(X, T) -> S(X, {T}). E(X, Y), S(Y, U), T in U, M = munion(T) -> S(X, M), S(Y, M).",
    ]
    data = draw(inputs())
    kind = draw(st.sampled_from(["shortest", "largest", "thresholds", "pairs", "sets"]))
    if kind in ("shortest", "largest"):
        first, *others = shortest if kind == "shortest" else draw(st.permutations(largest))
        chosen = [plain[0], first, *draw(st.lists(st.sampled_from([*plain[1:], *others]), max_size=3, unique=True))]
        if draw(st.booleans()):
            data["S"] = [
                (x, x, v) for x, v in draw(st.lists(st.tuples(VALUES["i"], VALUES["n"]), max_size=3, unique=True))
            ]
        return "\n".join(draw(st.permutations(chosen))), data
    return draw(st.sampled_from({"thresholds": thresholds, "pairs": pairs, "sets": sets}[kind])), data


@st.composite
def equalities(draw: Draw) -> Case:
    """Equality rules over invented values; where constants come in, all of them are the same one."""
    data = draw(inputs(names=("E", "A", "L")))
    one = draw(VALUES["t"])
    data["K"] = [(x, one) for x in draw(st.lists(VALUES["i"], max_size=3, unique=True))]
    rules = ["A(X) -> exists Z: C(X, Z).", "C(X, Z), K(_, Z) -> Known(X)."]
    rules += draw(
        st.lists(
            st.sampled_from(
                [
                    "E(X, Y) -> exists Z: C(X, Z), R(Z, Y).",
                    "E(X, Y), C(X, Z1), C(Y, Z2) -> Z1 = Z2.",
                    "C(X, Z1), C(X, Z2) -> Z1 = Z2.",
                    "L(X, S), L(Y, S), C(X, Z1), C(Y, Z2) -> Z1 = Z2.",
                    "C(X, Z), K(X, V) -> Z = V.",
                    "C(X, Z), C(Y, Z) -> Same(X, Y).",
                    "C(X, Z), Z is null -> Unknown(X).",
                    "Known(X), E(X, Y) -> Known(Y).",
                    "C(X, Z) -> S(Z, {Z}).",
                    "A(X), not Known(X) -> Rest(X). Known(X) -> Found(X).",
                    "C(X, Z), N = mcount(<X>) -> Size(Z, N).",
                ]
            ),
            min_size=1,
            max_size=7,
            unique=True,
        )
    )
    return "\n".join(rules), data


@st.composite
def violated_equalities(draw: Draw) -> Case:
    """Equality rules over constants: what matters is the number of violations."""
    rule = draw(
        st.sampled_from(
            [
                "L(X, S), L(X, T) -> S = T.",
                "E(X, Y), E(X, Z) -> Y = Z.",
                "E(X, Y), L(X, S), L(Y, T) -> S = T.",
                "L(X, S), A(X), L(Y, S) -> X = Y.",
            ]
        )
    )
    return f"A(X) -> P(X).\n{rule}", draw(inputs())


@st.composite
def collections(draw: Draw) -> Case:
    """Sets and records: made by aggregates, taken apart again."""
    data = draw(inputs())
    cells = draw(st.dictionaries(st.tuples(VALUES["i"], VALUES["t"]), VALUES["i"] | st.none(), max_size=8))
    data["F"] = [(i, a, v) for (i, a), v in cells.items()]
    one = literal(draw, "t")
    sets = [
        "L(X, S), U = munion(S) -> T(X, U).",
        "T(X, U), S in U -> M(X, S).",
        f"T(X, U), {one} in U -> Has(X).",
        f"T(X, U), {one} not in U, N = size(U) -> Size(X, N).",
        "T(X, U), T(Y, V), U subset of V, U != V -> Inside(X, Y).",
        f"T(X, U) -> More(X, U union {{{one}}}), Less(X, U minus {{{one}}}).",
        "T(X, U), T(Y, V), I = U intersect V, size(I) >= 1 -> Common(X, Y, I).",
        "T(X, U), T(Y, U), X < Y -> Equal(X, Y).",
        "T(X, U), N = mcount(<X>) -> Times(U, N).",
        "A(X) -> G({X, 1, 2}). G(S), Y in S -> GM(Y).",
    ]
    records = [
        "F(I, S, V), R = munion((S, V)) -> T(I, R).",
        f"T(I, R), V = R[{one}] -> Of(I, V).",
        f"T(I, R), R[{one}] is null -> Unknown(I).",
        f"T(I, R), {one} in R, N = size(R) -> Has(I, N).",
        "T(I, R), S in R, V = R[S] -> Again(I, S, V).",
        'T(I, R) -> Cut(I, R[{"a", "b"}]).',
        'T(I, R) -> Cut2(I, *R[["a", "c"]]). Cut2(I, Q*), N = size(Q) -> CutSize(I, N).',
        f"T(I, R) -> Changed(I, R[{one} := 7]).",
        "T(I, R), T(J, Q), R subset of Q, I != J -> Inside(I, J).",
        "T(I, R) -> Keys(I, keys(R)).",
        "T(I, R), T(J, R), I < J -> Equal(I, J).",
        f"T(I, R) -> exists Z: Hidden(I, R[{one} := Z]).",
    ]
    first, *others = draw(st.sampled_from([sets, records]))
    chosen = draw(st.lists(st.sampled_from(others), min_size=1, max_size=5, unique=True))
    return "\n".join([first, *chosen]), data


@st.composite
def maybe_groups(draw: Draw) -> Case:
    """Groups of records in which an unknown value may be anything."""
    text = draw(
        st.sampled_from(
            [
                "T(I, R), N = mcount(<I>) -> G(N, *R). T(I, R), G(N, Q*), Q = R -> Risk(I, N).",
                'T(I, R), N = mcount(<I>) -> G(N, *R[["a", "b"]]). T(I, R), G(N, Q*), Q = R[["a", "b"]] -> Risk(I, N).',
                "T(I, R), W(I, _, V), S = msum(V, <I>) -> G(S, *R). T(I, R), G(S, Q*), Q = R -> Risk(I, S).",
            ]
        )
    )
    keyed = draw(st.sampled_from(["", '@group_equality("maybe").']))
    cells = draw(
        st.dictionaries(
            st.tuples(VALUES["i"], st.sampled_from(["a", "b", "c"])), st.integers(0, 1) | st.none(), max_size=12
        )
    )
    data = draw(inputs(names=("W",)))
    data["F"] = [(i, a, v) for (i, a), v in cells.items()]
    return f"{keyed} F(I, A, V), R = munion((A, V)) -> T(I, R). {text}", data


@st.composite
def versions(draw: Draw) -> Case:
    """Versioned predicates whose versions do not depend on a choice."""
    limit, step = draw(st.integers(1, 6)), draw(st.integers(1, 2))
    guard = draw(st.sampled_from([f"X < {limit}", f"X < {limit}, not Full()", f"X < {limit}, L(K, _)"]))
    text = f"""@versioned("V", key = ["K"]).
E(K, Y), X = mmin(Y) -> V(K, X).
V(K, X), {guard} -> V(K, X + {step}).
V(K, X) -> Seen(K, X).
V(K, X), N = mcount(<K>) -> Level(X, N).
V(K, X), msum(X, <K>) >= {limit * 2} -> Full().
A(K), not V(K, {limit}) -> Missing(K)."""
    return text, draw(inputs())


STRATEGIES: dict[str, st.SearchStrategy[Case]] = {
    "rules": programs("r"),
    "rules_with_nulls": programs("r", nulls="itn"),
    "aggregates": programs("ra", nulls="t"),
    "existentials": programs("re", nulls="t", most=3),
    "everything": programs("rae", nulls="t"),
    "recursive_thresholds": recursive_thresholds(),
    "recursive_values": recursive_values(),
    "several_values": several_values(),
    "equalities": equalities(),
    "violated_equalities": violated_equalities(),
    "collections": collections(),
    "maybe_groups": maybe_groups(),
    "versions": versions(),
}
"""All strategies by name; their results are to be the same up to the names of nulls."""
