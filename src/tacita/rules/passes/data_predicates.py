"""What a program reads of the data: the predicates that these define, and the attributes that rules name.

``Tuple``, ``Val`` and ``riskInput`` need no rules of their own: where a program reads one of them and does not say what
it is, the data do.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from tacita.rules.logic.dependencies import body_predicates, head_predicates
from tacita.rules.logic.faults import Origin
from tacita.rules.logic.program import Clause, Program, Rule
from tacita.rules.logic.terms import (
    Access,
    Atom,
    Comparison,
    Constant,
    Item,
    ListOf,
    Node,
    SetOf,
    Unpack,
    Update,
    Variable,
    rewritten,
    variables,
    walk,
)

ROWS = "Val.row"
"""The predicate of whole tuples: ``Val.row(M, I, VSet)``, with every attribute of the data in VSet."""
READ_AS = "the data, read as "
"""How the place of a rule begins that only reads the data: proofs take what it gives for given."""


def taken_for_granted(
    program: Program, clauses: Sequence[Clause], attributes: Sequence[str], released: Sequence[str]
) -> list[Rule]:
    """Return rules for predicates that the data define where the program does not: Tuple, Val, the input of a risk.

    `released` are the attributes that make up a tuple.
    """
    used, derived = _read_and_derived(program, [c for c in clauses if isinstance(c, Rule)])
    m, i, row, record = Variable("M"), Variable("I"), Variable("_row"), Variable("VSet")
    added: list[Rule] = []
    if "Tuple" in used - derived:
        cut = Access(row, SetOf(tuple(Constant(name) for name in released)))
        body: tuple[Item, ...] = (Atom(ROWS, (m, i, row)), Comparison("=", record, cut))
        rule = Rule(body, (Atom("Tuple", (m, i, record)),), label="Tuple")
        added.append(_placed(rule, f"{READ_AS}Tuple(M, I, VSet)"))
    if "riskInput" in used - derived and "Tuple" in used | derived:
        rule = Rule((Atom("Tuple", (m, i, record)),), (Atom("riskInput", (i,)),), label="riskInput")
        added.append(_placed(rule, "the tuples of the data, read as riskInput(I)"))
    elif "riskInput" in used - derived:
        rule = Rule((Atom(ROWS, (m, i, row)),), (Atom("riskInput", (i,)),), label="riskInput")
        added.append(_placed(rule, f"{READ_AS}riskInput(I)"))
    if "Val" in used - derived:
        for name in attributes:
            value = Comparison("=", Variable("V"), Access(row, Constant(name)))
            head = Atom("Val", (m, i, Constant(name), Variable("V")))
            rule = Rule((Atom(ROWS, (m, i, row)), value), (head,), label="Val")
            added.append(_placed(rule, f'{READ_AS}Val(M, I, "{name}", V)'))
    return added


def _placed(rule: Rule, words: str) -> Rule:
    """Return a rule that nobody wrote with words in all its places: what faults in it call them."""
    place = Origin(words)

    def change(node: Node) -> Node:
        return replace(node, origin=place)

    body = tuple(rewritten(item, change) for item in rule.body)
    return replace(rule, body=body, head=tuple(rewritten(item, change) for item in rule.head), origin=place)


def _read_and_derived(program: Program, rules: Sequence[Rule]) -> tuple[set[str], set[str]]:
    """Return the predicates that rules read, and those that they derive or the program states."""
    # A rule that makes new versions out of old ones does not say where the first ones come from.
    first = [(p, rule) for rule in rules for p in head_predicates(rule)]
    derived = {p for p, rule in first if p not in {source for source, _ in body_predicates(rule.body)}}
    derived |= {f.atom.predicate for f in program.facts}
    return {p for rule in rules for p, _ in body_predicates(rule.body)}, derived


def needs_quasi_identifiers(program: Program) -> bool:
    """Whether a program reads records that are made up of the quasi-identifiers: ``Tuple``, unless its own rules say
    without the dictionary's categories what that is."""
    used, derived = _read_and_derived(program, program.rules)
    if "Tuple" not in used:
        return False
    own = [rule for rule in program.rules if "Tuple" in head_predicates(rule)]
    return "Tuple" not in derived or any("Cat" in {p for p, _ in body_predicates(rule.body)} for rule in own)


def reads_values(program: Program) -> bool:
    """Whether a program reads ``Val`` and leaves to the data what that is."""
    used, derived = _read_and_derived(program, program.rules)
    return "Val" in used - derived


def attributes_of_tuples(program: Program) -> list[tuple[str, Any]]:
    """Return the attributes that a program reads from a ``Tuple`` that it takes for granted, with their places."""
    used, derived = _read_and_derived(program, program.rules)
    if "Tuple" not in used - derived:
        return []
    holding = {("Tuple", 2)}  # the arguments whose records come from there
    grown = True
    while grown:
        before = len(holding)
        for rule in program.rules:
            records = _records(rule, holding)
            heads = [item for item in rule.head if isinstance(item, Atom)]
            holding |= {
                (atom.predicate, place)
                for atom in heads
                for place, argument in enumerate(atom.arguments)
                if _is_of(argument, records)
            }
        grown = len(holding) > before
    attributes: list[tuple[str, Any]] = []
    for rule in program.rules:
        records = _records(rule, holding)
        nodes = (node for item in (*rule.body, *rule.head) for node in walk(item))
        attributes += [
            pair for n in nodes if isinstance(n, Access | Update) and _is_of(n, records) for pair in _named(n)
        ]
    return attributes


def _records(rule: Rule, holding: Collection[tuple[str, int]]) -> set[str]:
    """Return the variables of a rule whose records come from one of some arguments."""
    nodes = [node for item in rule.body for node in walk(item)]
    records: set[str] = set()
    for atom in (node for node in nodes if isinstance(node, Atom)):
        for place, argument in enumerate(atom.arguments):
            if (atom.predicate, place) in holding:
                records |= {v.name for v in variables(argument)}
    assigned = [n for n in nodes if isinstance(n, Comparison) and n.operator == "=" and isinstance(n.left, Variable)]
    for _ in assigned:
        records |= {n.left.name for n in assigned if isinstance(n.left, Variable) and _is_of(n.right, records)}
    return records


def _is_of(term: Node, records: Collection[str]) -> bool:
    """Whether a term is one of some records, or such a record cut down or changed."""
    while isinstance(term, Access | Update | Unpack):
        term = term.record
    return isinstance(term, Variable) and term.name in records


def _named(node: Access | Update) -> list[tuple[str, Any]]:
    """Return the attributes that are written as the key of a record, with their places."""
    keys = node.key.items if isinstance(node.key, SetOf | ListOf) else (node.key,)
    return [
        (key.value, key.origin if key.origin.line else node.origin)
        for key in keys
        if isinstance(key, Constant) and isinstance(key.value, str)
    ]


def used_attributes(program: Program) -> frozenset[str]:
    """Return the attributes that a specialised program reads: the others, identifiers among them, stay outside."""
    attributes: set[str] = set()
    for rule in program.rules:
        for item in (*rule.body, *rule.head):
            for node in walk(item):
                if isinstance(node, Access | Update):
                    keys = node.key.items if isinstance(node.key, SetOf | ListOf) else (node.key,)
                    attributes |= {str(key.value) for key in keys if isinstance(key, Constant)}
    return frozenset(attributes)


def unknown_attributes(program: Program, attributes: Collection[str]) -> list[tuple[str, Any]]:
    """Return the attributes that a program names and that the data do not have, with their places."""
    unknown: list[tuple[str, Any]] = []
    of_data = reads_values(program)
    for rule in program.rules:
        for item in (*rule.body, *rule.head):
            for node in walk(item):
                if isinstance(node, Atom) and node.predicate == "Val" and len(node.arguments) == 4 and of_data:
                    name = node.arguments[2]
                    if isinstance(name, Constant) and isinstance(name.value, str) and name.value not in attributes:
                        unknown.append((name.value, name.origin if name.origin.line else node.origin))
                if isinstance(node, Access | Update):
                    unknown += [(name, place) for name, place in _named(node) if name not in attributes]
    return unknown
