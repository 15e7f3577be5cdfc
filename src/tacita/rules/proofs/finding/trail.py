"""A rule's steps as a select that keeps in sight which facts were matched, and in which rounds these came in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlglot import exp

from tacita.engines.protocol import Engine
from tacita.rules.logic.steps import Match, Step, Test
from tacita.rules.logic.terms import Comparison, Condition, IsNull, Member, Similar, Subset, Term, Variable
from tacita.rules.logic.types import INTEGER, RecordType, RowType
from tacita.rules.proofs.finding.goals import Goals
from tacita.rules.reasoner.plans.bodies import Body, moved
from tacita.rules.reasoner.plans.cells import Cell
from tacita.rules.reasoner.plans.groups import head_record
from tacita.rules.reasoner.plans.layout import ROUND, FactLayout, cell_columns
from tacita.rules.reasoner.plans.terms import CompiledTerms, SimilarTo
from tacita.rules.reasoner.values import decoded

Values: TypeAlias = Mapping[str, Any]
"""One match: the values of variables by name, and of what was kept beside them under names that no variable has."""

GOAL = "·goal"
"""Which of the goals a match is for."""
GOAL_ROUND = "·goal round"
_MOST = 10_000
"""So many matches of one goal are put in order; of more, any may be taken."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What a rule that is asked for goals may match, and what it must give."""

    is_earlier: bool = True
    """Only facts that came in before the goal are matched."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """Tables that are read instead of those of some predicates."""
    open_to: frozenset[str] = frozenset()
    """Variables of the head that may be anything."""


EARLIER, ANY_TIME = Asking(), Asking(is_earlier=False)


def argument(place: int, position: int) -> str:
    """Return the name under which an argument of the fact that a step matched is kept."""
    return f"·{place}.{position}"


def operand(place: int, position: int) -> str:
    """Return the name under which the value of a condition's term is kept."""
    return f"·{place}:{position}"


def round_of(place: int) -> str:
    """Return the name under which the round of the fact that a step matched is kept."""
    return f"·{place} round"


def goal_argument(position: int) -> str:
    """Return the name under which an argument of the goal is kept."""
    return f"·goal.{position}"


def operands(condition: Condition) -> tuple[Term, ...]:
    """Return the terms that a condition compares."""
    match condition:
        case Comparison(_, left, right) | Similar(left, right):
            return left, right
        case Member(item, collection):
            return item, collection
        case Subset(part, whole):
            return part, whole
        case IsNull(term):
            return (term,)


@dataclass(slots=True, repr=False)
class Trail:
    """A select under construction. What is to be kept stands among its variables, so nothing loses it on the way."""

    engine: Engine
    layouts: Mapping[str, FactLayout]
    body: Body
    rounds: list[str] = field(default_factory=list)
    arguments: set[str] = field(default_factory=set)
    kept: dict[str, None] = field(default_factory=dict)
    """The names of what is to be read from every match."""
    goals: Goals | None = None
    is_maybe: bool = False
    """Whether records need only maybe match those of the goal."""

    @classmethod
    def to(
        cls, engine: Engine, layouts: Mapping[str, FactLayout], similar: SimilarTo | None, goals: Goals | None = None
    ) -> Trail:
        """Return an empty trail towards some goals."""
        trail = cls(engine, layouts, Body(engine, layouts, CompiledTerms(engine, {}, {}, similar)), goals=goals)
        if goals is not None:
            trail.add_goals(goals)
        return trail

    def add_goals(self, goals: Goals) -> None:
        """Bring the goals in sight."""
        self.goals = goals
        bound = self.body.terms.bound
        if goals.source is not None:
            self.body.sources.append(goals.source)
        bound[GOAL], bound[GOAL_ROUND] = goals.number, goals.round
        for position, cell in enumerate(goals.cells):
            self.keep(goal_argument(position), cell)
        self.kept[GOAL] = self.kept[GOAL_ROUND] = None

    def take(
        self,
        steps: Sequence[Step],
        expected: Mapping[str, Sequence[int]],
        asking: Asking = EARLIER,
        start: int = 0,
    ) -> None:
        """Add steps. `expected` says which arguments of the goal are the values of which variables."""
        bound = self.body.terms.bound
        for place, step in enumerate(steps, start):
            before = set(bound)
            if isinstance(step, Match):
                self._match(step, place, asking)
            else:
                self.body.take([step], {})
            for name in expected:
                if name in bound and name not in before:
                    self.compare(bound[name], expected[name])
        for place, step in enumerate(steps, start):
            if isinstance(step, Test):
                self._keep_operands(step.condition, place)

    def compare(self, cell: Cell, positions: Sequence[int]) -> None:
        """Ask that a cell is what stands at some positions of the goal."""
        for position in positions:
            goal = self.body.terms.bound[goal_argument(position)]
            self.body.conditions.append(self._maybe(cell, goal) if self.is_maybe else self._same(cell, goal))

    def _same(self, cell: Cell, goal: Cell) -> exp.Expr:
        return self.body.terms.matching(cell, goal)

    def _maybe(self, cell: Cell, goal: Cell) -> exp.Expr:
        if isinstance(cell.type, RowType) and isinstance(goal.type, RowType):
            return self.body.terms.maybe_equal(cell, goal)
        if isinstance(cell.type, RowType | RecordType):
            record = self.body.terms.generic(cell)
            other = self.body.terms.converted(self.body.terms.generic(goal), record.type)
            return self.engine.function("maybe_same", record.value.copy(), other.value.copy())
        return self._same(cell, goal)

    def keep(self, name: str, cell: Cell) -> None:
        """Keep a value in sight."""
        self.body.terms.bound[name] = cell
        self.kept[name] = None

    def _match(self, step: Match, place: int, asking: Asking) -> None:
        table = asking.tables.get(step.atom.predicate)
        self.body.take([step], {0: table} if table is not None else {})
        alias = self.body.matched[-1][1]
        came_in = exp.column(ROUND, table=alias)
        self.keep(round_of(place), Cell(INTEGER, came_in))
        self.rounds.append(round_of(place))
        for position, cell in enumerate(self.layouts[step.atom.predicate].cells(alias)):
            self.keep(argument(place, position), cell)
            self.arguments.add(argument(place, position))
        if asking.is_earlier:
            until = self.body.terms.bound[GOAL_ROUND].value
            self.body.conditions.append(exp.LT(this=came_in.copy(), expression=until.copy()))

    def _keep_operands(self, condition: Condition, place: int) -> None:
        for position, term in enumerate(operands(condition)):
            self.keep(operand(place, position), self.body.terms.cell(term))

    # -- reading -------------------------------------------------------------------------------------------------------

    def select(self, names: Sequence[str]) -> tuple[exp.Select, dict[str, Cell]]:
        """Return the select of what is to be read, and its cells under the alias ``m``."""
        columns, cells = moved([self.body.terms.bound[name] for name in names], "m")
        return self.body.select(*columns), dict(zip(names, cells, strict=True))

    def latest(self, cells: Mapping[str, Cell]) -> list[exp.Expr]:
        """Return the round of the latest fact of a match."""
        rounds = [cells[name].value.copy() for name in self.rounds]
        return [exp.func("greatest", *rounds)] if len(rounds) > 1 else rounds

    def first(self, variables: Sequence[str], most: int = 1, *, by_rounds: bool = True) -> list[dict[str, Any]]:
        """Return one match a goal, or some: of the earliest facts first, and among them of the smallest values."""
        names = list(dict.fromkeys([*self.kept, *(name for name in variables if name in self.body.terms.bound)]))
        query, cells = self.select(names)
        order = [exp.Ordered(this=term) for term in self.latest(cells)] if by_rounds else []
        ranking = dict.fromkeys([*(n for n in variables if n in cells), *(n for n in self.kept if n in self.arguments)])
        order += [exp.Ordered(this=term) for name in ranking for term in cell_columns(cells[name])]
        if self.goals is None or self.goals.source is None:
            plan = _reading(_limited(query, _MOST), "m", exp.Star())
            plan = _limited(plan.order_by(*order, copy=False) if order else plan, most)
        else:
            rank = exp.Window(
                this=exp.RowNumber(),
                partition_by=[cells[GOAL].value.copy()],
                order=exp.Order(expressions=order or [exp.Ordered(this=cells[GOAL].value.copy())]),
            )
            ranked = _reading(query, "m", exp.Star(), exp.alias_(rank, "rank_"))
            wanted = exp.LTE(this=exp.column("rank_"), expression=exp.Literal.number(most))
            plan = _reading(ranked, "k", exp.Star()).where(wanted, copy=False)
        return read(self.engine, plan, cells)


def _limited(query: exp.Select, most: int) -> exp.Select:
    query.set("limit", exp.Limit(expression=exp.Literal.number(most)))
    return query


def _reading(query: exp.Select, alias: str, *terms: exp.Expr) -> exp.Select:
    return exp.Select(expressions=list(terms)).from_(query.subquery(alias, copy=False), copy=False)


def read(engine: Engine, plan: exp.Query, cells: Mapping[str, Cell]) -> list[dict[str, Any]]:
    """Return the rows of a plan as values by name."""
    return [{name: decoded(cell, row) for name, cell in cells.items()} for row in engine.run(plan)]


def positions(arguments: Sequence[Term], skip: Collection[str] = ()) -> dict[str, list[int]]:
    """Return at which positions of a head each variable stands alone."""
    by_name: dict[str, list[int]] = {}
    for position, term in enumerate(map(head_record, arguments)):
        if isinstance(term, Variable) and term.name not in skip:
            by_name.setdefault(term.name, []).append(position)
    return by_name
