"""One rule and a fact that it does not give: how far its body can be satisfied, and the first step that fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from tacita.rules.logic.binding import depends_on_aggregate
from tacita.rules.logic.steps import Absent, Assign, Enumerate, Match, Step, Test
from tacita.rules.logic.terms import Aggregate, Atom, Blank, Condition, Constant, Term, Variable, variables
from tacita.rules.logic.types import INTEGER, NUMBER
from tacita.rules.proofs.finding.goals import Goals
from tacita.rules.proofs.finding.groups import Groups, compare_late, grouped
from tacita.rules.proofs.finding.question import Asked, question_text
from tacita.rules.proofs.finding.rules import Context, held, matched, premises, shown
from tacita.rules.proofs.finding.trail import (
    ANY_TIME,
    Trail,
    Values,
    goal_argument,
    operand,
    operands,
    positions,
)
from tacita.rules.proofs.tree import Gathers, GroundFact, Holds, Premise, RuleName
from tacita.rules.proofs.words import aggregate, behind, condition
from tacita.rules.reasoner.plans.cells import Cell
from tacita.rules.reasoner.plans.derivations import Derivation
from tacita.rules.reasoner.plans.groups import head_record
from tacita.rules.reasoner.plans.layout import literal
from tacita.rules.reasoner.plans.terms import Terms
from tacita.rules.reasoner.values import written
from tacita.rules.syntax import text_of


@dataclass(frozen=True, slots=True)
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


_COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class _Asked:
    """A value as it was asked about: it is shown as it was written."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Follower:
    """Follows one rule."""

    context: Context
    derivation: Derivation
    atom: Atom
    asked: Asked
    _goals: Goals = field(init=False)
    _known: frozenset[int] = field(init=False)
    _ties: tuple[int, ...] = ()
    """Arguments of the head that are more than a variable, and can be had as the fact has them."""

    def __post_init__(self) -> None:
        terms, cells, known = Terms(self.context.engine), [], []
        unknown = {v.name for v in self.derivation.existentials}
        layout = self.context.layouts[self.asked.atom.predicate]
        for position in range(len(self.asked.atom.arguments)):
            cell = self.asked.cell(terms, position, layout.positions[position].type)
            own = head_record(self.atom.arguments[position])
            if cell is not None and not unknown & {v.name for v in variables(own)}:
                known.append(position)
            cells.append(cell or Cell(INTEGER, literal(0)))
        zero = Cell(INTEGER, literal(0))
        self._goals = Goals(self.asked.atom.predicate, tuple(cells), zero, zero)
        self._known = frozenset(known)

    @property
    def _before(self) -> tuple[Step, ...]:
        return self.derivation.schedule.before

    @property
    def _after(self) -> tuple[Step, ...]:
        return self.derivation.schedule.after

    def attempt(self) -> Attempt:
        """Return how far the rule goes."""
        early = self._clash()
        if early is not None:
            return early
        done = self._reached()
        if done < len(self._before):
            return self._stopped(self._before[done], done)
        return self._at_head()

    def _reached(self) -> int:
        """Return how many steps have a match, if it can be a match that gives what the head computes of it."""
        wide = self._furthest(())
        near = self._furthest(self._terms) if self._terms else wide
        ties = self._bound_terms(near)
        # What a step finds no match for is its own fault only if it is not the one that the head computes with.
        if ties and ties == self._bound_terms(min(near + 1, len(self._before))):
            self._ties = ties
            return near
        return wide

    def _furthest(self, ties: Sequence[int]) -> int:
        done = len(self._before)
        while done and not self._trail(done, ties=ties).first([]):
            done -= 1
        return done

    @property
    def _terms(self) -> tuple[int, ...]:
        """The known arguments of the head that are computed of a match, without those that need a whole group."""
        found = []
        for position in sorted(self._known):
            term = head_record(self.atom.arguments[position])
            if not isinstance(term, Variable | Blank) and not depends_on_aggregate(term, self.derivation.schedule):
                found.append(position)
        return tuple(found)

    def _bound_terms(self, done: int) -> tuple[int, ...]:
        bound = self._trail(done, ties=()).body.terms.bound
        return tuple(p for p in self._terms if all(v.name in bound for v in variables(self.atom.arguments[p])))

    # -- the head alone ------------------------------------------------------------------------------------------------

    def _clash(self) -> Attempt | None:
        """Return why the head cannot be the fact, whatever the body says."""
        unknown = {v.name for v in self.derivation.existentials}
        for places in positions(self.atom.arguments).values():
            told = [(p, t) for p in places if isinstance(t := self.asked.atom.arguments[p], Constant)]
            if len({term for _, term in told}) > 1:
                words = f"the rule gives facts with the same value as arguments {told[0][0] + 1} and {told[1][0] + 1}"
                return self._result("head", words, text_of(self.atom), -1)
        for position, (own, term) in enumerate(zip(self.atom.arguments, self.asked.atom.arguments, strict=True)):
            if isinstance(own, Constant) and isinstance(term, Constant) and own.value != term.value:
                words = f"the rule gives {text_of(own)} as argument {position + 1}, not {text_of(term)}"
                return self._result("head", words, text_of(self.atom), -1)
            is_unknown = isinstance(own, Variable) and own.name in unknown and not self.derivation.is_computed
            if is_unknown and self.asked.known(position) is True:
                words = f"the rule makes an unknown value for argument {position + 1}, never {text_of(term)}"
                return self._result("head", words, text_of(self.atom), -1)
        return None

    # -- the body ------------------------------------------------------------------------------------------------------

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

    def _told(self, values: Values) -> dict[str, Any]:
        """Return what is known of the variables: from the match so far, and from the fact itself."""
        told = dict(values)
        for name, places in positions(self.atom.arguments).items():
            for place in places:
                if place in self._known and name not in told:
                    told[name] = _Asked(question_text(self.asked.atom.arguments[place]))
        return told

    def _stopped(self, step: Step, done: int) -> Attempt:
        """Return what is wrong with the first step that has no match."""
        trail = self._trail(done)
        values = trail.first(self._names)[0] if done or trail.goals else {}
        number = self._number(self._trail(done)) if done else 1
        found = premises(self._before[:done], values)
        match step:
            case Match(atom):
                looked_for = shown([atom], self._told(values))
                words = f"there is no {looked_for}"
                return self._result("fact", words, text_of(atom), done, number, found)
            case Test(condition_):
                closest = self._closest(self._trail(done), condition_, done)
                values = closest or values
                holds = held(condition_, done, values)
                found = premises(self._before[:done], values)
                words = condition(holds, is_met=False)
                return self._result("condition", words, text_of(condition_), done, number, found, holds=holds)
            case Absent(negation, inside):
                return self._found_after_all(negation_text(step), inside.before, done, number, found, text_of(negation))
            case Assign(variable, term):
                return self._assigned(variable.name, text_of(term), done, number, found)
            case Enumerate(variable, collection):
                return self._assigned(variable.name, f"a member of {text_of(collection)}", done, number, found)

    def _closest(self, trail: Trail, test: Condition, place: int) -> dict[str, Any] | None:
        """Return the match that comes closest to a condition: for numbers, the one that misses by the least."""
        cells = [trail.body.terms.cell(term) for term in operands(test)]
        for position, cell in enumerate(cells):
            trail.keep(operand(place, position), cell)
        return self._nearest(trail, cells, [name for name in self._names if name in trail.body.terms.bound])

    def _nearest(self, trail: Trail, cells: Sequence[Cell], names: Sequence[str]) -> dict[str, Any] | None:
        if len(cells) == 2 and all(cell.type in {INTEGER, NUMBER} for cell in cells):
            left, right = (exp.paren(cell.value.copy()) for cell in cells)
            apart = exp.Abs(this=exp.paren(exp.Sub(this=left, expression=right)))
            trail.keep("·apart", Cell(NUMBER, apart))
            rows = trail.first(["·apart", *names], by_rounds=False)
        else:
            rows = trail.first(names)
        return rows[0] if rows else None

    def _found_after_all(
        self, what: str, inside: Sequence[Step], done: int, number: int, found: tuple[Premise, ...], text: str
    ) -> Attempt:
        """Return the facts that a negation stumbles over."""
        trail = self._trail(done)
        trail.take(inside, {}, ANY_TIME, done)
        rows = trail.first(self._names)
        facts: tuple[GroundFact, ...] = ()
        if rows:
            found = premises(self._before[:done], rows[0])
            matches = [(place, s) for place, s in enumerate(inside, done) if isinstance(s, Match)]
            facts = tuple(matched(s.atom, place, rows[0]) for place, s in matches)
            what = " and ".join(map(str, facts)) or what
        words = f"{what} was found, and should not be there" if len(facts) < 2 else f"{what} were found together"
        return self._result("negation", words, text, done, number, found, facts=facts)

    def _assigned(self, name: str, text: str, done: int, number: int, found: tuple[Premise, ...]) -> Attempt:
        """Return why a variable did not get the value it should: it got another one, or none."""
        places = [p for p in positions(self.atom.arguments).get(name, ()) if p in self._known]
        if places:
            trail = self._trail(done + 1, free=name)
            bound, wanted = trail.body.terms.bound, goal_argument(places[0])
            values = self._nearest(trail, [bound[name], bound[wanted]], self._names)
            if values is not None:
                words = f"{name} is {written(values[name])}, from {text}, not {written(values[wanted])}"
                found = premises(self._before[:done], values)
                return self._result("head", words, f"{name} = {text}", done, number, found)
        return self._result("assignment", f"{text} has no value", f"{name} = {text}", done, number, found)

    # -- groups --------------------------------------------------------------------------------------------------------

    def _in_groups(self) -> Attempt:
        steps = len(self._before)
        for done, step in enumerate(self._after):
            if not self._grouped(done + 1)[0].first([]):
                return self._group_stopped(*self._grouped(done), step, steps + done)
        return self._group_head(steps + len(self._after))

    def _grouped(self, done: int, agreeing: Sequence[int] = ()) -> tuple[Trail, dict[Term, Cell]]:
        """Return the groups after some steps; those alone that agree with the fact in some arguments."""
        steps = len(self._before)
        trail, cells = grouped(self.derivation, self._trail(steps))
        trail.take(self._after[:done], {}, start=steps)
        for position in agreeing:
            compare_late(trail, trail.body.terms.cell(head_record(self.atom.arguments[position])), position)
        return trail, cells

    def _group_stopped(self, trail: Trail, cells: Mapping[Term, Cell], step: Step, done: int) -> Attempt:
        names = sorted(name for name in trail.body.terms.bound if not name.startswith("·"))
        if not isinstance(step, Test):
            rows = trail.first(names)
            text = text_of(step.term) if isinstance(step, Assign) else "the next step"
            return self._result("assignment", f"{text} has no value", text, done, gathers=self._gathers(rows[0], cells))
        compared = [trail.body.terms.cell(term) for term in operands(step.condition)]
        for position, cell in enumerate(compared):
            trail.keep(operand(done, position), cell)
        values = self._nearest(trail, compared, names)
        assert values is not None
        gathers = self._gathers(values, cells)
        holds = held(step.condition, done, values)
        words = condition(holds, is_met=False)
        about = next((g for g in gathers if g.written == holds.terms[0] or g.variable == holds.terms[0] != ""), None)
        if about is not None:
            words = f"{aggregate(about)}, which {behind(holds, is_met=False)}"
        return self._result(
            "condition", words, text_of(step.condition), done, self._number(trail), gathers=gathers, holds=holds
        )

    def _gathers(self, values: Values, cells: Mapping[Term, Cell]) -> tuple[Gathers, ...]:
        assert self.derivation.grouping is not None
        groups = Groups.of(self.context, self.derivation, [values], cells)
        return tuple(groups.gathers(a, ANY_TIME)[0] for a in self.derivation.grouping.aggregates)

    def _group_head(self, done: int) -> Attempt:
        """Return what the head says of the group that comes closest, when the conditions on groups are satisfied."""
        schedule, agreeing = self.derivation.schedule, list[int]()
        for position in sorted(self._known):
            term = head_record(self.atom.arguments[position])
            if not depends_on_aggregate(term, schedule):
                continue
            if self._grouped(len(self._after), [*agreeing, position])[0].first([]):
                agreeing.append(position)
                continue
            trail, cells = self._grouped(len(self._after), agreeing)
            values = self._off(trail, position)
            gathers = self._gathers(values, cells)
            about = next((g for g in gathers if isinstance(term, Variable) and g.variable == term.name), None)
            words = self._other_value(values, position, aggregate(about) if about is not None else "")
            return self._result("head", words, text_of(self.atom), done, self._number(trail), gathers=gathers)
        trail, cells = self._grouped(len(self._after), agreeing)
        return self._elsewhere(done, gathers=self._gathers(trail.first([])[0], cells))

    # -- the head ------------------------------------------------------------------------------------------------------

    def _at_head(self) -> Attempt:
        """Return what the head says instead, when all of the body is satisfied."""
        done, agreeing = len(self._before), list[int]()
        for position in self._terms:
            if self._trail(done, ties=[*agreeing, position]).first([]):
                agreeing.append(position)
                continue
            trail = self._trail(done, ties=agreeing)
            values = self._off(trail, position)
            words, found = self._other_value(values, position), premises(self._before, values)
            return self._result("head", words, text_of(self.atom), done, self._number(trail), found)
        if self.derivation.grouping is not None:
            return self._in_groups()
        rows = self._trail(done).first(self._names)
        return self._elsewhere(done, premises(self._before, rows[0]))

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

    def _elsewhere(self, done: int, found: tuple[Premise, ...] = (), gathers: tuple[Gathers, ...] = ()) -> Attempt:
        words = "the rule applies, and gives other facts than this one"
        if self.derivation.existentials:
            words = "the rule applies, and makes another unknown value"
        elif self.derivation.rule in self.context.result.prepared.version_rules:
            words = "the rule changes facts one by one, and did not come to this"
        elif gathers:
            words = "the rule gives it, and a better value took its place"
        return self._result("head", words, text_of(self.atom), done, 1, found, gathers=gathers)

    def _result(
        self,
        kind: str,
        words: str,
        text: str,
        done: int,
        number: int = 0,
        found: tuple[Premise, ...] = (),
        *,
        facts: tuple[GroundFact, ...] = (),
        gathers: tuple[Gathers, ...] = (),
        holds: Holds | None = None,
    ) -> Attempt:
        steps = (*self._before, *self._after)
        satisfied = min(done, _counted(steps[: max(done, 0)]))
        rule = self.context.named(self.derivation.rule)
        return Attempt(rule, kind, words, text, satisfied, _counted(steps), number, found, facts, gathers, holds)


def _head(position: int) -> str:
    """Return the name under which an argument of the head is kept."""
    return f"·head.{position}"


def _counted(steps: Sequence[Step]) -> int:
    """Return how many steps there are; that an aggregate gets a name is none."""
    return sum(1 for step in steps if not (isinstance(step, Assign) and isinstance(step.term, Aggregate)))


def negation_text(step: Absent) -> str:
    """Return what a negation looks for."""
    return ", ".join(text_of(item) for item in step.negation.items)
