"""Terms whose types do not fit: texts that are added, numbers that are compared with texts."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.rules.logic.binding import Assign, Match, Test
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.functions import FUNCTIONS
from tacita.rules.logic.origin import Origin
from tacita.rules.logic.terms import Call, Comparison, Node, Operation, Pack, Term, Variable, aggregates, walk
from tacita.rules.logic.types import ANY, DATE, INTEGER, NOTHING, NUMBER, TIMESTAMP, Scalar, Type, joined
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.terms import Terms

_NUMERIC = {INTEGER, NUMBER, ANY, NOTHING}


def type_faults(derivation: Derivation) -> Iterator[Fault]:
    """Yield the places of a rule where types do not fit."""
    if derivation.is_empty:
        return
    yield from _joins(derivation)
    before = derivation.body().terms
    after = derivation.bound().terms if derivation.grouping is not None else before
    for steps, terms in ((derivation.schedule.before, before), (derivation.schedule.after, after)):
        for step in steps:
            node: Node | None = None
            if isinstance(step, Test):
                node = step.condition
            elif isinstance(step, Assign):
                node = step.term
            if node is not None and not aggregates(node):
                yield from _inside(node, terms)


def _joins(derivation: Derivation) -> Iterator[Fault]:
    """Yield variables that stand for different kinds of values in different atoms."""
    seen: dict[str, tuple[Type, str]] = {}
    for step in derivation.schedule.before:
        if not isinstance(step, Match):
            continue
        layout = derivation.layouts[step.atom.predicate]
        for argument, position in zip(step.atom.arguments, layout.positions, strict=True):
            term = argument.variable if isinstance(argument, Pack) else argument
            if not isinstance(term, Variable):
                continue
            known, where = seen.setdefault(term.name, (position.type, step.atom.predicate))
            if joined(known, position.type) is None:
                yield Fault(
                    "R412",
                    f"{term.name} is {position.type} in {step.atom.predicate} and {known} in {where}: they never match",
                    term.origin,
                    "convert one of them: text(X), number(X) or integer(X)",
                )


def _inside(node: Node, terms: Terms) -> Iterator[Fault]:
    for part in walk(node):
        if isinstance(part, Comparison):
            yield from _comparison(part, terms)
        elif isinstance(part, Operation) and part.operator in {"+", "-", "*", "/"}:
            yield from _arithmetic(part, terms)
        elif isinstance(part, Call):
            yield from _call(part, terms)


def _type(term: Term, terms: Terms) -> Type:
    return terms.cell(term).type


def _comparison(part: Comparison, terms: Terms) -> Iterator[Fault]:
    left, right = _type(part.left, terms), _type(part.right, terms)
    if joined(left, right) is None:
        yield _fault(part.origin, "R412", f"{left} is compared with {right}", "convert one side, or write it otherwise")


def _arithmetic(part: Operation, terms: Terms) -> Iterator[Fault]:
    types = [_type(operand, terms) for operand in part.operands]
    if part.operator == "+" and all(isinstance(t, Scalar) and t.name == "text" for t in types):
        return
    wrong = next((t for t in types if t not in _NUMERIC), None)
    if wrong is not None:
        yield _fault(
            part.origin, "R413", f"'{part.operator}' needs numbers, and gets {wrong}", "number(X) converts a text"
        )


def _call(part: Call, terms: Terms) -> Iterator[Fault]:
    for takes, argument in zip(FUNCTIONS[part.function].takes, part.arguments, strict=False):
        type_ = _type(argument, terms)
        if not _is_taken(takes, type_):
            yield _fault(
                argument.origin, "R413", f"{part.function} takes {takes}, and gets {type_}", f"give it {takes}"
            )


def _is_taken(takes: str, type_: Type) -> bool:
    if takes not in {"number", "integer", "text", "date", "timestamp", "boolean"} or type_ in {ANY, NOTHING}:
        return True
    if takes in {"number", "integer"}:
        return type_ in {INTEGER, NUMBER}
    if takes == "date":
        return type_ in {DATE, TIMESTAMP}
    return isinstance(type_, Scalar) and type_.name == takes


def _fault(origin: Origin, code: str, message: str, do: str) -> Fault:
    return Fault(code, message, origin, do)
