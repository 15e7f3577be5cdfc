"""From text to tokens. Nothing is refused here: what cannot be read becomes a token of kind ``fault`` and a fault."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import NamedTuple

from tacita.rules.logic.faults import Fault, Origin
from tacita.rules.syntax.faults import MOST_FAULTS, fault
from tacita.rules.syntax.literals import text_value
from tacita.rules.syntax.words import HABITS, KEYWORDS


class Token(NamedTuple):
    """A word or sign on one line; lines and columns count from 1.

    `kind` is the sign or keyword itself, or one of ``variable``, ``name`` (a word that is no variable), ``quoted`` (a
    name in quotes), ``external``, ``parameter``, ``annotation``, ``text``, ``number``, ``comment``, ``or``, ``fault``
    (what cannot be read) and ``end``.
    """

    kind: str
    text: str
    line: int
    column: int

    @property
    def end_column(self) -> int:
        """The column behind the last character."""
        return self.column + len(self.text)

    def origin(self, source: str) -> Origin:
        """Return the place of the token."""
        return Origin(source, self.line, self.column, self.line, self.column + len(self.text))


@dataclass(frozen=True, slots=True)
class Lexed:
    """The tokens of a text, its comments apart, its lines, and what is wrong so far.

    A text of a million characters has tokens by the hundred thousand: they are kept as columns, not as objects.
    """

    kinds: list[str]
    texts: list[str]
    rows: list[int]
    columns: list[int]
    lines: list[str]
    comments: list[Token] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def token(self, place: int) -> Token:
        """Return a token."""
        return Token(self.kinds[place], self.texts[place], self.rows[place], self.columns[place])

    @property
    def is_full(self) -> bool:
        """Whether there are so many faults that more would not be listed."""
        return len(self.faults) > MOST_FAULTS

    def add(self, token: Token) -> None:
        """Add a token."""
        self.kinds.append(token.kind)
        self.texts.append(token.text)
        self.rows.append(token.line)
        self.columns.append(token.column)


_SIGNS = ("->", ":-", ":=", "==", "!=", "<>", "<=", ">=", *"=<>~+-*/()[]{},.:")
# `<-` is two signs, because `X<-1` compares: the parser knows which is meant.
# A sign of another language wins over the shorter signs that it begins with: `=>` over `=`.
_LONG_FIRST = sorted((*HABITS, *_SIGNS), key=len, reverse=True)
_SIGN = "|".join(re.escape(sign) for sign in _LONG_FIRST)
_TOKEN = re.compile(
    rf"""
      (?P<word>[^\W\d]\w*'*)
    | (?P<sign>(?!//|/\*|\.[0-9])(?:{_SIGN}))
    | (?P<number>(?>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?!\w) | \.?[0-9][\w.]*(?<!\.))
    | (?P<text>"(?:[^"\\]|\\.)*+")
    | (?P<quoted>'(?:[^']|'')*+')
    | (?P<comment>%.*)
    | (?P<parameter>\$[^\W\d]\w*)
    | (?P<external>\#(?:[^\W\d]\w*|'(?:[^']|'')*+'))
    | (?P<annotation>@[^\W\d]\w*)
    | (?P<curly>[“”„«»][^"“”„«»]*[“”„«»"]|"[^"“”„«»\\]*[“”]|[‘‚][^‘’']*[’'])
    | (?P<foreign_comment>//.*|/\*.*|\#(?!\w|').*)
    | (?P<open_text>".*)
    | (?P<open_name>\#?'.*)
    | (?P<bad>\S)""",
    re.VERBOSE,
)
# The same without names, and with the blanks before each token: much faster, and most tokens have been met before.
_ANY_TOKEN = re.compile(r"(\s*)(" + re.sub(r"[(][?]P<\w+>", "(?:", _TOKEN.pattern) + ")", re.VERBOSE)
_UNPROBLEMATIC = frozenset(("variable", "name", "number", "quoted", "parameter", "external", "annotation"))
_KINDS: dict[str, str] = {"_": "_"} | {word: word for word in (*KEYWORDS, *_SIGNS)}


def lexed(text: str, source: str = "program") -> Lexed:
    """Return the tokens of a text; three tokens of kind ``end`` close it, so that one may always look ahead.

    >>> lexed('Own(X, "b") -> Risky(X).  % why').texts[:-3]
    ['Own', '(', 'X', ',', '"b"', ')', '->', 'Risky', '(', 'X', ')', '.']
    """
    lines = text.splitlines()
    if text.startswith("\ufeff"):  # the mark that some editors put in front of a file
        lines[0] = " " + lines[0][1:]
    result = Lexed([], [], [], [], lines)
    add_kind, add_text = result.kinds.append, result.texts.append
    add_row, add_column = result.rows.append, result.columns.append
    known = _KINDS.copy()
    for row, line in enumerate(lines, 1):
        if result.is_full:
            break
        column = 1
        # Blanks at the end are taken off: behind all others a token follows, so that no stretch is scanned twice.
        for blanks, written in _ANY_TOKEN.findall(line.rstrip()):
            column += len(blanks)
            kind = known.get(written)
            if kind is None:
                kind = _kind_of(written)
                if kind in _UNPROBLEMATIC:
                    known[written] = kind
                else:
                    _add_other(result, Token(kind, written, row, column), source)
                    column += len(written)
                    if result.is_full:
                        break
                    continue
            add_kind(kind)
            add_text(written)
            add_row(row)
            add_column(column)
            column += len(written)
    last, width = (len(lines), len(lines[-1])) if lines else (1, 0)
    for _ in range(3):
        result.add(Token("end", "", last, width + 1))
    return result


def _kind_of(written: str) -> str:
    match = _TOKEN.match(written)
    kind = match.lastgroup if match else None
    if kind == "word":
        return "variable" if written[0] == "_" or written[0].isupper() else "name"
    return kind or "bad"


def _add_other(result: Lexed, token: Token, source: str) -> None:
    """Add a token that may have a fault, or is none."""
    kind, written = token.kind, token.text
    if kind == "comment":
        result.comments.append(token)
        return
    if kind == "sign":
        _add_habit(result, token, source)
        return
    if kind == "foreign_comment":
        mark = token._replace(text=written[: 1 if written[0] == "#" else 2])
        do = "write %, which begins a comment up to the end of the line"
        result.faults.append(fault("R106", mark.origin(source), f"'{mark.text}' does not begin a comment", do))
        return
    if kind == "text":
        if "\\" in written:
            text_value(written, lambda at, escape: _wrong_escape(result, token, at, escape, source))
    elif kind == "curly":
        message = f"{written[0]}...{written[-1]} are not the quotes of a text"
        result.faults.append(fault("R108", token.origin(source), message, f'write "{written[1:-1]}"'))
        token = token._replace(kind="text")
    elif kind in ("open_text", "open_name"):
        what, mark_, code = ("text", '"', "R102") if kind == "open_text" else ("name", "'", "R103")
        message = f"the {what} that begins here does not end on this line"
        result.faults.append(fault(code, token.origin(source), message, f"close it with {mark_}"))
        token = token._replace(kind="fault")
    elif kind == "bad":
        message = f"{_named(written)} has no meaning here"
        result.faults.append(fault("R101", token.origin(source), message, _advice(written)))
        token = token._replace(kind="fault")
    result.add(token)


def _add_habit(result: Lexed, token: Token, source: str) -> None:
    kinds, write = HABITS[token.text]
    if write:
        result.faults.append(
            fault("R106", token.origin(source), f"'{token.text}' is not a sign of this language", write)
        )
    for kind in kinds:
        result.add(token._replace(kind=kind))


def _wrong_escape(result: Lexed, token: Token, at: int, escape: str, source: str) -> None:
    place = Token("fault", escape, token.line, token.column + at).origin(source)
    result.faults.append(
        fault(
            "R104",
            place,
            f"{escape} stands for nothing in a text",
            r"write \" \\ \n \t or \u{1F600}; a backslash itself is \\",
        )
    )


def _named(character: str) -> str:
    if character.isprintable():
        return f"the character '{character}'"
    return f"the invisible character U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def _advice(character: str) -> str:
    if character == "$":
        return "a parameter is written as $ and its name: $k"
    if character == "@":
        return 'an annotation is written as @ and its name: @output("Control")'
    if character.isprintable():
        return "leave it out; in the name of a predicate, put the whole name in single quotes"
    return "leave it out"
