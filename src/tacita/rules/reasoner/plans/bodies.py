"""The body of a rule as a select: atoms are joined, conditions filter, negations look for nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from sqlglot import exp

from tacita.engines.protocol import Engine
from tacita.rules.logic.binding import Absent, Assign, Enumerate, Match, Step, Test
from tacita.rules.logic.terms import Atom, Blank, Constant, Pack, Variable
from tacita.rules.logic.types import ANY, TEXT, ListType, RecordType, RowType, SetType, Type
from tacita.rules.reasoner.plans.cells import Cell, as_type, both, named, not_null
from tacita.rules.reasoner.plans.comparisons import row_of
from tacita.rules.reasoner.plans.layout import FactLayout, cell_columns, sql_type
from tacita.rules.reasoner.plans.terms import CompiledTerms, SimilarTo

Negated: TypeAlias = tuple[Sequence[Step], CompiledTerms]

_LARGEST_TERM = 150
"""Above this many nodes an assigned term gets a column of its own before it is used again."""


@dataclass(slots=True)
class Body:
    """A select under construction: what it reads, what must hold, and what the variables are."""

    engine: Engine
    layouts: Mapping[str, FactLayout]
    terms: CompiledTerms
    aliases: Iterator[int] = field(default_factory=itertools.count)
    sources: list[exp.Expr] = field(default_factory=list)
    conditions: list[exp.Expr] = field(default_factory=list)
    matched: list[tuple[Atom, str]] = field(default_factory=list)
    """The atoms in order, with the alias of each."""
    negated: list[Negated] = field(default_factory=list)
    """The steps inside negations, with the terms that they see."""
    is_correlated: bool = False
    may_seal: bool = True
    """Whether long terms may be computed in an inner select; the aliases in `matched` are lost then."""

    @classmethod
    def of(
        cls,
        engine: Engine,
        layouts: Mapping[str, FactLayout],
        steps: Sequence[Step],
        *,
        tables: Mapping[int, str] | None = None,
        similar: SimilarTo | None = None,
        may_seal: bool = True,
    ) -> Body:
        """Return the select of some steps; `tables` replaces the table of the n-th atom, by a delta for example."""
        body = cls(engine, layouts, CompiledTerms(engine, similar=similar), may_seal=may_seal)
        body.take(steps, tables or {})
        return body

    def take(self, steps: Sequence[Step], tables: Mapping[int, str]) -> None:
        """Add steps."""
        place = 0
        for step in steps:
            match step:
                case Match(atom):
                    self._match(atom, tables.get(place))
                    place += 1
                case Assign(variable, term):
                    self._assign(variable, self.terms.cell(term))
                case Enumerate(variable, collection):
                    self._enumerate(variable, self.terms.cell(collection))
                case Test(condition):
                    self.conditions.append(self.terms.condition(condition))
                case Absent(_, inside, _):
                    self.conditions.append(self._absent(inside.before))

    def select(self, *columns: exp.Expr) -> exp.Select:
        """Return the select with these columns."""
        query = exp.select(*columns, copy=False)
        if self.sources:
            query = query.from_(self.sources[0].copy(), copy=False)
        for source in self.sources[1:]:
            query = query.join(source.copy(), join_type="cross", copy=False)
        if self.conditions:
            query = query.where(both(*self.conditions), copy=False)
        return query

    def _match(self, atom: Atom, table: str | None) -> None:
        layout = self.layouts[atom.predicate]
        alias = f"a{next(self.aliases)}"
        self.sources.append(named(table or layout.table, alias))
        self.matched.append((atom, alias))
        for argument, cell in zip(atom.arguments, layout.cells(alias), strict=True):
            term = argument.variable if isinstance(argument, Pack) else argument
            if isinstance(term, Blank):
                continue
            if isinstance(term, Constant):
                self.conditions.append(self.terms.matching(cell, self.terms.cell(term)))
            else:
                assert isinstance(term, Variable), term
                self._bind(term, cell)

    def _bind(self, variable: Variable, cell: Cell) -> None:
        before = self.terms.bound.get(variable.name)
        if before is None:
            self.terms.bound[variable.name] = cell
            return
        self.conditions.append(self.terms.matching(before, cell))
        if before.label is not None and cell.label is None and before.type == cell.type:
            self.terms.bound[variable.name] = cell  # what matched a known value is no null

    def _assign(self, variable: Variable, cell: Cell) -> None:
        if cell.is_partial or cell.type == ANY:
            self.conditions.append(cell.is_known())
        cell = replace(cell, is_partial=False)
        self.terms.bound[variable.name] = cell
        if self.may_seal and not self.is_correlated and sum(1 for _ in cell.value.walk()) > _LARGEST_TERM:
            self._seal()

    def _seal(self) -> None:
        """Compute everything so far in an inner select, so that long terms are not written out again and again."""
        alias = f"s{next(self.aliases)}"
        columns: list[exp.Expr] = []
        moved: dict[str, Cell] = {}
        for name, cell in self.terms.bound.items():
            moved[name] = _move(cell, alias, columns)
        inner = self.select(*columns) if columns else self.select(exp.Literal.number(1))
        self.sources = [inner.subquery(alias, copy=False)]
        self.conditions = []
        self.terms.bound.update(moved)

    def _enumerate(self, variable: Variable, collection: Cell) -> None:
        element, array = self._members(collection)
        alias = f"u{next(self.aliases)}"
        members = self.engine.function("members", array)
        members.set("alias", exp.TableAlias(this=exp.to_identifier(alias), columns=[exp.to_identifier("m")]))
        self.sources.append(members)
        value: exp.Expr = exp.column("m", table=alias)
        cell = Cell(element, value)
        if element == ANY:
            label = self.engine.function("label_any", value.copy())
            is_value = exp.Is(this=label.copy(), expression=exp.Null())
            cell = Cell(ANY, exp.Case(ifs=[exp.If(this=is_value, true=value.copy())]), label)
        self.conditions.append(not_null(value))
        self.terms.bound[variable.name] = cell

    def _members(self, collection: Cell) -> tuple[Type, exp.Expr]:
        if isinstance(collection.type, RowType):
            names = [exp.Literal.string(name) for name, _ in collection.row]
            return TEXT, self.engine.function("set_made", *names)
        if isinstance(collection.type, RecordType):
            return TEXT, self.engine.function("keys", collection.value.copy())
        if isinstance(collection.type, SetType | ListType):
            return collection.type.element, collection.value.copy()
        # A null whose type nothing tells has no members; what is no collection is a fault that `type_faults` tells.
        return TEXT, as_type(exp.Null(), sql_type(SetType(TEXT)))

    def _absent(self, steps: Sequence[Step]) -> exp.Expr:
        if any(isinstance(step, Match) and self.layouts[step.atom.predicate].is_empty for step in steps):
            return exp.true()
        terms = CompiledTerms(self.engine, dict(self.terms.bound), self.terms.known, self.terms.similar)
        inner = Body(self.engine, self.layouts, terms, self.aliases, is_correlated=True)
        inner.take(steps, {})
        self.negated += [(steps, terms), *inner.negated]
        if not inner.sources:
            # Conditions alone: one of them must fail. Where none fails and one has no value, nothing is known; but with
            # a variable of its own, a negation says that there is no value of it for which all the rest holds.
            holds: exp.Expr = exp.paren(both(*inner.conditions))
            if not all(isinstance(step, Test) for step in steps):
                holds = exp.func("coalesce", holds, exp.false())
            return exp.Not(this=holds)
        return exp.Not(this=exp.Exists(this=inner.select(exp.alias_(exp.Literal.number(1), "found"))))


def _move(cell: Cell, alias: str, columns: list[exp.Expr]) -> Cell:
    """Return a cell as it is seen from outside a subquery, and add what the subquery must select."""
    if isinstance(cell.type, RowType):
        moved = row_of(tuple((name, _move(part, alias, columns)) for name, part in cell.row))
        return replace(moved, type=cell.type)
    names = []
    for term in cell_columns(cell):
        names.append(f"q{len(columns)}")
        columns.append(exp.alias_(term, names[-1]))
    value = exp.column(names[0], table=alias)
    return replace(cell, value=value, label=exp.column(names[1], table=alias) if len(names) > 1 else None)


def moved(cells: Sequence[Cell], alias: str) -> tuple[list[exp.Expr], list[Cell]]:
    """Return the columns that an inner select must have, and the cells as seen from outside under an alias."""
    columns: list[exp.Expr] = []
    return columns, [_move(cell, alias, columns) for cell in cells]
