"""What is wrong with the text of a dictionary, by line and column."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from tacita.errors import DictionaryError, faults_text
from tacita.model.dictionary_file.statements import Keys, Lines, last_line, statements

_AT = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_WIDE = 100


def parsed(text: str, where: str) -> dict[str, Any]:
    """Return the tables of a TOML text, or raise with the line, the column and the line itself."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        if doubles := _doubles(text):
            raise _error(doubles, where, "keep one of each") from None
        raise _syntax_error(str(fault), text, where) from None
    except RecursionError:
        raise DictionaryError(
            "the brackets are nested too deeply",
            where=where,
            do="this is no dictionary of Tacita: make it anew",
        ) from None


def located(faults: list[tuple[Keys, str]], text: str, where: str, do: str) -> DictionaryError:
    """Return the error for all faults of a text, each with the line on which its keys stand."""
    lines = Lines(statements(text))
    return _error([(lines.of(keys), said) for keys, said in faults], where, do)


def named(keys: Keys) -> str:
    """Return how a sentence calls what stands under these keys.

    >>> named(("attributes", "Area")), named(("attributes", "Area", "kind")), named(("microdata", "name"))
    ("attribute 'Area'", "'kind' of attribute 'Area'", "'name' of the microdata")
    """
    match keys:
        case ("attributes", name):
            return f"attribute '{name}'"
        case ("attributes", name, *rest):
            return f"'{'.'.join(rest)}' of attribute '{name}'"
        case ("scenarios", name):
            return f"scenario '{name}'"
        case ("microdata", *rest) if rest:
            return f"'{'.'.join(rest)}' of the microdata"
    return f"'{'.'.join(keys)}'"


def _doubles(text: str) -> list[tuple[int, str]]:
    """Return what is said twice; the entries of a table that stands there twice do not count once more."""
    first: dict[Keys, int] = {}
    tables: set[Keys] = set()
    faults = []
    for statement in statements(text):
        if statement.keys not in first:
            first[statement.keys] = statement.line
        elif statement.is_header or statement.table not in tables:
            said = f"{named(statement.keys)} stands there twice, first on line {first[statement.keys]}"
            faults.append((statement.line, said))
            tables.add(statement.keys)
    return faults


def _error(faults: list[tuple[int, str]], where: str, do: str) -> DictionaryError:
    lines = [f"line {line}: {said}" for line, said in sorted(faults, key=lambda fault: fault[0])]
    return DictionaryError(faults_text(lines), where=where, do=do)


def _syntax_error(fault: str, text: str, where: str) -> DictionaryError:
    found = _AT.fullmatch(fault)
    said, line, column = (found[1], found[2], found[3]) if found else (fault, None, None)
    if said == "Illegal character '\\n'":  # what the parser says of a text without its second quotation mark
        said = "a text is not closed"
    number, place = (int(line), int(column)) if line and column else (last_line(text), 1)
    row = (text.split("\n") + [""] * number)[number - 1]
    cut = max(0, place - _WIDE // 2) if len(row) > _WIDE else 0
    blanks = "".join("\t" if character == "\t" else " " for character in row[cut : place - 1])
    return DictionaryError(
        f"this is not TOML: {said[:1].lower()}{said[1:]}\n    {row[cut : cut + _WIDE]}\n    {blanks}^",
        where=f"{where}, line {number}, column {place}",
        do="correct that line; texts stand in double quotes, and so do names with spaces or dots, "
        'such as [attributes."Residential Rev."]',
    )
