"""Batches of tau-Argus (.arb) as commands: a keyword on each line, and what stands behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"\s*<(\w+)>\s*(.*?)\s*$")
_RULE = re.compile(r"([A-Za-z]+)\s*\(([^)]*)\)")


@dataclass(frozen=True, slots=True)
class Command:
    """One command with its line."""

    line: int
    word: str
    rest: str

    def quoted(self) -> list[str]:
        """Return the texts in quotation marks."""
        return re.findall(r'"([^"]*)"', self.rest)

    def calls(self) -> list[BatchCommand]:
        """Return what is written as ``NAME(1, 2)``."""
        return [BatchCommand(name.upper(), _numbers(inside), inside) for name, inside in _RULE.findall(self.rest)]


@dataclass(frozen=True, slots=True)
class BatchCommand:
    """A name with numbers in brackets: a safety rule, or a way to protect."""

    name: str
    numbers: tuple[float, ...]
    inside: str = ""

    def number(self, place: int, default: float = 0.0) -> float:
        """Return the number at a place, or the default."""
        return self.numbers[place] if place < len(self.numbers) else default

    @property
    def is_idle(self) -> bool:
        """Whether all numbers are zero, which switches a rule off."""
        return not any(self.numbers)


@dataclass(frozen=True, slots=True)
class TableAsked:
    """A table of <SPECIFYTABLE>: spanning variables, response, shadow, cost."""

    variables: tuple[str, ...]
    response: str
    shadow: str = ""
    cost: str = ""


def commands(text: str) -> tuple[list[Command], list[str]]:
    """Return the commands of a batch, and faults of lines that are none.

    >>> found, faults = commands('// a comment\\n<SAFETYRULE> P(15,1)|FREQ(3,30)\\nwhat')
    >>> [call.name for call in found[0].calls()], faults
    (['P', 'FREQ'], ['line 3 is no command'])
    """
    calls, faults = [], []
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        if not plain or plain.startswith(("//", "\\\\")):
            continue
        match = _LINE.match(plain)
        if match is None:
            faults.append(f"line {number} is no command")
        elif match[1].upper() != "COMMENT":
            calls.append(Command(number, match[1].upper(), match[2]))
    return calls, faults


def table_asked(command: Command) -> TableAsked:
    """Return the table of a <SPECIFYTABLE> command.

    >>> table_asked(Command(1, "SPECIFYTABLE", '"Size""Region"|"Var2"||"-2"'))
    TableAsked(variables=('Size', 'Region'), response='Var2', shadow='', cost='-2')
    """
    fields = [re.findall(r'"([^"]*)"', part) or [part.strip()] for part in command.rest.split("|")]
    single = ["".join(part).strip() for part in fields[1:]]
    single += [""] * (3 - len(single))
    return TableAsked(tuple(name for name in fields[0] if name), single[0], single[1], single[2])


def _numbers(inside: str) -> tuple[float, ...]:
    numbers = []
    for part in inside.split(","):
        try:
            numbers.append(float(part))
        except ValueError:
            numbers.append(0.0)
    return tuple(numbers)
