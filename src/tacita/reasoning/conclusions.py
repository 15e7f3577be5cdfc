"""What follows from a program and its inputs: facts to look at, to write, to ask about, to have explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tacita.engines.context import Context
from tacita.errors import counted
from tacita.files.atomic import write_text
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.progress import Progress, silent
from tacita.reasoning.outputs import microdata_of, write_all
from tacita.reasoning.queries import Answers, answers
from tacita.reasoning.request import SHOWN, ReportOptions
from tacita.rules.logic.faults import Fault
from tacita.rules.reasoner.chase.violations import Violation
from tacita.rules.reasoner.results import Reasoned

if TYPE_CHECKING:
    import pyarrow as pa

    from tacita.rules.proofs import Proof, WhyNot


@dataclass(slots=True, repr=False)
class ProgramResult(Result):
    """The result of reasoning. Its facts live in an engine until it is closed or forgotten."""

    reasoned: Reasoned
    context: Context
    notes: tuple[str, ...] = ()
    """What happened on the way that a person should know: how columns were matched, what was given up."""
    written: dict[str, Path] = field(default_factory=dict)
    """The files that were written, by predicate."""

    # -- facts ---------------------------------------------------------------------------------------------------------

    @property
    def outputs(self) -> tuple[str, ...]:
        """What the program calls its results; without ``@output``, what its modules do, or all that rules derive."""
        program = self.reasoned.prepared.program
        own = {a.text(0) for a in program.directives("output") if a.origin.source == program.source}
        return tuple(p for p in self.reasoned.outputs if not own or p in own)

    @property
    def predicates(self) -> tuple[str, ...]:
        """All predicates, inputs included."""
        return self.reasoned.predicates

    @property
    def rounds(self) -> int:
        """How many rounds it took."""
        return self.reasoned.rounds

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What equality rules and denials found wrong."""
        return self.reasoned.violations

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What looks odd in the program."""
        return self.reasoned.warnings

    def names(self, predicate: str) -> tuple[str, ...]:
        """Return what the arguments of a predicate are called."""
        return self.reasoned.names(predicate)

    def count(self, predicate: str) -> int:
        """Return the number of facts of a predicate."""
        return self.reasoned.count(predicate)

    def facts(self, predicate: str, limit: int | None = None) -> list[tuple[Any, ...]]:
        """Return the facts of a predicate as tuples, sorted; labelled nulls are `Null`, records `Record`."""
        return self.reasoned.facts(predicate, limit)

    def __getitem__(self, predicate: str) -> list[tuple[Any, ...]]:
        return self.facts(predicate)

    def __iter__(self) -> Iterator[str]:
        return iter(self.outputs)

    def quarantined(self, predicate: str) -> list[tuple[Any, ...]]:
        """Return the facts of a predicate that a violation took out of the results, sorted."""
        return self.reasoned.quarantined(predicate)

    def ask(self, question: str, limit: int | None = None) -> Answers:
        """Return for which values of its variables a question holds: ``Control(X, "c"), X != "a"``."""
        return answers(self.reasoned, question, limit)

    def microdata(self, predicate: str) -> Microdata:
        """Return the facts of a predicate as microdata: arguments are attributes, labelled nulls missing values."""
        return microdata_of(self.reasoned, predicate, self.context)

    def to_arrow(self, predicate: str) -> pa.Table:
        """Return the facts of a predicate as an Arrow table."""
        import pyarrow as pa

        microdata = self.microdata(predicate)
        batches = list(microdata.relation.batches())
        return pa.Table.from_batches(batches) if batches else pa.table({c.name: [] for c in microdata.columns})

    def write(
        self, outputs: Mapping[str, str | Path], *, force: bool = False, progress: Progress = silent
    ) -> tuple[str, ...]:
        """Write the facts of some predicates, each to a file of any writable format: all of them, or none.

        Returns sentences about what the formats could not hold.
        """
        targets = {predicate: Path(target) for predicate, target in outputs.items()}
        for predicate in targets:
            self.reasoned.layout(predicate)  # says which predicates there are if this is none
        notes = write_all(
            targets,
            lambda predicate: microdata_of(self.reasoned, predicate, self.context),
            force=force,
            settings=self.context.settings,
            progress=progress,
        )
        self.written |= targets
        return notes

    # -- proofs --------------------------------------------------------------------------------------------------------

    def why(
        self, fact: str | Violation, *, limit: int | None = 12, most: int | None = None, contributors: int = 20
    ) -> Proof:
        """Return the proof of a fact, ``why('Control("a", "c")')``: so many levels, facts, contributors of a sum.

        That of one of the `violations` says which facts clash, and how each of them came about.
        """
        if isinstance(fact, Violation):
            from tacita.rules.proofs import why_violated

            return why_violated(self.reasoned, fact, limit=limit, most=most, contributors=contributors)
        return self.reasoned.why(fact.strip().removesuffix("."), limit=limit, most=most, contributors=contributors)

    def why_not(self, fact: str) -> WhyNot:
        """Return why a fact does not hold: the nearest rule, and its first condition that failed."""
        return self.reasoned.why_not(fact.strip().removesuffix("."))

    def report(self, options: ReportOptions | None = None) -> ReasoningReport:
        """Return what is told of it: some facts of each output, the proofs of some facts, why others do not hold."""
        options = options or ReportOptions()
        proofs = tuple(self.why(fact) for fact in options.why)
        reasons = tuple(self.why_not(fact) for fact in options.why_not)
        return ReasoningReport(self, options.show, proofs, reasons, options.graph)

    # -- the end -------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Forget the facts."""
        self.context.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _in_short(self) -> str:
        facts = ", ".join(f"{predicate}: {self.count(predicate):,}" for predicate in self.outputs[:6])
        more = f" and {len(self.outputs) - 6} more" if len(self.outputs) > 6 else ""
        return f"{facts or 'none'}{more}; {counted(self.rounds, 'round')}"


@dataclass(frozen=True, slots=True, repr=False)
class ReasoningReport(Result):
    """What is told of conclusions: some facts of each output, and the proofs that were asked for."""

    conclusions: ProgramResult
    show: int = SHOWN
    proofs: tuple[Proof, ...] = ()
    reasons: tuple[WhyNot, ...] = ()
    """Why some facts do not hold."""
    graph: Path | None = None

    def draw(self, *, force: bool = False) -> None:
        """Write the picture of the first proof."""
        if self.graph is not None:
            proof = self.proofs[0]
            write_text(self.graph, proof.as_svg() if self.graph.suffix == ".svg" else proof.as_dot(), force=force)

    def _in_short(self) -> str:
        return self.conclusions._in_short()
