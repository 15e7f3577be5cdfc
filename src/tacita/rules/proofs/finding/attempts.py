"""How far a rule goes towards a fact that it does not give: the matches that agree with the fact, and the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from tacita.rules.logic.binding import depends_on_aggregate
from tacita.rules.logic.steps import Assign, Step
from tacita.rules.logic.terms import Aggregate, Atom, Blank, Variable, variables
from tacita.rules.logic.types import INTEGER, NUMBER
from tacita.rules.proofs.finding.goals import Goals
from tacita.rules.proofs.finding.question import FactQuestion
from tacita.rules.proofs.finding.rules import ProofContext
from tacita.rules.proofs.finding.trail import (
    ANY_TIME,
    Trail,
    Values,
    goal_argument,
    positions,
)
from tacita.rules.proofs.tree import Gathers, GroundFact, Holds, Premise, RuleName
from tacita.rules.reasoner.plans.cells import Cell
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.groups import head_record
from tacita.rules.reasoner.plans.layout import literal
from tacita.rules.reasoner.plans.terms import CompiledTerms
from tacita.rules.reasoner.values import written
from tacita.rules.syntax import text_of


@dataclass(frozen=True, slots=True, repr=False)
class Attempt:
    """How far a rule goes towards a fact."""

    rule: RuleName
    kind: str
    """What fails: ``fact`` that is not there, ``condition``, ``negation``, ``assignment``, ``head``."""
    words: str
    """What fails, in words."""
    written: str
    """What fails, as the rule writes it."""
    satisfied: int
    steps: int
    number: int = 0
    """How many matches came this far."""
    premises: tuple[Premise, ...] = ()
    """What was found, in the match that came closest."""
    facts: tuple[GroundFact, ...] = ()
    """Facts that were found although there should be none."""
    gathers: tuple[Gathers, ...] = ()
    holds: Holds | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Failure:
    """What fails in an attempt: its kind, in words, and as the rule writes it."""

    kind: str
    words: str
    written: str


_COUNTED = 10_000
"""Matches are counted up to here."""


@dataclass(slots=True, repr=False)
class RuleAttempt:
    """One rule beside a fact that it does not give: matches of its first steps, and those that come closest."""

    context: ProofContext
    derivation: RuleDerivation
    atom: Atom
    question: FactQuestion
    _goals: Goals = field(init=False)
    _known: frozenset[int] = field(init=False)
    _ties: tuple[int, ...] = ()
    """Arguments of the head that are more than a variable, and can be had as the fact has them."""

    def __post_init__(self) -> None:
        terms, cells, known = CompiledTerms(self.context.engine), [], []
        unknown = {v.name for v in self.derivation.existentials}
        layout = self.context.layouts[self.question.atom.predicate]
        for position in range(len(self.question.atom.arguments)):
            cell = self.question.cell(terms, position, layout.positions[position].type)
            own = head_record(self.atom.arguments[position])
            if cell is not None and not unknown & {v.name for v in variables(own)}:
                known.append(position)
            cells.append(cell or Cell(INTEGER, literal(0)))
        zero = Cell(INTEGER, literal(0))
        self._goals = Goals(self.question.atom.predicate, tuple(cells), zero, zero)
        self._known = frozenset(known)

    @property
    def _before(self) -> tuple[Step, ...]:
        return self.derivation.schedule.before

    @property
    def _after(self) -> tuple[Step, ...]:
        return self.derivation.schedule.after

    @property
    def _terms(self) -> tuple[int, ...]:
        """The known arguments of the head that are computed of a match, without those that need a whole group."""
        terms = []
        for position in sorted(self._known):
            term = head_record(self.atom.arguments[position])
            if not isinstance(term, Variable | Blank) and not depends_on_aggregate(term, self.derivation.schedule):
                terms.append(position)
        return tuple(terms)

    def _trail(self, done: int, *, free: str = "", ties: Sequence[int] | None = None) -> Trail:
        """Return the matches of the first steps that agree with the fact in all but a variable that is left free."""
        trail = self.context.trail(self.derivation, self._goals)
        trail.is_maybe = self.derivation.is_maybe
        wanted = positions(self.atom.arguments, {free})
        expected = {name: [p for p in places if p in self._known] for name, places in wanted.items()}
        trail.take(self._before[:done], expected, ANY_TIME)
        for position in self._ties if ties is None else ties:
            term = head_record(self.atom.arguments[position])
            if all(v.name in trail.body.terms.bound for v in variables(term)):
                trail.compare(trail.body.terms.cell(term), [position])
        return trail

    @property
    def _names(self) -> list[str]:
        return [v.name for v in self.derivation.all_variables()]

    def _number(self, trail: Trail) -> int:
        some = trail.body.select(exp.alias_(exp.Literal.number(1), "one"))
        some.set("limit", exp.Limit(expression=exp.Literal.number(_COUNTED)))
        count = exp.alias_(exp.Count(this=exp.Star()), "n")
        return int(self.context.engine.run(exp.Select(expressions=[count]).from_(some.subquery("s")))[0]["n"])

    def _nearest(self, trail: Trail, cells: Sequence[Cell], names: Sequence[str]) -> dict[str, Any] | None:
        if len(cells) == 2 and all(cell.type in {INTEGER, NUMBER} for cell in cells):
            left, right = (exp.paren(cell.value.copy()) for cell in cells)
            apart = exp.Abs(this=exp.paren(exp.Sub(this=left, expression=right)))
            trail.keep("·apart", Cell(NUMBER, apart))
            rows = trail.first(["·apart", *names], by_rounds=False)
        else:
            rows = trail.first(names)
        return rows[0] if rows else None

    def _off(self, trail: Trail, position: int) -> dict[str, Any]:
        """Return the match whose head comes closest to the fact in an argument, in which none is right."""
        got = trail.body.terms.cell(head_record(self.atom.arguments[position]))
        trail.keep(_head(position), got)
        names = sorted(name for name in trail.body.terms.bound if not name.startswith("·"))
        values = self._nearest(trail, [got, trail.body.terms.bound[goal_argument(position)]], names)
        assert values is not None
        return values

    def _other_value(self, values: Values, position: int, said: str = "") -> str:
        """Return which value an argument of the head has instead of the one that was asked about."""
        got, wanted = values[_head(position)], values[goal_argument(position)]
        text = text_of(head_record(self.atom.arguments[position]))
        said = said or f"{text} is {'without a value' if got is None else written(got)}"
        return f"{said}, not {written(wanted)}"

    def _result(
        self,
        failure: Failure,
        done: int,
        number: int = 0,
        so_far: tuple[Premise, ...] = (),
        *,
        facts: tuple[GroundFact, ...] = (),
        gathers: tuple[Gathers, ...] = (),
        holds: Holds | None = None,
    ) -> Attempt:
        steps = (*self._before, *self._after)
        satisfied = min(done, _counted(steps[: max(done, 0)]))
        rule = self.context.named(self.derivation.rule)
        return Attempt(
            rule,
            failure.kind,
            failure.words,
            failure.written,
            satisfied,
            _counted(steps),
            number,
            so_far,
            facts,
            gathers,
            holds,
        )


def _head(position: int) -> str:
    """Return the name under which an argument of the head is kept."""
    return f"·head.{position}"


def _counted(steps: Sequence[Step]) -> int:
    """Return how many steps there are; that an aggregate gets a name is none."""
    return sum(1 for step in steps if not (isinstance(step, Assign) and isinstance(step.term, Aggregate)))
