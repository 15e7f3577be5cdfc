"""Labelled nulls: which rule made one and for what, and how equality rules lead to what it became.

An existential rule keeps, for every frontier that it fired for, the first of its labels. These tables are never
rewritten; facts are. So labels are read through what became of them.

The tables hold facts as they are after all is made equal. But a rule that made two nulls the same still matches, and
says of two facts that they hold the same thing. From the fact whose null is in question a chain of such uses goes to a
fact that had the value from the beginning, or to a rule that says it. The facts on the way are told as they were made,
with the nulls that they had then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sqlglot import exp

from tacita.engines.protocol import Engine, Relation
from tacita.rules.logic.terms import Atom, Constant, Pack, Term, Variable
from tacita.rules.logic.types import ANY, INTEGER, NOTHING, RowType
from tacita.rules.proofs.finding.goals import Goals
from tacita.rules.proofs.finding.question import round_of
from tacita.rules.proofs.finding.rules import ProofContext, compare_terms, instances
from tacita.rules.proofs.finding.trail import ANY_TIME, GOAL_ROUND, Trail, goal_argument, positions
from tacita.rules.proofs.tree import Derived, Equation, GroundFact, InventedNull, Merged, Step, Uses
from tacita.rules.reasoner.chase.existentials import FIRST
from tacita.rules.reasoner.plans.bodies import Body, moved
from tacita.rules.reasoner.plans.cells import Cell, not_null
from tacita.rules.reasoner.plans.comparisons import row_of
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import FactLayout, Position
from tacita.rules.reasoner.plans.terms import CompiledTerms
from tacita.rules.reasoner.values import Null, as_any

if TYPE_CHECKING:
    from tacita.rules.proofs.finding.search import Search


FRONTIER = "·frontier"
_LABEL = "·first label"


@dataclass(frozen=True, slots=True, repr=False)
class Firing:
    """What a rule fired for: the values of its frontier, and the first label that it made for them."""

    goal: GroundFact
    round: int
    frontier: tuple[Any, ...]
    label: int

    def fact(self) -> tuple[GroundFact, int]:
        """Return the frontier as a goal of its own."""
        return GroundFact(FRONTIER, self.frontier), self.round


@dataclass(slots=True, repr=False)
class Merges:
    """What became of the labels that equality rules did away with."""

    engine: Engine
    merged: Sequence[tuple[int, object, str, int]]
    final: dict[int, Any] = field(default_factory=dict)
    causes: dict[int, tuple[str, int]] = field(default_factory=dict)
    """By which rule and in which round each label went."""
    _relation: Relation | None = None

    @classmethod
    def of(cls, context: ProofContext) -> Merges:
        """Return the merges of a run."""
        merges = cls(context.engine, context.result.run.merged)
        became = {label: value for label, value, _, _ in merges.merged}
        for label, _, rule, round_ in merges.merged:
            value: Any = Null(label)
            while isinstance(value, Null) and value.number in became:
                value = became[value.number]
            merges.final[label] = value
            merges.causes[label] = rule, round_
        return merges

    def merged_of(self, null: Null) -> Merged | None:
        """Return what became of a null, if anything did."""
        if null.number not in self.final:
            return None
        rule, round_ = self.causes[null.number]
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
        value = exp.Null() if cell.type == NOTHING else CompiledTerms(self.engine).converted(plain, ANY).value
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


def frontier_cells(derivation: RuleDerivation) -> list[Cell]:
    """Return the frontier of a rule as it lies in its table of firings, under the alias ``f``."""
    bound = derivation.bound().terms.bound
    return moved([bound[v.name] for v in derivation.frontier], "f")[1]


def firings(
    context: ProofContext, derivation: RuleDerivation, atom: Atom, goals: Goals, table: str, merges: Merges
) -> dict[GroundFact, Firing]:
    """Return for which frontiers the firings in a table gave goals."""
    body = Body(context.engine, context.layouts, CompiledTerms(context.engine))
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
    by_fact = {}
    for values in trail.first([_LABEL]):
        goal = GroundFact(goals.predicate, tuple(values[goal_argument(i)] for i in range(len(goals.cells))))
        frontier = tuple(values[f"{FRONTIER}.{i}"] for i in range(len(cells)))
        by_fact[goal] = Firing(goal, values[GOAL_ROUND], frontier, values[_LABEL])
    return by_fact


def frontier_layout(derivation: RuleDerivation) -> FactLayout:
    """Return a frontier as the arguments of a predicate of its own, so that it can be a goal."""
    bound = derivation.bound().terms.bound
    cells = [bound[v.name] for v in derivation.frontier]
    return FactLayout(FRONTIER, "", tuple(Position(cell.type, cell.label is not None) for cell in cells))


def frontier_atom(derivation: RuleDerivation) -> Atom:
    """Return a frontier as an atom."""
    return Atom(FRONTIER, derivation.frontier)


def made_by(derivation: RuleDerivation, firing: Firing, binding: Mapping[str, Any]) -> tuple[InventedNull, ...]:
    """Return the nulls that a rule made in a firing."""
    frontier = tuple(
        (v.name, binding.get(v.name, x)) for v, x in zip(derivation.frontier, firing.frontier, strict=True)
    )
    return tuple(
        InventedNull(Null(firing.label + place), variable.name, frontier)
        for place, variable in enumerate(derivation.existentials)
    )


_MATCHES, _FACTS, _STEPS = 40, 400, 12


def with_equations(search: Search, steps: dict[GroundFact, Step]) -> dict[GroundFact, Step]:
    """Return steps in which merged nulls are explained; some of them, if they are many."""
    rules = [d for d in search.context.result.derivations if d.equality is not None and d.grouping is None]
    with_chains = dict(steps)
    room = _STEPS
    search = search.beyond or search
    for fact, step in steps.items():
        if isinstance(step, Derived) and step.merged and room and rules:
            merged = tuple(replace(m, because=_because(search, rules, m, fact)) for m in step.merged)
            with_chains[fact] = replace(step, merged=merged)
            room -= 1
    return with_chains


def _because(search: Search, rules: list[RuleDerivation], merged: Merged, fact: GroundFact) -> tuple[Equation, ...]:
    """Return a chain from a fact itself, or else from one that another rule gave of it."""
    return _Chain(search, rules, merged).to(fact) or _Chain(search, rules, merged, with_copies=True).to(fact)


@dataclass(slots=True, repr=False)
class _Chain:
    """The search for a chain, breadth first."""

    search: Search
    rules: list[RuleDerivation]
    merged: Merged
    with_copies: bool = False
    """Whether the chain may go on to facts that hold the value since another rule took it over."""
    come_from: dict[GroundFact, tuple[GroundFact, Equation | None] | None] = field(default_factory=dict)

    def to(self, fact: GroundFact) -> tuple[Equation, ...]:
        """Return the uses of rules between a fact and one that had the value from the beginning."""
        self.come_from[fact] = None
        level = [fact]
        while level and len(self.come_from) < _FACTS:
            following = []
            for old, new, equation in self._neighbours(level):
                if new is None and equation is not None:
                    return (*self._way(old), self._as_it_was(equation))
                if new is not None and new not in self.come_from:
                    self.come_from[new] = old, equation
                    following.append(new)
            for new in following:
                if self._is_source(new):
                    return self._way(new)
            level = following
        return ()

    def _way(self, fact: GroundFact) -> tuple[Equation, ...]:
        way: list[Equation] = []
        before = self.come_from[fact]
        while before is not None:
            fact, equation = before
            way += [self._as_it_was(equation)] if equation is not None else []
            before = self.come_from[fact]
        return tuple(reversed(way))

    def _as_it_was(self, equation: Equation) -> Equation:
        """Return a use of a rule with the nulls that its facts had before anything was known of them."""
        facts = [self.search.as_made(fact) if fact in self.come_from else fact for fact in equation.facts]
        return replace(equation, facts=tuple(facts))

    def _is_source(self, fact: GroundFact) -> bool:
        if self.search.context.rounds[fact] == 0:
            return True
        return any(_same(value, self.merged.became) for value in self.search.as_made(fact).values)

    def _neighbours(self, facts: list[GroundFact]) -> Iterator[tuple[GroundFact, GroundFact | None, Equation | None]]:
        """Yield facts that a rule says hold the same as one of some facts, and the use of the rule that says so.

        Where it is the rule itself that has the value, there is no other fact; where a rule took it over, no equation.
        """
        if self.with_copies:
            yield from ((fact, copy, None) for fact in facts for copy in self._copies(fact))
        for rule in self.rules:
            assert rule.equality is not None
            for place, atom in enumerate(rule.atoms):
                some = [fact for fact in facts if fact.predicate == atom.predicate]
                for side, other in _sides(rule.equality.left, rule.equality.right):
                    if some and side in atom.arguments and isinstance(side, Variable):
                        yield from self._uses(rule, place, side, other, some)

    def _copies(self, fact: GroundFact) -> Iterator[GroundFact]:
        """Yield facts that rules gave of a fact, and that hold the value that is in question."""
        search = self.search
        for rule in search.context.result.derivations:
            places = [atom for atom in rule.atoms if atom.predicate == fact.predicate]
            if rule.grouping is not None or rule.existentials:
                continue
            for atom in places:
                for step in instances(search.context, rule, _as_head(atom), search.goals([fact]), ANY_TIME):
                    for head in rule.heads:
                        copy = GroundFact(head.predicate, tuple(_value(term, step) for term in head.arguments))
                        round_ = round_of(search.context, copy) if self.merged.became in copy.values else None
                        if round_ is not None:
                            search.context.rounds[copy] = round_
                            yield copy

    def _uses(
        self, rule: RuleDerivation, place: int, side: Term, other: Term, facts: list[GroundFact]
    ) -> Iterator[tuple[GroundFact, GroundFact | None, Equation]]:
        atom = rule.atoms[place]
        at = atom.arguments.index(side)
        holding = [fact for fact in facts if _same(fact.values[at], self.merged.became)]
        if not holding:
            return
        goals = self.search.goals(holding)
        others = [i for i, a in enumerate(rule.atoms) if other in a.arguments]
        for step in instances(self.search.context, rule, _as_head(atom), goals, ANY_TIME, _MATCHES):
            uses = [p.fact for p in step.premises if isinstance(p, Uses)]
            equation = Equation(self.search.context.named(rule.rule), tuple(dict.fromkeys(uses)))
            for new in (uses[i] for i in others):
                yield step.fact, new, equation
            if not others and _same(_value(other, step), self.merged.became):
                yield step.fact, None, equation


def _value(term: Term, step: Derived) -> Any:
    """Return what a variable or a constant is in a match."""
    if isinstance(term, Variable):
        return dict(step.binding).get(term.name)
    return term.value if isinstance(term, Constant) else None


def _sides(left: Term, right: Term) -> tuple[tuple[Term, Term], tuple[Term, Term]]:
    return (left, right), (right, left)


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def _as_head(atom: Atom) -> Atom:
    """Return an atom of a body so that it can be compared with a fact as a head is."""
    return replace(atom, arguments=tuple(a.variable if isinstance(a, Pack) else a for a in atom.arguments))
