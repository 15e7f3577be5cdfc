"""From a program back to text that means the same: read again, it is the same program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.logic.program import Annotation, Directive, Fact, Program, Rule
from tacita.rules.logic.terms import (
    Access,
    Aggregate,
    Atom,
    Blank,
    Call,
    Case,
    Comparison,
    Constant,
    Denial,
    IsNull,
    ListOf,
    Member,
    Negation,
    Node,
    Operation,
    Pack,
    Pair,
    Parameter,
    SetOf,
    Similar,
    Subset,
    Term,
    Unpack,
    Update,
    Variable,
)
from tacita.rules.syntax.literals import name_literal, text_literal, value_literal
from tacita.rules.syntax.words import ADDITIVE, KEYWORDS

Printable: TypeAlias = Program | Rule | Fact | Directive | Annotation | Node

_CASE, _SUM, _PRODUCT, _UNARY, _POSTFIX, _PRIMARY = range(6)


def text_of(part: Printable) -> str:
    """Return a program, a clause, an annotation, a term or an item as it is written.

    >>> text_of(Operation("*", (Operation("+", (Variable("X"), Constant(1))), Constant(-2.0))))
    '(X + 1) * -2.0'
    """
    if isinstance(part, Program):
        return "".join(text_of(clause) + "\n" for clause in part.clauses)
    if isinstance(part, Rule):
        return _rule(part)
    if isinstance(part, Fact):
        return _opening(part.annotations, part.label) + _item(part.atom) + "."
    if isinstance(part, Directive):
        return "\n".join(map(text_of, part.annotations)) + "."
    if isinstance(part, Annotation):
        named = (f"{key} = {_term(value)}" for key, value in part.named)
        return f"@{part.name}({', '.join([*map(_term, part.arguments), *named])})"
    if isinstance(part, Atom | Negation | Comparison | Similar | Member | Subset | IsNull | Denial):
        return _item(part)
    return _term(part)


def _rule(rule: Rule) -> str:
    body = _listed(_item(item) for item in rule.body)
    if rule.label is None and body.startswith("["):
        # A bracket that begins a clause would be read as a label.
        body = _listed([_item(rule.body[0], guarded=True), *map(_item, rule.body[1:])])
    exists = f"exists {_listed(v.name for v in rule.exists)}: " if rule.exists else ""
    head = exists + _listed(_item(item, in_head=True) for item in rule.head)
    return f"{_opening(rule.annotations, rule.label)}{body} -> {head}."


def _opening(annotations: Iterable[Annotation], label: str | None) -> str:
    lines = "".join(text_of(annotation) + "\n" for annotation in annotations)
    return lines if label is None else f"{lines}[{label}] "


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)


# -- items -------------------------------------------------------------------------------------------------------------


def _item(item: Node, *, in_head: bool = False, guarded: bool = False) -> str:
    """Return an item; `guarded`: with parentheses around its first term."""
    match item:
        case Atom(predicate, arguments, is_external):
            name = "#" + name_literal(predicate, free=True) if is_external else name_literal(predicate)
            return f"{name}({_listed(map(_term, arguments))})"
        case Negation((Atom() as atom,)):
            return f"not {_item(atom)}"
        case Negation(items):
            return f"not ({_listed(map(_item, items))})"
        case Denial(text):
            return f"false {text_literal(text)}" if text else "false"
        case Comparison("=", Call(function) as call, Constant(True)) if not in_head and _is_condition(function):
            return _term(call)
        case Comparison(operator, left, right):
            return f"{_first(left, guarded)} {operator} {_term(right)}"
        case Similar(left, right):
            return f"{_first(left, guarded)} ~ {_term(right)}"
        case Member(left, collection, is_negated):
            return f"{_first(left, guarded)} {'not in' if is_negated else 'in'} {_term(collection)}"
        case Subset(part, whole):
            return f"{_first(part, guarded)} subset of {_term(whole)}"
        case IsNull(term, is_negated):
            return f"{_first(term, guarded)} {'is not null' if is_negated else 'is null'}"
    raise TypeError(f"{type(item).__name__} is not an item")


def _is_condition(function: str) -> bool:
    return function in FUNCTIONS and FUNCTIONS[function].gives == "boolean"


def _first(term: Term, guarded: bool) -> str:
    # Without parentheses, a reader would take what follows for a part of the last branch.
    return f"({_term(term)})" if guarded or isinstance(term, Case) else _term(term)


# -- terms -------------------------------------------------------------------------------------------------------------


def _term(term: Node) -> str:  # noqa: PLR0912 - a case for each kind of term
    match term:
        case Variable(name):
            return name
        case Constant(value):
            return value_literal(value)
        case Blank():
            return "_"
        case Parameter(name):
            return "$" + name
        case Operation(operator, (operand,)):
            # -(1) is an operation and -1 a number.
            is_number = isinstance(operand, Constant) and _binding(operand) == _PRIMARY
            return f"{operator}({_term(operand)})" if is_number else operator + _at_least(_UNARY, operand)
        case Operation(operator, (left, right)):
            level = _SUM if operator in ADDITIVE else _PRODUCT
            return f"{_at_least(level, left)} {operator} {_at_least(level + 1, right)}"
        case Call(function, arguments):
            return f"{_function(function)}({_listed(map(_term, arguments))})"
        case Access(record, key):
            return f"{_at_least(_POSTFIX, record)}[{_term(key)}]"
        case Update(record, key, value):
            return f"{_at_least(_POSTFIX, record)}[{_term(key)} := {_term(value)}]"
        case Pair(first, second):
            return f"({_term(first)}, {_term(second)})"
        case SetOf(items):
            return f"{{{_listed(map(_term, items))}}}"
        case ListOf(items):
            return f"[{_listed(map(_term, items))}]"
        case Case(conditions, then, otherwise):
            holds = " and ".join(map(_item, conditions))
            return f"case {holds} then {_at_least(_SUM, then)} else {_term(otherwise)}"
        case Aggregate(function, value, contributors):
            parts = [] if value is None else [_term(value)]
            if contributors is not None:
                parts.append(f"<{_listed(v.name for v in contributors)}>")
            return f"{function}({_listed(parts)})"
        case Unpack(record):
            return "*" + _at_least(_POSTFIX, record)
        case Pack(variable):
            return f"{variable.name}*"
    raise TypeError(f"{type(term).__name__} is not a term")


def _at_least(level: int, term: Term) -> str:
    return _term(term) if _binding(term) >= level else f"({_term(term)})"


def _binding(term: Term) -> int:
    """Return how strongly the parts of a term hold together when it is written."""
    match term:
        case Case():
            return _CASE
        case Operation(_, (_,)):
            return _UNARY
        case Operation(operator):
            return _SUM if operator in ADDITIVE else _PRODUCT
        case Constant(bool() | str()):
            return _PRIMARY
        case Constant(int() | float() as number) if repr(number).startswith("-"):
            return _UNARY
        case Access() | Update():
            return _POSTFIX
    return _PRIMARY


def _function(name: str) -> str:
    if name in FUNCTIONS:
        return name
    # In annotations atoms are written like calls.
    if name.startswith("#"):
        return "#" + name_literal(name[1:], free=True)
    return f"'{name}'" if name in AGGREGATES or name in KEYWORDS else name_literal(name)
