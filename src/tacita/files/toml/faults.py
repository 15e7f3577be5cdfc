"""Faults of a TOML file: every one in one message, each with its line."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

from tacita.errors import InputError, faults_text
from tacita.model.dictionary_file.statements import last_line

Keys = tuple[str, ...]
_AT = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.DOTALL)


@dataclass(slots=True)
class Faults:
    """What is wrong so far, each with the keys where it stands."""

    found: list[tuple[Keys, str]] = field(default_factory=list)

    def add(self, keys: Keys, said: str) -> None:
        """Note a fault."""
        self.found.append((keys, said))

    def raise_any(self, text: str, *, where: str, do: str) -> None:
        """Raise if there is a fault, with the line of each in the text of the file."""
        if not self.found:
            return
        lines = _lines(plain(text))
        told = sorted(((_line_of(lines, keys), said) for keys, said in self.found), key=lambda each: each[0])
        raise InputError(faults_text([f"line {line}: {said}" for line, said in told]), where=where, do=do)


def plain(text: str) -> str:
    """Return the text of a file without what editors put there."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def tables_of(text: str, *, where: str) -> dict[str, Any]:
    """Return what a TOML file says, or raise with the line that is none."""
    text = plain(text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise _no_toml(str(fault), text, where) from None


def _no_toml(fault: str, text: str, where: str) -> InputError:
    found = _AT.fullmatch(fault)
    said, line = (found[1], found[2]) if found else (fault, None)
    number = int(line) if line else last_line(text)
    row = (text.split("\n") + [""] * number)[number - 1]
    return InputError(
        f"this is not TOML: {said[:1].lower()}{said[1:]}\n    {row[:100]}",
        where=f"{where}, line {number}",
        do="correct that line; texts stand in double quotes",
    )


def _lines(text: str) -> dict[Keys, int]:
    """Return the line of each key; the tables of a list ([[table]]) are numbered from 1."""
    lines: dict[Keys, int] = {}
    table: Keys = ()
    numbers: dict[Keys, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line):
            table = tuple(part.strip().strip("\"'") for part in header[2].split("."))
            if header[1] == "[[":
                numbers[table] = numbers.get(table, 0) + 1
                table = (*table, str(numbers[table]))
            lines.setdefault(table, number)
        elif entry := re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", line):
            keys = tuple(part.strip().strip("\"'") for part in entry[1].split("."))
            lines.setdefault((*table, *keys), number)
    return lines


def _line_of(lines: dict[Keys, int], keys: Keys) -> int:
    return next((lines[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in lines), 1)
