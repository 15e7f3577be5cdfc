"""Aggregates: the group that gives a goal, the value of each aggregate, and who contributed how much to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tacita.rules.logic.binding import depends_on_aggregate
from tacita.rules.logic.steps import Assign
from tacita.rules.logic.terms import Aggregate, Atom, Pair, Term, Variable, variables
from tacita.rules.logic.types import INTEGER, NUMBER
from tacita.rules.proofs.finding.goals import Goals
from tacita.rules.proofs.finding.rules import (
    ProofContext,
    binding,
    compare_terms,
    direct,
    goal_of,
    keep_template,
    premises,
)
from tacita.rules.proofs.finding.trail import (
    EARLIER,
    GOAL,
    GOAL_ROUND,
    Asking,
    Trail,
    Values,
    goal_argument,
    positions,
    read,
)
from tacita.rules.proofs.tree import Contributor, Derived, Gathers, GroundFact
from tacita.rules.reasoner.plans.bodies import Body
from tacita.rules.reasoner.plans.cells import Cell, wrapped
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.groups import Gathered, Grouping, aggregated, head_record, maybe_groups
from tacita.rules.reasoner.plans.layout import FactLayout, Position, cell_columns
from tacita.rules.reasoner.plans.terms import CompiledTerms
from tacita.rules.syntax import text_of

_SMALLEST_FIRST = {"mprod", "prod", "mmin", "min"}
_WEIGHED = {"msum", "sum", "mprod", "prod", "mmin", "min", "mmax", "max", "avg"}
_GROUP = "·group"


def given_by(
    context: ProofContext, derivation: RuleDerivation, atom: Atom, goals: Goals, asking: Asking = EARLIER
) -> dict[GroundFact, Derived]:
    """Return how a rule gives goals, whether it aggregates or not."""
    return (direct if derivation.grouping is None else gathered)(context, derivation, atom, goals, asking)


def gathered(
    context: ProofContext, derivation: RuleDerivation, atom: Atom, goals: Goals, asking: Asking = EARLIER
) -> dict[GroundFact, Derived]:
    """Return how a rule with aggregates gives goals."""
    grouping, steps = derivation.grouping, derivation.schedule
    assert grouping is not None
    after, cells = grouped(derivation, matches(context, derivation, atom, goals, asking))
    after.take(steps.after, {}, start=len(steps.before))
    _compare(after, derivation, atom, asking.open_to)
    template = context.templates.of(derivation.rule)
    keep_template(after, template)
    names = [v.name for v in variables(*grouping.group)] + sorted(steps.aggregated)
    winners = after.first([n for n in names if n in after.body.terms.bound])
    if not winners:
        return {}
    groups = GoalGroups.of(context, derivation, winners, cells)
    lists = [groups.gathers(a, asking) for a in grouping.aggregates]
    derived = {}
    for place, values in enumerate(winners):
        goal = goal_of(goals, values)
        derived[goal] = Derived(
            goal,
            values[GOAL_ROUND],
            context.named(derivation.rule),
            binding(names, values),
            (*(one[place] for one in lists), *premises(steps.after, values, len(steps.before))),
            explanation=template.filled(values) if template is not None else "",
        )
    return derived


def matches(context: ProofContext, derivation: RuleDerivation, atom: Atom, goals: Goals, asking: Asking) -> Trail:
    """Return the matches that the groups of some goals are formed of."""
    trail, schedule = context.trail(derivation, goals), derivation.schedule
    trail.is_maybe = derivation.is_maybe
    late = asking.open_to | schedule.aggregated
    trail.take(schedule.before, positions(atom.arguments, late), asking)
    group = tuple(a for a in atom.arguments if not depends_on_aggregate(head_record(a), schedule))
    places = [i for i, a in enumerate(atom.arguments) if a in group]
    for place in places:
        term = head_record(atom.arguments[place])
        if not isinstance(term, Variable) and not late & {v.name for v in variables(term)}:
            trail.compare(trail.body.terms.cell(term), [place])
    return trail


def grouped(derivation: RuleDerivation, trail: Trail) -> tuple[Trail, dict[Term, Cell]]:
    """Return the groups of some matches with their aggregates, and the cells of groups and aggregates."""
    plain, goals = derivation.grouping, trail.goals
    assert plain is not None and goals is not None
    grouping = Grouping((Variable(GOAL), *plain.group), plain.aggregates, plain.contributors)
    gathered = Gathered.of(trail.engine, grouping, trail.body)
    reading: exp.Expr = gathered.select.subquery("m", copy=False)
    if derivation.is_maybe:
        reading = maybe_groups(gathered, reading)
    query, cells = aggregated(gathered, reading)
    bound = {term.name: cell for term, cell in cells.items() if isinstance(term, Variable)}
    body = Body(trail.engine, trail.layouts, CompiledTerms(trail.engine, bound, cells, derivation.similar))
    from_ = query.args.get("from_") or query.args["from"]
    body.sources = [from_.this]
    for join in query.args.get("joins") or []:
        body.sources.append(join.this)
        body.conditions.append(join.args["on"])
    after = Trail(trail.engine, trail.layouts, body)
    if goals.source is not None:
        body.conditions.append(exp.EQ(this=bound[GOAL].value.copy(), expression=goals.number.value.copy()))
    after.add_goals(goals)
    for place, term in enumerate(plain.group):
        after.keep(f"{_GROUP}.{place}", cells[term])
    for place, aggregate in enumerate(plain.aggregates):
        after.keep(f"·aggregate.{place}", cells[aggregate])
    return after, cells


def _compare(trail: Trail, derivation: RuleDerivation, atom: Atom, open_to: frozenset[str]) -> None:
    """Compare the head with the goals once the aggregates are known."""
    for position, argument in enumerate(atom.arguments):
        term = head_record(argument)
        if open_to & {v.name for v in variables(term)}:
            continue
        is_late = depends_on_aggregate(term, derivation.schedule)
        if is_late or derivation.is_maybe:
            cell = trail.body.terms.cell(term)
            compare_late(trail, cell, position) if is_late else trail.compare(cell, [position])


def compare_late(trail: Trail, cell: Cell, position: int) -> None:
    """Ask that what was computed of a group is what stands at a position of the goal."""
    goal = trail.body.terms.bound[goal_argument(position)]
    # The groups are formed by now: the one that was asked for is the same, not only maybe.
    if NUMBER in {cell.type, goal.type} and cell.label is None and goal.label is None:
        trail.body.conditions.append(_about(cell.value, goal.value))
    else:
        trail.compare(cell, [position])


def _about(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Equality of numbers that were added up in different orders: the last digits may differ."""
    apart = exp.Abs(this=exp.Sub(this=wrapped(a), expression=wrapped(b)))
    allowed = exp.Mul(this=exp.Abs(this=b.copy()), expression=exp.Literal.number("1e-12"))
    return exp.LTE(this=apart, expression=allowed)


@dataclass(slots=True, repr=False)
class GoalGroups:
    """The groups that give the goals: whoever matches one of them contributed."""

    context: ProofContext
    derivation: RuleDerivation
    winners: Sequence[Values]
    goals: Goals

    @classmethod
    def of(
        cls, context: ProofContext, derivation: RuleDerivation, winners: Sequence[Values], cells: Mapping[Term, Cell]
    ) -> GoalGroups:
        """Return the groups of some matches that `grouped` gave, with the cells that it gave."""
        assert derivation.grouping is not None
        group = derivation.grouping.group
        layout = FactLayout(_GROUP, "", tuple(Position(cells[t].type, cells[t].label is not None) for t in group))
        facts = []
        for values in winners:
            group_values = tuple(values[f"{_GROUP}.{place}"] for place in range(len(group)))
            facts.append((GroundFact(_GROUP, group_values), values[GOAL_ROUND]))
        return cls(context, derivation, winners, Goals.of(context.engine, layout, facts))

    def gathers(self, aggregate: Aggregate, asking: Asking) -> list[Gathers]:
        """Return the contributors of an aggregate, for each group."""
        grouping, steps = self.derivation.grouping, self.derivation.schedule
        assert grouping is not None
        place = grouping.aggregates.index(aggregate)
        lists: list[list[Contributor]] = [[] for _ in self.winners]
        numbers = [0] * len(self.winners)
        shown = aggregate.contributors or ()
        for values in self._rows(aggregate, grouping.contributors[place], asking):
            self.context.met(steps.before, values)
            numbers[values[GOAL]] = values["·number"]
            names = tuple((v.name, values[v.name]) for v in shown)
            lists[values[GOAL]].append(Contributor(names, _weight(aggregate, values), premises(steps.before, values)))
        variable = next((s.variable.name for s in steps.after if isinstance(s, Assign) and s.term == aggregate), "")
        of = text_of(aggregate.value) if aggregate.value is not None else ""
        return [
            Gathers(
                aggregate.function,
                text_of(aggregate),
                values[f"·aggregate.{place}"],
                tuple(lists[number]),
                numbers[number],
                variable,
                of,
            )
            for number, values in enumerate(self.winners)
        ]

    def _rows(self, aggregate: Aggregate, contributors: Sequence[Term], asking: Asking) -> list[dict[str, Any]]:
        """Return one match a contributor: that with its extreme value, the weightiest contributors first."""
        derivation = self.derivation
        assert derivation.grouping is not None
        atom = Atom(_GROUP, derivation.grouping.group)
        trail = self.context.trail(derivation, self.goals)
        trail.is_maybe = derivation.is_maybe
        trail.take(derivation.schedule.before, positions(atom.arguments), asking)
        compare_terms(trail, atom)
        values = _values(aggregate)
        for place, term in enumerate(values):
            trail.keep(f"·value.{place}", trail.body.terms.cell(term))
        keys = list(contributors) or list(values)
        for place, term in enumerate(keys):
            trail.keep(f"·key.{place}", trail.body.terms.cell(term))
        names = [v.name for v in derivation.all_variables()]
        query, cells = trail.select(list(dict.fromkeys([*trail.kept, *names])))
        weights = self._weights(aggregate, cells)
        goal = cells[GOAL].value
        key = [term for i in range(len(keys)) for term in cell_columns(cells[f"·key.{i}"])]
        ties = [exp.Ordered(this=t) for t in trail.latest(cells)]
        ties += [exp.Ordered(this=term) for name in names for term in cell_columns(cells[name])]
        columns = [term.name for cell in cells.values() for term in cell_columns(cell)]
        inner = _ranked(query.subquery("m"), columns, [goal, *key], [*weights, *ties])
        order = [*(w.copy() for w in weights), *(exp.Ordered(this=term.copy()) for term in key)]
        number = exp.alias_(exp.Window(this=exp.Count(this=exp.Star()), partition_by=[goal.copy()]), "number_")
        first = exp.EQ(this=exp.column("rank_"), expression=exp.Literal.number(1))
        firsts = exp.select(*columns).from_(inner.subquery("k")).where(first)
        outer = _ranked(firsts.subquery("m"), columns, [goal], order, number)
        last = exp.LTE(this=exp.column("rank_"), expression=exp.Literal.number(self.context.contributors))
        plan = exp.select("*").from_(outer.subquery("k")).where(last).order_by("rank_")
        cells["·number"] = Cell(INTEGER, exp.column("number_", table="m"))
        return read(self.context.engine, plan, cells)

    def _weights(self, aggregate: Aggregate, cells: Mapping[str, Cell]) -> list[exp.Ordered]:
        if aggregate.function not in _WEIGHED or "·value.0" not in cells:
            return []
        is_least_first = aggregate.function in _SMALLEST_FIRST
        return [exp.Ordered(this=cells["·value.0"].value.copy(), desc=not is_least_first)]


def _ranked(
    source: exp.Expr,
    columns: Sequence[str],
    apart: Sequence[exp.Expr],
    order: Sequence[exp.Expr],
    *more: exp.Expr,
) -> exp.Select:
    rank = exp.Window(
        this=exp.RowNumber(),
        partition_by=[term.copy() for term in apart],
        order=exp.Order(expressions=[term.copy() for term in order or apart]),
    )
    return exp.select(*(exp.column(name, table="m") for name in columns), exp.alias_(rank, "rank_"), *more).from_(
        source
    )


def _values(aggregate: Aggregate) -> tuple[Term, ...]:
    value = aggregate.value
    if value is None:
        return ()
    return (value.first, value.second) if isinstance(value, Pair) else (value,)


def _weight(aggregate: Aggregate, values: Values) -> Any:
    """Return what a contributor contributes."""
    parts = tuple(values[f"·value.{i}"] for i in range(len(_values(aggregate))))
    if isinstance(aggregate.value, Pair):
        return parts
    return parts[0] if parts else None
