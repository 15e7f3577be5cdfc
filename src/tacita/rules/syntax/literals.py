"""How texts, names and numbers are written, and read back."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable

from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.logic.terms import Value
from tacita.rules.syntax.words import KEYWORDS

LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""All characters at which Python splits lines: faults are shown by line, so that the lexer must agree with it."""

SMALLEST_INTEGER, LARGEST_INTEGER = -(2**63), 2**63 - 1
"""Integers are those of the engines: 64 bits."""

_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.)|$)")
_MEANING = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_PLAIN = re.compile(r"[^\W\d]\w*")


def text_value(literal: str, wrong: Callable[[int, str], None] | None = None) -> str:
    r"""Return the text that a literal in double quotes means; tell `wrong` where an escape is not one.

    >>> text_value(r'"caf\u{e9} \"x\""')
    'café "x"'
    """
    inner = literal[1:-1]
    if "\\" not in inner:
        return inner

    def meaning(match: re.Match[str]) -> str:
        code, letter = match.groups()
        if code is not None:
            number = int(code, 16)
            if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF:
                return chr(number)
        elif letter in _MEANING:
            return _MEANING[letter]
        if wrong:
            wrong(match.start() + 1, match[0])
        return match[0]

    return _ESCAPE.sub(meaning, inner)


def text_literal(value: str) -> str:
    r"""Return a text in double quotes, on one line and without invisible characters.

    >>> print(text_literal('say "hi"' + chr(10) + chr(0)))
    "say \"hi\"\n\u{0}"
    """
    if value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return '"' + "".join(_written(c) for c in value) + '"'


def _written(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return {"\n": "\\n", "\t": "\\t"}.get(character) or f"\\u{{{ord(character):X}}}"


def name_value(literal: str) -> str:
    """Return the name that a literal in single quotes means.

    >>> name_value("'it''s'")
    "it's"
    """
    return literal[1:-1].replace("''", "'")


def name_literal(name: str, *, free: bool = False) -> str:
    """Return a predicate as it is written: in single quotes if it could be taken for something else.

    With `free`, names of functions need no quotes, because nothing but a name can stand there.

    >>> name_literal("Own"), name_literal("year"), name_literal("Résidence principale"), name_literal("in")
    ('Own', "'year'", "'Résidence principale'", "'in'")
    """
    taken = name in KEYWORDS or name == "_" or (not free and (name in FUNCTIONS or name in AGGREGATES))
    if _PLAIN.fullmatch(name) and not taken:
        return name
    return "'" + name.replace("'", "''") + "'"


def number_value(literal: str) -> int | float | None:
    """Return the number that a literal means; nothing if it is none, or too large.

    >>> number_value("12"), number_value("1e3"), number_value("1e999"), number_value("6a")
    (12, 1000.0, None, None)
    """
    if literal.isascii() and literal.isdecimal():
        if len(literal) > 19:
            return None
        integer = int(literal)
        return integer if integer <= LARGEST_INTEGER else None
    try:
        number = float(literal)
    except ValueError:
        return None
    return number if math.isfinite(number) and literal[0] != "." and "_" not in literal else None


def value_literal(value: Value) -> str:
    """Return a constant as it is written; dates as calls of the function that makes them.

    >>> value_literal(2.0), value_literal(2), value_literal(True), value_literal(datetime.date(2026, 1, 31))
    ('2.0', '2', 'true', 'date("2026-01-31")')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, datetime.datetime):
        return f'timestamp("{value.isoformat(sep=" ")}")'
    if isinstance(value, datetime.date):
        return f'date("{value.isoformat()}")'
    if isinstance(value, float) and not math.isfinite(value):
        return f'number("{value}")'
    return repr(value)
