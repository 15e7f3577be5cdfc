"""The same programs give the same facts on Spark, through the same plans."""

from __future__ import annotations

import pytest

from tacita.knowledge.programs import find
from tacita.rules.reasoner import ReasoningOptions, reason

PROGRAMS = {
    "recursion, negation and sets": (
        """
        E(1, 2). E(2, 3). E(3, 1). E(4, 4). E(4, 5).
        E(X, Y) -> P(X, Y). P(X, Y), E(Y, Z) -> P(X, Z).
        P(X, X), not (E(X, Y), Y > 4) -> Round(X). E(X, Y), S = munion(Y), N = mcount(<Y>) -> Out(X, S, N).
        Out(X, S, _), Y in S, not Round(Y) -> Last(X, Y).
        """,
        ("P", "Round", "Out", "Last"),
    ),
    "a recursive sum": (
        """
        Own("a", "b", 0.6). Own("a", "c", 0.3). Own("b", "c", 0.3). Own("c", "d", 0.9). Own("it's", "a\\\\b", 0.1).
        Own(X, _, _) -> Control(X, X). Control(X, Z), Own(Z, Y, W), msum(W, <Z>) > 0.5 -> Control(X, Y).
        Own(_, Y, W), T = sum(W), Q = T / 0 -> None(Y). Own(X, Y, W), R = 1 / W -> Part(X, Y, R).
        """,
        ("Control", "None", "Part"),
    ),
    "nulls and equality": (
        """
        Emp("a"). Emp("b"). Emp("c"). Same("a", "b"). Known("c", "it").
        Emp(X) -> exists D: Works(X, D), Dept(D). Works(X, D), Works(Y, E), Same(X, Y) -> D = E.
        Works(X, D), Known(X, K) -> D = K. Works(X, D), D is null -> Open(X).
        """,
        ("Works", "Dept", "Open"),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_engines_derive_the_same(spark, name):
    text, predicates = PROGRAMS[name]
    here, there = reason(text), reason(text, engine=spark)
    for predicate in predicates:
        assert there.facts(predicate) == here.facts(predicate)


def test_the_cycle_ends_the_same(spark):
    names = ["Area", "Sector"]
    rows = [("Roma", "Textile"), ("Roma", "Retail"), ("Roma", "Retail"), ("Milano", "Energy"), ("Torino", "Energy")]
    inputs = {
        "Val": [("db", i, a, v) for i, row in enumerate(rows, 1) for a, v in zip(names, row, strict=True)],
        "Cat": [("db", name, "Quasi-identifier") for name in names],
    }
    text, _ = find("cycle")
    options = ReasoningOptions(find=find, parameters={"AnonSet": names})
    program = text.replace('@use("categorise").', "")
    here, there = reason(program, inputs, options=options), reason(program, inputs, engine=spark, options=options)
    assert here.count("TupleA") == 5
    assert there.facts("TupleA") == here.facts("TupleA")
