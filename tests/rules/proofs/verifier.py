"""Checks a proof without the reasoner: every step is run again, on nothing but what it rests on, by the oracle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.oracles.rules import Null as OracleNull
from tests.oracles.rules import RecordValue, interpret
from tests.oracles.rules.values import PairValue, key

from tacita.rules.logic.program import Annotation, Program, Rule
from tacita.rules.logic.terms import Atom, Constant, Negation, walk
from tacita.rules.proofs.tree import (
    Changed,
    Computed,
    Derived,
    GivenFact,
    GroundFact,
    LostFact,
    Open,
    Proof,
    premises_of,
    used,
)
from tacita.rules.reasoner.results import Reasoned
from tacita.rules.reasoner.values import Null, Record
from tacita.rules.syntax import parse

HEAD = "proved_"


def check(result: Reasoned, proof: Proof) -> None:
    """Assert that a proof is one: complete, without circles, and every step an instance of its rule."""
    assert proof.goal in proof.steps
    for fact, step in proof.steps.items():
        assert step.fact == fact
        assert not isinstance(step, Open | LostFact), f"{fact}: {step}"
        if isinstance(step, Derived):
            check_step(result, step)
        elif isinstance(step, GivenFact):
            assert fact.values in result.facts(fact.predicate) or result.history is not None
        else:
            assert isinstance(step, Changed | Computed)
    check_order(proof)


def check_order(proof: Proof) -> None:
    """Assert that everything rests on given facts in the end."""
    proved: set[GroundFact] = set()
    waiting = dict(proof.steps)
    while waiting:
        ready = [f for f, step in waiting.items() if all(u in proved for u in used(premises_of(step)))]
        assert ready, f"these rest on each other: {[str(f) for f in waiting]}"
        proved.update(ready)
        for fact in ready:
            del waiting[fact]


def check_step(result: Reasoned, step: Derived) -> None:
    """Assert that a rule gives a fact from just the facts that the step names."""
    parsed = parse(step.rule.text)
    assert not parsed.faults, step.rule.text
    rule = parsed.program.rules[0]
    facts: dict[str, list[tuple[Any, ...]]] = {}
    for fact in used(step.premises):
        facts.setdefault(fact.predicate, []).append(tuple(map(oracle_value, fact.values)))
    for item in rule.body:
        for atom in walk(item) if isinstance(item, Negation) else ():
            if isinstance(atom, Atom):
                facts[atom.predicate] = [tuple(map(oracle_value, row)) for row in result.facts(atom.predicate)]
    for place, head in enumerate(rule.head):
        if isinstance(head, Atom) and head.predicate == step.fact.predicate:
            invented = {one.variable for one in step.new_nulls}
            open_ = [i for i, t in enumerate(head.arguments) if invented & {getattr(n, "name", "") for n in walk(t)}]
            if _gives(result, rule, place, facts, step.fact, set(open_)):
                return
    raise AssertionError(f"{step.rule.text} does not give {step.fact} from {facts}")


def _gives(result: Reasoned, rule: Rule, place: int, facts: dict[str, Any], goal: GroundFact, open_: set[int]) -> bool:
    head = rule.head[place]
    assert isinstance(head, Atom)
    # Under another name nothing that the rule gives can help it to give more.
    alone = replace(rule, head=(replace(head, predicate=HEAD),))
    if result.prepared.linked.maybe:
        alone = replace(alone, annotations=(Annotation("group_equality", (Constant("maybe"),)),))
    found = interpret(Program((alone,)), facts).facts[HEAD]
    wanted = [key(oracle_value(v)) for v in goal.values]
    return any(all(i in open_ or _same(key(v), wanted[i]) for i, v in enumerate(row)) for row in found)


def _same(a: Any, b: Any) -> bool:
    if a[0] == b[0] == "number" or (isinstance(a[1], float) and isinstance(b[1], float | int)):
        return abs(a[1] - b[1]) <= 1e-9 * max(1.0, abs(b[1]))
    return bool(a == b)


def oracle_value(value: Any) -> Any:
    """Return a value of the reasoner as the oracle has it."""
    if isinstance(value, Null):
        return OracleNull(value.number)
    if isinstance(value, Record):
        return RecordValue(tuple((name, oracle_value(part)) for name, part in value.items))
    if isinstance(value, frozenset):
        return frozenset(map(oracle_value, value))
    if isinstance(value, tuple):
        return PairValue(*map(oracle_value, value))
    return value
