"""A conversation with a program that grows: clauses are added, questions are asked, and answered when needed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from tacita.engines.context import Context
from tacita.errors import RuleError, UsageError
from tacita.knowledge.programs import ProgramText, read
from tacita.reasoning.columns import wanted
from tacita.reasoning.conclusions import ProgramResult
from tacita.reasoning.diagnosis import Diagnosis, diagnose
from tacita.reasoning.inputs import Reader
from tacita.reasoning.queries import Answers
from tacita.reasoning.run import Job
from tacita.rules.logic.faults import Fault, Severity, refuse
from tacita.rules.logic.signatures import DICTIONARY, signatures
from tacita.rules.reasoner.program import Budget
from tacita.rules.reasoner.reason import Input
from tacita.rules.syntax.lexer import lexed

SOURCE = "session"
# At a prompt, what is used may be defined later.
_LATER = frozenset({"R201", "R202", "R204", "R205", "R302"})


def is_complete(text: str) -> bool:
    r"""Return whether a text ends with a period that ends a clause, and not one inside a text or a comment.

    >>> is_complete('A("x.'), is_complete("A(X) % no."), is_complete("A(1.5)."), is_complete("A(1).  % done")
    (False, False, True, True)
    """
    tokens = lexed(text)
    return len(tokens.kinds) > 3 and tokens.kinds[-4] == "."


@dataclass(slots=True)
class Session:
    """The clauses so far, the inputs, and the conclusions as long as they hold."""

    inputs: dict[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    context: Context = field(default_factory=Context)
    budget: Budget = field(default_factory=Budget)
    no_header: bool = False
    program: ProgramText = field(default_factory=lambda: ProgramText("", SOURCE))
    notes: list[str] = field(default_factory=list)
    _read: dict[str, Input] = field(default_factory=dict)
    _conclusions: ProgramResult | None = None
    _added: list[str] = field(default_factory=list)
    """What was added, one after the other: together the text of the program."""
    _sound: int = 0
    """How many of them have been reasoned with, or are not to blame for what goes wrong next."""

    def load(self, path: Path) -> Diagnosis:
        """Add the program of a file."""
        program = read(path)
        if not self.program.text:
            self.program = ProgramText("", SOURCE, program.folder)
        return self.add(program.text)

    def add(self, text: str) -> Diagnosis:
        """Add clauses; raise, with all faults, and stay as it was if they do not fit the others."""
        text = text.rstrip() + "\n"
        grown = ProgramText(self.program.text + text, self.program.source, self.program.folder)
        diagnosis = diagnose(grown, given=list(self.inputs), parameters=self.parameters)
        refuse([f for f in diagnosis.faults if f.code not in _LATER], diagnosis.texts)
        self.program = grown
        self._added.append(text)
        self._forget()
        return diagnosis

    def undo(self) -> str:
        """Take out what was added last; return its text."""
        if not self._added:
            raise UsageError("there is nothing to take out", do="enter a fact or a rule first")
        return self._take_out(len(self._added) - 1)

    def new_warnings(self, diagnosis: Diagnosis, text: str) -> Iterable[Fault]:
        """Yield the warnings about what was added last."""
        first = self.program.text.count("\n") - text.rstrip().count("\n")
        yield from (
            f
            for f in diagnosis.faults
            if f.severity is Severity.WARNING and f.code not in _LATER and f.origin.line >= first
        )

    def give(self, predicate: str, given: Any) -> None:
        """Give the facts of a predicate from a file."""
        self.inputs[predicate] = given
        self._read.pop(predicate, None)
        self._sound = len(self._added)
        self._forget()

    def clear(self) -> None:
        """Forget all clauses; the inputs stay."""
        self.program = ProgramText("", SOURCE, self.program.folder)
        self._added, self._sound = [], 0
        self._forget()

    def conclusions(self) -> ProgramResult:
        """Return what follows from everything so far; clauses whose types do not fit the others are taken out again."""
        if self._conclusions is None:
            try:
                self._conclusions = self._reason()
            except RuleError as error:
                guilty = self._guilty([f for f in error.faults if isinstance(f, Fault)])
                if guilty is None:
                    raise
                text = self._take_out(guilty).rstrip()
                raise RuleError(
                    f"{error.found}\n\ntaken out again, so that the others can be used: {text}", faults=error.faults
                ) from None
            self._sound = len(self._added)
        return self._conclusions

    def ask(self, question: str, limit: int | None = None) -> Answers:
        """Return for which values of its variables a question holds."""
        return self.conclusions().ask(question, limit)

    def close(self) -> None:
        """Forget everything."""
        self._conclusions = None
        self.context.close()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _reason(self) -> ProgramResult:
        if not self.program.text.strip() and not self.inputs:
            raise RuleError("there is nothing to reason about yet", do="enter a fact or a rule, or :load a program")
        diagnosis = diagnose(self.program, given=list(self.inputs), parameters=self.parameters)
        known = signatures(diagnosis.linked)
        # What nothing defines yet has no facts yet.
        open_ = [s.predicate for s in known.values() if s.uses and not s.is_defined and not s.predicate.startswith("#")]
        declared = [a.text(0) or "" for a in diagnosis.linked.directives("input")]
        empty: dict[str, Any] = {p: [] for p in (*open_, *declared) if p not in self.inputs and p not in DICTIONARY}
        reader = Reader(self.context, self.no_header)
        sides = wanted(diagnosis.linked)
        for predicate, given in self.inputs.items():
            if predicate in sides and predicate not in self._read:
                self._read[predicate] = reader.facts(sides[predicate], given)
        self.notes += reader.notes
        facts = {predicate: rows for predicate, rows in self._read.items() if predicate in sides}
        job = Job(self.program, {**empty, **facts}, {}, dict(self.parameters), budget=self.budget).checked()
        job.outputs.clear()  # a prompt writes no files
        return job.run(self.context)

    def _guilty(self, faults: Sequence[Fault]) -> int | None:
        """Return which of the new clauses makes the program faulty: the last one with a fault in it, or the last."""
        if not faults or self._sound == len(self._added):
            return None
        ends = list(accumulate(text.count("\n") for text in self._added))
        at = [bisect_left(ends, f.origin.line) for f in faults if f.origin.source == self.program.source]
        return max((i for i in at if self._sound <= i < len(ends)), default=len(ends) - 1)

    def _take_out(self, number: int) -> str:
        text = self._added.pop(number)
        self._sound = min(self._sound, len(self._added))
        self.program = ProgramText("".join(self._added), self.program.source, self.program.folder)
        self._forget()
        return text

    def _forget(self) -> None:
        if self._conclusions is not None:
            for layout in self._conclusions.reasoned.run.layouts.values():
                self.context.engine.forget(layout.table)
        self._conclusions = None
