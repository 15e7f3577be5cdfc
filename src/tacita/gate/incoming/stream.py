"""A stream of records, one a line: JSON Lines, or CSV under a head. It is read as it arrives.

A record is complete when its line ends. What stands behind the last line end when the stream ends is a part of a
record, and is never decided on: a number that is cut off is another number.
"""

from __future__ import annotations

import csv
import json
import os
import select
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tacita.errors import InputError, did_you_mean, listed
from tacita.gate.answers import Row
from tacita.gate.policy.cells import cell_text, cells_of

_READ = 1 << 20
_PATIENCE = 0.2
"""Seconds after which somebody who asked to stop is heard, while nothing arrives."""
_LONGEST = 64 << 20
"""Bytes of a record."""


class RecordStream:
    """Reads a stream by its file descriptor. `is_cut_off` says afterwards whether it ended within a record."""

    def __init__(self, descriptor: int, attributes: Sequence[str], where: str = "standard input") -> None:
        self._descriptor, self._attributes, self._where = descriptor, tuple(attributes), where
        self._rest = b""
        self._head: list[str] | None = None
        self._places: list[int] = []
        self._is_json: bool | None = None
        self.is_cut_off = False

    def batches(self, most: int, stopped: Callable[[], bool] = lambda: False) -> Iterator[list[Row | None]]:
        """Yield what has arrived, at most so many records at a time, until the stream ends or somebody stops it."""
        while not stopped():
            data = self._read(stopped)
            if data is None:
                return
            if not data:
                self.is_cut_off = bool(self._rest.strip())
                return
            rows = self._records(data)
            for start in range(0, len(rows), most):
                yield rows[start : start + most]

    def _read(self, stopped: Callable[[], bool]) -> bytes | None:
        """Return what has arrived; nothing at the end, None if somebody stopped it."""
        while os.name == "posix" and not select.select([self._descriptor], [], [], _PATIENCE)[0]:
            if stopped():
                return None
        return os.read(self._descriptor, _READ)

    def _records(self, data: bytes) -> list[Row | None]:
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > _LONGEST:
            raise InputError("a record is longer than 64 MB", where=self._where, do="end each record with a line break")
        if self._is_json is None:
            self._is_json = self._look(lines)
        if self._is_json is None:
            return []
        return [self._of_json(line) for line in lines if line.strip()] if self._is_json else self._of_csv(lines)

    def _look(self, lines: list[bytes]) -> bool | None:
        """Return whether the records are JSON; None if nothing was said yet."""
        while lines and not lines[0].strip():
            del lines[0]
        if not lines:
            return None
        lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
        return lines[0].lstrip().startswith(b"{")

    def _of_json(self, line: bytes) -> Row | None:
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError):
            return None
        return cells_of(record, self._attributes)

    def _of_csv(self, lines: list[bytes]) -> list[Row | None]:
        rows: list[Row | None] = []
        waiting = b""
        for line in lines:
            waiting = waiting + b"\n" + line if waiting else line
            if waiting.count(b'"') % 2:
                continue  # a cell with a line break
            record, waiting = waiting, b""
            if not record.strip():
                continue
            cells = _cells(record)
            if self._head is None:
                self._take_head(cells)
            elif cells is None or len(cells) != len(self._head):
                rows.append(None)
            else:
                rows.append(tuple(cell_text(cells[place]) for place in self._places))
        if waiting:
            self._rest = waiting + b"\n" + self._rest
        return rows

    def _take_head(self, cells: list[str] | None) -> None:
        head = [name.strip() for name in cells or ()]
        if absent := [name for name in self._attributes if name not in head]:
            raise InputError(
                f"the first line names no attribute '{listed(absent)}'{did_you_mean(absent[0], head)}",
                where=self._where,
                do="send JSON Lines, or CSV with the names of the attributes in the first line",
            )
        self._head, self._places = head, [head.index(name) for name in self._attributes]


def _cells(record: bytes) -> list[str] | None:
    try:
        return next(csv.reader([record.decode().removesuffix("\r")], strict=True), [])
    except (UnicodeDecodeError, csv.Error):
        return None
