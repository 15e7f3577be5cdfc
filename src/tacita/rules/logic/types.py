"""The types of terms: small, inferred, never written by most users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value: ``integer``, ``number``, ``text``, ``boolean``, ``date``, ``timestamp``; ``any`` of them."""

    name: str
    code: str = ""
    """The dictionary of an engine that codes this text, if one does: texts of one code compare without decoding."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class SetType:
    """A set of values of one type."""

    element: Type

    def __str__(self) -> str:
        return f"set of {self.element}"


@dataclass(frozen=True, slots=True)
class ListType:
    """A list of values of one type."""

    element: Type

    def __str__(self) -> str:
        return f"list of {self.element}"


@dataclass(frozen=True, slots=True)
class PairType:
    """Two values."""

    first: Type
    second: Type

    def __str__(self) -> str:
        return f"pair of {self.first} and {self.second}"


@dataclass(frozen=True, slots=True)
class RecordType:
    """Attributes with a value each; which attributes, the data say."""

    value: Type

    def __str__(self) -> str:
        return f"record of {self.value}"


@dataclass(frozen=True, slots=True)
class RowType:
    """Attributes with a value each; which attributes, the dictionary says, so that each is a column of its own."""

    attributes: tuple[tuple[str, Type], ...]
    nullable: frozenset[str] = frozenset()
    """The attributes whose value may be a labelled null."""

    def __str__(self) -> str:
        return "record of " + ", ".join(f"{name}: {type_}" for name, type_ in self.attributes)

    def of(self, attribute: str) -> Type | None:
        """Return the type of an attribute."""
        return dict(self.attributes).get(attribute)


Type: TypeAlias = Scalar | SetType | ListType | PairType | RecordType | RowType

INTEGER, NUMBER, TEXT, BOOLEAN, DATE, TIMESTAMP, ANY, NOTHING = map(
    Scalar, ("integer", "number", "text", "boolean", "date", "timestamp", "any", "nothing")
)
"""`NOTHING` is the type of what has no value yet: the members of an empty set, a predicate without facts."""
SCALARS = {scalar.name: scalar for scalar in (INTEGER, NUMBER, TEXT, BOOLEAN, DATE, TIMESTAMP, ANY)}


def joined(a: Type, b: Type) -> Type | None:
    """Return the type that holds the values of both, or None if none does.

    >>> joined(INTEGER, NUMBER)
    Scalar(name='number', code='')
    >>> joined(TEXT, NUMBER) is None
    True
    """
    if b in (a, NOTHING):
        return a
    if a == NOTHING:
        return b
    match a, b:
        case Scalar(), Scalar():
            return _joined_scalars(a, b)
        case SetType(x), SetType(y):
            inner = joined(x, y)
            return None if inner is None else SetType(inner)
        case ListType(x), ListType(y):
            inner = joined(x, y)
            return None if inner is None else ListType(inner)
        case PairType(), PairType():
            first, second = joined(a.first, b.first), joined(a.second, b.second)
            return None if first is None or second is None else PairType(first, second)
        case RecordType() | RowType(), RecordType() | RowType():
            return _joined_records(a, b)
        case SetType(x), RecordType() | RowType() if x == NOTHING:
            return RecordType(value_type(b))
        case RecordType() | RowType(), SetType(y) if y == NOTHING:
            return RecordType(value_type(a))
    return None


def _joined_scalars(a: Scalar, b: Scalar) -> Type | None:
    if a.name == b.name:
        return Scalar(a.name)
    names = {a.name, b.name}
    if "any" in names:
        return ANY
    if names == {"integer", "number"}:
        return NUMBER
    if names == {"date", "timestamp"}:
        return TIMESTAMP
    return None


def value_type(record: RecordType | RowType) -> Type:
    """Return the one type that holds all values of a record: ``any`` if they differ."""
    if isinstance(record, RecordType):
        return record.value
    inner: Type = NOTHING
    for _, type_ in record.attributes:
        inner = joined(inner, Scalar(type_.name) if isinstance(type_, Scalar) else type_) or ANY
    return inner


def _joined_records(a: RecordType | RowType, b: RecordType | RowType) -> Type | None:
    if (
        isinstance(a, RowType)
        and isinstance(b, RowType)
        and [n for n, _ in a.attributes] == [n for n, _ in b.attributes]
    ):
        attributes = []
        for (name, x), (_, y) in zip(a.attributes, b.attributes, strict=True):
            attributes.append((name, joined(x, y) or ANY))
        return RowType(tuple(attributes), a.nullable | b.nullable)
    return RecordType(joined(value_type(a), value_type(b)) or ANY)
