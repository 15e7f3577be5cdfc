"""Semi-naive evaluation: each round matches what the round before added, until nothing new comes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.rules.logic.terms import Atom
from tacita.rules.reasoner.chase.contributions import RecursiveContributions
from tacita.rules.reasoner.chase.equality import Equality
from tacita.rules.reasoner.chase.existentials import Chase
from tacita.rules.reasoner.chase.extremes import FinalValues, final_values
from tacita.rules.reasoner.plans.cells import everything
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import FactLayout
from tacita.rules.reasoner.plans.tables import AT_ONCE, empty, new_facts, union

if TYPE_CHECKING:
    from tacita.rules.reasoner.chase.run import Run


@dataclass(slots=True, repr=False)
class Fixpoint:
    """Semi-naive evaluation of predicates that depend on each other."""

    run_: Run
    predicates: tuple[str, ...]
    plain: list[RuleDerivation]
    chases: list[RuleDerivation]
    equalities: list[RuleDerivation]
    computed: list[RuleDerivation]
    values: dict[str, FinalValues] = field(default_factory=dict)
    """The predicates that hold values of aggregates over the recursion."""

    def run(self) -> None:
        """Derive everything about the predicates."""
        run = self.run_
        inside = set(self.predicates)
        are_all = not (self.chases or self.computed or self.equalities)
        self.values = final_values(run, self.plain, inside, are_all=are_all)
        recursive = [d for d in self.plain if any(a.predicate in inside for a in d.atoms)]
        exits = [d for d in self.plain if d not in recursive]
        self._begin(exits)
        equality = Equality(run, self.equalities) if self.equalities else None
        while True:
            self._datalog(recursive)
            if self._compute() or self._chase():
                continue
            if equality is not None and equality.apply():
                run.next_round(self.equalities)
                self._restart(recursive)
                continue
            break
        if equality is not None:
            equality.report()
        self._finish()

    def _layout(self, predicate: str) -> FactLayout:
        return self.run_.layouts[predicate]

    def _begin(self, exits: Sequence[RuleDerivation]) -> None:
        run = self.run_
        run.next_round(self.plain)
        for predicate in self.predicates:
            layout = self._layout(predicate)
            run.start(predicate)
            selects = [s for d in exits if _heads(d, predicate) for s in run.selects(d, predicate)]
            run.add(layout, selects, exits)
            run.engine.replace(f"{layout.table}_d", everything(layout.table))
            if predicate in self.values:
                self.values[predicate].begin()

    def _restart(self, recursive: Sequence[RuleDerivation]) -> None:
        """Look at all facts as if they were new: an equality rule changed some of them."""
        run = self.run_
        for predicate in self.predicates:
            table = self._layout(predicate).table
            run.engine.replace(f"{table}_d", everything(table))
        for derivation in recursive:
            if derivation.number in run.contributions:
                run.contributions[derivation.number].forget()
        for derivation in self.chases:
            if derivation.number in run.chases:
                run.chases[derivation.number].look_again()
        for derivation in self.computed:
            run.functions[derivation.number].reset()

    # -- rules without existentials ------------------------------------------------------------------------------------

    def _datalog(self, recursive: Sequence[RuleDerivation]) -> None:
        run = self.run_
        if not recursive:
            return
        plans: dict[tuple[int, Atom], tuple[exp.Query, ...]] = {}
        while True:
            number = run.next_round(recursive)
            changed: list[str] = []
            for predicate in self.predicates:
                heads = [(d, atom) for d in recursive for atom in d.heads if atom.predicate == predicate]
                layout, values = self._layout(predicate), self.values.get(predicate)
                others = [h for h in heads if values is None or not values.computes(*h)]
                selects = [s for h in others for s in self._variants(*h, plans)]
                if values is not None:
                    said = [s for h in heads if values.computes(*h) for s in self._variants(*h, plans)]
                    added = values.take(said, selects, number)
                elif selects:
                    added = self._new(layout, selects, number)
                else:
                    run.engine.replace(f"{layout.table}_n", empty(layout))
                    continue
                if added:
                    changed.append(predicate)
                    run.count(added, recursive)
                    for d in recursive:
                        if _heads(d, predicate):
                            run.rules_fired[d.number] = number
            for predicate in self.predicates:
                table = self._layout(predicate).table
                if predicate in changed:
                    run.engine.append(table, everything(f"{table}_n"))
                run.engine.replace(f"{table}_d", everything(f"{table}_n"))
            if not changed:
                return

    def _new(self, layout: FactLayout, selects: Sequence[exp.Query], number: int) -> int:
        """Let the table of new facts hold those of some selects."""
        engine, table = self.run_.engine, f"{layout.table}_n"
        added = engine.replace(table, new_facts(union(selects[:AT_ONCE]), layout, number))
        for start in range(AT_ONCE, len(selects), AT_ONCE):
            some = union(selects[start : start + AT_ONCE])
            added += engine.append(table, new_facts(some, layout, number))
        if len(selects) > AT_ONCE and added:
            added = engine.replace(table, everything(table).distinct())
        return added

    def _variants(
        self, derivation: RuleDerivation, atom: Atom, plans: dict[tuple[int, Atom], tuple[exp.Query, ...]]
    ) -> Iterable[exp.Query]:
        """Return what a rule says in a head atom when one of its body is matched with the facts of the last round."""
        run = self.run_
        run_similar = run.similar
        if run_similar is not None:
            run_similar.prepare(derivation)
        places = [i for i, atom in enumerate(derivation.atoms) if atom.predicate in self.predicates]
        deltas = [{i: f"{self._layout(derivation.atoms[i].predicate).table}_d"} for i in places]
        if derivation.grouping is not None:
            if derivation.number not in run.contributions:
                run.contributions[derivation.number] = RecursiveContributions(run, derivation)
            return run.contributions[derivation.number].take_round(deltas, atom)
        key = (derivation.number, atom)
        if key not in plans:
            plans[key] = tuple(derivation.select(atom, tables) for tables in deltas)
        return [plan.copy() for plan in plans[key]]

    def _compute(self) -> bool:
        """Ask the caller's functions about what is new."""
        run, added = self.run_, 0
        for derivation in self.computed:
            new = run.functions[derivation.number].ask()
            if new:
                table = self._layout(derivation.heads[0].predicate).table
                run.engine.append(f"{table}_d", everything(f"{table}_n"))
                run.count(new, [derivation])
            added += new
        return added > 0

    # -- rules with existentials ---------------------------------------------------------------------------------------

    def _chase(self) -> bool:
        run = self.run_
        for derivation in self.chases:
            run.next_round([derivation])
            if run.similar is not None:
                run.similar.prepare(derivation)
            chase = run.chases.setdefault(derivation.number, Chase(run, derivation))
            added = chase.fire(self.predicates)
            if added:
                run.rules_fired[derivation.number] = run.round
                run.count(added, [derivation])
                return True
        return False

    def _finish(self) -> None:
        run = self.run_
        for predicate in self.predicates:
            layout = self._layout(predicate)
            if predicate in self.values:
                self.values[predicate].finish()
            run.engine.forget(f"{layout.table}_d")
            run.engine.forget(f"{layout.table}_n")


def _heads(derivation: RuleDerivation, predicate: str) -> bool:
    return any(atom.predicate == predicate for atom in derivation.heads)
