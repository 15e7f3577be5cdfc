"""Parameters: every ``$k`` becomes the value that the caller or ``@param`` gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from tacita.rules.logic.program import Annotation, Clause, Fact, Program, Rule
from tacita.rules.logic.terms import Constant, ListOf, Node, Parameter, SetOf, Term, rewritten

_N = TypeVar("_N")


def defaults(program: Program) -> dict[str, Term]:
    """Return what ``@param`` says."""
    found: dict[str, Term] = {}
    for annotation in program.directives("param"):
        name = annotation.text(0)
        if name is not None and len(annotation.arguments) > 1:
            found[name] = annotation.arguments[1]
    return found


def term_of(value: Any) -> Term:
    """Return a Python value as a term: a list stays one, a set too.

    >>> term_of(["Area", "Sector"]).items[1].value
    'Sector'
    """
    if isinstance(value, list | tuple):
        return ListOf(tuple(term_of(item) for item in value))
    if isinstance(value, set | frozenset):
        return SetOf(tuple(term_of(item) for item in sorted(value, key=repr)))
    return Constant(value)


def with_parameters(program: Program, given: Mapping[str, Term]) -> Program:
    """Return the program with every parameter that has a value replaced by it; `given` wins over ``@param``."""
    values = {**defaults(program), **given}
    if not values:
        return program

    def change(node: Node) -> Node:
        return values.get(node.name, node) if isinstance(node, Parameter) else node

    def changed(node: _N) -> _N:
        return rewritten(node, change)

    def clause(one: Clause) -> Clause:
        if isinstance(one, Rule):
            body, head = tuple(changed(i) for i in one.body), tuple(changed(i) for i in one.head)
            return replace(one, body=body, head=head, annotations=tuple(_annotation(a) for a in one.annotations))
        return replace(one, atom=changed(one.atom)) if isinstance(one, Fact) else one

    def _annotation(one: Annotation) -> Annotation:
        return replace(one, arguments=tuple(changed(a) for a in one.arguments))

    return replace(program, clauses=tuple(clause(one) for one in program.clauses))
