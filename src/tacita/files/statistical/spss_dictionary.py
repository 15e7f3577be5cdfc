"""A look at the dictionary of an SPSS file before C code does: damage there ends the whole process otherwise.

ReadStat trusts two things of value labels: that they point to a variable, and that the values they label are text in
the file's encoding. Neither holds in a damaged file, nor the second in a file that names the wrong encoding.
The layout is that of the PSPP developer's guide, "System File Format".
"""

from __future__ import annotations

import codecs
import mmap
import struct
from dataclasses import dataclass, field
from pathlib import Path

from tacita.errors import InputError

_HEADER = 176
_LONGEST_TEXT = 255
_CODE_PAGES = {2: "ascii", 3: "ascii", 65000: "utf-7", 65001: "utf-8", 932: "cp932", 936: "gbk", 28591: "latin1"}


def check(path: Path, encoding: str | None) -> None:
    """Raise if the dictionary is damaged, or its labels are not in the encoding that it names (or the user)."""
    with path.open("rb") as file:
        data = file.read(_HEADER)
        if len(data) < _HEADER or not data.startswith(b"$FL"):
            return  # not for us to say
        order = "<" if data[64:68] in {b"\2\0\0\0", b"\3\0\0\0"} else ">"
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            walk = _Walk(path, content, order)
            try:
                walk.through()
            except (struct.error, IndexError):
                raise InputError(
                    "ends too early: it is cut off", where=str(path), do="fetch or export it again"
                ) from None
            walk.check_texts(encoding)


@dataclass(slots=True)
class _Walk:
    path: Path
    data: mmap.mmap
    order: str
    at: int = _HEADER
    widths: list[int] = field(default_factory=list)
    """Of each slot of eight bytes: 0 for a number, the length of a text, -1 for the rest of a text."""
    texts: list[bytes] = field(default_factory=list)
    named: str = ""
    page: int = 0

    def through(self) -> None:
        """Go through the records up to the data."""
        labels: list[bytes] = []
        while (kind := self._number()) != 999:
            if kind == 2:
                self._variable()
            elif kind == 3:
                labels = [self._label() for _ in range(self._count())]
            elif kind == 4:
                self._uses(labels)
            elif kind == 6:
                self._skip(80 * self._count())
            elif kind == 7:
                self._extension()
            else:
                raise self._damaged("it has a record of an unknown kind")
        self._check_continuations()

    def check_texts(self, encoding: str | None) -> None:
        """Raise if the values that have labels are not text of the encoding."""
        name = encoding or self.named or _CODE_PAGES.get(self.page, f"cp{self.page}" if self.page else "")
        try:
            decode = codecs.lookup(name).decode
        except LookupError:
            return
        try:
            for text in self.texts:
                decode(text.rstrip(b" \0"))
        except UnicodeError:
            of = f"'{encoding}'" if encoding else f"the encoding that it names ({name})"
            raise InputError(
                f"its value labels are not in {of}",
                where=str(self.path),
                do="say how its text is encoded, for example --encoding cp1252",
            ) from None

    def _variable(self) -> None:
        width, has_label, missing = self._number(), self._number(), self._number()
        self._skip(16)
        if not -1 <= width <= _LONGEST_TEXT or not -3 <= missing <= 3 or has_label not in {0, 1}:
            raise self._damaged("a column is described in a way that makes no sense")
        self.widths.append(width)
        if has_label:
            self._skip(-(-self._count() // 4) * 4)
        self._skip(8 * abs(missing))

    def _label(self) -> bytes:
        value = self._skip(8)
        length = self._skip(1)[0]
        self._skip(-(-(length + 1) // 8) * 8 - 1)
        return value

    def _uses(self, labels: list[bytes]) -> None:
        for _ in range(self._count()):
            place = self._count()
            if not 1 <= place <= len(self.widths) or self.widths[place - 1] < 0:
                raise self._damaged("value labels point to a column that it does not have")
            if self.widths[place - 1]:
                self.texts += labels

    def _extension(self) -> None:
        kind, size, count = self._number(), self._count(), self._count()
        content = self._skip(size * count)
        if kind == 20:
            self.named = content.decode("ascii", "replace").strip("\0 ")
        elif kind == 3 and len(content) >= 32:
            self.page = struct.unpack(f"{self.order}8i", content[:32])[7]

    def _check_continuations(self) -> None:
        slots = iter(self.widths)
        for width in slots:
            rest = [next(slots, 0) for _ in range(-(-width // 8) - 1)]
            if width < 0 or any(slot != -1 for slot in rest):
                raise self._damaged("a column of text does not have the length that it should have")

    def _number(self) -> int:
        (number,) = struct.unpack_from(f"{self.order}i", self.data, self.at)
        self.at += 4
        return int(number)

    def _count(self) -> int:
        number = self._number()
        if number < 0:
            raise self._damaged("a length in it is negative")
        return number

    def _skip(self, length: int) -> bytes:
        content = self.data[self.at : self.at + length]
        if len(content) < length:
            raise IndexError
        self.at += length
        return content

    def _damaged(self, how: str) -> InputError:
        return InputError(f"is damaged: {how}", where=str(self.path), do="fetch or export it again")
