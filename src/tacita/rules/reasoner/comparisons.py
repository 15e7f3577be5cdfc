"""Comparisons of compiled terms: identity, maybe-match, order.

A comparison is three-valued as in SQL: it holds, it does not, or one of its sides has no value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from tacita.rules.logic.types import ANY, INTEGER, NOTHING, NUMBER, RecordType, RowType, Scalar, joined
from tacita.rules.reasoner.cells import Cell, both, is_null, not_null, null_safe, when, wrapped
from tacita.rules.reasoner.constants import NO_LABEL
from tacita.rules.reasoner.conversions import Conversions, is_text


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
        found: exp.Expr = exp.false()
        for i, cell in enumerate(cells):
            same = self.equal(item, cell)
            found = same if i == 0 else exp.Or(this=wrapped(found), expression=wrapped(same))
        return found

    def is_labelled(self, cell: Cell, *, is_negated: bool) -> exp.Expr:
        """Return whether a term is a labelled null, or is none."""
        if cell.label is None:
            known = exp.Boolean(this=is_negated)
            return when(cell.is_known(), known) if cell.is_partial else known
        if cell.is_partial:
            return both(is_null(cell.label), not_null(cell.value)) if is_negated else not_null(cell.label)
        return is_null(cell.label) if is_negated else not_null(cell.label)
