"""The formatter: one layout for all programs. Only blanks and line ends change; comments, labels, directions stay.

It knows where blanks stand, where a line may break, and how a long clause is filled into lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tacita.rules.logic.faults import refuse
from tacita.rules.syntax.lexer import Token
from tacita.rules.syntax.parser import SourceReading, read
from tacita.rules.syntax.words import ADDITIVE, MULTIPLICATIVE

WIDTH = 100
INDENT = 4
_DEEPEST_INDENT = 4 * INDENT

_ENDS_VALUE = frozenset(
    ("variable", "name", "text", "number", "parameter", "_", "true", "false", "null", "quoted", ")", "]", "}")
)
_CALLED = frozenset(("variable", "name", "quoted", "external", "annotation", "is", "null", "subset", "of"))
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_OPERATORS = ADDITIVE | MULTIPLICATIVE


@dataclass(frozen=True, slots=True)
class Word:
    """A token as it is printed."""

    text: str
    row: int
    column: int
    """Where it stood in the text, for the comments around it."""
    is_spaced: bool = True
    """Whether a blank stands before it."""
    level: int | None = None
    """Whether the line may break before it: 0 between items, more inside of them, nothing for never."""


def words(reading: SourceReading, start: int, end: int) -> list[Word]:
    """Return the tokens of a clause as words; its label and an arrow ``<-`` are one word each."""
    lexed, laid_out = reading.lexed, list[Word]()
    state = _State()
    at = start
    while at < end:
        after = at + 1
        kind, text = lexed.kinds[at], lexed.texts[at]
        if at in reading.labels:
            after, label = reading.labels[at]
            kind, text = "label", f"[{label}]"
        elif at in reading.back_arrows:
            after = at + 2
            kind, text = ":-", "<-"
        following = lexed.kinds[after] if after < end else "end"
        is_spaced, level = state.before(kind, following)
        laid_out.append(Word(text, lexed.rows[at], lexed.columns[at], is_spaced, level))
        at = after
    return laid_out


class _State:
    """What the words so far say about the blanks and breaks before the next one."""

    def __init__(self) -> None:
        self.last = "start"
        self.open: list[str] = []
        self.is_prefix = False
        """Whether the last sign belongs to what follows it: a minus, the star of a record, an opening ``<``."""

    def before(self, kind: str, following: str) -> tuple[bool, int | None]:
        """Return whether a blank stands before a token and at which level the line may break there."""
        last = self.last
        if following == "=" and last in ("(", ","):
            kind = "name"  # the key of an annotation may be any word
        elif kind == "of" and last == "subset":
            kind = "subset of"
        is_contributor = kind == "<" and last in ("(", ",") and "<" not in self.open
        closes_contributors = kind == ">" and self.open[-1:] == ["<"]
        is_closing = kind in _CLOSING or closes_contributors
        is_postfix = kind == "[" and last in _ENDS_VALUE
        is_pack = kind == "*" and last == "variable" and following in (",", ")")
        is_call = kind == "(" and last in _CALLED
        if is_closing and self.open:
            self.open.pop()
        is_glued = self.is_prefix or last in _OPENING or last == "start" or kind in (",", ".", ":")
        is_spaced = not (is_glued or is_closing or is_postfix or is_pack or is_call)
        level = self._level(kind) if is_spaced else None
        if (kind == "then" and self.open[-1:] == ["case"]) or kind == "else":
            # The conditions of a case end with its `then`; its first branch ends with `else`.
            self.open.pop()
            if kind == "then":
                self.open.append("then")
        elif kind == ":" and self.open[-1:] == ["exists"]:
            self.open.pop()
        elif kind in _OPENING or is_contributor or kind in ("case", "exists"):
            self.open.append(kind)
        is_unary = kind == "-" and last not in _ENDS_VALUE
        self.is_prefix = is_contributor or is_unary or (kind == "*" and last in ("(", ","))
        self.last = "contributors" if closes_contributors else kind
        return is_spaced, level

    def _level(self, kind: str) -> int | None:
        depth = 2 * len(self.open)
        if self.last in (",", ":-") or kind in ("->", "and", "then", "else"):
            return depth
        if kind in _OPERATORS and self.last in _ENDS_VALUE:
            return depth + 1
        return None


def filled(parts: Sequence[Word], indent: int = 0) -> list[str]:
    """Return words as lines of a sensible width; whatever does not fit on the first goes on indented.

    >>> from tacita.rules.syntax.parser import read
    >>> filled(words(read("A(X)->B( X )."), 0, 10))
    ['A(X) -> B(X).']
    """
    lines = [" " * indent]
    _fill(lines, parts, 0)
    return lines


def _fill(lines: list[str], parts: Sequence[Word], indent: int) -> None:
    """Put words behind the last line and on lines after it; break at the outermost places first."""
    text = _joined(parts)
    is_fresh = not lines[-1].strip()
    blank = "" if is_fresh or not parts[0].is_spaced else " "
    if len(lines[-1]) + len(blank) + len(text) <= WIDTH:
        lines[-1] += blank + text
        return
    if not is_fresh and parts[0].level is not None:
        lines.append(" " * indent)
        blank = ""
    levels = [word.level for word in parts[1:] if word.level is not None]
    if len(lines[-1]) + len(text) <= WIDTH or not levels:
        lines[-1] += blank + text
        return
    for group in _groups(parts, min(levels)):
        _fill(lines, group, min(indent + INDENT, _DEEPEST_INDENT))


def _groups(parts: Sequence[Word], level: int) -> Iterator[Sequence[Word]]:
    """Yield the words between the places at which the line may break at that level."""
    start = 0
    for at in range(1, len(parts)):
        if parts[at].level == level:
            yield parts[start:at]
            start = at
    yield parts[start:]


def _joined(parts: Sequence[Word]) -> str:
    return "".join(f" {word.text}" if word.is_spaced and at else word.text for at, word in enumerate(parts))


def formatted(text: str, source: str = "program") -> str:
    r"""Return a program laid out anew: a clause to a line, long ones wrapped at 100 columns.

    A text with faults is refused with `RuleError`: what cannot be read could be lost.

    >>> print(formatted("A(X),  % why\n\n  X>1->B( X ).").replace("\n", "|"))
    A(X),  % why|    X > 1 -> B(X).|
    """
    reading = read(text, source)
    refuse(reading.parsed.faults, {source: text})
    return _Formatter(reading).text()


class _Formatter:
    """The lines so far, and the comments that are still to come."""

    def __init__(self, reading: SourceReading) -> None:
        self.reading = reading
        self.lines: list[str] = []
        self.comments = reading.lexed.comments
        self.next_comment = 0
        self.row = 0
        """The row of the text that has been reached."""

    def text(self) -> str:
        """Return the whole program."""
        for start, end in self.reading.ends:
            row, column = self.reading.lexed.rows[start], self.reading.lexed.columns[start]
            self.around(row, column)
            self.keep_gap(row)
            self.clause(words(self.reading, start, end))
        self.around(len(self.reading.lexed.lines) + 1, 0)
        return "".join(f"{line}\n" for line in self.lines)

    def comments_before(self, row: int, column: int) -> Iterator[Token]:
        """Yield the comments that come before a place."""
        while self.next_comment < len(self.comments):
            comment = self.comments[self.next_comment]
            if (comment.line, comment.column) > (row, column):
                return
            self.next_comment += 1
            yield comment

    def keep_gap(self, row: int) -> None:
        """Keep a gap between clauses, of one line."""
        if self.lines and row > self.row + 1:
            self.lines.append("")
        self.row = row

    def around(self, row: int, column: int) -> None:
        """Add the comments between two clauses, the one behind the last clause included."""
        for comment in self.comments_before(row, column):
            if self.lines and comment.line == self.row:
                self.lines[-1] += f"  {comment.text}"
            else:
                self.keep_gap(comment.line)
                self.lines.append(comment.text)

    def clause(self, parts: list[Word]) -> None:
        """Add a clause: each annotation on a line of its own, then the rest."""
        for paragraph in _paragraphs(parts):
            indent = 0
            segment: list[Word] = []
            for word in paragraph:
                for comment in self.comments_before(word.row, word.column):
                    if segment:
                        self.lines += filled(segment, indent)
                        segment = []
                    if comment.line == self.row:
                        self.lines[-1] += f"  {comment.text}"
                    else:
                        self.lines.append(" " * (INDENT if word is not paragraph[0] else 0) + comment.text)
                    indent = INDENT if word is not paragraph[0] else 0
                segment.append(word)
                self.row = word.row
            self.lines += filled(segment, indent)


def _paragraphs(parts: list[Word]) -> Iterator[list[Word]]:
    """Yield each annotation of a clause, and the rest of it; a period alone belongs to the annotation before it."""
    start = depth = 0
    for at, word in enumerate(parts):
        if word.text in ("(", ")"):
            depth += 1 if word.text == "(" else -1
        is_annotation = parts[start].text.startswith("@")
        if is_annotation and not depth and word.text == ")" and parts[at + 1].text != ".":
            yield parts[start : at + 1]
            start = at + 1
    yield parts[start:]
