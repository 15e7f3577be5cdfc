"""Places in a text, counted as editors count them and as we do.

Editors count lines and characters from 0, characters in units of an encoding (UTF-16 unless agreed otherwise), and end
lines at CR and LF only. We count from 1, in characters, and end lines wherever Python does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\n|\r")


class CursorPlace(NamedTuple):
    """A line and a column, as we count them: from 1."""

    line: int
    column: int


class TextLines:
    """The lines of a text in both ways of counting."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._encoding = encoding
        self._theirs = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._ours = [0]
        for line in text.splitlines(keepends=True):
            if line.splitlines()[0] != line:  # what ends no line begins none
                self._ours.append(self._ours[-1] + len(line))

    def place(self, line: int, character: int) -> CursorPlace:
        """Return our place for that of an editor; one that is outside the text becomes the nearest inside.

        >>> TextLines("a😀b").place(0, 3)
        CursorPlace(line=1, column=3)
        """
        return self._place(self.offset(line, character))

    def offset(self, line: int, character: int) -> int:
        """Return the number of characters before an editor's place."""
        if line >= len(self._theirs):
            return len(self.text)
        start = self._theirs[max(0, line)]
        end = self._theirs[line + 1] if line + 1 < len(self._theirs) else len(self.text)
        content = self.text[start:end].rstrip("\r\n")
        units = 0
        for at, one in enumerate(content):
            if units >= character:
                return start + at
            units += self._units(one)
        return start + len(content)

    def theirs(self, line: int, column: int) -> tuple[int, int]:
        """Return an editor's place for ours.

        >>> TextLines("a😀b").theirs(1, 3)
        (0, 3)
        """
        offset = self.offset_of(line, column)
        number = bisect_right(self._theirs, offset) - 1
        return number, sum(self._units(one) for one in self.text[self._theirs[number] : offset])

    def offset_of(self, line: int, column: int) -> int:
        """Return the number of characters before our place."""
        if line < 1:
            return 0
        if line > len(self._ours):
            return len(self.text)
        start = self._ours[line - 1]
        end = self._ours[line] if line < len(self._ours) else len(self.text)
        return min(start + max(0, column - 1), end)

    def _place(self, offset: int) -> CursorPlace:
        line = bisect_right(self._ours, offset) - 1
        return CursorPlace(line + 1, offset - self._ours[line] + 1)

    def _units(self, one: str) -> int:
        if self._encoding == "utf-32":
            return 1
        return len(one.encode("utf-8")) if self._encoding == "utf-8" else 1 + (ord(one) > 0xFFFF)
