"""What is wrong with a program, in words, with its place; all of it at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tacita.errors import RuleError, counted
from tacita.rules.logic.origin import Origin


class Severity(StrEnum):
    """Whether a program can be run all the same."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: a number to look it up, a sentence, a place, and what to do.

    Numbers: R1xx how it is written, R2xx names, R3xx variables, R4xx arity and types, R5xx negation and aggregates,
    R6xx existentials and termination, R7xx modules, parameters and annotations.
    """

    code: str
    message: str
    origin: Origin
    do: str = ""
    severity: Severity = Severity.ERROR

    def shown(self, text: str | None) -> str:
        """Return the fault with the line it is in and a caret under the place."""
        lines = [f"{self.origin}: {self.severity} {self.code}: {self.message}"]
        source = text.splitlines() if text is not None else []
        if 0 < self.origin.line <= len(source):
            line = source[self.origin.line - 1].replace("\t", " ")
            same_line = self.origin.end_line == self.origin.line
            width = (self.origin.end_column if same_line else len(line) + 1) - self.origin.column
            lines += [f"    {line}", "    " + " " * (self.origin.column - 1) + "^" * max(1, width)]
        if self.do:
            lines.append(f"  what to do: {self.do}")
        return "\n".join(lines)


def errors(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults that keep a program from running."""
    return tuple(f for f in faults if f.severity is Severity.ERROR)


def refuse(faults: Sequence[Fault], texts: Mapping[str, str]) -> None:
    """Raise one error with all faults if one of them is an error; `texts` are the sources by name."""
    wrong = errors(faults)
    if wrong:
        shown = "\n\n".join(fault.shown(texts.get(fault.origin.source)) for fault in wrong)
        raise RuleError(f"{counted(len(wrong), 'fault')} in the rules\n\n{shown}", faults=tuple(wrong))
