"""Everything that is wrong or odd in a program, without running it and without reading any data. Never raises.

A text that cannot be read completely is checked all the same, but what its missing parts would explain is not held
against the rest. A module on its own may leave predicates and parameters to whoever uses it: that is a warning at most.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tacita.reasoning.programs import ProgramText
from tacita.rules.logic.checks import check
from tacita.rules.logic.faults import Fault, Severity, errors
from tacita.rules.logic.program import Program
from tacita.rules.passes.externals import Functions
from tacita.rules.passes.modules import link
from tacita.rules.passes.parameters import term_of
from tacita.rules.syntax import Parsed, parse

# What a clause that could not be read may have said: definitions, uses, parameters, labels.
_NEEDS_THE_WHOLE = ("R2", "R602", "R70")
# What whoever uses a module gives it.
_LEFT_TO_OTHERS = frozenset({"R201", "R702", "R705"})


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found in a program, and the program itself as far as it could be read."""

    parsed: Parsed
    linked: Program
    faults: tuple[Fault, ...]
    """In the order of the text."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts that faults speak of, by source."""

    @property
    def is_sound(self) -> bool:
        """Whether the program can be run."""
        return not errors(self.faults)

    def shown(self, fault: Fault) -> str:
        """Return a fault with its line and a caret."""
        return fault.shown(self.texts.get(fault.origin.source))


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
    found = [*parsed.faults, *linked.faults, *check(linked.program, known=given)]
    # The resolver and the checks may both notice that nothing stands behind an external predicate.
    by_place = {(f.code, f.origin): f for f in reversed(found)}
    faults = list(reversed(by_place.values()))
    if errors(parsed.faults):
        own = set(parsed.faults)
        faults = [f for f in faults if f in own or not f.code.startswith(_NEEDS_THE_WHOLE)]
    if any(True for _ in parsed.program.directives("module")):
        faults = [_milder(f) if f.code in _LEFT_TO_OTHERS else f for f in faults]
    faults.sort(key=lambda f: (f.origin.source != program.source, f.origin.source, f.origin.line, f.origin.column))
    texts = {**linked.texts, program.source: program.text}
    return Diagnosis(parsed, linked.program, tuple(faults), texts)


def _milder(fault: Fault) -> Fault:
    return replace(fault, severity=Severity.WARNING)
