"""Records from files, from a folder that is watched, and from a table that is polled."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tacita.engines.context import Context
from tacita.errors import InputError, UsageError
from tacita.files.contract import ReadOptions
from tacita.files.formats import format_of, is_database
from tacita.files.read import read
from tacita.gate.answers import Row
from tacita.gate.policy.columns import text_rows

_UNFINISHED = (".partial", ".tmp", ".part")
_TICK = 0.1


@dataclass(frozen=True, slots=True)
class RecordSource:
    """A file, a folder or a database, and how it is read."""

    name: str
    options: ReadOptions
    follow: bool = False
    """Whether to wait for more: further files of a folder, further records of a table."""
    every: float = 2.0
    """Seconds between two looks."""

    def batches(
        self, attributes: Sequence[str], most: int, stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[list[Row | None]]:
        """Yield records, at most so many at a time."""
        if is_database(self.name):
            yield from self._polled(attributes, most, stopped)
        elif Path(self.name).is_dir():
            yield from self._watched(Path(self.name), attributes, most, stopped)
        elif self.follow:
            raise UsageError("only a folder, a database or standard input can be followed", do="leave out --follow")
        else:
            yield from _batches(self.name, self.options, attributes, most)

    def _polled(self, attributes: Sequence[str], most: int, stopped: Callable[[], bool]) -> Iterator[list[Row | None]]:
        seen: set[Row] = set()
        while not stopped():
            for batch in _batches(self.name, self.options, attributes, most):
                # what was read before is decided already, and would only be asked for again
                new = [row for row in batch if row not in seen]
                seen.update(row for row in new if row is not None)
                if new:
                    yield new
            if not self.follow:
                return
            self._wait(stopped)

    def _watched(
        self, folder: Path, attributes: Sequence[str], most: int, stopped: Callable[[], bool]
    ) -> Iterator[list[Row | None]]:
        """Yield the records of the files of a folder; of one that grows when it has stayed the same for two looks."""
        taken: set[tuple[str, int, int]] = set()
        before: set[tuple[str, int, int]] = set()
        while not stopped():
            now: set[tuple[str, int, int]] = set()
            for path in sorted(folder.iterdir()):
                if not path.is_file() or path.name.startswith(".") or path.suffix in _UNFINISHED:
                    continue
                status = path.stat()
                version = (path.name, status.st_size, status.st_mtime_ns)
                now.add(version)
                # a record that is cut off is another record: whoever follows has time to wait for the rest
                is_settled = not self.follow or version in before
                if is_settled and version not in taken and not stopped():
                    taken.add(version)
                    _check_format(path)
                    yield from _batches(str(path), self.options, attributes, most)
            if not self.follow:
                return
            before = now
            self._wait(stopped)

    def _wait(self, stopped: Callable[[], bool]) -> None:
        end = time.monotonic() + self.every
        while time.monotonic() < end and not stopped():
            time.sleep(min(_TICK, self.every))


def _check_format(path: Path) -> None:
    try:
        format_of(path)
    except InputError:
        raise InputError(
            "this file of the folder cannot be read: its ending names no known format",
            where=str(path),
            do="move it elsewhere; files that are being written begin with a dot or end in .partial",
        ) from None


def _batches(name: str, options: ReadOptions, attributes: Sequence[str], most: int) -> Iterator[list[Row | None]]:
    with Context() as context:
        microdata = read(name, context.engine, options, use_dictionary=False)
        rows = text_rows(microdata, attributes)
        while batch := list(itertools.islice(rows, most)):
            yield list[Row | None](batch)
