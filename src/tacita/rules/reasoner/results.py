"""What reasoning found: facts, violations, notes; and the way back to why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.errors import UsageError, counted, did_you_mean, listed
from tacita.rules.logic.faults import Fault
from tacita.rules.reasoner.chase.run import Run
from tacita.rules.reasoner.chase.violations import Violation
from tacita.rules.reasoner.plans.cells import ascending, named
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import FactLayout
from tacita.rules.reasoner.plans.tables import columns
from tacita.rules.reasoner.program import Prepared
from tacita.rules.reasoner.values import decoded

if TYPE_CHECKING:
    from tacita.rules.proofs import Proof, WhyNot
    from tacita.rules.reasoner.chase.versions import History


@dataclass(slots=True, repr=False)
class Reasoned:
    """The result of a run; its facts live in the engine."""

    prepared: Prepared
    run: Run
    derivations: Sequence[RuleDerivation]
    history: History | None = None

    def __repr__(self) -> str:
        return f"<Reasoned: {counted(self.run.facts, 'fact')} in {counted(self.rounds, 'round')}>"

    @property
    def predicates(self) -> tuple[str, ...]:
        """All predicates that have a table, inputs included."""
        return tuple(p for p in self.run.layouts if p in self.run.filled)

    @property
    def outputs(self) -> tuple[str, ...]:
        """What the program calls its results; without @output, everything that rules derive."""
        declared = [a.text(0) or "" for a in self.prepared.program.directives("output")]
        derived = [atom.predicate for d in self.derivations for atom in d.heads]
        return tuple(p for p in dict.fromkeys(declared or derived) if p in self.run.filled)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What equality rules and denials found wrong."""
        return tuple(self.run.violations)

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What the checks found odd in the program."""
        return self.prepared.warnings

    @property
    def rounds(self) -> int:
        """How many rounds it took."""
        return self.run.round

    def layout(self, predicate: str) -> FactLayout:
        """Return how the facts of a predicate lie in its table."""
        if predicate in self.run.layouts and predicate in self.run.filled:
            return self.run.layouts[predicate]
        raise UsageError(
            f"no predicate '{predicate}' in the result{did_you_mean(predicate, self.predicates)}",
            do=f"use one of: {listed(self.predicates, 20)}",
        )

    def quarantined(self, predicate: str) -> list[tuple[Any, ...]]:
        """Return the facts of a predicate that a violation took out of the results, sorted."""
        layout = self.layout(predicate)
        table = self.run.quarantined.get(predicate)
        if table is None:
            return []
        plan = exp.select(*columns(layout)).from_(named(table)).order_by(*map(ascending, columns(layout)))
        return [tuple(decoded(cell, row) for cell in layout.cells("t")) for row in self.run.engine.run(plan)]

    def names(self, predicate: str) -> tuple[str, ...]:
        """Return what the arguments of a predicate are called."""
        layout = self.layout(predicate)
        return layout.names or tuple(f"argument{i + 1}" for i in range(len(layout.positions)))

    def count(self, predicate: str) -> int:
        """Return the number of facts of a predicate."""
        plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(named(self.layout(predicate).table))
        return int(self.run.engine.run(plan)[0]["n"])

    def rows(self, predicate: str, limit: int | None = None) -> Iterator[tuple[Any, ...]]:
        """Yield the facts of a predicate as tuples, sorted."""
        layout = self.layout(predicate)
        names = columns(layout)
        plan = exp.select(*(names or [exp.alias_(exp.Literal.number(1), "one")])).from_(named(layout.table))
        plan = plan.order_by(*(ascending(n.copy()) for n in names)) if names else plan
        if limit is not None:
            plan = plan.limit(limit)
        cells = layout.cells("t")
        for batch in self.run.engine.stream(plan, 50_000):
            for row in batch.to_pylist():
                yield tuple(decoded(cell, row) for cell in cells)

    def facts(self, predicate: str, limit: int | None = None) -> list[tuple[Any, ...]]:
        """Return the facts of a predicate as tuples, sorted; labelled nulls are `Null`."""
        return list(self.rows(predicate, limit))

    def why(self, fact: str, *, limit: int | None = 12, most: int | None = None, contributors: int = 20) -> Proof:
        """Return the proof of a fact that holds, so many levels and facts of it; ``_`` stands for anything."""
        from tacita.rules.proofs import why

        return why(self, fact, limit=limit, most=most, contributors=contributors)

    def why_not(self, fact: str) -> WhyNot:
        """Return why a fact does not hold: the nearest rule, and the first condition that failed."""
        from tacita.rules.proofs import why_not

        return why_not(self, fact)

    def close(self) -> None:
        """Forget the facts."""
        self.run.engine.close()
