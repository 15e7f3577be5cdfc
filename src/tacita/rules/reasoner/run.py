"""One run of a program: strata in order, each to its fixpoint, rounds counted through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from tacita.engines.protocol import Engine
from tacita.errors import ReasoningError, TacitaError
from tacita.progress import Progress, Step, silent
from tacita.rules.logic.binding import Assign, Match
from tacita.rules.logic.dependencies import Edge
from tacita.rules.logic.terms import Atom
from tacita.rules.reasoner.chase import Chase
from tacita.rules.reasoner.computed import Computed
from tacita.rules.reasoner.contributions import Contributions, refuse_doubled
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.equality import Equality
from tacita.rules.reasoner.extremes import FinalValues, final_values
from tacita.rules.reasoner.keys import is_unique
from tacita.rules.reasoner.layout import Layout
from tacita.rules.reasoner.similar import SimilarPairs
from tacita.rules.reasoner.sql import everything
from tacita.rules.reasoner.tables import empty, in_round, new_facts, union
from tacita.rules.reasoner.violations import Policy, Violation

_AT_ONCE = 40
"""How many selects go into one statement: engines plan long unions slowly, and not at all beyond some depth."""
_DEEPEST_VIEW = 3


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop a run that does not end by itself."""

    rounds: int = 10_000
    facts: int = 200_000_000
    nulls: int = 5_000_000


@dataclass(slots=True)
class Run:
    """The state of a run: which tables are filled, the round, the nulls made so far."""

    engine: Engine
    layouts: dict[str, Layout]
    edges: tuple[Edge, ...]
    budget: Budget = field(default_factory=Budget)
    progress: Progress = silent
    similar: SimilarPairs | None = None
    is_endless: bool = False
    """Whether the chase would go on for ever without a look at lookalikes, and such a look loses nothing."""
    round: int = 0
    began: int = 0
    """The round before the predicates that are being derived now."""
    nulls: int = 0
    facts: int = 0
    filled: set[str] = field(default_factory=set)
    """Predicates whose table holds what inputs and the program's own facts say."""
    violations: list[Violation] = field(default_factory=list)
    contributions: dict[int, Contributions] = field(default_factory=dict)
    chases: dict[int, Chase] = field(default_factory=dict)
    functions: dict[int, Computed] = field(default_factory=dict)
    policy: Policy | None = None
    """What the program wants for violations of rules that do not say it themselves."""
    quarantined: dict[str, str] = field(default_factory=dict)
    """Tables of facts that were taken out of the results, by predicate."""
    stored: set[str] = field(default_factory=set)
    """Predicates that must have a table of their own, since their facts are replaced."""
    looping: set[str] = field(default_factory=set)
    """Predicates that depend on themselves directly."""
    views: dict[str, int] = field(default_factory=dict)
    """Predicates without a table of their own, with how many of them stand on each other."""
    merged: list[tuple[int, object, str, int]] = field(default_factory=list)
    """Labels that equality rules did away with: label, what it became, rule, round."""
    rules_fired: dict[int, int] = field(default_factory=dict)

    # -- components ----------------------------------------------------------------------------------------------------

    def component(
        self, predicates: Sequence[str], derivations: Sequence[Derivation], equalities: Sequence[Derivation]
    ) -> None:
        """Derive everything about predicates that depend on each other."""
        try:
            self._component(predicates, derivations, equalities)
        except TacitaError as error:
            # The engine does not know for which rule it worked.
            error.where = error.where or " or ".join(str(d.rule.origin) for d in [*derivations, *equalities][:3])
            raise

    def _component(
        self, predicates: Sequence[str], derivations: Sequence[Derivation], equalities: Sequence[Derivation]
    ) -> None:
        self.began = self.round
        if not derivations and not equalities:
            for predicate in predicates:
                self.start(predicate)
            return
        plain = [d for d in derivations if not d.existentials]
        chases = [d for d in derivations if d.existentials and not d.is_computed]
        computed = [d for d in derivations if d.is_computed]
        if not chases and not equalities and not computed and not self._is_recursive(predicates):
            self._once(predicates[0], plain)
            return
        _Fixpoint(self, tuple(predicates), plain, chases, list(equalities), computed).run()

    def _is_recursive(self, predicates: Sequence[str]) -> bool:
        if not self.looping:
            self.looping = {e.source for e in self.edges if e.source == e.target} or {""}
        return len(predicates) > 1 or predicates[0] in self.looping

    def start(self, predicate: str) -> None:
        """Let the table of a predicate be there, without facts if nothing has filled it."""
        if predicate not in self.filled:
            self.engine.replace(self.layouts[predicate].table, empty(self.layouts[predicate]))
            self.filled.add(predicate)

    def _once(self, predicate: str, derivations: Sequence[Derivation]) -> None:
        layout = self.layouts[predicate]
        self.next_round(derivations)
        selects = [s for d in derivations for s in self.selects(d, predicate)]
        if predicate not in self.filled:
            self.filled.add(predicate)
            unique = len(selects) == 1 and all(is_unique(d, a) for d in derivations for a in d.heads)
            first, selects = selects[:_AT_ONCE], selects[_AT_ONCE:]
            plan = in_round(union(first), layout, self.round, is_unique=unique)
            if unique and self._is_view(derivations[0]):
                self.engine.define(layout.table, plan)
                return
            self.count(self.engine.replace(layout.table, plan), derivations)
        self.add(layout, selects, derivations)

    def add(self, layout: Layout, selects: Sequence[exp.Query], derivations: Sequence[Derivation]) -> None:
        """Add what selects give and the table does not hold yet, some of them at a time."""
        for start in range(0, len(selects), _AT_ONCE):
            some = union(selects[start : start + _AT_ONCE])
            self.engine.replace(f"{layout.table}_n", new_facts(some, layout, self.round))
            self.count(self.engine.append(layout.table, everything(f"{layout.table}_n")), derivations)
            self.engine.forget(f"{layout.table}_n")

    def _is_view(self, derivation: Derivation) -> bool:
        """Whether facts are only columns of another table: they need not be stored."""
        predicate = derivation.heads[0].predicate
        if predicate in self.stored or derivation.grouping is not None or len(derivation.atoms) != 1:
            return False
        source = derivation.atoms[0].predicate
        plain = all(isinstance(step, Match | Assign) for step in derivation.schedule.before)
        if not plain or source in self.stored or self.views.get(source, 0) >= _DEEPEST_VIEW:
            return False
        self.views[predicate] = self.views.get(source, 0) + 1
        return True

    def selects(
        self, derivation: Derivation, predicate: str, tables: Mapping[int, str] | None = None
    ) -> list[exp.Select]:
        """Return what a rule says about one predicate."""
        self.prepare(derivation)
        return [derivation.select(a, tables) for a in derivation.heads if a.predicate == predicate]

    def prepare(self, derivation: Derivation) -> None:
        """Do what must be done before a rule is asked: compare texts that are to be similar, refuse unknown numbers."""
        if self.similar is not None:
            self.similar.prepare(derivation)
        if derivation.grouping is not None:
            self.refuse_unknown(derivation, derivation.gathered().unknown)
            refuse_doubled(derivation)

    def refuse_unknown(self, derivation: Derivation, plan: exp.Select | None) -> None:
        """Refuse to add up values that are labelled nulls, or no numbers."""
        if plan is None:
            return
        number = int(self.engine.run(plan)[0]["n"])
        if number:
            raise ReasoningError(
                f"rule {derivation.rule.name} aggregates a value that is no number or unknown in {number:,} of its "
                "matches",
                where=str(derivation.rule.origin),
                do="leave them out with 'is not null' if you mean that: a total without them would be too small",
            )

    # -- budget --------------------------------------------------------------------------------------------------------

    def next_round(self, derivations: Iterable[Derivation]) -> int:
        """Begin a round."""
        self.round += 1
        if self.round - self.began > self.budget.rounds:
            self.stop(f"{self.budget.rounds:,} rounds", derivations, "--max-rounds")
        return self.round

    def count(self, added: int, derivations: Iterable[Derivation]) -> None:
        """Count new facts."""
        self.facts += added
        self.progress(Step(f"round {self.round:,}: {self.facts:,} facts"))
        if self.facts > self.budget.facts:
            self.stop(f"{self.budget.facts:,} facts", derivations, "a larger budget")

    def new_labels(self, number: int, derivation: Derivation) -> int:
        """Reserve labels for nulls; return the first."""
        first = self.nulls + 1
        self.nulls += number
        if self.nulls > self.budget.nulls:
            self.stop(f"{self.budget.nulls:,} labelled nulls", [derivation], "a larger budget")
        return first

    def stop(self, limit: str, derivations: Iterable[Derivation], option: str) -> None:
        """Give up, and say which rule went on."""
        culprits = list(derivations)
        culprit = max(culprits, key=lambda d: self.rules_fired.get(d.number, 0)) if culprits else None
        name = f"; the last to add facts was rule {culprit.rule.name}" if culprit else ""
        raise ReasoningError(
            f"no end after {limit}{name}",
            where=str(culprit.rule.origin) if culprit else None,
            do=f"look whether the rule can go on for ever; if not, allow more with {option}",
        )


@dataclass(slots=True)
class _Fixpoint:
    """Semi-naive evaluation of predicates that depend on each other."""

    run_: Run
    predicates: tuple[str, ...]
    plain: list[Derivation]
    chases: list[Derivation]
    equalities: list[Derivation]
    computed: list[Derivation]
    values: dict[str, FinalValues] = field(default_factory=dict)
    """The predicates that hold values of aggregates over the recursion."""

    def run(self) -> None:
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

    def _layout(self, predicate: str) -> Layout:
        return self.run_.layouts[predicate]

    def _begin(self, exits: Sequence[Derivation]) -> None:
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

    def _restart(self, recursive: Sequence[Derivation]) -> None:
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

    def _datalog(self, recursive: Sequence[Derivation]) -> None:
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

    def _new(self, layout: Layout, selects: Sequence[exp.Query], number: int) -> int:
        """Let the table of new facts hold those of some selects."""
        engine, table = self.run_.engine, f"{layout.table}_n"
        added = engine.replace(table, new_facts(union(selects[:_AT_ONCE]), layout, number))
        for start in range(_AT_ONCE, len(selects), _AT_ONCE):
            some = union(selects[start : start + _AT_ONCE])
            added += engine.append(table, new_facts(some, layout, number))
        if len(selects) > _AT_ONCE and added:
            added = engine.replace(table, everything(table).distinct())
        return added

    def _variants(
        self, derivation: Derivation, atom: Atom, plans: dict[tuple[int, Atom], tuple[exp.Query, ...]]
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
                run.contributions[derivation.number] = Contributions(run, derivation)
            return run.contributions[derivation.number].touched(deltas, atom)
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


def _heads(derivation: Derivation, predicate: str) -> bool:
    return any(atom.predicate == predicate for atom in derivation.heads)
