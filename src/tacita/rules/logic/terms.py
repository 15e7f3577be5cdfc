"""Terms and items: what rules are made of. Frozen, compared by meaning: where they were written does not count."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import TypeAlias, TypeVar

from tacita.rules.logic.faults import NOWHERE, Origin

Value: TypeAlias = bool | int | float | str | datetime.date | datetime.datetime


def _origin() -> Origin:
    return field(default=NOWHERE, compare=False, repr=False)


# -- terms -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, local to its rule."""

    name: str
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Blank:
    """``_``: something, no matter what."""

    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Constant:
    """A known value."""

    value: Value
    origin: Origin = _origin()

    def __eq__(self, other: object) -> bool:
        # 1, 1.0 and True are equal to Python and three things to us.
        return isinstance(other, Constant) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$k``: a value that is given when the program is run."""

    name: str
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Operation:
    """Arithmetic or set algebra: ``+ - * /`` with two operands, ``-`` with one, ``union``, ``minus``, ``intersect``."""

    operator: str
    operands: tuple[Term, ...]
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Call:
    """A function applied to terms; the names are in `functions`."""

    function: str
    arguments: tuple[Term, ...]
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Access:
    """``VSet[A]``: the value of an attribute; ``VSet[S]`` with a set of attributes: the record cut down to them."""

    record: Term
    key: Term
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Update:
    """``VSet[A := Z]``: the record with one attribute changed."""

    record: Term
    key: Term
    value: Term
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Pair:
    """``(A, V)``. A set of pairs whose first parts are all different texts is a record."""

    first: Term
    second: Term
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class SetOf:
    """``{A, B}``."""

    items: tuple[Term, ...]
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class ListOf:
    """``[A, B]``."""

    items: tuple[Term, ...]
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Case:
    """``case C then X else Y``; all conditions must hold."""

    conditions: tuple[Condition, ...]
    then: Term
    otherwise: Term
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``msum(W, <Z>)``: one value of a group, that is, of the head terms that do not depend on an aggregate.

    Of the values of one contributor only the extreme one counts. Without contributors every different match of the body
    counts.
    """

    function: str
    value: Term | None
    contributors: tuple[Variable, ...] | None = None
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Unpack:
    """``*VSet`` as the last argument: a record whose values stand as arguments of their own."""

    record: Term
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Pack:
    """``Q*`` as the last argument: the rest of the arguments as one record."""

    variable: Variable
    origin: Origin = _origin()


Term: TypeAlias = (
    Variable
    | Blank
    | Constant
    | Parameter
    | Operation
    | Call
    | Access
    | Update
    | Pair
    | SetOf
    | ListOf
    | Case
    | Aggregate
    | Unpack
    | Pack
)

# -- items: what a body or a head lists --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Atom:
    """``Own(X, Y, W)``; an external one is written ``#risk(I, R)``."""

    predicate: str
    arguments: tuple[Term, ...]
    is_external: bool = False
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Negation:
    """``not A`` or ``not (A, B, X > 1)``: there is no match of these items."""

    items: tuple[Item, ...]
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Comparison:
    """``X > 1``. With ``=`` and a variable that nothing else binds, it gives the variable its value; in a head it is an
    equality rule. The operators are ``= != < <= > >=``.
    """

    operator: str
    left: Term
    right: Term
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Similar:
    """``A ~ B``: alike by the similarity that the program chose."""

    left: Term
    right: Term
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Member:
    """``A in S`` or ``A not in S``; of a record, the attributes are the members."""

    item: Term
    collection: Term
    is_negated: bool = False
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Subset:
    """``S1 subset of S2``, equal ones included."""

    part: Term
    whole: Term
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class IsNull:
    """``X is null`` or ``X is not null``: whether the value is a labelled null."""

    term: Term
    is_negated: bool = False
    origin: Origin = _origin()


@dataclass(frozen=True, slots=True)
class Denial:
    """``false "text"`` as a head: what must never be."""

    text: str = ""
    origin: Origin = _origin()


Condition: TypeAlias = Comparison | Similar | Member | Subset | IsNull
Item: TypeAlias = Atom | Negation | Condition
HeadItem: TypeAlias = Atom | Comparison | Denial
Node: TypeAlias = Term | Item | Denial

_N = TypeVar("_N")


def children(node: Node) -> Iterator[Node]:
    """Yield the terms and items directly inside one."""
    for name in _parts(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple):
            yield from value
        elif isinstance(value, _NODES):
            yield value


def _parts(kind: type) -> tuple[str, ...]:
    """Return the fields of a node that can hold others."""
    if kind not in _PARTS:
        plain = {"origin", "name", "operator", "function", "predicate", "is_external", "is_negated", "text"}
        names = tuple(part.name for part in fields(kind))
        _PARTS[kind] = tuple(n for n in names if n not in plain and not (n == "value" and kind is Constant))
    return _PARTS[kind]


_PARTS: dict[type, tuple[str, ...]] = {}


def walk(node: Node) -> Iterator[Node]:
    """Yield a term or item and everything inside it, outside first."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(children(node))))


def variables(*nodes: Node) -> tuple[Variable, ...]:
    """Return the different variables in the order of their first place.

    >>> [v.name for v in variables(Operation("+", (Variable("X"), Variable("Y"))), Variable("X"))]
    ['X', 'Y']
    """
    by_name: dict[str, Variable] = {}
    for node in nodes:
        for inner in walk(node):
            if isinstance(inner, Variable):
                by_name.setdefault(inner.name, inner)
    return tuple(by_name.values())


def rewritten(node: _N, change: Callable[[Node], Node]) -> _N:
    """Return a term or item with every part passed through a function, inside first."""
    changes = {}
    for name in _parts(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple):
            new = tuple(rewritten(item, change) for item in value)
            if any(a is not b for a, b in zip(new, value, strict=True)):
                changes[name] = new
        elif isinstance(value, _NODES):
            after = rewritten(value, change)
            if after is not value:
                changes[name] = after  # type: ignore[assignment]
    return change(replace(node, **changes) if changes else node)  # type: ignore[type-var, arg-type, return-value]


def aggregates(node: Node) -> tuple[Aggregate, ...]:
    """Return the aggregates inside a term or item."""
    return tuple(n for n in walk(node) if isinstance(n, Aggregate))


_NODES = (
    Variable,
    Blank,
    Constant,
    Parameter,
    Operation,
    Call,
    Access,
    Update,
    Pair,
    SetOf,
    ListOf,
    Case,
    Aggregate,
    Unpack,
    Pack,
    Atom,
    Negation,
    Comparison,
    Similar,
    Member,
    Subset,
    IsNull,
    Denial,
)
