"""Labelled nulls: which rule made one and for what, and what equality rules have found out about it since.

An existential rule keeps, for every frontier that it fired for, the first of its labels. These tables are never
rewritten; facts are. So labels are read through what became of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
from sqlglot import exp

from tacita.engines.protocol import Engine, Relation
from tacita.rules.logic.terms import Atom
from tacita.rules.logic.types import ANY, INTEGER, NOTHING, RowType
from tacita.rules.proofs.finding.goals import Goals
from tacita.rules.proofs.finding.rules import Context, compare_terms
from tacita.rules.proofs.finding.trail import GOAL_ROUND, Trail, goal_argument, positions
from tacita.rules.proofs.tree import GroundFact, Made, Merged
from tacita.rules.reasoner.bodies import Body, moved
from tacita.rules.reasoner.cells import Cell, not_null
from tacita.rules.reasoner.chase import FIRST
from tacita.rules.reasoner.conversions import row_of
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.layout import Layout, Position
from tacita.rules.reasoner.terms import Terms
from tacita.rules.reasoner.values import Null, as_any

FRONTIER = "·frontier"
_LABEL = "·first label"


@dataclass(frozen=True, slots=True)
class Firing:
    """What a rule fired for: the values of its frontier, and the first label that it made for them."""

    goal: GroundFact
    round: int
    frontier: tuple[Any, ...]
    label: int

    def fact(self) -> tuple[GroundFact, int]:
        """Return the frontier as a goal of its own."""
        return GroundFact(FRONTIER, self.frontier), self.round


@dataclass(slots=True)
class Merges:
    """What became of the labels that equality rules did away with."""

    engine: Engine
    merged: Sequence[tuple[int, object, str, int]]
    final: dict[int, Any] = field(default_factory=dict)
    told: dict[int, tuple[str, int]] = field(default_factory=dict)
    """By which rule and in which round each label went."""
    _relation: Relation | None = None

    @classmethod
    def of(cls, context: Context) -> Merges:
        """Return the merges of a run."""
        found = cls(context.engine, context.result.run.merged)
        became = {label: value for label, value, _, _ in found.merged}
        for label, _, rule, round_ in found.merged:
            value: Any = Null(label)
            while isinstance(value, Null) and value.number in became:
                value = became[value.number]
            found.final[label] = value
            found.told[label] = rule, round_
        return found

    def merged_of(self, null: Null) -> Merged | None:
        """Return what became of a null, if anything did."""
        if null.number not in self.final:
            return None
        rule, round_ = self.told[null.number]
        return Merged(null, self.final[null.number], rule, round_)

    def seen_through(self, cell: Cell, joins: list[exp.Join]) -> Cell:
        """Return a cell of a table of firings as it is by now; adds the joins that this takes."""
        if not self.final:
            return cell
        if isinstance(cell.type, RowType):
            row = row_of(tuple((name, self.seen_through(part, joins)) for name, part in cell.row))
            return replace(row, row=tuple((name, part) for name, part in row.row))
        if cell.label is None:
            return cell
        alias = f"w{len(joins)}"
        on = exp.EQ(this=cell.label.copy(), expression=exp.column("c0", table=alias))
        joins.append(exp.Join(this=self._table().as_(alias), side="LEFT", on=on))
        hit = not_null(exp.column("c0", table=alias))
        plain = Cell(NOTHING if cell.type == NOTHING else cell.type, cell.value)
        value = exp.Null() if cell.type == NOTHING else Terms(self.engine).converted(plain, ANY).value
        return Cell(
            ANY,
            exp.Case(ifs=[exp.If(this=hit, true=exp.column("c2", table=alias))], default=value.copy()),
            exp.Case(ifs=[exp.If(this=hit.copy(), true=exp.column("c1", table=alias))], default=cell.label.copy()),
        )

    def _table(self) -> exp.Table:
        if self._relation is None:
            values = list(self.final.values())
            arrays = [
                pa.array(list(self.final), pa.int64()),
                pa.array([v.number if isinstance(v, Null) else None for v in values], pa.int64()),
                pa.array([None if isinstance(v, Null) else as_any(v) for v in values], pa.string()),
            ]
            batch = pa.RecordBatch.from_arrays(arrays, names=["c0", "c1", "c2"])
            self._relation = self.engine.adopt([batch], batch.schema)
        return self._relation.source()


def frontier_cells(derivation: Derivation) -> list[Cell]:
    """Return the frontier of a rule as it lies in its table of firings, under the alias ``f``."""
    bound = derivation.bound().terms.bound
    return moved([bound[v.name] for v in derivation.frontier], "f")[1]


def firings(
    context: Context, derivation: Derivation, atom: Atom, goals: Goals, table: str, merges: Merges
) -> dict[GroundFact, Firing]:
    """Return for which frontiers the firings in a table gave goals."""
    body = Body(context.engine, context.layouts, Terms(context.engine))
    trail = Trail(context.engine, context.layouts, body)
    joins: list[exp.Join] = []
    source = exp.to_table(table).as_("f")
    plain = frontier_cells(derivation)
    cells = [merges.seen_through(cell, joins) for cell in plain]
    first = exp.column(FIRST, table="f")
    for place, variable in enumerate(derivation.existentials):
        label = exp.Add(this=first.copy(), expression=exp.Literal.number(place))
        body.terms.bound[variable.name] = merges.seen_through(Cell(NOTHING, exp.Null(), exp.paren(label)), joins)
    if joins:
        source.set("joins", joins)
    body.sources.append(source)
    trail.add_goals(goals)
    for place, (variable, cell) in enumerate(zip(derivation.frontier, cells, strict=True)):
        body.terms.bound[variable.name] = cell
        trail.keep(f"{FRONTIER}.{place}", cell)
    trail.keep(_LABEL, Cell(INTEGER, first))
    for name, places in positions(atom.arguments).items():
        trail.compare(body.terms.bound[name], places)
    compare_terms(trail, atom)
    found = {}
    for values in trail.first([_LABEL]):
        goal = GroundFact(goals.predicate, tuple(values[goal_argument(i)] for i in range(len(goals.cells))))
        frontier = tuple(values[f"{FRONTIER}.{i}"] for i in range(len(cells)))
        found[goal] = Firing(goal, values[GOAL_ROUND], frontier, values[_LABEL])
    return found


def frontier_layout(derivation: Derivation) -> Layout:
    """Return a frontier as the arguments of a predicate of its own, so that it can be a goal."""
    bound = derivation.bound().terms.bound
    cells = [bound[v.name] for v in derivation.frontier]
    return Layout(FRONTIER, "", tuple(Position(cell.type, cell.label is not None) for cell in cells))


def frontier_atom(derivation: Derivation) -> Atom:
    """Return a frontier as an atom."""
    return Atom(FRONTIER, derivation.frontier)


def made_by(derivation: Derivation, firing: Firing, binding: Mapping[str, Any]) -> tuple[Made, ...]:
    """Return the nulls that a rule made in a firing."""
    frontier = tuple(
        (v.name, binding.get(v.name, x)) for v, x in zip(derivation.frontier, firing.frontier, strict=True)
    )
    return tuple(
        Made(Null(firing.label + place), variable.name, frontier)
        for place, variable in enumerate(derivation.existentials)
    )
