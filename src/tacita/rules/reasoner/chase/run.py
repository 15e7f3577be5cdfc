"""One run of a program: strata in order, each completed, with rounds, facts and nulls counted through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from tacita.engines.protocol import Engine
from tacita.errors import ReasoningError, TacitaError
from tacita.progress import Progress, Step, silent
from tacita.rules.logic.binding import Assign, Match
from tacita.rules.logic.dependencies import Edge, head_predicates
from tacita.rules.reasoner.chase.contributions import RecursiveContributions, refuse_doubled
from tacita.rules.reasoner.chase.existentials import Chase
from tacita.rules.reasoner.chase.fixpoint import Fixpoint
from tacita.rules.reasoner.chase.violations import Policy, Violation
from tacita.rules.reasoner.computed import ComputedPredicate
from tacita.rules.reasoner.plans.cells import everything
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.keys import is_unique
from tacita.rules.reasoner.plans.layout import FactLayout
from tacita.rules.reasoner.plans.tables import AT_ONCE, empty, in_round, new_facts, union
from tacita.rules.reasoner.program import Budget, is_equality
from tacita.rules.reasoner.similar import SimilarPairs

_DEEPEST_VIEW = 3


@dataclass(slots=True, repr=False)
class Run:
    """The state of a run: which tables are filled, the round, the nulls made so far."""

    engine: Engine
    layouts: dict[str, FactLayout]
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
    contributions: dict[int, RecursiveContributions] = field(default_factory=dict)
    chases: dict[int, Chase] = field(default_factory=dict)
    functions: dict[int, ComputedPredicate] = field(default_factory=dict)
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
        self, predicates: Sequence[str], derivations: Sequence[RuleDerivation], equalities: Sequence[RuleDerivation]
    ) -> None:
        """Derive everything about predicates that depend on each other."""
        try:
            self._component(predicates, derivations, equalities)
        except TacitaError as error:
            # The engine does not know for which rule it worked.
            error.where = error.where or " or ".join(str(d.rule.origin) for d in [*derivations, *equalities][:3])
            raise

    def _component(
        self, predicates: Sequence[str], derivations: Sequence[RuleDerivation], equalities: Sequence[RuleDerivation]
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
        Fixpoint(self, tuple(predicates), plain, chases, list(equalities), computed).run()

    def _is_recursive(self, predicates: Sequence[str]) -> bool:
        if not self.looping:
            self.looping = {e.source for e in self.edges if e.source == e.target} or {""}
        return len(predicates) > 1 or predicates[0] in self.looping

    def start(self, predicate: str) -> None:
        """Let the table of a predicate be there, without facts if nothing has filled it."""
        if predicate not in self.filled:
            self.engine.replace(self.layouts[predicate].table, empty(self.layouts[predicate]))
            self.filled.add(predicate)

    def _once(self, predicate: str, derivations: Sequence[RuleDerivation]) -> None:
        layout = self.layouts[predicate]
        self.next_round(derivations)
        selects = [s for d in derivations for s in self.selects(d, predicate)]
        if predicate not in self.filled:
            self.filled.add(predicate)
            unique = len(selects) == 1 and all(is_unique(d, a) for d in derivations for a in d.heads)
            first, selects = selects[:AT_ONCE], selects[AT_ONCE:]
            plan = in_round(union(first), layout, self.round, is_unique=unique)
            if unique and self._is_view(derivations[0]):
                self.engine.define(layout.table, plan)
                return
            self.count(self.engine.replace(layout.table, plan), derivations)
        self.add(layout, selects, derivations)

    def add(self, layout: FactLayout, selects: Sequence[exp.Query], derivations: Sequence[RuleDerivation]) -> None:
        """Add what selects give and the table does not hold yet, some of them at a time."""
        for start in range(0, len(selects), AT_ONCE):
            some = union(selects[start : start + AT_ONCE])
            self.engine.replace(f"{layout.table}_n", new_facts(some, layout, self.round))
            self.count(self.engine.append(layout.table, everything(f"{layout.table}_n")), derivations)
            self.engine.forget(f"{layout.table}_n")

    def _is_view(self, derivation: RuleDerivation) -> bool:
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
        self, derivation: RuleDerivation, predicate: str, tables: Mapping[int, str] | None = None
    ) -> list[exp.Select]:
        """Return what a rule says about one predicate."""
        self.prepare(derivation)
        return [derivation.select(a, tables) for a in derivation.heads if a.predicate == predicate]

    def prepare(self, derivation: RuleDerivation) -> None:
        """Do what must be done before a rule is asked: compare texts that are to be similar, refuse unknown numbers."""
        if self.similar is not None:
            self.similar.prepare(derivation)
        if derivation.grouping is not None:
            self.refuse_unknown(derivation, derivation.gathered().unknown)
            refuse_doubled(derivation)

    def refuse_unknown(self, derivation: RuleDerivation, plan: exp.Select | None) -> None:
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

    def next_round(self, derivations: Iterable[RuleDerivation]) -> int:
        """Begin a round."""
        self.round += 1
        if self.round - self.began > self.budget.rounds:
            self.stop(f"{self.budget.rounds:,} rounds", derivations, "--max-rounds")
        return self.round

    def count(self, added: int, derivations: Iterable[RuleDerivation]) -> None:
        """Count new facts."""
        self.facts += added
        self.progress(Step(f"round {self.round:,}: {self.facts:,} facts"))
        if self.facts > self.budget.facts:
            self.stop(f"{self.budget.facts:,} facts", derivations, "a larger budget")

    def new_labels(self, number: int, derivation: RuleDerivation) -> int:
        """Reserve labels for nulls; return the first."""
        first = self.nulls + 1
        self.nulls += number
        if self.nulls > self.budget.nulls:
            self.stop(f"{self.budget.nulls:,} labelled nulls", [derivation], "a larger budget")
        return first

    def stop(self, limit: str, derivations: Iterable[RuleDerivation], option: str) -> None:
        """Give up, and say which rule went on."""
        culprits = list(derivations)
        culprit = max(culprits, key=lambda d: self.rules_fired.get(d.number, 0)) if culprits else None
        name = f"; the last to add facts was rule {culprit.rule.name}" if culprit else ""
        raise ReasoningError(
            f"no end after {limit}{name}",
            where=str(culprit.rule.origin) if culprit else None,
            do=f"look whether the rule can go on for ever; if not, allow more with {option}",
        )


def homes(order: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the number of the component that each predicate is in."""
    return {predicate: number for number, component in enumerate(order) for predicate in component}


def run_strata(
    run: Run,
    order: Sequence[Sequence[str]],
    derivations: Sequence[RuleDerivation],
    home: Mapping[str, int] | None = None,
    done: Callable[[Sequence[str]], None] | None = None,
) -> None:
    """Complete the predicates of some components, one component after the other.

    `home` numbers the components of the whole program if these are only some of them: an equality rule is applied with
    the last predicate that it reads, wherever that is. `done` is told of every component that is complete.
    """
    heads: dict[str, list[RuleDerivation]] = {}
    equalities: dict[int, list[RuleDerivation]] = {}
    home = homes(order) if home is None else home
    for derivation in derivations:
        if derivation.is_empty:
            continue
        if is_equality(derivation.rule):
            last = max((home[atom.predicate] for atom in derivation.atoms), default=0)
            equalities.setdefault(last, []).append(derivation)
        for predicate in head_predicates(derivation.rule):
            heads.setdefault(predicate, []).append(derivation)
    for component in order:
        own = list({d.number: d for p in component for d in heads.get(p, [])}.values())
        same = equalities.get(home[component[0]], [])
        run.component(component, sorted(own, key=lambda d: d.number), sorted(same, key=lambda d: d.number))
        if done is not None:
            done(component)
