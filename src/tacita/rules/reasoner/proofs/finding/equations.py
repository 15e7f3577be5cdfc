"""How equality rules lead from a null to what it became: a chain of their uses, from fact to fact.

The tables hold facts as they are after all is made equal. But a rule that made two nulls the same still matches, and
says of two facts that they hold the same thing. From the fact whose null is in question the chain goes to a fact that
had the value from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tacita.rules.logic.terms import Atom, Pack, Term, Variable
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.proofs.finding.rules import instances
from tacita.rules.reasoner.proofs.tree import Derived, Equation, GroundFact, Merged, Step, Uses
from tacita.rules.reasoner.values import Null

if TYPE_CHECKING:
    from tacita.rules.reasoner.proofs.finding.search import Search

_MATCHES, _FACTS, _STEPS = 40, 400, 12


def with_equations(search: Search, steps: dict[GroundFact, Step]) -> dict[GroundFact, Step]:
    """Return steps in which merged nulls are explained; some of them, if they are many."""
    rules = [d for d in search.context.result.derivations if d.equality is not None and d.grouping is None]
    found = dict(steps)
    room = _STEPS
    for fact, step in steps.items():
        if isinstance(step, Derived) and step.merged and room and rules:
            merged = tuple(replace(m, because=_Chain(search, rules, m).to(fact)) for m in step.merged)
            found[fact] = replace(step, merged=merged)
            room -= 1
    return found


@dataclass(slots=True)
class _Chain:
    """The search for a chain, breadth first."""

    search: Search
    rules: list[Derivation]
    merged: Merged
    come_from: dict[GroundFact, tuple[GroundFact, Equation] | None] = field(default_factory=dict)

    def to(self, fact: GroundFact) -> tuple[Equation, ...]:
        """Return the uses of rules between a fact and one that had the value from the beginning."""
        self.come_from[fact] = None
        level = [fact]
        while level and len(self.come_from) < _FACTS:
            following = []
            for old, new, equation in self._neighbours(level):
                if new not in self.come_from:
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
        last = fact
        while before is not None:
            fact, equation = before
            # The facts on the way hold what is to be explained; they are no reason for it.
            reasons = tuple(f for f in equation.facts if f == last or f not in self.come_from)
            way.append(replace(equation, facts=reasons))
            before = self.come_from[fact]
        return tuple(reversed(way))

    def _is_source(self, fact: GroundFact) -> bool:
        if self.search.context.rounds[fact] == 0:
            return True
        became = self.merged.became
        made = [one.null for step in self.search.invented(fact) for one in step.made]
        if isinstance(became, Null):
            return became in made
        final = self.search.merges.final
        return not any(final.get(null.number) == became for null in made)

    def _neighbours(self, facts: list[GroundFact]) -> Iterator[tuple[GroundFact, GroundFact, Equation]]:
        """Yield facts that a rule says hold the same as one of some facts, and the use of the rule that says so."""
        for rule in self.rules:
            assert rule.equality is not None
            for place, atom in enumerate(rule.atoms):
                some = [fact for fact in facts if fact.predicate == atom.predicate]
                for side, other in _sides(rule.equality.left, rule.equality.right):
                    if some and side in atom.arguments and isinstance(side, Variable):
                        yield from self._uses(rule, place, side, other, some)

    def _uses(
        self, rule: Derivation, place: int, side: Term, other: Term, facts: list[GroundFact]
    ) -> Iterator[tuple[GroundFact, GroundFact, Equation]]:
        atom = rule.atoms[place]
        at = atom.arguments.index(side)
        holding = [fact for fact in facts if _same(fact.values[at], self.merged.became)]
        if not holding:
            return
        goals = self.search.goals(holding)
        others = [i for i, a in enumerate(rule.atoms) if other in a.arguments]
        for step in instances(self.search.context, rule, _as_head(atom), goals, is_earlier=False, most=_MATCHES):
            uses = [p.fact for p in step.premises if isinstance(p, Uses)]
            for new in (uses[i] for i in others):
                yield step.fact, new, Equation(self.search.context.named(rule.rule), tuple(dict.fromkeys(uses)))


def _sides(left: Term, right: Term) -> tuple[tuple[Term, Term], tuple[Term, Term]]:
    return (left, right), (right, left)


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def _as_head(atom: Atom) -> Atom:
    """Return an atom of a body so that it can be compared with a fact as a head is."""
    return replace(atom, arguments=tuple(a.variable if isinstance(a, Pack) else a for a in atom.arguments))
