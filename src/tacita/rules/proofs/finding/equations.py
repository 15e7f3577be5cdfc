"""How equality rules lead from a null to what it became: a chain of their uses, from fact to fact.

The tables hold facts as they are after all is made equal. But a rule that made two nulls the same still matches, and
says of two facts that they hold the same thing. From the fact whose null is in question the chain goes to a fact that
had the value from the beginning, or to a rule that says it. The facts on the way are told as they were made, with the
nulls that they had then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tacita.rules.logic.terms import Atom, Constant, Pack, Term, Variable
from tacita.rules.proofs.finding.asked import round_of
from tacita.rules.proofs.finding.rules import instances
from tacita.rules.proofs.finding.trail import ANY_TIME
from tacita.rules.proofs.tree import Derived, Equation, GroundFact, Merged, Step, Uses
from tacita.rules.reasoner.derivations import Derivation

if TYPE_CHECKING:
    from tacita.rules.proofs.finding.search import Search

_MATCHES, _FACTS, _STEPS = 40, 400, 12


def with_equations(search: Search, steps: dict[GroundFact, Step]) -> dict[GroundFact, Step]:
    """Return steps in which merged nulls are explained; some of them, if they are many."""
    rules = [d for d in search.context.result.derivations if d.equality is not None and d.grouping is None]
    found = dict(steps)
    room = _STEPS
    search = search.beyond or search
    for fact, step in steps.items():
        if isinstance(step, Derived) and step.merged and room and rules:
            merged = tuple(replace(m, because=_because(search, rules, m, fact)) for m in step.merged)
            found[fact] = replace(step, merged=merged)
            room -= 1
    return found


def _because(search: Search, rules: list[Derivation], merged: Merged, fact: GroundFact) -> tuple[Equation, ...]:
    """Return a chain from a fact itself, or else from one that another rule gave of it."""
    return _Chain(search, rules, merged).to(fact) or _Chain(search, rules, merged, with_copies=True).to(fact)


@dataclass(slots=True)
class _Chain:
    """The search for a chain, breadth first."""

    search: Search
    rules: list[Derivation]
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
        self, rule: Derivation, place: int, side: Term, other: Term, facts: list[GroundFact]
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
