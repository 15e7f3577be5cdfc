"""Proofs of thousands of steps, and among millions of facts: no recursion, and not too many questions to the engine."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET

import pyarrow as pa
import pytest
from sqlglot import exp
from tests.rules.proofs.verifier import check_order

from tacita.rules.proofs.tree import Derived
from tacita.rules.reasoner import reason

DEEP = 2_000


def refilled(result, predicate, rows):
    """Put facts in a table as if they had come in round after round: running so many rounds would take too long."""
    layout = result.layout(predicate)
    names = [*layout.columns(), "r"]
    batch = pa.RecordBatch.from_arrays([pa.array(column) for column in zip(*rows, strict=True)], names=names)
    relation = result.run.engine.adopt([batch], batch.schema)
    terms = [exp.alias_(exp.column(f"c{i}"), name) for i, name in enumerate(names)]
    result.run.engine.replace(layout.table, exp.select(*terms).from_(relation.source()))


@pytest.fixture(scope="module")
def chain():
    result = reason("[1] S(X) -> R(X). [2] R(X), E(X, Y) -> R(Y).", {"S": [(0,)], "E": [(0, 1), (1, 2)]})
    refilled(result, "E", [(i, i + 1, 0) for i in range(DEEP)])
    refilled(result, "R", [(i, i + 1) for i in range(DEEP + 1)])
    return result


@pytest.mark.slow
def test_a_proof_two_thousand_steps_deep_needs_no_recursion(chain):
    asked = []
    engine = chain.run.engine
    run = engine.run
    engine.run = lambda plan: asked.append(plan) or run(plan)
    try:
        proof = chain.why(f"R({DEEP})", limit=None, most=None)
    finally:
        del engine.run
    assert proof.is_complete
    assert proof.depth == DEEP + 1
    assert len(proof.steps) == 2 * DEEP + 2
    assert len(asked) < 60  # many rounds are asked for at once
    check_order_quickly(proof)


def check_order_quickly(proof):
    rounds = {f: s.round if isinstance(s, Derived) else 0 for f, s in proof.steps.items()}
    for step in proof.steps.values():
        if isinstance(step, Derived):
            assert all(rounds[p.fact] < step.round for p in step.premises)


@pytest.mark.slow
def test_a_deep_proof_can_be_shown_in_every_way(chain):
    proof = chain.why(f"R({DEEP})", limit=None)
    before = sys.getrecursionlimit()
    assert proof.as_text().count("\n") >= 2 * DEEP
    assert len(proof.as_sentences().splitlines()) == DEEP + 1
    json.dumps(proof.as_json())
    assert proof.as_dot().count("->") > 2 * DEEP
    ET.fromstring(proof.as_svg())
    assert sys.getrecursionlimit() == before


def test_without_a_limit_asked_for_only_some_levels_are_followed(chain):
    proof = chain.why(f"R({DEEP})")
    assert proof.depth == 12
    assert not proof.is_complete


def test_an_argument_that_recursion_keeps_narrows_the_search():
    result = reason("[1] E(X, Y) -> P(X, Y). [2] P(X, Y), E(Y, Z) -> P(X, Z).", {"E": [(0, 1), (1, 2)]})
    n = 240
    refilled(result, "E", [(i, i + 1, 0) for i in range(n)])
    refilled(result, "P", [(i, j, j - i) for i in range(n) for j in range(i + 1, n + 1)])
    assert result.count("P") > 20_000
    proof = result.why(f"P(3, {n})", limit=None)
    assert proof.is_complete
    check_order(proof)
    assert {f.values[0] for f in proof.steps if f.predicate == "P"} == {3}
