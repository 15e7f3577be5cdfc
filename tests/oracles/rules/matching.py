"""Matches of a body: all ways to give values to its variables so that every item holds. Nested loops over the facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from tests.oracles.rules.expressions import Binding, Expressions
from tests.oracles.rules.functions import NoValue, listed
from tests.oracles.rules.values import Key, Row, Value, row_key, same

from tacita.errors import RuleError
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Blank,
    Comparison,
    Condition,
    Constant,
    Item,
    Member,
    Negation,
    Node,
    Pack,
    Term,
    Unpack,
    Variable,
    aggregates,
    children,
    variables,
)

Database: TypeAlias = dict[str, dict[Key, Row]]
"""The facts by predicate, in the order in which they came in."""


@dataclass(frozen=True, slots=True)
class Absent:
    """A negation, with the variables that get their value outside it; all others are existential inside it."""

    parts: tuple[Part, ...]
    shared: frozenset[str]


Part: TypeAlias = Atom | Absent | Condition


def all_names(*nodes: Node) -> set[str]:
    """Return the names of all variables in terms or items."""
    return {variable.name for variable in variables(*nodes)}


def names(node: Node) -> set[str]:
    """Return the names of the variables that must have a value first; those inside an aggregate are behind it."""
    if isinstance(node, Aggregate):
        return set()
    if isinstance(node, Variable):
        return {node.name}
    return {name for child in children(node) for name in names(child)}


def is_hidden(name: str) -> bool:
    """Return whether a variable was made by `prepared` and is not one of the rule's own."""
    return name.startswith("·")


def prepared(items: Sequence[Item], outside: set[str], place: str = "") -> tuple[Part, ...]:
    """Return items made ready for matching; `outside` are the names of variables elsewhere in the rule.

    An argument that is more than a variable or a constant becomes a hidden variable and an equality, so that the order
    in which its variables get their values does not matter.
    """
    ready: list[Part] = []
    hidden = (f"·{place}{number}" for number in count())
    for position, item in enumerate(items):
        if isinstance(item, Negation):
            if aggregates(item):
                raise RuleError("an aggregate inside a negation")
            others = [other for at, other in enumerate(items) if at != position]
            around = outside | all_names(*others)
            inside = prepared(item.items, around, f"{place}{position}.")
            ready.append(Absent(inside, frozenset(all_names(item) & around)))
        elif isinstance(item, Atom):
            if item.is_external:
                raise RuleError(f"the external predicate #{item.predicate} is not resolved")
            arguments: list[Term] = []
            for argument in map(unwrapped, item.arguments):
                if isinstance(argument, Variable | Constant | Blank):
                    arguments.append(argument)
                    continue
                arguments.append(Variable(next(hidden)))
                ready.append(Comparison("=", arguments[-1], argument))
            ready.append(Atom(item.predicate, tuple(arguments)))
        else:
            ready.append(item)
    return tuple(ready)


def unwrapped(term: Term) -> Term:
    """Return what stands in the place of ``*R`` and ``Q*``: the record."""
    if isinstance(term, Unpack):
        return term.record
    return term.variable if isinstance(term, Pack) else term


# -- the order in which items are used ---------------------------------------------------------------------------------


def needs(part: Part) -> set[str]:
    """Return the variables without which an item cannot be tested."""
    if isinstance(part, Absent):
        return set(part.shared)
    return set() if isinstance(part, Atom) else names(part)


def gives(part: Part, known: Iterable[str]) -> set[str] | None:
    """Return the variables that have a value once an item is used, or None if it cannot be used yet."""
    have = set(known)
    if isinstance(part, Atom):
        return all_names(part)
    if needs(part) <= have:
        return needs(part)
    if isinstance(part, Comparison) and part.operator == "=":
        for target, source in ((part.left, part.right), (part.right, part.left)):
            if isinstance(target, Variable) and names(source) <= have:
                return {target.name}
    if isinstance(part, Member) and not part.is_negated and isinstance(part.item, Variable):
        return {part.item.name} if names(part.collection) <= have else None
    return None


def ordered(parts: Sequence[Part], known: Iterable[str]) -> list[Part]:
    """Return items in an order in which each can be used: conditions as early as possible, atoms as written."""
    have, waiting, found = set(known), list(parts), []
    while waiting:
        usable = [part for part in waiting if gives(part, have) is not None]
        if not usable:
            missing = sorted({name for part in waiting for name in needs(part) - have})
            raise RuleError(f"no value for {', '.join(missing)}")
        part = next((p for p in usable if not isinstance(p, Atom)), usable[0])
        have |= gives(part, have) or set()
        waiting = [other for other in waiting if other is not part]
        found.append(part)
    return found


# -- matching ----------------------------------------------------------------------------------------------------------


def matches(parts: Sequence[Part], database: Database, binding: Binding, expressions: Expressions) -> Iterator[Binding]:
    """Yield every way to extend a binding so that all items hold."""
    known = [name for name in binding if isinstance(name, str)]
    yield from _in_order(ordered(parts, known), database, binding, expressions)


def _in_order(
    parts: Sequence[Part], database: Database, binding: Binding, expressions: Expressions
) -> Iterator[Binding]:
    if not parts:
        yield binding
        return
    for extended in _used(parts[0], database, binding, expressions):
        yield from _in_order(parts[1:], database, extended, expressions)


def _used(part: Part, database: Database, binding: Binding, expressions: Expressions) -> Iterator[Binding]:
    """Yield the bindings under which one item holds."""
    if isinstance(part, Atom):
        for row in database.get(part.predicate, {}).values():
            extended = unified(part.arguments, row, binding)
            if extended is not None:
                yield extended
    elif isinstance(part, Absent):
        known: Binding = {name: value for name, value in binding.items() if name in part.shared}
        if _is_condition(part):
            if _truth(part.parts, known, expressions) is False:
                yield binding
        elif next(matches(part.parts, database, known, expressions), None) is None:
            yield binding
    else:
        try:
            yield from _conditioned(part, binding, expressions)
        except NoValue:
            return


def _is_condition(absent: Absent) -> bool:
    """Return whether only conditions on known variables are negated: what has no value is neither true nor false then.

    With a variable of its own, a negation says that there is no value of it for which all the rest holds.
    """
    return all(not isinstance(part, Atom | Absent) and names(part) <= absent.shared for part in absent.parts)


def _truth(parts: Sequence[Part], binding: Binding, expressions: Expressions) -> bool | None:
    """Return whether all conditions hold; None if that depends on something without a value."""
    unknown = False
    for part in parts:
        assert not isinstance(part, Atom | Absent)
        try:
            if not expressions.holds(part, binding):
                return False
        except NoValue:
            unknown = True
    return None if unknown else True


def _conditioned(part: Condition, binding: Binding, expressions: Expressions) -> list[Binding]:
    if names(part) <= binding.keys():
        return [binding] if expressions.holds(part, binding) else []
    if isinstance(part, Member):
        assert isinstance(part.item, Variable)
        found = listed(expressions.value(part.collection, binding))
        return [{**binding, part.item.name: value} for value in found]
    assert isinstance(part, Comparison)
    target, source = part.left, part.right
    if not isinstance(target, Variable) or target.name in binding:
        target, source = source, target
    assert isinstance(target, Variable)
    return [{**binding, target.name: expressions.value(source, binding)}]


def unified(arguments: Sequence[Term], row: Row, binding: Binding) -> Binding | None:
    """Return a binding extended so that arguments and row are the same, or None."""
    if len(arguments) != len(row):
        return None
    extended = dict(binding)
    for argument, value in zip(arguments, row, strict=True):
        if isinstance(argument, Variable):
            if not same(extended.setdefault(argument.name, value), value):
                return None
        elif isinstance(argument, Constant) and not same(argument.value, value):
            return None
    return extended


def add(database: Database, predicate: str, row: Row) -> bool:
    """Add a fact; return whether it is new."""
    rows = database.setdefault(predicate, {})
    new = row_key(row) not in rows
    rows.setdefault(row_key(row), row)
    return new


def visible(binding: Binding) -> dict[str, Value]:
    """Return the values of the rule's own variables."""
    return {name: value for name, value in binding.items() if isinstance(name, str) and not is_hidden(name)}
