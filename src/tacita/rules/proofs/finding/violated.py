"""A violation: the match of an equality rule or a denial that it was reported for, found again among the facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tacita.rules.logic.steps import Absent, Match, Step
from tacita.rules.logic.terms import Atom, Variable
from tacita.rules.proofs.finding.goals import Goals, constant
from tacita.rules.proofs.finding.groups import gathered
from tacita.rules.proofs.finding.question import round_of
from tacita.rules.proofs.finding.rules import ProofContext, binding, premises
from tacita.rules.proofs.finding.search import Search
from tacita.rules.proofs.finding.trail import ANY_TIME, Trail, argument
from tacita.rules.proofs.tree import Binding, GroundFact, Holds, Premise, RuleName, Uses, Violated
from tacita.rules.reasoner.chase.violations import Violation
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import FactLayout, Position
from tacita.rules.reasoner.program import is_denial
from tacita.rules.reasoner.values import Null
from tacita.rules.syntax import text_of

VIOLATION = "violation"
_LEFT, _RIGHT = "·left", "·right"


def violation_step(search: Search, violation: Violation) -> Violated:
    """Return a violation as the step of a proof; what of its facts is not there any more has no round."""
    values = violation.clash if violation.clash is not None else tuple(violation.values.values())
    fact = GroundFact(VIOLATION, (violation.rule, *values))
    evidence = _Evidence(search, violation)
    rules = evidence.rules()
    for context in search.contexts():
        for rule in rules:
            match = evidence.among(context, rule)
            if match is not None:
                return Violated(fact, context.named(rule.rule), violation.text, *match)
    for one in evidence.facts:
        round_ = next((r for c in search.contexts() if (r := round_of(c, one)) is not None), None)
        if round_ is not None:
            search.context.rounds[one] = round_
    name = search.context.named(rules[0].rule) if rules else RuleName(violation.rule)
    return Violated(
        fact, name, violation.text, tuple(violation.values.items()), tuple(Uses(one) for one in evidence.facts)
    )


@dataclass(slots=True, repr=False)
class _Evidence:
    """The search for the match of one violation."""

    search: Search
    violation: Violation

    @property
    def facts(self) -> list[GroundFact]:
        """The facts that clash, as they are by now."""
        return [GroundFact(predicate, tuple(map(self._by_now, values))) for predicate, values in self.violation.facts]

    def rules(self) -> list[RuleDerivation]:
        """Return the rules that go by the name of the one that was violated."""
        known = self.search.context.result.derivations
        return [d for d in known if d.rule.name == self.violation.rule and (d.equality or is_denial(d.rule))]

    def _by_now(self, value: Any) -> Any:
        return self.search.merges.final.get(value.number, value) if isinstance(value, Null) else value

    def among(self, context: ProofContext, rule: RuleDerivation) -> tuple[Binding, tuple[Premise, ...]] | None:
        """Return the match among the facts of a context: the variables of the rule, and what it rests on."""
        if rule.grouping is not None:
            return self._group(context, rule)
        steps = rule.schedule.before
        # What was not there when the violation was found may have come later.
        lasting = [step for step in steps if not isinstance(step, Absent)]
        for some in [steps] if len(lasting) == len(steps) else [steps, lasting]:
            match = self._match(context, rule, some)
            if match is not None:
                return match
        return None

    def _match(
        self, context: ProofContext, rule: RuleDerivation, steps: Sequence[Step]
    ) -> tuple[Binding, tuple[Premise, ...]] | None:
        trail = context.trail(rule)
        trail.take(steps, {}, ANY_TIME)
        self._compare(trail, steps)
        sides = rule.equality
        if sides is not None:
            left, right = (trail.body.terms.cell(side) for side in (sides.left, sides.right))
            trail.body.conditions.append(exp.Not(this=exp.paren(trail.body.terms.equal(left, right))))
            trail.keep(_LEFT, left)
            trail.keep(_RIGHT, right)
        names = [v.name for v in rule.all_variables()]
        for values in trail.first(names):
            context.met(steps, values)
            matched = list(premises(steps, values))
            if sides is not None:
                terms = text_of(sides.left), text_of(sides.right)
                clash = values[_LEFT], values[_RIGHT]
                matched.append(Holds(text_of(sides), "!=", clash, terms, "they must be the same"))
            return binding(names, values), tuple(matched)
        return None

    def _compare(self, trail: Trail, steps: Sequence[Step]) -> None:
        """Ask for the facts of the violation, and for the values of its variables."""
        terms, engine = trail.body.terms, trail.engine
        for place, fact in self._places(steps):
            for position, value in enumerate(fact.values):
                cell = terms.bound[argument(place, position)]
                trail.body.conditions.append(terms.matching(cell, constant(engine, value, cell.type)))
        for name, value in self.violation.values.items():
            if name in terms.bound:
                cell = terms.bound[name]
                wanted = constant(engine, self._by_now(value), cell.type)
                trail.body.conditions.append(terms.matching(cell, wanted))

    def _places(self, steps: Sequence[Step]) -> Iterator[tuple[int, GroundFact]]:
        """Yield which step matched which fact; a rule may have been run without atoms that only repeat another."""
        waiting = self.facts
        for place, step in enumerate(steps):
            if waiting and isinstance(step, Match) and step.atom.predicate == waiting[0].predicate:
                yield place, waiting.pop(0)

    def _group(self, context: ProofContext, rule: RuleDerivation) -> tuple[Binding, tuple[Premise, ...]] | None:
        """Return the group that must not be, and who contributed to it."""
        bound = rule.bound().terms.bound
        known = {name: self._by_now(value) for name, value in self.violation.values.items() if name in bound}
        kinds = tuple(Position(bound[name].type, bound[name].label is not None) for name in known)
        goal = GroundFact(VIOLATION, tuple(known.values()))
        goals = Goals.of(context.engine, FactLayout(VIOLATION, "", kinds), [(goal, context.result.rounds + 1)])
        atom = Atom(VIOLATION, tuple(map(Variable, known)))
        for step in gathered(context, rule, atom, goals, ANY_TIME).values():
            return step.binding, step.premises
        return None
