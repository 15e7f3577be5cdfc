"""The search for proofs: for each fact a rule and facts of earlier rounds that give it.

A fact of round n was derived from facts of rounds before n, so every step goes back in time and there are no circles.
All facts of one predicate and level are looked up together: a rule is asked once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tacita.rules.logic.terms import Atom, Variable
from tacita.rules.passes.data_predicates import READ_AS
from tacita.rules.proofs.finding.changes import changes_of, version_rules
from tacita.rules.proofs.finding.goals import Goals
from tacita.rules.proofs.finding.groups import given_by
from tacita.rules.proofs.finding.nulls import (
    Firing,
    Merges,
    firings,
    frontier_atom,
    frontier_layout,
    made_by,
)
from tacita.rules.proofs.finding.rules import ProofContext, can_give, instances
from tacita.rules.proofs.finding.sources import INPUT, Ahead, Givens, forget, with_quarantined
from tacita.rules.proofs.finding.trail import ANY_TIME, Asking
from tacita.rules.proofs.finding.without_rounds import from_superseded, steps_in_any_order
from tacita.rules.proofs.tree import Computed, Derived, GivenFact, GroundFact, InventedNull, LostFact, Step, used
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.values import Null


@dataclass(repr=False)
class Search:
    """Finds the steps of proofs, a level at a time."""

    context: ProofContext
    ahead: Ahead = field(init=False)
    givens: Givens = field(init=False)
    merges: Merges = field(init=False)
    known: dict[GroundFact, Step] = field(default_factory=dict)
    """Steps that were found on the way and are not asked for yet."""
    settled: dict[GroundFact, Step] = field(default_factory=dict)
    """Steps that were found without the help of rounds; they rest on each other and on what is given alone."""
    last_use: dict[int, int] = field(default_factory=dict)
    """When each rule gave something last, by its number; smaller is later."""
    superseded: set[GroundFact] = field(default_factory=set)
    """Facts that held for some rounds only."""
    _beyond: Search | None = None

    def __post_init__(self) -> None:
        self.ahead = Ahead(self.context)
        self.givens = Givens(self.context)
        self.merges = Merges.of(self.context)

    def close(self) -> None:
        """Forget the tables that were made on the way."""
        self.ahead.close()
        if self._beyond is not None:
            self._beyond.close()
            forget(self._beyond.context)
            self._beyond = None

    @property
    def beyond(self) -> Search | None:
        """The search among the facts that violations took out of the results too, if there are some."""
        is_plain = self.context.others is None
        if self._beyond is None and is_plain and self.context.result.run.quarantined:
            self._beyond = Search(with_quarantined(self.context))
        return self._beyond

    def contexts(self) -> Iterator[ProofContext]:
        """Yield where facts can be looked for: among all that there ever were first."""
        if self.beyond is not None:
            yield self.beyond.context
        yield self.context

    def steps(self, facts: Iterable[GroundFact]) -> dict[GroundFact, Step]:
        """Return a step for each of some facts whose rounds are known."""
        order = list(facts)
        by_fact: dict[GroundFact, Step] = {}
        waiting: dict[str, list[GroundFact]] = {}
        for fact in order:
            if self.context.rounds[fact] == 0:
                by_fact[fact] = GivenFact(fact, self.givens.where(fact))
            elif fact in self.settled:
                by_fact[fact] = self.settled[fact]
            elif fact in self.known:
                by_fact[fact] = self.known[fact]
            else:
                waiting.setdefault(fact.predicate, []).append(fact)
        for predicate, some in waiting.items():
            by_fact |= self._explained(predicate, some)
        for fact in self.superseded & by_fact.keys():
            step = by_fact[fact]
            by_fact[fact] = replace(step, is_superseded=True) if isinstance(step, Derived) else step
        return {fact: _as_data(by_fact[fact]) for fact in order}

    # -- kinds of rules ------------------------------------------------------------------------------------------------

    @cached_property
    def heads(self) -> Mapping[str, list[tuple[RuleDerivation, Atom]]]:
        """The rules by what they derive, each with the head atom that does."""
        late = version_rules(self.context)
        by_predicate: dict[str, list[tuple[RuleDerivation, Atom]]] = {}
        for derivation in self.context.result.derivations:
            if derivation.number not in late:
                for atom in derivation.heads:
                    by_predicate.setdefault(atom.predicate, []).append((derivation, atom))
        return by_predicate

    def rules(self, predicate: str) -> list[tuple[RuleDerivation, Atom]]:
        """Return the rules without existentials for a predicate."""
        return [(d, a) for d, a in self.heads.get(predicate, []) if not d.existentials]

    def _explained(self, predicate: str, facts: Sequence[GroundFact]) -> dict[GroundFact, Step]:
        steps: dict[GroundFact, Step] = {}

        def rest() -> list[GroundFact]:
            return [fact for fact in facts if fact not in steps]

        # The rule that helped last comes first: in a recursion it is likely to help again.
        for derivation, atom in sorted(self.rules(predicate), key=lambda r: self.last_use.get(r[0].number, 0)):
            given = self.by_rule(derivation, atom, rest()) if rest() else {}
            steps |= given
            if given:
                self.last_use[derivation.number] = min(self.last_use.values(), default=0) - 1
        others = [(d, a) for d, a in self.heads.get(predicate, []) if d.existentials]
        for derivation, _ in others:
            if rest() and derivation.is_computed:
                steps |= self._computed(derivation, rest())
        history = self.context.result.history
        if rest() and history is not None and predicate in history.older:
            steps |= changes_of(self.context, history, self.goals(rest()), self.merges)
        for derivation, atom in others:
            if rest() and not derivation.is_computed:
                for fact, step in self._invented(derivation, atom, rest()).items():
                    # That a null became a constant is best explained by what says so of the constant.
                    better = self._settled(fact, with_settled_nulls=False) if step.is_settled else None
                    steps[fact] = better or step
        for fact in rest():
            steps[fact] = self._otherwise(fact)
        return {fact: step for fact, step in steps.items() if fact in facts}

    def goals(self, facts: Sequence[GroundFact]) -> Goals:
        """Return facts of one predicate as goals."""
        layout = self.context.layouts[facts[0].predicate]
        return Goals.of(self.context.engine, layout, [(fact, self.context.rounds[fact]) for fact in facts])

    def by_rule(self, derivation: RuleDerivation, atom: Atom, facts: Sequence[GroundFact]) -> dict[GroundFact, Derived]:
        """Return how a rule gives some facts."""
        if not can_give(atom, facts):
            return {}
        asking = Asking(tables=self.ahead.tables(derivation, facts))
        goals = self.ahead.goals(derivation, facts) or self.goals(facts)
        derived = given_by(self.context, derivation, atom, goals, asking)
        if goals.is_ahead:
            for fact, step in derived.items():
                self.known.setdefault(fact, step)
                self.context.rounds.setdefault(fact, step.round)
            missed = [fact for fact in facts if fact not in derived]  # a fact that is in no table any more
            if missed:
                derived |= given_by(self.context, derivation, atom, self.goals(missed), asking)
        return derived

    def _computed(self, derivation: RuleDerivation, facts: Sequence[GroundFact]) -> dict[GroundFact, Step]:
        """Return the facts that a function of the caller's gave, with what it was asked."""
        inputs = len(derivation.atoms[0].arguments)
        firings_ = [Firing(fact, self.context.rounds[fact], fact.values[:inputs], 0) for fact in facts]
        name = (derivation.rule.label or "").removeprefix("#")
        return {
            firing.goal: Computed(firing.goal, firing.round, name, step.premises)
            for firing, step in self._matched(derivation, firings_)
        }

    # -- existential rules ---------------------------------------------------------------------------------------------

    def invented(self, fact: GroundFact) -> list[Derived]:
        """Return how rules gave a fact with nulls of their own."""
        rules = [(d, a) for d, a in self.heads.get(fact.predicate, []) if d.existentials and not d.is_computed]
        return [step for d, a in rules for step in self._invented(d, a, [fact]).values()]

    def as_made(self, fact: GroundFact, depth: int = 4) -> GroundFact:
        """Return a fact with the nulls that it had before equality rules found out what they are.

        They are those of the rule that made them; a fact that holds them after another one is followed to that.
        """
        final = list(self.merges.final.values())
        places = [i for i, value in enumerate(fact.values) if value in final]
        for derivation, atom in self.heads.get(fact.predicate, []) if places and depth else ():
            if derivation.is_computed or derivation.grouping is not None:
                continue
            known: dict[str, Any] = {}
            if derivation.existentials:
                for step in self._invented(derivation, atom, [fact]).values():
                    known = {new.variable: new.null for new in step.new_nulls}
            elif can_give(atom, [fact]):
                for step in instances(self.context, derivation, atom, self.goals([fact]), ANY_TIME):
                    before = [self.as_made(use, depth - 1) for use in used(step.premises) if use != fact]
                    known = _bindings(derivation.atoms, before)
            if known:
                named = {i: t.name for i in places if isinstance(t := atom.arguments[i], Variable)}
                values = [known.get(named.get(i, ""), value) for i, value in enumerate(fact.values)]
                return GroundFact(fact.predicate, tuple(values))
        return fact

    def _invented(
        self, derivation: RuleDerivation, atom: Atom, facts: Sequence[GroundFact]
    ) -> dict[GroundFact, Derived]:
        """Return the facts that a rule gave with nulls of its own."""
        chase = self.context.result.run.chases.get(derivation.number)
        if chase is None:
            return self._unrecorded(derivation, atom, facts)
        if not chase.has_fired:
            return {}
        records = firings(self.context, chase.derivation, atom, self.goals(facts), chase.table, self.merges)
        derived: dict[GroundFact, Derived] = {}
        for firing, step in self._matched(derivation, list(records.values())):
            nulls = made_by(derivation, firing, dict(step.binding))
            merged = tuple(m for one in nulls if (m := self.merges.merged_of(one.null)) is not None)
            derived[firing.goal] = replace(step, fact=firing.goal, round=firing.round, new_nulls=nulls, merged=merged)
        return derived

    def _matched(self, derivation: RuleDerivation, records: Sequence[Firing]) -> list[tuple[Firing, Derived]]:
        """Return the matches of a rule's body for frontiers."""
        if not records:
            return []
        layout = frontier_layout(derivation)
        goals = Goals.of(self.context.engine, layout, [firing.fact() for firing in records])
        derived = given_by(self.context, derivation, frontier_atom(derivation), goals)
        by_frontier = {fact.values: step for fact, step in derived.items()}
        return [(firing, by_frontier[firing.frontier]) for firing in records if firing.frontier in by_frontier]

    def _unrecorded(
        self, derivation: RuleDerivation, atom: Atom, facts: Sequence[GroundFact]
    ) -> dict[GroundFact, Derived]:
        """Return how a rule gives facts when it is not on record for what it made which null."""
        unknown = frozenset(v.name for v in derivation.existentials)
        places = {i: t.name for i, t in enumerate(atom.arguments) if isinstance(t, Variable) and t.name in unknown}
        some = [fact for fact in facts if all(isinstance(fact.values[i], Null) for i in places)]
        if not some:
            return {}
        derived = given_by(self.context, derivation, atom, self.goals(some), Asking(open_to=unknown))
        frontier = {v.name for v in derivation.frontier}
        return {
            fact: replace(
                step,
                new_nulls=tuple(
                    InventedNull(fact.values[i], name, tuple((n, x) for n, x in step.binding if n in frontier))
                    for i, name in places.items()
                ),
            )
            for fact, step in derived.items()
        }

    # -- when the rounds do not help -----------------------------------------------------------------------------------

    def _settled(self, fact: GroundFact, *, with_settled_nulls: bool) -> Step | None:
        if fact not in self.settled:
            self.settled |= steps_in_any_order(self, fact, with_settled_nulls=with_settled_nulls)
        return self.settled.get(fact)

    def _otherwise(self, fact: GroundFact) -> Step:
        """Return the step of a fact that no rule gives from earlier facts."""
        is_merged = bool(self.context.result.run.merged)
        step = self._settled(fact, with_settled_nulls=True) if is_merged else from_superseded(self, fact)
        if step is None and self.beyond is not None:
            step = self.beyond.steps([fact])[fact]
            self.settled |= self.beyond.settled
        if step is not None and not isinstance(step, LostFact):
            return step
        because = "was changed by equality rules since" if is_merged else "was replaced later"
        return LostFact(fact, self.context.rounds[fact], f"what it was derived from {because}")


def _as_data(step: Step) -> Step:
    """Return a step that only reads a tuple of the data as what it is for people: given."""
    if isinstance(step, Derived) and step.rule.origin.startswith(READ_AS):
        return GivenFact(step.fact, INPUT)
    return step


def _bindings(atoms: Sequence[Atom], facts: Sequence[GroundFact]) -> dict[str, Any]:
    """Return what the variables of some atoms are in the facts that they matched."""
    if len(atoms) != len(facts):
        return {}
    pairs = [p for atom, fact in zip(atoms, facts, strict=True) for p in zip(atom.arguments, fact.values, strict=True)]
    return {term.name: value for term, value in reversed(pairs) if isinstance(term, Variable)}
