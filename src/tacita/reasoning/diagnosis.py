"""Everything that is wrong or odd in a program, without running it and without reading any data. Never raises.

A text that cannot be read completely is checked all the same, but what its missing parts would explain is not held
against the rest. A module on its own may leave predicates and parameters to whoever uses it: that is a warning at most.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tacita.errors import counted
from tacita.knowledge.programs import ProgramText
from tacita.model.result import Result
from tacita.rules.logic.checks import all_faults
from tacita.rules.logic.faults import Fault, Severity, errors
from tacita.rules.logic.program import Program
from tacita.rules.passes.externals import Functions
from tacita.rules.passes.modules import link
from tacita.rules.passes.parameters import term_of
from tacita.rules.syntax import Parsed, parse

# What whoever uses a module gives it.
LEFT_TO_OTHERS = frozenset({"R201", "R702", "R705"})


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found in a program, and the program itself as far as it could be read."""

    parsed: Parsed
    linked: Program
    faults: tuple[Fault, ...]
    """In the order of the text."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts that faults speak of, by source."""
    parameters: frozenset[str] = frozenset()
    """The parameters that the program and its modules have."""

    @property
    def is_sound(self) -> bool:
        """Whether the program can be run."""
        return not errors(self.faults)

    @property
    def is_read(self) -> bool:
        """Whether all of its text, and of its modules, could be read."""
        return not any(fault.code.startswith(("R1", "R701")) for fault in errors(self.faults))

    def shown(self, fault: Fault) -> str:
        """Return a fault with its line and a caret."""
        return fault.shown(self.texts.get(fault.origin.source))


@dataclass(frozen=True, slots=True, repr=False)
class CheckedProgram(Result):
    """A program by its name, and everything that is wrong or odd in it."""

    name: str
    diagnosis: Diagnosis

    @property
    def is_sound(self) -> bool:
        """Whether the program can be run."""
        return self.diagnosis.is_sound

    def _in_short(self) -> str:
        return f"{self.name}: {counted(len(self.diagnosis.faults), 'fault')}"


def diagnose(
    program: ProgramText,
    *,
    given: Collection[str] = (),
    parameters: Mapping[str, Any] | None = None,
    functions: Functions | None = None,
) -> Diagnosis:
    """Return all faults of a program; `given` are predicates whose facts the caller will give.

    >>> [fault.code for fault in diagnose(ProgramText('Own(X, Y) -> Control(X).')).faults]
    ['R201', 'R302']
    """
    parsed = parse(program.text, program.source)
    terms = {name: term_of(value) for name, value in (parameters or {}).items()}
    linked = link(parsed.program, program.find, terms, functions, program.modules())
    texts = {**linked.texts, program.source: program.text}
    faults = all_faults(linked.program, [*parsed.faults, *linked.faults], texts, known=given)
    if any(True for _ in parsed.program.directives("module")):
        faults = tuple(_milder(f) if f.code in LEFT_TO_OTHERS else f for f in faults)
    return Diagnosis(parsed, linked.program, faults, texts, frozenset(linked.parameters))


def _milder(fault: Fault) -> Fault:
    return replace(fault, severity=Severity.WARNING)
