"""Faults of a TOML file: every one in one message, each with its line, in the same form for every kind of file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tacita.errors import InputError, TacitaError, faults_text
from tacita.toml.statements import Keys, Lines, last_line, statements

_AT = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_WIDE = 100


def entry_name(keys: Keys) -> str:
    """Return how a sentence calls the entry under these keys.

    >>> entry_name(("k",)), entry_name(("step", "1", "k")), entry_name(())
    ("'k'", "'k' in [step.1]", 'the file')
    """
    inside = f" in [{'.'.join(keys[:-1])}]" if keys[:-1] else ""
    return f"'{keys[-1]}'{inside}" if keys else "the file"


@dataclass(slots=True)
class Faults:
    """What is wrong so far, each with the keys where it stands; `error` is the class of the error that tells it."""

    notes: list[tuple[Keys, str]] = field(default_factory=list)
    error: type[InputError] = InputError

    def add(self, keys: Keys, message: str) -> None:
        """Note a fault."""
        self.notes.append((keys, message))

    def add_error(self, keys: Keys, error: TacitaError) -> None:
        """Note an error about the entry under some keys, with what to do about it."""
        self.add(keys, "; ".join(filter(None, [error.found.replace("\n", "\n  "), error.do])))

    def raise_any(self, text: str, *, where: str, do: str) -> None:
        """Raise if there is a fault, with the line of each in the text of the file."""
        if self.notes:
            lines = Lines(statements(plain(text)))
            raise _error(self.error, [(lines.of(keys), message) for keys, message in self.notes], where, do)


def plain(text: str) -> str:
    """Return the text of a file without what editors put there."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def tables_of(
    text: str,
    *,
    where: str,
    error: type[InputError] = InputError,
    naming: Callable[[Keys], str] = entry_name,
    quoting: str = "",
) -> dict[str, Any]:
    """Return the tables of a TOML text, or raise with the line, the column and the line itself.

    `naming` says how sentences call an entry, `quoting` adds to the advice about double quotes.
    """
    text = plain(text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        if doubles := _doubles(text, naming):
            raise _error(error, doubles, where, "keep one of each") from None
        raise _syntax_error(error, str(fault), text, where, quoting) from None
    except RecursionError:
        raise error(
            "the brackets are nested too deeply", where=where, do="this is no file of Tacita: make it anew"
        ) from None


def _doubles(text: str, naming: Callable[[Keys], str]) -> list[tuple[int, str]]:
    """Return what is said twice; the entries of a table that stands there twice do not count once more."""
    first: dict[Keys, int] = {}
    tables: set[Keys] = set()
    faults = []
    for statement in statements(text):
        if statement.keys not in first:
            first[statement.keys] = statement.line
        elif statement.is_header or statement.table not in tables:
            message = f"{naming(statement.keys)} stands there twice, first on line {first[statement.keys]}"
            faults.append((statement.line, message))
            tables.add(statement.keys)
    return faults


def _error(error: type[InputError], faults: Sequence[tuple[int, str]], where: str, do: str) -> InputError:
    lines = [f"line {line}: {message}" for line, message in sorted(faults, key=lambda fault: fault[0])]
    return error(faults_text(lines), where=where, do=do)


def _syntax_error(error: type[InputError], fault: str, text: str, where: str, quoting: str) -> InputError:
    parts = _AT.fullmatch(fault)
    message, line, column = (parts[1], parts[2], parts[3]) if parts else (fault, None, None)
    if message == "Illegal character '\\n'":  # what the parser says of a text without its second quotation mark
        message = "a text is not closed"
    number, place = (int(line), int(column)) if line and column else (last_line(text), 1)
    row = (text.split("\n") + [""] * number)[number - 1]
    cut = max(0, place - _WIDE // 2) if len(row) > _WIDE else 0
    blanks = "".join("\t" if character == "\t" else " " for character in row[cut : place - 1])
    return error(
        f"this is not TOML: {message[:1].lower()}{message[1:]}\n    {row[cut : cut + _WIDE]}\n    {blanks}^",
        where=f"{where}, line {number}, column {place}",
        do=f"correct that line; texts stand in double quotes{quoting}",
    )
