"""Parameters: every ``$k`` becomes the value that the caller or ``@param`` gives it."""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from tacita.errors import UsageError
from tacita.rules.logic.program import Annotation, Clause, Fact, Program, Rule
from tacita.rules.logic.terms import Constant, ListOf, Node, Parameter, SetOf, Term, rewritten, walk

_N = TypeVar("_N")


def defaults(program: Program) -> dict[str, Term]:
    """Return what ``@param`` says."""
    terms: dict[str, Term] = {}
    for annotation in program.directives("param"):
        name = annotation.text(0)
        if name is not None and len(annotation.arguments) > 1:
            terms[name] = annotation.arguments[1]
    return terms


def names(program: Program) -> frozenset[str]:
    """Return the parameters that a program has: those that ``@param`` declares, and every ``$k`` in it.

    >>> from tacita.rules.syntax import parse
    >>> sorted(names(parse('@param("k", 2). A(X), X > $least -> B(X).').program))
    ['k', 'least']
    """
    terms: list[Node] = []
    for clause in program.clauses:
        if isinstance(clause, Rule):
            terms += (*clause.body, *clause.head)
        elif isinstance(clause, Fact):
            terms.append(clause.atom)
        for annotation in clause.annotations:
            terms += (*annotation.arguments, *(term for _, term in annotation.named))
    used = {node.name for term in terms for node in walk(term) if isinstance(node, Parameter)}
    return frozenset(used | {name for a in program.directives("param") if (name := a.text(0)) is not None})


def term_of(value: Any) -> Term:
    """Return a Python value as a term: a list stays one, a set too. What rules have no value for is refused.

    >>> term_of(["Area", "Sector"]).items[1].value
    'Sector'
    """
    if isinstance(value, list | tuple):
        return ListOf(tuple(term_of(item) for item in value))
    if isinstance(value, set | frozenset):
        return SetOf(tuple(term_of(item) for item in sorted(value, key=repr)))
    if isinstance(value, decimal.Decimal):
        value = float(value)
    if wrong := _wrong(value):
        raise UsageError(f"the value of a parameter {wrong}", do="give a number, a text, a date, or a list of them")
    return Constant(value)


def _wrong(value: Any) -> str:
    """Return what is wrong with a value that rules are to speak of."""
    if value is None:
        return "is None"
    if not isinstance(value, bool | int | float | str | datetime.date):
        return f"is a {type(value).__name__}"
    if isinstance(value, float) and not math.isfinite(value):
        return "is not a finite number"
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return "is a whole number of more than 64 bits"
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return "is a text with half a character in it (a lone surrogate)"
    return ""


def with_parameters(program: Program, given: Mapping[str, Term]) -> Program:
    """Return the program with every parameter that has a value replaced by it; `given` wins over ``@param``."""
    values = {**defaults(program), **given}
    if not values:
        return program

    def change(node: Node) -> Node:
        if not isinstance(node, Parameter) or node.name not in values:
            return node
        return replace(values[node.name], origin=node.origin)  # a fault of the value is shown where it is used

    def changed(node: _N) -> _N:
        return rewritten(node, change)

    def clause(one: Clause) -> Clause:
        annotations = tuple(annotation(a) for a in one.annotations)
        if isinstance(one, Rule):
            body, head = tuple(changed(i) for i in one.body), tuple(changed(i) for i in one.head)
            return replace(one, body=body, head=head, annotations=annotations)
        if isinstance(one, Fact):
            return replace(one, atom=changed(one.atom), annotations=annotations)
        return replace(one, annotations=annotations)

    def annotation(one: Annotation) -> Annotation:
        named = tuple((name, changed(term)) for name, term in one.named)
        return replace(one, arguments=tuple(changed(a) for a in one.arguments), named=named)

    return replace(program, clauses=tuple(clause(one) for one in program.clauses))
