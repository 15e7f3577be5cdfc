"""Values as people and Python see them: what comes out of tables, and how it is written."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacita.rules.logic.types import ListType, PairType, RecordType, RowType, Scalar, SetType, Type
from tacita.rules.reasoner.plans.cells import Cell


@dataclass(frozen=True, slots=True, order=True)
class Null:
    """A labelled null: a fresh unknown that is the same only as itself."""

    number: int

    def __str__(self) -> str:
        return f"⊥{self.number}"


@dataclass(frozen=True, slots=True)
class Record:
    """Attributes with a value each, in the order of their names."""

    items: tuple[tuple[str, Any], ...]

    def __getitem__(self, name: str) -> Any:
        return dict(self.items)[name]

    def __len__(self) -> int:
        return len(self.items)


def decoded(cell: Cell, row: Mapping[str, Any]) -> Any:
    """Return a cell of a row that an engine gave, as a Python value."""
    if isinstance(cell.type, RowType):
        return Record(tuple(sorted((name, decoded(part, row)) for name, part in cell.row)))
    if cell.label is not None:
        label = row[cell.label.name]
        if label is not None:
            return Null(int(label))
    return python_value(cell.type, row[cell.value.name])


def python_value(type_: Type, value: Any) -> Any:
    """Return a stored value as a Python value."""
    if value is None:
        return None
    match type_:
        case Scalar("any"):
            return _from_any(str(value))
        case Scalar("integer"):
            return int(value)
        case Scalar("number"):
            return float(value)
        case Scalar("date") if isinstance(value, datetime.datetime):
            return value.date()
        case SetType(element):
            return frozenset(python_value(element, item) for item in value)
        case ListType(element):
            return tuple(python_value(element, item) for item in value)
        case PairType(first, second):
            return python_value(first, value["a"]), python_value(second, value["b"])
        case RecordType(inner):
            entries = [
                (e["k"], Null(int(e["n"])) if e["n"] is not None else python_value(inner, e["v"])) for e in value
            ]
            return Record(tuple(sorted(entries, key=lambda entry: entry[0])))
    return value


def _from_any(text: str) -> Any:
    tag, rest = text[:1], text[1:]
    if tag == "n":
        return int(rest) if rest.removeprefix("-").isdigit() else float(rest)
    if tag == "b":
        return rest.lower() == "true"
    if tag == "d":
        return datetime.date.fromisoformat(rest)
    if tag == "t":
        return datetime.datetime.fromisoformat(rest)
    return Null(int(rest)) if tag == "x" else rest


def as_any(value: Any) -> str:
    """Return a constant as an ``any`` of the engines."""
    if isinstance(value, bool):
        return f"b{str(value).lower()}"
    if isinstance(value, int | float):
        whole = float(value).is_integer() and abs(value) < 1e15
        return f"n{int(value) if whole else value}"
    if isinstance(value, datetime.datetime):
        return f"t{value}"
    return f"d{value}" if isinstance(value, datetime.date) else f"s{value}"


def written(value: Any) -> str:
    """Return a value as the rule language writes it.

    >>> written("a"), written(0.5), written(frozenset({"b", "a"})), written(Null(3))
    ('"a"', '0.5', '{"a", "b"}', '⊥3')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, datetime.datetime):
        return f'timestamp("{value}")'
    if isinstance(value, datetime.date):
        return f'date("{value}")'
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(written(item) for item in value)) + "}"
    if isinstance(value, Record):
        return "{" + ", ".join(f"{name}: {written(item)}" for name, item in value.items) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(written(item) for item in value) + ")"
    return str(value)
