"""The values of the language as Python values.

Booleans, integers, numbers, texts, dates and timestamps are Python's own, a set is a `frozenset`. Python takes 1 and
True for the same thing, and a list of two for a pair; so equality is never Python's own but that of `key`.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, order=True)
class Null:
    """A labelled null: something unknown, equal to itself only."""

    number: int

    def __str__(self) -> str:
        return f"_:{self.number}"


@dataclass(frozen=True, slots=True)
class PairValue:
    """``(A, V)``."""

    first: Value
    second: Value


@dataclass(frozen=True, slots=True)
class ListValue:
    """``[A, B]``."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class RecordValue:
    """Attributes with a value each, sorted by attribute."""

    items: tuple[tuple[str, Value], ...]

    def get(self, attribute: str) -> Value | None:
        """Return the value of an attribute, or None where there is no such attribute."""
        return dict(self.items).get(attribute)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes, sorted."""
        return tuple(name for name, _ in self.items)


Scalar: TypeAlias = bool | int | float | str | datetime.date | datetime.datetime
Value: TypeAlias = "Scalar | Null | PairValue | ListValue | RecordValue | frozenset[Value]"
Row: TypeAlias = tuple[Value, ...]
Key: TypeAlias = tuple[object, ...]


def record(attributes: Mapping[str, Value]) -> RecordValue:
    """Return a record.

    >>> record({"b": 2, "a": 1}).attributes
    ('a', 'b')
    """
    return RecordValue(tuple(sorted(attributes.items(), key=lambda item: item[0])))


def collection(members: Iterable[Value]) -> frozenset[Value] | RecordValue:
    """Return a set; of pairs whose first parts are all different texts, a record.

    >>> collection([PairValue("a", 1), PairValue("b", 2)])
    RecordValue(items=(('a', 1), ('b', 2)))
    >>> isinstance(collection([PairValue("a", 1), PairValue("a", 2)]), frozenset)
    True
    """
    different = {key(member): member for member in members}
    pairs = [member for member in different.values() if isinstance(member, PairValue)]
    names = [pair.first for pair in pairs if isinstance(pair.first, str)]
    if names and len(set(names)) == len(different):
        return record({str(pair.first): pair.second for pair in pairs})
    return frozenset(different.values())


def members(value: frozenset[Value] | RecordValue) -> list[Value]:
    """Return what is in a set, a record taken as its pairs; in a fixed order."""
    found: Iterable[Value] = value if isinstance(value, frozenset) else (PairValue(a, v) for a, v in value.items)
    return sorted(found, key=rank)


_NOTHING: Key = ("set", frozenset())


def key(value: Value) -> Key:
    """Return what two values have in common if and only if they are equal.

    >>> key(1) == key(1.0), key(1) == key(True), key(1) == key("1")
    (True, False, False)
    >>> key(Null(1)) == key(Null(1)), key(Null(1)) == key(Null(2))
    (True, False)
    """
    if isinstance(value, frozenset):
        return ("set", frozenset(key(member) for member in value))
    if isinstance(value, PairValue):
        return ("pair", key(value.first), key(value.second))
    if isinstance(value, ListValue):
        return ("list", tuple(key(item) for item in value.items))
    if isinstance(value, RecordValue):
        # A record without attributes is the empty set.
        return ("record", tuple((name, key(part)) for name, part in value.items)) if value.items else _NOTHING
    return (_kind(value), value)


def row_key(row: Row) -> Key:
    """Return the key of a row of values."""
    return tuple(key(value) for value in row)


def same(a: Value, b: Value) -> bool:
    """Return whether two values are equal."""
    return key(a) == key(b)


def rank(value: Value) -> tuple[object, ...]:
    """Return a key to sort values of all kinds by, so that every run takes them in the same order."""
    if isinstance(value, frozenset):
        return ("set", sorted(rank(member) for member in value))
    if isinstance(value, PairValue):
        return ("pair", rank(value.first), rank(value.second))
    if isinstance(value, ListValue):
        return ("list", [rank(item) for item in value.items])
    if isinstance(value, RecordValue):
        return ("record", [(name, rank(part)) for name, part in value.items])
    return (_kind(value), value)


def parts(value: Value) -> list[Value]:
    """Return a value and everything inside it."""
    inside: Iterable[Value] = ()
    if isinstance(value, frozenset):
        inside = value
    elif isinstance(value, PairValue):
        inside = (value.first, value.second)
    elif isinstance(value, ListValue):
        inside = value.items
    elif isinstance(value, RecordValue):
        inside = (part for _, part in value.items)
    return [value, *(part for member in inside for part in parts(member))]


def replaced(value: Value, change: Callable[[Null], Value]) -> Value:
    """Return a value with its nulls, also those inside, passed through a function."""
    if isinstance(value, Null):
        return change(value)
    if isinstance(value, frozenset):
        return frozenset({key(new): new for new in (replaced(member, change) for member in value)}.values())
    if isinstance(value, PairValue):
        return PairValue(replaced(value.first, change), replaced(value.second, change))
    if isinstance(value, ListValue):
        return ListValue(tuple(replaced(item, change) for item in value.items))
    if isinstance(value, RecordValue):
        return RecordValue(tuple((name, replaced(part, change)) for name, part in value.items))
    return value


def from_python(given: object, fresh: Callable[[], Null]) -> Value:
    """Return what a caller gave as a value: None and NaN are fresh nulls, a dict is a record, a tuple of two a pair."""
    if given is None or (isinstance(given, float) and math.isnan(given)):
        return fresh()
    if isinstance(given, dict):
        return record({str(name): from_python(part, fresh) for name, part in given.items()})
    if isinstance(given, set | frozenset):
        return collection(from_python(member, fresh) for member in given)
    if isinstance(given, list):
        return ListValue(tuple(from_python(item, fresh) for item in given))
    if isinstance(given, tuple) and len(given) == 2:
        return PairValue(from_python(given[0], fresh), from_python(given[1], fresh))
    if isinstance(given, bool | int | float | str | datetime.date | Null | PairValue | ListValue | RecordValue):
        return given
    raise TypeError(f"no value of the rule language: {type(given).__name__}")


def _kind(value: Scalar | Null) -> str:
    # The order counts: True is an int to Python, and a datetime is a date.
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, datetime.datetime):
        return "timestamp"
    if isinstance(value, datetime.date):
        return "date"
    return "null" if isinstance(value, Null) else "text"
