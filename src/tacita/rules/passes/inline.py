"""Inlining for speed: an atom that only repeats another one of the body is left out before the rule is compiled.

``Tuple(M, I, V), riskInput(I)`` with ``Tuple(M, I, V) -> riskInput(I)`` asks the same fact twice. An atom whose
predicate is a projection of one other predicate is replaced by that one, and two atoms that agree on the key of their
predicate are one. Proofs use the rules as they were written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Atom, Blank, Item, Node, Term, Variable, rewritten, variables


def projections(rules: Mapping[str, list[Rule]]) -> dict[str, Rule]:
    """Return the predicates that one rule derives from one atom, variables only."""
    by_predicate = {}
    for predicate, own in rules.items():
        if len(own) != 1:
            continue
        rule = own[0]
        if len(rule.body) != 1 or len(rule.head) != 1 or not isinstance(rule.body[0], Atom):
            continue
        head, body = rule.head[0], rule.body[0]
        assert isinstance(head, Atom)
        simple = all(isinstance(a, Variable) for a in head.arguments) and len(set(head.arguments)) == len(
            head.arguments
        )
        bound = {v.name for v in variables(body)}
        if (
            simple
            and bound >= {v.name for v in variables(head)}
            and body.predicate != predicate
            and all(isinstance(a, Variable | Blank) for a in body.arguments)
            and len({a for a in body.arguments if isinstance(a, Variable)})
            == len([a for a in body.arguments if isinstance(a, Variable)])
        ):
            by_predicate[predicate] = rule
    return by_predicate


def inlined(rule: Rule, projection: Mapping[str, Rule], keys: Mapping[str, frozenset[int]]) -> Rule:
    """Return a rule without atoms that say nothing new."""
    body = list(rule.body)
    changed = False
    for place, item in enumerate(body):
        if not isinstance(item, Atom) or item.predicate not in projection:
            continue
        source = projection[item.predicate].body[0]
        assert isinstance(source, Atom)
        # Only worth it if the other atom is there already, with the same key.
        opened = _opened(item, projection[item.predicate], place)
        twin = next(
            (
                other
                for other in body
                if isinstance(other, Atom)
                and other is not item
                and _same_key(other, opened, keys.get(source.predicate))
            ),
            None,
        )
        if twin is not None:
            body[place] = twin
            changed = True
    if not changed:
        return rule
    kept: list[Item] = []
    for item in body:
        if item not in kept:
            kept.append(item)
    return replace(rule, body=tuple(kept))


def _opened(atom: Atom, rule: Rule, place: int) -> Atom:
    head, body = rule.head[0], rule.body[0]
    assert isinstance(head, Atom) and isinstance(body, Atom)
    given: dict[str, Term] = {
        v.name: a for v, a in zip(head.arguments, atom.arguments, strict=True) if isinstance(v, Variable)
    }

    def change(node: Node) -> Node:
        if isinstance(node, Variable):
            return given.get(node.name, Variable(f"_i{place}_{node.name}"))
        return node

    return rewritten(body, change)


def _same_key(a: Atom, b: Atom, key: frozenset[int] | None) -> bool:
    if a.predicate != b.predicate or key is None:
        return False
    if any(isinstance(a.arguments[i], Blank) or a.arguments[i] != b.arguments[i] for i in key):
        return False
    # What is beside the key must be free in the opened atom: it then is whatever the twin says.
    return all(
        isinstance(x, Variable | Blank) and (isinstance(x, Blank) or x.name.startswith("_i"))
        for i, x in enumerate(b.arguments)
        if i not in key
    )
