"""One rule and a fact that it does not give: how far its body can be satisfied, and the first step that fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacita.rules.logic.binding import depends_on_aggregate
from tacita.rules.logic.steps import Absent, Assign, Enumerate, Match, Step, Test
from tacita.rules.logic.terms import Condition, Constant, Term, Variable, variables
from tacita.rules.proofs.finding.attempts import Attempt, Failure, RuleAttempt
from tacita.rules.proofs.finding.groups import GoalGroups, compare_late, grouped
from tacita.rules.proofs.finding.question import question_text
from tacita.rules.proofs.finding.rules import condition_premise, matched, premises, shown
from tacita.rules.proofs.finding.trail import (
    ANY_TIME,
    Trail,
    Values,
    goal_argument,
    operand,
    operands,
    positions,
)
from tacita.rules.proofs.tree import Gathers, GroundFact, Premise
from tacita.rules.proofs.words import aggregate, behind, condition
from tacita.rules.reasoner.plans.cells import Cell
from tacita.rules.reasoner.plans.groups import head_record
from tacita.rules.reasoner.values import written
from tacita.rules.syntax import text_of


@dataclass(frozen=True, slots=True)
class _WrittenValue:
    """A value as it was asked about: it is shown as it was written."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True, repr=False)
class Follower(RuleAttempt):
    """Follows one rule, step by step."""

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

    def _bound_terms(self, done: int) -> tuple[int, ...]:
        bound = self._trail(done, ties=()).body.terms.bound
        return tuple(p for p in self._terms if all(v.name in bound for v in variables(self.atom.arguments[p])))

    # -- the head alone ------------------------------------------------------------------------------------------------

    def _clash(self) -> Attempt | None:
        """Return why the head cannot be the fact, whatever the body says."""
        unknown = {v.name for v in self.derivation.existentials}
        for places in positions(self.atom.arguments).values():
            fixed = [(p, t) for p in places if isinstance(t := self.question.atom.arguments[p], Constant)]
            if len({term for _, term in fixed}) > 1:
                words = f"the rule gives facts with the same value as arguments {fixed[0][0] + 1} and {fixed[1][0] + 1}"
                return self._result(Failure("head", words, text_of(self.atom)), -1)
        for position, (own, term) in enumerate(zip(self.atom.arguments, self.question.atom.arguments, strict=True)):
            if isinstance(own, Constant) and isinstance(term, Constant) and own.value != term.value:
                words = f"the rule gives {text_of(own)} as argument {position + 1}, not {text_of(term)}"
                return self._result(Failure("head", words, text_of(self.atom)), -1)
            is_unknown = isinstance(own, Variable) and own.name in unknown and not self.derivation.is_computed
            if is_unknown and self.question.known(position) is True:
                words = f"the rule makes an unknown value for argument {position + 1}, never {text_of(term)}"
                return self._result(Failure("head", words, text_of(self.atom)), -1)
        return None

    # -- the body ------------------------------------------------------------------------------------------------------

    def _known_values(self, values: Values) -> dict[str, Any]:
        """Return what is known of the variables: from the match so far, and from the fact itself."""
        known = dict(values)
        for name, places in positions(self.atom.arguments).items():
            for place in places:
                if place in self._known and name not in known:
                    known[name] = _WrittenValue(question_text(self.question.atom.arguments[place]))
        return known

    def _stopped(self, step: Step, done: int) -> Attempt:
        """Return what is wrong with the first step that has no match."""
        trail = self._trail(done)
        values = trail.first(self._names)[0] if done or trail.goals else {}
        number = self._number(self._trail(done)) if done else 1
        so_far = premises(self._before[:done], values)
        match step:
            case Match(atom):
                looked_for = shown([atom], self._known_values(values))
                words = f"there is no {looked_for}"
                return self._result(Failure("fact", words, text_of(atom)), done, number, so_far)
            case Test(condition_):
                closest = self._closest(self._trail(done), condition_, done)
                values = closest or values
                holds = condition_premise(condition_, done, values)
                so_far = premises(self._before[:done], values)
                words = condition(holds, is_met=False)
                return self._result(Failure("condition", words, text_of(condition_)), done, number, so_far, holds=holds)
            case Absent(negation, inside):
                return self._found_after_all(
                    _negation_text(step), inside.before, done, number, so_far, text_of(negation)
                )
            case Assign(variable, term):
                return self._assigned(variable.name, text_of(term), done, number, so_far)
            case Enumerate(variable, collection):
                return self._assigned(variable.name, f"a member of {text_of(collection)}", done, number, so_far)

    def _closest(self, trail: Trail, test: Condition, place: int) -> dict[str, Any] | None:
        """Return the match that comes closest to a condition: for numbers, the one that misses by the least."""
        cells = [trail.body.terms.cell(term) for term in operands(test)]
        for position, cell in enumerate(cells):
            trail.keep(operand(place, position), cell)
        return self._nearest(trail, cells, [name for name in self._names if name in trail.body.terms.bound])

    def _found_after_all(
        self, what: str, inside: Sequence[Step], done: int, number: int, so_far: tuple[Premise, ...], text: str
    ) -> Attempt:
        """Return the facts that a negation stumbles over."""
        trail = self._trail(done)
        trail.take(inside, {}, ANY_TIME, done)
        rows = trail.first(self._names)
        facts: tuple[GroundFact, ...] = ()
        if rows:
            so_far = premises(self._before[:done], rows[0])
            matches = [(place, s) for place, s in enumerate(inside, done) if isinstance(s, Match)]
            facts = tuple(matched(s.atom, place, rows[0]) for place, s in matches)
            what = " and ".join(map(str, facts)) or what
        words = f"{what} was found, and should not be there" if len(facts) < 2 else f"{what} were found together"
        return self._result(Failure("negation", words, text), done, number, so_far, facts=facts)

    def _assigned(self, name: str, text: str, done: int, number: int, so_far: tuple[Premise, ...]) -> Attempt:
        """Return why a variable did not get the value it should: it got another one, or none."""
        places = [p for p in positions(self.atom.arguments).get(name, ()) if p in self._known]
        if places:
            trail = self._trail(done + 1, free=name)
            bound, wanted = trail.body.terms.bound, goal_argument(places[0])
            values = self._nearest(trail, [bound[name], bound[wanted]], self._names)
            if values is not None:
                words = f"{name} is {written(values[name])}, from {text}, not {written(values[wanted])}"
                so_far = premises(self._before[:done], values)
                return self._result(Failure("head", words, f"{name} = {text}"), done, number, so_far)
        return self._result(Failure("assignment", f"{text} has no value", f"{name} = {text}"), done, number, so_far)

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
            return self._result(
                Failure("assignment", f"{text} has no value", text), done, gathers=self._gathers(rows[0], cells)
            )
        compared = [trail.body.terms.cell(term) for term in operands(step.condition)]
        for position, cell in enumerate(compared):
            trail.keep(operand(done, position), cell)
        values = self._nearest(trail, compared, names)
        assert values is not None
        gathers = self._gathers(values, cells)
        holds = condition_premise(step.condition, done, values)
        words = condition(holds, is_met=False)
        about = next((g for g in gathers if g.written == holds.terms[0] or g.variable == holds.terms[0] != ""), None)
        if about is not None:
            words = f"{aggregate(about)}, which {behind(holds, is_met=False)}"
        return self._result(
            Failure("condition", words, text_of(step.condition)),
            done,
            self._number(trail),
            gathers=gathers,
            holds=holds,
        )

    def _gathers(self, values: Values, cells: Mapping[Term, Cell]) -> tuple[Gathers, ...]:
        assert self.derivation.grouping is not None
        groups = GoalGroups.of(self.context, self.derivation, [values], cells)
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
            return self._result(Failure("head", words, text_of(self.atom)), done, self._number(trail), gathers=gathers)
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
            words, so_far = self._other_value(values, position), premises(self._before, values)
            return self._result(Failure("head", words, text_of(self.atom)), done, self._number(trail), so_far)
        if self.derivation.grouping is not None:
            return self._in_groups()
        rows = self._trail(done).first(self._names)
        return self._elsewhere(done, premises(self._before, rows[0]))

    def _elsewhere(self, done: int, so_far: tuple[Premise, ...] = (), gathers: tuple[Gathers, ...] = ()) -> Attempt:
        words = "the rule applies, and gives other facts than this one"
        if self.derivation.existentials:
            words = "the rule applies, and makes another unknown value"
        elif self.derivation.rule in self.context.result.prepared.version_rules:
            words = "the rule changes facts one by one, and did not come to this"
        elif gathers:
            words = "the rule gives it, and a better value took its place"
        return self._result(Failure("head", words, text_of(self.atom)), done, 1, so_far, gathers=gathers)


def _negation_text(step: Absent) -> str:
    """Return what a negation looks for."""
    return ", ".join(text_of(item) for item in step.negation.items)
