"""One rule and some goals: the matches of its body that give them, found by comparing the head with the goals.

From a match it goes back to what the rule asked for: facts that were found, conditions that held, what was not there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tacita.engines.protocol import Engine
from tacita.rules.logic.program import Rule
from tacita.rules.logic.steps import Absent, Assign, Enumerate, Match, Step, Test
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Blank,
    Comparison,
    Condition,
    Constant,
    IsNull,
    Item,
    Member,
    Node,
    Similar,
    Subset,
    Term,
    Variable,
    rewritten,
    variables,
    walk,
)
from tacita.rules.proofs.finding.goals import Goals
from tacita.rules.proofs.finding.trail import (
    EARLIER,
    GOAL_ROUND,
    Asking,
    Trail,
    Values,
    argument,
    goal_argument,
    operand,
    operands,
    positions,
    round_of,
)
from tacita.rules.proofs.templates import Template, Templates
from tacita.rules.proofs.tree import Binding, Computes, Derived, GroundFact, Holds, Misses, Premise, RuleName, Uses
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.groups import head_record
from tacita.rules.reasoner.plans.layout import FactLayout
from tacita.rules.reasoner.results import Reasoned
from tacita.rules.reasoner.values import written
from tacita.rules.syntax import text_of


def premises(steps: Sequence[Step], values: Values, start: int = 0) -> tuple[Premise, ...]:
    """Return what a match of some steps rests on, in the order of the steps."""
    listed: list[Premise] = []
    for place, step in enumerate(steps, start):
        match step:
            case Match(atom):
                listed.append(Uses(matched(atom, place, values)))
            case Assign(_, Aggregate()):
                pass  # the aggregate itself says it
            case Assign(variable, term):
                listed.append(Computes(variable.name, text_of(term), values.get(variable.name)))
            case Enumerate(variable, collection):
                listed.append(Computes(variable.name, f"a member of {text_of(collection)}", values.get(variable.name)))
            case Test(condition) if not _is_fixed(condition):
                listed.append(condition_premise(condition, place, values))
            case Absent(negation):
                listed.append(Misses(text_of(negation), shown(negation.items, values)))
    return tuple(listed)


def _is_fixed(condition: Condition) -> bool:
    """Whether a condition says nothing of the facts: ``true = true``, where a parameter stood."""
    return not any(isinstance(node, Variable | Aggregate) for node in walk(condition))


def matched(atom: Atom, place: int, values: Values) -> GroundFact:
    """Return the fact that a step matched."""
    return GroundFact(atom.predicate, tuple(values[argument(place, i)] for i in range(len(atom.arguments))))


def condition_premise(condition: Condition, place: int, values: Values) -> Holds:
    """Return a condition with the values that it compared."""
    terms = operands(condition)
    compared = tuple(values.get(operand(place, i)) for i in range(len(terms)))
    return Holds(text_of(condition), operator(condition), compared, tuple(map(text_of, terms)))


def operator(condition: Condition) -> str:
    """Return how a condition compares its terms, as the language writes it."""
    match condition:
        case Comparison(sign):
            return sign
        case Member(_, _, is_negated):
            return "not in" if is_negated else "in"
        case Subset():
            return "subset of"
        case IsNull(_, is_negated):
            return "is not null" if is_negated else "is null"
        case Similar():
            return "~"


def shown(items: Sequence[Item], values: Values) -> str:
    """Return items with the values of their variables in their place; what is open is ``_``, or keeps its name."""
    times = Counter(node.name for item in items for node in walk(item) if isinstance(node, Variable))

    def change(node: Node) -> Node:
        if not isinstance(node, Variable):
            return node
        if node.name in values:
            return Variable(written(values[node.name]))  # a name is printed as it is, and so may stand for any value
        return Blank() if times[node.name] == 1 else node

    return ", ".join(text_of(rewritten(item, change)) for item in items)


def binding(names: Sequence[str], values: Values) -> Binding:
    """Return the values of a rule's own variables."""
    return tuple((name, values[name]) for name in names if name in values and not name.startswith("_"))


@dataclass(slots=True, repr=False)
class ProofContext:
    """What looking for proofs needs to know of a run, and the rounds of the facts that were met."""

    result: Reasoned
    contributors: int = 20
    """How many contributors of an aggregate are listed."""
    rounds: dict[GroundFact, int] = field(default_factory=dict)
    others: Mapping[str, FactLayout] | None = None
    """Where facts are looked for instead of the tables of the run."""
    templates: Templates = field(init=False)
    _names: dict[int, RuleName] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.templates = Templates(self.result.prepared)

    @property
    def engine(self) -> Engine:
        """Where the facts are."""
        return self.result.run.engine

    @property
    def layouts(self) -> Mapping[str, FactLayout]:
        """How facts lie in their tables."""
        return self.result.run.layouts if self.others is None else self.others

    def trail(self, derivation: RuleDerivation, goals: Goals | None = None) -> Trail:
        """Return an empty trail of a rule."""
        return Trail.to(self.engine, self.layouts, derivation.similar, goals)

    def named(self, rule: Rule) -> RuleName:
        """Return what a step says of its rule."""
        if id(rule) not in self._names:
            plain = Rule(rule.body, rule.head, rule.exists, rule.label)
            self._names[id(rule)] = RuleName(rule.name, rule.module, str(rule.origin), text_of(plain))
        return self._names[id(rule)]

    def met(self, steps: Sequence[Step], values: Values, start: int = 0) -> None:
        """Take down the rounds of the facts of a match."""
        for place, step in enumerate(steps, start):
            if isinstance(step, Match):
                self.rounds[matched(step.atom, place, values)] = values[round_of(place)]


def goal_of(goals: Goals, values: Values) -> GroundFact:
    """Return the goal that a match is for."""
    return GroundFact(goals.predicate, tuple(values[goal_argument(i)] for i in range(len(goals.cells))))


def can_give(atom: Atom, facts: Sequence[GroundFact]) -> bool:
    """Whether the constants of a head leave room for one of some facts: spares asking the engine."""
    fixed = [(i, t.value) for i, t in enumerate(atom.arguments) if isinstance(t, Constant) and isinstance(t.value, str)]
    return any(all(fact.values[i] == value for i, value in fixed) for fact in facts)


def direct(
    context: ProofContext, derivation: RuleDerivation, atom: Atom, goals: Goals, asking: Asking = EARLIER
) -> dict[GroundFact, Derived]:
    """Return how a rule without aggregates gives goals."""
    return {step.fact: step for step in instances(context, derivation, atom, goals, asking)}


def instances(
    context: ProofContext, derivation: RuleDerivation, atom: Atom, goals: Goals, asking: Asking = EARLIER, most: int = 1
) -> list[Derived]:
    """Return the first matches of a rule without aggregates that give each of some goals."""
    trail, steps = context.trail(derivation, goals), derivation.schedule.before
    trail.take(steps, positions(atom.arguments, asking.open_to), asking)
    compare_terms(trail, atom, asking.open_to)
    template = context.templates.of(derivation.rule)
    keep_template(trail, template)
    names = [v.name for v in derivation.all_variables()]
    derived = []
    for values in trail.first(names, most):
        context.met(steps, values)
        derived.append(
            Derived(
                goal_of(goals, values),
                values[GOAL_ROUND],
                context.named(derivation.rule),
                binding(names, values),
                premises(steps, values),
                explanation=template.filled(values) if template is not None else "",
            )
        )
    return derived


def compare_terms(trail: Trail, atom: Atom, open_to: frozenset[str] = frozenset()) -> None:
    """Compare the arguments of a head that are more than a variable with those of the goal."""
    for position, own in enumerate(atom.arguments):
        term = head_record(own)
        if not isinstance(term, Variable | Blank) and not open_to & {v.name for v in variables(term)}:
            trail.compare(trail.body.terms.cell(term), [position])


def keep_template(trail: Trail, template: Template | None) -> None:
    """Keep the values that the gaps of a rule's sentence need."""
    if template is None:
        return
    for gap, term in template.terms.items():
        if _is_bound(trail, term):
            trail.keep(template.name(gap), trail.body.terms.cell(term))


def _is_bound(trail: Trail, term: Term) -> bool:
    known: Any = trail.body.terms.known
    return term in known or all(v.name in trail.body.terms.bound for v in variables(term))
