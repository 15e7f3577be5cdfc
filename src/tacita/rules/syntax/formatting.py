"""The formatter: one layout for all programs. Only blanks and line ends change; comments, labels, directions stay."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.rules.logic.faults import refuse
from tacita.rules.syntax.layout import INDENT, Word, filled, words
from tacita.rules.syntax.lexer import Token
from tacita.rules.syntax.parser import Reading, read


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

    def __init__(self, reading: Reading) -> None:
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
