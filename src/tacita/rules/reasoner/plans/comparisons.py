"""Compiled terms as other types, and comparisons of them: identity, maybe-match, order.

A comparison is three-valued as in SQL: it holds, it does not, or one of its sides has no value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from tacita.engines.protocol import Engine
from tacita.rules.logic.types import (
    ANY,
    INTEGER,
    NOTHING,
    NUMBER,
    TEXT,
    RecordType,
    RowType,
    Scalar,
    SetType,
    Type,
    joined,
    value_type,
)
from tacita.rules.reasoner.plans.cells import Cell, as_type, both, is_null, not_null, null_safe, own, when, wrapped
from tacita.rules.reasoner.plans.layout import NO_LABEL, sql_type


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
                inner = self.converted(part, target.value)
                label = inner.label if inner.label is not None else NO_LABEL
                parts += [exp.Literal.string(name), as_type(inner.value, sql_type(target.value)), label]
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


@dataclass(slots=True)
class Comparisons(Conversions):
    """Compares compiled terms."""

    def equal(self, a: Cell, b: Cell) -> exp.Expr:
        """Return identity: the same value, or the same null."""
        if isinstance(a.type, RowType) and isinstance(b.type, RowType):
            if {name for name, _ in a.row} != {name for name, _ in b.row}:
                return exp.false()
            return both(*(self.equal(part, dict(b.row)[name]) for name, part in a.row))
        a, b = self.alike(a, b)
        if a.label is None and b.label is None and not isinstance(a.type, RecordType):
            return exp.EQ(this=wrapped(a.value), expression=wrapped(b.value))
        same = null_safe(a.value, b.value)
        if a.label is not None or b.label is not None:
            same = both(same, null_safe(a.label or NO_LABEL, b.label or NO_LABEL))
        known = [cell.is_known() for cell in (a, b) if cell.is_partial]
        return when(both(*known), same) if known else same

    def matching(self, a: Cell, b: Cell) -> exp.Expr:
        """Return identity where only being true counts: the form that engines join fast on."""
        if isinstance(a.type, RowType) or isinstance(b.type, RowType):
            if isinstance(a.type, RowType) and isinstance(b.type, RowType):
                if {name for name, _ in a.row} != {name for name, _ in b.row}:
                    return exp.false()
                return both(*(self.matching(part, dict(b.row)[name]) for name, part in a.row))
            return self.equal(a, b)
        a, b = self.alike(a, b)
        if (a.label is None or b.label is None) and not isinstance(a.type, RecordType):
            return exp.EQ(this=wrapped(a.value), expression=wrapped(b.value))
        return self.equal(a, b)

    def maybe_equal(self, a: Cell, b: Cell) -> exp.Expr:
        """Return maybe-match: the same value, or at least one null."""
        if isinstance(a.type, RowType) and isinstance(b.type, RowType):
            return both(*(self.maybe_equal(part, dict(b.row)[name]) for name, part in a.row))
        same = self.matching(replace(a, label=None), replace(b, label=None))
        for cell in (a, b):
            if cell.label is not None:
                same = exp.paren(exp.Or(this=wrapped(same), expression=not_null(cell.label)))
        return same

    def alike(self, a: Cell, b: Cell) -> tuple[Cell, Cell]:
        """Return two cells in one type."""
        if a.type == b.type or {a.type, b.type} == {INTEGER, NUMBER}:
            return a, b
        if isinstance(a.type, RowType | RecordType) or isinstance(b.type, RowType | RecordType):
            a, b = self.generic(a), self.generic(b)
        target = joined(a.type, b.type) or ANY
        return self.converted(a, target), self.converted(b, target)

    def ordered(self, operator: str, a: Cell, b: Cell) -> exp.Expr:
        """Return which of two comes first; values of different kinds have no order."""
        node = {"<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}[operator]
        if NOTHING in {a.type, b.type}:
            a, b = self.alike(a, b)
        if ANY in {a.type, b.type}:
            if is_text(a.type) or is_text(b.type):
                return node(this=wrapped(self.text(a)), expression=wrapped(self.text(b)))
            if a.type == b.type:
                numbers = node(this=wrapped(self.number(a)), expression=wrapped(self.number(b)))
                texts = node(this=wrapped(self.text(a)), expression=wrapped(self.text(b)))
                return exp.func("coalesce", numbers, texts)
            for name in ("date", "timestamp"):
                if Scalar(name) in {a.type, b.type}:
                    left, right = (self.function(f"{name}_any", c.value) if c.type == ANY else c.value for c in (a, b))
                    return node(this=wrapped(left), expression=wrapped(right))
            return node(this=wrapped(self.number(a)), expression=wrapped(self.number(b)))
        return node(this=wrapped(self.text(a)), expression=wrapped(self.text(b)))

    def one_of(self, item: Cell, cells: list[Cell]) -> exp.Expr:
        """Return whether a term is one of some others."""
        any_same: exp.Expr = exp.false()
        for i, cell in enumerate(cells):
            same = self.equal(item, cell)
            any_same = same if i == 0 else exp.Or(this=wrapped(any_same), expression=wrapped(same))
        return any_same

    def is_labelled(self, cell: Cell, *, is_negated: bool) -> exp.Expr:
        """Return whether a term is a labelled null, or is none."""
        if cell.label is None:
            known = exp.Boolean(this=is_negated)
            return when(cell.is_known(), known) if cell.is_partial else known
        if cell.is_partial:
            return both(is_null(cell.label), not_null(cell.value)) if is_negated else not_null(cell.label)
        return is_null(cell.label) if is_negated else not_null(cell.label)
