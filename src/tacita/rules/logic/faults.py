"""What is wrong with a program, in words, with its place in the source text; all of it at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tacita.errors import RuleError, counted, without_credentials


@dataclass(frozen=True, slots=True)
class Origin:
    """A stretch of a source text; lines and columns count from 1, the end is exclusive."""

    source: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source or "made by a pass"

    def to(self, end: Origin) -> Origin:
        """Return the stretch from here to the end of another one."""
        return Origin(self.source, self.line, self.column, end.end_line, end.end_column)


NOWHERE = Origin()


_WIDEST = 100
"""How much of a long line is shown around the place of a fault."""


class Severity(StrEnum):
    """Whether a program can be run all the same."""

    ERROR = "error"
    WARNING = "warning"


_QUOTED_PASSWORD = re.compile(r'"[^"]*:[^"@]+@[^"]*"')


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
        lines = [f"{self.origin}: {self.severity} {self.code}: {without_credentials(self.message)}"]
        source = text.splitlines() if text is not None else []
        line = source[self.origin.line - 1].replace("\t", " ") if 0 < self.origin.line <= len(source) else ""
        # A line with a password is not shown at all: a part of it would stand above the wrong place.
        if line and line == without_credentials(line) and not _QUOTED_PASSWORD.search(line):
            same_line = self.origin.end_line == self.origin.line
            end = self.origin.end_column - 1 if same_line else len(line)
            first = max(0, min(self.origin.column - 1 - _WIDEST // 2, len(line) - _WIDEST))
            last = first + _WIDEST
            before, behind = "..." if first else "", "..." if last < len(line) else ""
            caret = len(before) + self.origin.column - 1 - first
            width = max(1, min(end, last) - (self.origin.column - 1))
            lines += [f"    {before}{line[first:last]}{behind}", "    " + " " * caret + "^" * width]
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
