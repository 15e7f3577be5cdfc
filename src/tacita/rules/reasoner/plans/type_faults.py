"""Terms whose types do not fit: texts that are added, numbers that are compared with texts."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.rules.logic.binding import Assign, Enumerate, Match, Step, Test
from tacita.rules.logic.faults import Fault, Origin
from tacita.rules.logic.functions import FUNCTIONS
from tacita.rules.logic.terms import (
    Access,
    Aggregate,
    Call,
    Comparison,
    Member,
    Node,
    Operation,
    Pack,
    Pair,
    Similar,
    Subset,
    Term,
    Update,
    Variable,
    aggregates,
    children,
    variables,
)
from tacita.rules.logic.types import (
    ANY,
    DATE,
    INTEGER,
    NOTHING,
    NUMBER,
    TIMESTAMP,
    ListType,
    PairType,
    RecordType,
    RowType,
    Scalar,
    SetType,
    Type,
    joined,
)
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.terms import CompiledTerms

_NUMERIC = {INTEGER, NUMBER, ANY, NOTHING}


def type_faults(derivation: RuleDerivation) -> Iterator[Fault]:
    """Yield the places of a rule where types do not fit."""
    if derivation.is_empty:
        return
    yield from _joins(derivation)
    before = derivation.body()
    after = derivation.bound() if derivation.grouping is not None else before
    seen = [(derivation.schedule.before, before.terms), *before.negated, (derivation.schedule.after, after.terms)]
    if after is not before:
        seen += after.negated
    for steps, terms in seen:
        for step in steps:
            yield from _of_step(step, terms, before.terms)
    for item in derivation.rule.head:
        for node in (item,) if isinstance(item, Comparison) else children(item):
            if all(v.name in after.terms.bound for v in variables(node)):
                yield from _of_node(node, after.terms, before.terms)


def _of_step(step: Step, terms: CompiledTerms, inside: CompiledTerms) -> Iterator[Fault]:
    """Yield the faults of a step; what is inside an aggregate sees the body before it, as `inside` does."""
    match step:
        case Test(node) | Assign(_, node):
            yield from _of_node(node, terms, inside)
        case Enumerate(_, collection):
            yield from _needs((*_SET, *_RECORD), _IN, collection, terms)


def _of_node(node: Node, terms: CompiledTerms, inside: CompiledTerms) -> Iterator[Fault]:
    faults = [fault for aggregate in aggregates(node) for fault in _aggregate(aggregate, inside)]
    yield from faults
    if not faults:
        yield from _inside(node, terms)


def _joins(derivation: RuleDerivation) -> Iterator[Fault]:
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


def _inside(node: Node, terms: CompiledTerms) -> Iterator[Fault]:
    """Yield the faults of a node: those of its parts first, for a type can be told only where the parts have one."""
    if isinstance(node, Aggregate):
        return
    is_faulty = False
    for fault in (fault for part in children(node) for fault in _inside(part, terms)):
        is_faulty = True
        yield fault
    if not is_faulty:
        yield from _at(node, terms)


def _at(part: Node, terms: CompiledTerms) -> Iterator[Fault]:
    match part:
        case Comparison():
            yield from _comparison(part, terms)
        case Operation("+" | "-" | "*" | "/"):
            yield from _arithmetic(part, terms)
        case Operation():
            yield from _algebra(part, terms)
        case Call():
            yield from _call(part, terms)
        case Access(record, key) | Update(record, key):
            yield from _needs(_RECORD, "'[...]' needs a record", record, terms)
            names = (*_TEXT, *(_SET if isinstance(part, Access) else ()))
            yield from _needs(names, "an attribute is a text", key, terms)
        case Member():
            yield from _member(part, terms)
        case Subset(left, right):
            for side in (left, right):
                yield from _needs((*_SET, *_RECORD), "'subset of' needs sets", side, terms)
        case Similar(left, right):
            for side in (left, right):
                yield from _needs(_TEXT, "'~' compares texts", side, terms)


_IN = "'in' needs a set, a list or a record"
_Kinds = tuple[str | type, ...]
_TEXT: _Kinds = ("text",)
_SET: _Kinds = (SetType, ListType)
_RECORD: _Kinds = (RecordType, RowType)


def _needs(kinds: _Kinds, said: str, term: Term, terms: CompiledTerms) -> Iterator[Fault]:
    type_ = _type(term, terms)
    if type_ not in {ANY, NOTHING} and not _is_one_of(kinds, type_):
        yield Fault("R413", f"{said}, and gets {type_}", term.origin, "look at what gives it its value")


def _is_one_of(kinds: _Kinds, type_: Type) -> bool:
    return any(type_.name == kind if isinstance(type_, Scalar) else type(type_) is kind for kind in kinds)


def _algebra(part: Operation, terms: CompiledTerms) -> Iterator[Fault]:
    whole, other = part.operands
    if part.operator == "minus" and isinstance(other, Pair):
        yield from _needs(_RECORD, "'minus' of a pair needs a record", whole, terms)
        return
    wrong = [
        fault
        for side in part.operands
        for fault in _needs((*_SET, *_RECORD), f"'{part.operator}' needs sets", side, terms)
    ]
    yield from wrong
    if not wrong and joined(_type(whole, terms), _type(other, terms)) is None:
        left, right = _type(whole, terms), _type(other, terms)
        yield Fault("R412", f"'{part.operator}' of {left} and {right}", part.origin, "take two of one type")


def _member(part: Member, terms: CompiledTerms) -> Iterator[Fault]:
    wrong = list(_needs((*_SET, *_RECORD), _IN, part.collection, terms))
    yield from wrong
    whole = _type(part.collection, terms)
    if isinstance(whole, RecordType | RowType):
        yield from _needs(_TEXT, "the members of a record are its attributes, which are texts", part.item, terms)
    if wrong or not isinstance(whole, SetType | ListType):
        return
    item = _type(part.item, terms)
    if joined(item, whole.element) is None:
        yield Fault("R412", f"{item} is looked for in a {whole}", part.origin, "convert it, or write it otherwise")


def _type(term: Term, terms: CompiledTerms) -> Type:
    return terms.cell(term).type


def _aggregate(part: Aggregate, terms: CompiledTerms) -> Iterator[Fault]:
    if part.value is None:
        return
    faults = list(_inside(part.value, terms))
    yield from faults
    if faults:
        return
    name, type_ = part.function, _type(part.value, terms)
    if name in _OF_NUMBERS and type_ not in _NUMERIC:
        yield _fault(part.value.origin, "R413", f"{name} takes numbers, and gets {type_}", "number(X) converts a text")
    if name in _OF_ORDER and not isinstance(type_, Scalar):
        yield _fault(part.value.origin, "R413", f"{name} of {type_}: there is no order among them", _PLAIN)


_OF_NUMBERS = {"sum", "msum", "prod", "mprod", "avg"}
_OF_ORDER = {"min", "mmin", "max", "mmax"}
_PLAIN = "take numbers, texts or dates"


def _comparison(part: Comparison, terms: CompiledTerms) -> Iterator[Fault]:
    left, right = _type(part.left, terms), _type(part.right, terms)
    composed = next((side for side in (left, right) if not isinstance(side, Scalar)), None)
    if composed is not None and part.operator not in {"=", "!="}:
        yield _fault(part.origin, "R413", f"'{part.operator}' of {composed}: there is no order among them", _PLAIN)
    elif joined(left, right) is None:
        yield _fault(part.origin, "R412", f"{left} is compared with {right}", "convert one side, or write it otherwise")


def _arithmetic(part: Operation, terms: CompiledTerms) -> Iterator[Fault]:
    types = [_type(operand, terms) for operand in part.operands]
    if part.operator == "+" and all(isinstance(t, Scalar) and t.name in {"text", NOTHING.name} for t in types):
        return
    wrong = next((t for t in types if t not in _NUMERIC), None)
    if wrong is not None:
        yield _fault(
            part.origin, "R413", f"'{part.operator}' needs numbers, and gets {wrong}", "number(X) converts a text"
        )


def _call(part: Call, terms: CompiledTerms) -> Iterator[Fault]:
    for takes, argument in zip(FUNCTIONS[part.function].takes, part.arguments, strict=False):
        type_ = _type(argument, terms)
        if not _is_taken(takes, type_):
            yield _fault(
                argument.origin, "R413", f"{part.function} takes a {takes}, and gets {type_}", f"give it a {takes}"
            )


_COMPOSED = {
    "pair": PairType,
    "record": RecordType | RowType,
    "set, list or record": SetType | ListType | RecordType | RowType,
}


def _is_taken(takes: str, type_: Type) -> bool:
    if takes == "T" or type_ in {ANY, NOTHING}:
        return True
    if takes in _COMPOSED:
        return isinstance(type_, _COMPOSED[takes])
    if takes in {"number", "integer"}:
        return type_ in {INTEGER, NUMBER}
    if takes == "date":
        return type_ in {DATE, TIMESTAMP}
    return isinstance(type_, Scalar) and type_.name == takes


def _fault(origin: Origin, code: str, message: str, do: str) -> Fault:
    return Fault(code, message, origin, do)
