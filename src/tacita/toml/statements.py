"""A TOML text as statements that know their place: for the line in a fault, and to change one and leave the rest."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

Keys = tuple[str, ...]

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[\]{}=\n]"
    r"|[^\"'\#\[\]{}=\n]+"
    r"|.",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A table header, or a key with its value, and where it stands in the text."""

    start: int
    end: int
    """Offset after its last character, before the line break."""
    line: int
    keys: Keys
    """All keys from the root."""
    table: Keys
    """The table whose header is above it (its own keys, for a header)."""
    value: Any = None
    equals: int = 0
    """Offset of the equals sign; a header has none."""
    comment: int = 0
    """Offset of the blanks and the comment after the value, or `end`."""

    @property
    def is_header(self) -> bool:
        """Whether it is a table header."""
        return self.equals == 0


def statements(text: str) -> list[Statement]:
    """Return the statements of a text, leaving out those that are no TOML.

    >>> [(s.line, s.keys) for s in statements("a = 1\\n[b.c]\\nd = [\\n 2]\\n")]
    [(1, ('a',)), (2, ('b', 'c')), (3, ('b', 'c', 'd'))]

    The tables of a list are numbered from 1.

    >>> [s.keys for s in statements("[[step]]\\n[[step]]\\n[step.more]\\nk = 3")]
    [('step', '1'), ('step', '2'), ('step', '2', 'more'), ('step', '2', 'more', 'k')]
    """
    result: list[Statement] = []
    lengths: dict[Keys, int] = {}
    table: Keys = ()
    for start, end, line, equals, comment in _pieces(text):
        try:
            if text[start] == "[":
                table = _numbered(_innermost(tomllib.loads(text[start:end])), lengths, text.startswith("[[", start))
                result.append(Statement(start, end, line, table, table))
            else:
                key = _innermost(tomllib.loads(f"{text[start:equals]}= {{}}"))
                value: Any = tomllib.loads(text[start:end])
                for part in key:
                    value = value[part]
                result.append(Statement(start, end, line, table + key, table, value, equals, comment))
        except tomllib.TOMLDecodeError:
            continue
    return result


class Lines:
    """On which line something is said about keys."""

    def __init__(self, among: Iterable[Statement]) -> None:
        self._exact: dict[Keys, int] = {}
        self._above: dict[Keys, int] = {}
        for statement in among:
            self._exact.setdefault(statement.keys, statement.line)
            for length in range(1, len(statement.keys)):
                self._above.setdefault(statement.keys[:length], statement.line)

    def of(self, keys: Keys) -> int:
        """Return the line of these keys, or else of the table that holds them or that they hold."""
        around = (self._exact.get(keys[:length]) for length in range(len(keys) - 1, 0, -1))
        candidates = (self._exact.get(keys), self._above.get(keys), *around)
        return next((line for line in candidates if line), 1)


def last_line(text: str) -> int:
    """Return the line on which the last statement begins, finished or not."""
    return max((line for _, _, line, _, _ in _pieces(text)), default=1)


def _pieces(text: str) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield start, end, line, offset of the equals sign and of the comment of everything that may be a statement."""
    line, depth = 1, 0
    start, first_line, equals, after = -1, 1, 0, 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if start < 0 and (token.isspace() or token[0] == "#"):
            line += token == "\n"
            continue
        if start < 0:
            start, first_line = match.start() + len(token) - len(token.lstrip()), line
            equals, depth = 0, 0
        if token == "\n" and depth <= 0:
            yield start, match.start(), first_line, equals, after
            start = -1
        elif token in {"[", "{"}:
            depth += 1
        elif token in {"]", "}"}:
            depth -= 1
        elif token == "=" and not equals:
            equals = match.start()
        if token[0] != "#" and not token.isspace():
            after = match.end() - len(token) + len(token.rstrip())
        line += token.count("\n")
    if start >= 0:
        yield start, len(text), first_line, equals, after


def _innermost(nested: Any) -> Keys:
    keys: Keys = ()
    while nested:
        nested = nested[0] if isinstance(nested, list) else nested
        if nested:
            ((key, nested),) = nested.items()
            keys = (*keys, key)
    return keys


def _numbered(header: Keys, lengths: dict[Keys, int], is_of_list: bool) -> Keys:
    """Return the keys of a header with the number of the table in each list, and count a new table of a list."""
    keys: Keys = ()
    for place, key in enumerate(header, 1):
        keys = (*keys, key)
        if place == len(header) and is_of_list:
            lengths[keys] = lengths.get(keys, 0) + 1
        if keys in lengths:
            keys = (*keys, str(lengths[keys]))
    return keys
