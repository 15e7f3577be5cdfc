"""A rule as selects: the matches of its body, grouped if it aggregates, and what its head says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from tacita.engines.protocol import Engine
from tacita.rules.logic.binding import Match, Schedule, existentials, frontier, has_aggregate, scheduled
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Atom, Comparison, Variable
from tacita.rules.logic.types import INTEGER, NOTHING, RowType, Type
from tacita.rules.reasoner.plans.bodies import Body
from tacita.rules.reasoner.plans.cells import Cell
from tacita.rules.reasoner.plans.comparisons import row_of
from tacita.rules.reasoner.plans.groups import Gathered, Grouping, aggregated, bound_before, head_record, maybe_groups
from tacita.rules.reasoner.plans.layout import FactLayout, Position, named_columns, sql_type
from tacita.rules.reasoner.plans.terms import CompiledTerms, SimilarTo

NO_LABEL = exp.Cast(this=exp.Null(), to=sql_type(INTEGER))
UNKNOWN = Cell(NOTHING, exp.Null(), exp.Literal.number(0))
"""What an existential variable is before it has a label: for finding out types only."""


@dataclass(slots=True)
class RuleDerivation:
    """One rule, ready to be compiled against tables."""

    engine: Engine
    rule: Rule
    number: int
    layouts: Mapping[str, FactLayout]
    similar: SimilarTo | None = None
    is_maybe: bool = False
    """Whether groups are formed by maybe-match."""
    keys: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Positions of predicates that tell all their facts apart."""
    gives: tuple[Type, ...] | None = None
    """The types of what a function of the caller's computes, if the rule stands for one."""
    schedule: Schedule = field(init=False)
    grouping: Grouping | None = field(init=False)

    def __post_init__(self) -> None:
        self.schedule = scheduled(self.rule.body)
        self.grouping = Grouping.of(self.rule, self.schedule) if has_aggregate(self.rule) else None

    # -- what it is ----------------------------------------------------------------------------------------------------

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The positive atoms of the body, in the order of their steps."""
        return tuple(step.atom for step in self.schedule.before if isinstance(step, Match))

    @property
    def heads(self) -> tuple[Atom, ...]:
        """The atoms of the head."""
        return tuple(item for item in self.rule.head if isinstance(item, Atom))

    @property
    def equality(self) -> Comparison | None:
        """The equality of the head, if it is one."""
        return next((item for item in self.rule.head if isinstance(item, Comparison)), None)

    @property
    def existentials(self) -> tuple[Variable, ...]:
        """The head variables that stand for nulls to be made."""
        return existentials(self.rule, self.schedule)

    @property
    def is_computed(self) -> bool:
        """Whether the rule stands for a function of the caller's."""
        return self.gives is not None

    @property
    def frontier(self) -> tuple[Variable, ...]:
        """The body variables that the head names."""
        return frontier(self.rule, self.schedule)

    @property
    def is_empty(self) -> bool:
        """Whether the body reads a predicate that has no facts."""
        return any(self.layouts[atom.predicate].is_empty for atom in self.atoms)

    # -- selects -------------------------------------------------------------------------------------------------------

    def body(self, tables: Mapping[int, str] | None = None) -> Body:
        """Return the matches of the body before any aggregate."""
        # Denials, equalities and existential rules ask for the facts of a match themselves.
        may_seal = bool(self.heads) and not self.existentials
        return Body.of(
            self.engine, self.layouts, self.schedule.before, tables=tables, similar=self.similar, may_seal=may_seal
        )

    def gathered(self, tables: Mapping[int, str] | None = None) -> Gathered:
        """Return the matches, cut down to what the aggregates need."""
        assert self.grouping is not None
        return Gathered.of(self.engine, self.grouping, self.body(tables))

    def bound(self, tables: Mapping[int, str] | None = None, source: exp.Expr | None = None) -> Body:
        """Return the matches with all variables that the head can name, aggregates included.

        `source` is a table of gathered matches to use instead of the body itself.
        """
        if self.grouping is None:
            return self.body(tables)
        gathered = self.gathered(tables)
        reduced = source is None and self._is_reduced()
        reading = source if source is not None else gathered.select.subquery("m", copy=False)
        if self.is_maybe:
            reading = maybe_groups(gathered, reading)
        query, cells = aggregated(gathered, reading, is_reduced=reduced)
        variables = {term.name: cell for term, cell in cells.items() if isinstance(term, Variable)}
        terms = CompiledTerms(self.engine, dict(variables), cells, self.similar)
        body = Body(self.engine, self.layouts, terms)
        joins = query.args.get("joins") or []
        from_ = query.args.get("from_") or query.args["from"]
        body.sources = [from_.this]
        for join in joins:
            body.sources.append(join.this)
            body.conditions.append(join.args["on"])
        body.take(self.schedule.after, {})
        return body

    def _is_reduced(self) -> bool:
        """Whether no contributor can come twice in a group: group and contributors determine the match."""
        from tacita.rules.reasoner.plans.keys import determined

        assert self.grouping is not None
        outside = {term.name for term in self.grouping.group if isinstance(term, Variable)}
        for contributors in self.grouping.contributors:
            known = outside | {term.name for term in contributors if isinstance(term, Variable)}
            if contributors and determined(self.schedule.before, known, self.keys) is None:
                return False
        return True

    def head_cells(self, body: Body, atom: Atom, nulls: Mapping[str, Cell] | None = None) -> list[Cell]:
        """Return the arguments of a head atom; `made` are the nulls that stand for existential variables."""
        for i, variable in enumerate(self.existentials):
            unknown = UNKNOWN if self.gives is None else Cell(self.gives[i], exp.Null())
            body.terms.bound[variable.name] = (nulls or {}).get(variable.name, unknown)
        return [body.terms.cell(head_record(argument)) for argument in atom.arguments]

    def select(self, atom: Atom, tables: Mapping[int, str] | None = None, source: exp.Expr | None = None) -> exp.Select:
        """Return the facts that the rule derives for one of its head atoms."""
        body = self.bound(tables, source)
        return projected(body, self.layouts[atom.predicate], self.head_cells(body, atom))

    def all_variables(self) -> tuple[Variable, ...]:
        """Return the named variables of a match."""
        return bound_before(self.schedule)


def projected(body: Body, layout: FactLayout, cells: list[Cell]) -> exp.Select:
    """Return the select of facts of a predicate."""
    stored = [fitted(body.terms, cell, position) for cell, position in zip(cells, layout.positions, strict=True)]
    known = [cell.is_known() for cell in cells if cell.is_partial]
    body.conditions += known
    if not layout.positions:  # p(): it holds or it does not
        return body.select(exp.alias_(exp.Literal.number(1), "one"))
    return body.select(*named_columns(layout.positions, stored))


def fitted(terms: CompiledTerms, cell: Cell, position: Position) -> Cell:
    """Return a cell with the type and the columns of a position."""
    if cell.type == NOTHING:
        cell = replace(cell, value=exp.Cast(this=exp.Null(), to=sql_type(position.type)), type=position.type)
        if isinstance(position.type, RowType):
            raise AssertionError(cell)
    cell = terms.converted(cell, position.type)
    if isinstance(position.type, RowType):
        parts = tuple(
            (name, fitted(terms, dict(cell.row)[name], Position(type_, name in position.type.nullable)))
            for name, type_ in position.type.attributes
        )
        return replace(row_of(parts), type=position.type)
    if position.is_nullable and cell.label is None:
        return replace(cell, label=NO_LABEL.copy())
    return cell
