"""Versions: a predicate whose facts are replaced by newer ones, epoch by epoch, until no rule wants a change.

In an epoch everything that depends on the versioned predicate is derived from its newest versions alone, completely, so
negation and aggregates over it are safe. Then the version rules fire once, as a choice: one new version per key. Then
all that depended on the old versions is forgotten and derived again. What holds in the last epoch is the result: a fact
about an older version cannot survive the version.

A versioned predicate may be derived from another one. Then its first versions follow those of the other, and the
versions that rules made of it are put in their place in every epoch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from tacita.errors import InputError, ReasoningError, counted
from tacita.rules.logic.dependencies import Edge, head_predicates
from tacita.rules.logic.terms import Atom
from tacita.rules.logic.types import INTEGER
from tacita.rules.reasoner.chase.routes import Offer, take
from tacita.rules.reasoner.chase.run import Run, homes, run_strata
from tacita.rules.reasoner.chase.violations import Violation
from tacita.rules.reasoner.plans.cells import any_row_of, both, everything, named, null_safe
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import ROUND, FactLayout, sql_type
from tacita.rules.reasoner.plans.tables import union
from tacita.rules.reasoner.program import Prepared, is_equality


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """The firings of one version rule in one epoch: a table with the values of its frontier."""

    epoch: int
    derivation: RuleDerivation
    table: str
    count: int


@dataclass(slots=True, repr=False)
class History:
    """What was changed, epoch by epoch."""

    epochs: int = 0
    changes: list[Change] = field(default_factory=list)
    older: dict[str, str] = field(default_factory=dict)
    """Tables of superseded facts by predicate, with the round in which each came in and the one that ended it."""


class Watching(Protocol):
    """Somebody who looks on while versions are made: what holds in an epoch is forgotten after it."""

    def see_settled(self, run: Run, epoch: int) -> None:
        """See everything that holds in an epoch, before anything is changed."""

    def see_offers(self, run: Run, epoch: int, offers: Sequence[Offer]) -> None:
        """See what version rules would change in an epoch, before some of it is taken."""


def dependents(edges: Iterable[Edge], versioned: Collection[str]) -> frozenset[str]:
    """Return what is derived from versioned predicates, without these, and so is forgotten after every epoch."""
    after: dict[str, set[str]] = {}
    for edge in edges:
        after.setdefault(edge.source, set()).add(edge.target)
    reached: set[str] = set()
    waiting = list(versioned)
    while waiting:
        new = after.get(waiting.pop(), set()) - reached - set(versioned)
        reached |= new
        waiting += new
    return frozenset(reached)


@dataclass(slots=True, repr=False)
class Versions:
    """The loop over epochs."""

    run_: Run
    ready: Prepared
    order: Sequence[Sequence[str]]
    derivations: Sequence[RuleDerivation]
    history: History = field(default_factory=History)
    watching: Watching | None = None
    _dependent: frozenset[str] = frozenset()
    _following: frozenset[str] = frozenset()
    """Versioned predicates whose first versions are derived from other versioned predicates."""
    _newest: dict[str, str] = field(default_factory=dict)
    """Tables of the versions that rules made of such predicates."""
    _given: set[str] = field(default_factory=set)
    """What is forgotten in every epoch but for the facts that were given."""
    _facts: int = 0
    """How many facts there are without those that depend on versions."""
    _violations: list[Violation] = field(default_factory=list)
    _quarantined: dict[str, str] = field(default_factory=dict)
    """What was found, and taken out of the results, before the first epoch."""

    def run(self) -> History:
        """Run epochs until no version rule fires."""
        run = self.run_
        late = {id(rule) for rule in self.ready.version_rules}
        numbers = {number for number, rule in enumerate(self.ready.program.rules) if id(rule) in late}
        ordinary = [d for d in self.derivations if d.number not in numbers]
        changing = [d for d in self.derivations if d.number in numbers and not d.is_empty]
        self._dependent = dependents(run.edges, self.ready.versioned)
        self._following = self._followers(ordinary)
        again = self._dependent | self._following
        first = [c for c in self.order if not set(c) & again]
        rest = [c for c in self.order if set(c) & again]
        home = homes([*first, *rest])
        self._keep_given(rest)
        run_strata(run, first, [d for d in ordinary if _is_of(d, home, first)], home, self._check)
        self._settle()
        # Rules that make the first versions have their say once, equality rules whenever there are new versions.
        stale = [c for c in first if set(c) & self.ready.versioned.keys()]
        fixed = self.ready.versioned.keys() - self._following
        epoch, rules = rest, [d for d in ordinary if _is_of(d, home, rest)]
        while True:
            self.history.epochs += 1
            if self.history.epochs > run.budget.rounds:
                run.stop(f"{run.budget.rounds:,} epochs", changing, "--max-rounds")
            run_strata(run, epoch, rules, home, self._check)
            if self.watching is not None:
                self.watching.see_settled(run, self.history.epochs)
            fresh = self._fire_rules(changing)
            if not fresh:
                self._finish()
                return self.history
            if epoch is rest:
                epoch = [*stale, *rest]
                rules = [r for d in ordinary if _is_of(d, home, epoch) for r in _without(d, fixed)]
            self._put_back(rest)
            for predicate, (table, number) in fresh.items():
                self._supersede(predicate, table, number)
            self._forget(rest, rules)
            run.facts = self._facts
            run.count(0, changing)

    # -- what is derived when ------------------------------------------------------------------------------------------

    def _followers(self, ordinary: Sequence[RuleDerivation]) -> frozenset[str]:
        """Return the versioned predicates that ordinary rules derive from other versioned ones."""
        moving = self._dependent | self.ready.versioned.keys()
        derived = {p for d in ordinary for p in head_predicates(d.rule) if p in self.ready.versioned}
        own = {id(self.ready.program.rules[d.number]) for d in ordinary if not is_equality(d.rule)}
        return frozenset(
            edge.target
            for edge in self.run_.edges
            if edge.target in derived and edge.source in moving - {edge.target} and id(edge.rule) in own
        )

    def _keep_given(self, rest: Sequence[Sequence[str]]) -> None:
        """Keep the facts that were given of what rules derive in every epoch."""
        run = self.run_
        fixed = self.ready.versioned.keys() - self._following
        self._given = {p for c in rest for p in c if p in run.filled and p not in fixed}
        for predicate in self._given:
            table = run.layouts[predicate].table
            run.engine.replace(f"{table}_b", everything(table))

    def _settle(self) -> None:
        """Remember what holds whatever the versions are."""
        run = self.run_
        self._facts = run.facts
        self._violations = list(run.violations)
        self._quarantined = dict(run.quarantined)
        run.quarantined.clear()

    def _check(self, component: Sequence[str]) -> None:
        """Let versioned predicates hold their newest versions, and refuse two of one key."""
        for predicate in component:
            if predicate not in self.ready.keys:
                continue
            if predicate in self._newest:
                layout = self.run_.layouts[predicate]
                self._replace(layout, layout.table, self._newest[predicate])
            self._refuse_doubles(predicate)

    def _refuse_doubles(self, predicate: str) -> None:
        layout, key = self.run_.layouts[predicate], self.ready.keys[predicate]
        is_open = predicate in self._following or any(layout.positions[i].is_nullable for i in key)
        if self.history.epochs > 1 and not is_open:
            return  # one new version per key takes the place of one
        names = [name for i in key for name in layout.position_columns(i)]
        several = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(1))
        doubles = exp.select(*names).from_(layout.table).group_by(*names).having(several)
        plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(doubles.subquery("d"))
        number = int(self.run_.engine.run(plan)[0]["n"])
        if not number:
            return
        text = (
            f"{counted(number, 'key')} of the versioned predicate {predicate} with more than one fact "
            f"(key: {', '.join(self.ready.versioned[predicate])})"
        )
        late = {id(r) for r in self.ready.version_rules}
        ordinary = [r for r in self.ready.program.rules if id(r) not in late and predicate in head_predicates(r)]
        do = "let there be one fact per key, or name in the key of @versioned what else tells facts apart"
        if not ordinary:
            raise InputError(text, where=f"input of {predicate}", do=do)
        raise ReasoningError(text, where=str(ordinary[0].origin), do=do)

    def _forget(self, rest: Sequence[Sequence[str]], again: Sequence[RuleDerivation]) -> None:
        """Forget what depends on versions, and what the rules for it kept; the rest was derived once and stays."""
        run = self.run_
        run.violations[:] = self._violations
        for component in rest:
            for predicate in component:
                table = run.layouts[predicate].table
                if predicate in self._given:
                    run.engine.replace(table, everything(f"{table}_b"))
                elif predicate not in self.ready.versioned or predicate in self._following:
                    run.filled.discard(predicate)
        for derivation in again:
            if derivation.number in run.contributions:
                contributions = run.contributions.pop(derivation.number)
                contributions.forget()
                run.engine.forget(f"{contributions.table}_n")
            if derivation.number in run.chases:
                run.engine.forget(run.chases.pop(derivation.number).table)
            if derivation.number in run.functions:
                run.functions[derivation.number].reset()

    def _put_back(self, rest: Sequence[Sequence[str]]) -> None:
        """Put facts back that older versions kept out of the results."""
        run = self.run_
        forgotten = {p for c in rest for p in c} - (self.ready.versioned.keys() - self._following)
        for predicate, table in run.quarantined.items():
            if predicate not in forgotten:
                run.engine.append(run.layouts[predicate].table, everything(table))
            run.engine.forget(table)
        run.quarantined.clear()

    def _finish(self) -> None:
        """Leave no tables behind but those that are results, or are needed for explanations."""
        run = self.run_
        for predicate in self._given:
            run.engine.forget(f"{run.layouts[predicate].table}_b")
        for table in self._newest.values():
            run.engine.forget(table)
        for predicate, table in self._quarantined.items():
            if predicate in run.quarantined:
                run.engine.append(run.quarantined[predicate], everything(table))
                run.engine.forget(table)
            else:
                run.quarantined[predicate] = table

    # -- choosing ------------------------------------------------------------------------------------------------------

    def _fire_rules(self, changing: Sequence[RuleDerivation]) -> dict[str, tuple[str, int]]:
        """Fire the version rules once; return tables of the new versions, which nothing has seen yet."""
        self.run_.next_round(changing)
        by_predicate: dict[str, list[RuleDerivation]] = {}
        for derivation in changing:
            by_predicate.setdefault(derivation.heads[0].predicate, []).append(derivation)
        offers = {predicate: self._offers(predicate, rules) for predicate, rules in by_predicate.items()}
        fresh = {predicate: self._fire(predicate, own) for predicate, own in offers.items() if own}
        return {predicate: new for predicate, new in fresh.items() if new[1]}

    def _offers(self, predicate: str, rules: Sequence[RuleDerivation]) -> list[Offer]:
        written = {rule.origin: rule for rule in self.ready.written if rule.origin.line}
        key, offers = self.ready.keys[predicate], []
        for derivation in rules:
            rule = written.get(derivation.rule.origin, derivation.rule)
            offer = Offer(self.run_, derivation, rule, key)
            if offer.make():
                offers.append(offer)
            else:
                self.run_.engine.forget(offer.table)
        return offers

    def _fire(self, predicate: str, offers: Sequence[Offer]) -> tuple[str, int]:
        run, news = self.run_, 0
        # A recoded column changes every tuple: nothing else may change one in the same epoch.
        wide = [offer for offer in offers if offer.is_whole_column]
        chosen = wide or offers
        if self.watching is not None:
            self.watching.see_offers(run, self.history.epochs, chosen)
        taken = take(run, chosen)
        fresh = f"{run.layouts[predicate].table}_v"
        for number, offer in enumerate(chosen):
            select = offer.fire(taken, number)
            if select is None:
                continue
            added = run.engine.append(fresh, select) if news else run.engine.replace(fresh, select)
            news += added
            if added:
                self.history.changes.append(Change(self.history.epochs, offer.derivation, offer.fired, added))
                run.rules_fired[offer.derivation.number] = run.round
            else:
                run.engine.forget(offer.fired)
        run.engine.forget(taken)
        for offer in offers:
            run.engine.forget(offer.table)
        return fresh, news

    # -- superseding ---------------------------------------------------------------------------------------------------

    def _supersede(self, predicate: str, fresh: str, number: int) -> None:
        """Put the new versions in the place of the old ones, which are kept for explanations only."""
        engine, layout = self.run_.engine, self.run_.layouts[predicate]
        ended = exp.alias_(exp.Cast(this=exp.Literal.number(self.run_.round), to=sql_type(INTEGER)), "ended")
        old = self._matched(layout, layout.table, fresh, is_found=True).select(ended)
        if predicate in self.history.older:
            gone = engine.append(self.history.older[predicate], old)
        else:
            self.history.older[predicate] = engine.new_table()
            gone = engine.replace(self.history.older[predicate], old)
        if predicate not in self._following:
            self._replace(layout, layout.table, fresh)
            self._facts += number - gone
        elif predicate in self._newest:
            self._replace(layout, self._newest[predicate], fresh)
        else:
            self._newest[predicate] = engine.new_table()
            engine.replace(self._newest[predicate], _all(layout, fresh))
        engine.forget(fresh)

    def _replace(self, layout: FactLayout, table: str, newer: str) -> None:
        """Let newer versions take the place of those of the same keys in a table."""
        kept = self._matched(layout, table, newer, is_found=False)
        self.run_.engine.replace(table, union([kept, _all(layout, newer)]))

    def _matched(self, layout: FactLayout, table: str, newer: str, *, is_found: bool) -> exp.Select:
        """Return the facts of a table with a newer version in another one, or those without."""
        names = [name for i in self.ready.keys[layout.predicate] for name in layout.position_columns(i)]
        same = both(*(null_safe(exp.column(n, table="t"), exp.column(n, table="v")) for n in names))
        exists = exp.Exists(this=any_row_of(named(newer, "v")).where(same))
        facts = exp.select(*(exp.column(name, table="t") for name in (*layout.columns(), ROUND)))
        return facts.from_(named(table, "t")).where(exists if is_found else exp.Not(this=exists))


def _all(layout: FactLayout, table: str) -> exp.Select:
    return exp.select(*layout.columns(), ROUND).from_(table)


def _is_of(derivation: RuleDerivation, home: Mapping[str, int], order: Sequence[Sequence[str]]) -> bool:
    """Whether a rule has something to say about predicates of some components."""
    if is_equality(derivation.rule):
        last = max((home[atom.predicate] for atom in derivation.atoms), default=0)
        return any(home[component[0]] == last for component in order)
    return any(predicate in component for component in order for predicate in head_predicates(derivation.rule))


def _without(derivation: RuleDerivation, predicates: Collection[str]) -> list[RuleDerivation]:
    """Return a rule without its conclusions about some predicates; nothing if these are all."""
    rule = derivation.rule
    head = tuple(item for item in rule.head if not (isinstance(item, Atom) and item.predicate in predicates))
    if len(head) == len(rule.head):
        return [derivation]
    return [replace(derivation, rule=replace(rule, head=head))] if head else []
