"""Compiled terms as other types: a number out of ``any``, a row as one record."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from tacita.engines.protocol import Engine
from tacita.rules.logic.types import ANY, NOTHING, NUMBER, TEXT, RecordType, RowType, Scalar, SetType, Type, value_type
from tacita.rules.reasoner.cells import Cell, as_type, own
from tacita.rules.reasoner.constants import NO_LABEL
from tacita.rules.reasoner.layout import sql_type


@dataclass(slots=True)
class Conversions:
    """Turns compiled terms into other types, in the words of an engine."""

    engine: Engine

    def function(self, name: str, *arguments: exp.Expr) -> exp.Expr:
        """Return a call of an engine's function, on copies of its arguments."""
        return self.engine.function(name, *(own(argument) for argument in arguments))

    def number(self, cell: Cell) -> exp.Expr:
        """Return a cell as a number."""
        if cell.type == NOTHING:
            return as_type(cell.value, sql_type(NUMBER))
        return self.function("number_any", cell.value) if cell.type == ANY else own(cell.value)

    def text(self, cell: Cell) -> exp.Expr:
        """Return a cell as text."""
        if cell.type == ANY:
            return self.function("text_any", cell.value)
        if isinstance(cell.type, Scalar) and cell.type.code:
            return as_type(cell.value, sql_type(TEXT))
        return own(cell.value)

    def generic(self, cell: Cell) -> Cell:
        """Return a record that has a column per attribute as one value; anything else as it is."""
        if cell.type == NOTHING:
            return self.converted(cell, RecordType(ANY))
        if not isinstance(cell.type, RowType):
            return cell
        return self.converted(cell, RecordType(value_type(cell.type)))

    def converted(self, cell: Cell, target: Type) -> Cell:
        """Return a cell as another type that can hold it."""
        if cell.type == target:
            return cell
        if isinstance(target, RowType):
            parts = []
            for name, type_ in target.attributes:
                part = dict(cell.row)[name]
                part = self.converted(part, type_)
                if name in target.nullable and part.label is None:
                    part = replace(part, label=NO_LABEL)
                parts.append((name, part))
            return replace(row_of(tuple(parts)), type=target)
        if isinstance(target, RecordType):
            return self._as_record(cell, target)
        if target == ANY and isinstance(cell.type, Scalar):
            plain = {"integer": "number", "nothing": "text"}.get(cell.type.name, cell.type.name)
            return replace(cell, type=ANY, value=self.function(f"any_{plain}", cell.value))
        return replace(cell, type=target, value=as_type(cell.value, sql_type(target)))

    def _as_record(self, cell: Cell, target: RecordType) -> Cell:
        if isinstance(cell.type, RowType):
            parts: list[exp.Expr] = []
            for name, part in cell.row:
                held = self.converted(part, target.value)
                label = held.label if held.label is not None else NO_LABEL
                parts += [exp.Literal.string(name), as_type(held.value, sql_type(target.value)), label]
            value = self.function("record_made", *parts) if parts else exp.Array(expressions=[])
            return Cell(target, as_type(value, sql_type(target)))
        if cell.type == SetType(NOTHING):  # the empty set is an empty record, too
            return replace(cell, type=target, value=as_type(exp.Array(expressions=[]), sql_type(target)))
        return replace(cell, type=target, value=as_type(cell.value, sql_type(target)))


def row_of(parts: tuple[tuple[str, Cell], ...]) -> Cell:
    """Return a record with a column per attribute; the attributes are in the order of their names."""
    parts = tuple(sorted(parts, key=lambda part: part[0]))
    attributes = tuple((name, cell.type) for name, cell in parts)
    nullable = frozenset(name for name, cell in parts if cell.label is not None)
    return Cell(RowType(attributes, nullable), exp.Null(), row=parts)


def is_text(type_: Type) -> bool:
    """Return whether a type is text, coded or not."""
    return isinstance(type_, Scalar) and type_.name == "text"
