"""Rule programs: check, format and explain them, list those that ship, and talk to one that grows.

>>> print(explain_rules("company_groups").to_text().splitlines()[0])
company_groups.vada: 4 rules, 0 facts
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.errors import TacitaError, UsageError, counted, did_you_mean
from tacita.knowledge import programs
from tacita.knowledge.programs import ProgramText
from tacita.model.result import Result
from tacita.reasoning.diagnosis import LEFT_TO_OTHERS, CheckedProgram, diagnose
from tacita.reasoning.overview import Overview, overview
from tacita.rules.logic.faults import refuse
from tacita.rules.syntax import formatted, parse
from tacita.views.rules import fault_dict

__all__ = [
    "FormattedPrograms",
    "ProgramLike",
    "check_rules",
    "explain_rules",
    "fault_dict",
    "format_rules",
    "format_text",
    "program_text",
    "shipped_rules",
    "shipped_text",
    "standard_input",
]
from tacita.rules.typed_parameters import check_parameters

ProgramLike = ProgramText | str | Path


@dataclass(frozen=True, slots=True, repr=False)
class FormattedPrograms(Result):
    """Which programs have a new layout, and whether it was written."""

    files: int
    changed: tuple[str, ...]
    written: bool

    def _in_short(self) -> str:
        return f"{counted(self.files, 'program')}, {len(self.changed):,} changed"


def check_rules(
    files: Sequence[ProgramLike], *, given: Sequence[str] = (), parameters: Mapping[str, Any] | None = None
) -> tuple[CheckedProgram, ...]:
    """Return everything that is wrong or odd in programs; nothing is run, and no data is read.

    `given` are predicates whose facts the caller gives when the program runs.
    """
    values = dict(parameters or {})
    checked = tuple(
        CheckedProgram(_name(file), diagnose(program_text(file), given=list(given), parameters=values))
        for file in files
    )
    if all(program.diagnosis.is_read for program in checked):
        known = {name for program in checked for name in program.diagnosis.parameters}
        check_parameters(values, known, ", ".join(program.name for program in checked))
    return checked


def format_rules(files: Sequence[ProgramLike], *, write: bool = True) -> FormattedPrograms:
    """Lay programs out anew, in place; nothing is written if one of them has a fault, or without `write`."""
    from tacita.files.atomic import check_target, write_text

    changed = {}
    for file in files:
        before = program_text(file).text
        if (after := format_text(before, _name(file))) != before:
            changed[_name(file)] = after
    if write:
        for name in changed:
            check_target(Path(name), force=True)
        for name, after in changed.items():
            write_text(Path(name), after, force=True)
    return FormattedPrograms(len(files), tuple(changed), write)


def format_text(text: str, name: str = "program") -> str:
    """Return the text of a program laid out anew: one clause to a line, long ones wrapped; comments stay.

    >>> format_text("A(X)->B(X).")
    'A(X) -> B(X).\\n'
    """
    after = formatted(text, name)
    if parse(after).program != parse(text).program:
        raise TacitaError(
            "the new layout would change what the program means", where=name, do="please report this program"
        )
    return after


def explain_rules(program: ProgramLike) -> Overview:
    """Return in plain words what a program reads, what it derives, what each rule means, and why it ends."""
    text = program_text(program, shipped=True)
    diagnosis = diagnose(text)
    refuse([fault for fault in diagnosis.faults if fault.code not in LEFT_TO_OTHERS], diagnosis.texts)
    return overview(diagnosis, text.source, programs.meaning(text.text))


def shipped_rules() -> dict[str, str]:
    """Return the programs that ship with Tacita, and what each is about; ``@use("NAME")`` brings one in."""
    return {name: programs.meaning(shipped_text(name)) for name in programs.names()}


def shipped_text(name: str) -> str:
    """Return the text of a program that ships with Tacita."""
    program = programs.find(name)
    if program is None:
        known = programs.names()
        raise UsageError(
            f"no program '{name}' ships with Tacita{did_you_mean(name, known)}", do=f"use one of: {', '.join(known)}"
        )
    return program[0]


def program_text(program: ProgramLike, *, shipped: bool = False) -> ProgramText:
    """Return the program of a file, or with `shipped` the one of that name if there is no such file."""
    if isinstance(program, ProgramText):
        return program
    name = str(program)
    if shipped and not Path(name).exists() and "(" not in name:
        return ProgramText.of(name)
    return programs.read(Path(name))


def standard_input(text: str) -> ProgramText:
    """Return a program that was read from the standard input."""
    return ProgramText(text, "standard input")


def _name(file: ProgramLike) -> str:
    """Return what results call a program; a text of no file is ``-``."""
    return "-" if isinstance(file, ProgramText) else str(file)
