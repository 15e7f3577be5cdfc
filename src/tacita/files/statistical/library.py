"""pyreadstat, and nothing else: rows in by chunks, rows out one by one, its errors in our words.

Its front functions want pandas or polars for writing, know no tagged missings of SAS transport files, and hold a whole
file in memory. The two functions behind them have none of these limits, so they are called directly; the tests compare
every kind of file with what the front functions say.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyreadstat._readstat_parser import PyreadstatError, ReadstatError, parser_entry_point
from pyreadstat._readstat_writer import writer_entry_point

from tacita.errors import InputError, OutputError
from tacita.files.statistical import spss_dictionary
from tacita.files.statistical.frame import Frame
from tacita.files.statistical.packages import FileKind, Package

# Cells that are Python objects at one time: some 100 MB.
_CELLS_AT_ONCE = 2_000_000
_ROWS_AT_ONCE = 200_000

_MAGIC = (
    (b"$FL", "an SPSS file", ".sav"),
    (b"<stata_dta>", "a Stata file", ".dta"),
    (b"HEADER RECORD*******LIB", "a SAS transport file", ".xpt"),
    (b"\0" * 12 + b"\xc2\xea\x81\x60", "a SAS file", ".sas7bdat"),
    (b"PK\x03\x04", "a zip archive or a workbook", ".xlsx"),
    (b"PAR1", "a Parquet file", ".parquet"),
    (b"ARROW1", "an Arrow file", ".arrow"),
    (b"\x1f\x8b", "compressed with gzip", ""),
)


def metadata(path: Path, kind: FileKind, encoding: str | None) -> Any:
    """Return what the file says of itself and its columns."""
    _check_start(path, kind)
    if kind.package is Package.SPSS:
        spss_dictionary.check(path, encoding)
    return _parsed(path, kind, encoding, metadataonly=True)[1]


def chunks(
    path: Path, kind: FileKind, encoding: str | None, columns: int
) -> Iterator[tuple[Mapping[str, list[Any]], Any]]:
    """Yield the rows, a chunk at a time: a list of Python values by column, and the metadata of the chunk."""
    rows = min(_ROWS_AT_ONCE, max(1_000, _CELLS_AT_ONCE // max(columns, 1)))
    done = 0
    while True:
        values, metadata = _parsed(path, kind, encoding, row_offset=done, row_limit=rows)
        height = len(next(iter(values.values()), ()))
        if height:
            yield values, metadata
        done += height
        if height < rows:
            return


def write_rows(frame: Frame, path: Path, kind: FileKind, **details: Any) -> None:
    """Write the rows of a frame as a file of a statistical package."""
    try:
        writer_entry_point(frame, str(path), writer_format=kind.writer, **details)
    except (ReadstatError, PyreadstatError) as error:
        if "Unable to write" in str(error) or "Could not open" in str(error):
            raise _not_written(path) from None
        # Texts of ReadStat are fixed sentences; those of pyreadstat may quote a label or a name, never a cell.
        raise OutputError(
            f"{kind.package} files cannot hold this ({str(error)[:1].lower()}{str(error)[1:]})",
            do="write another format, or change the columns that it names",
        ) from None
    try:
        without_time(path, kind.package)
    except OSError:
        raise _not_written(path) from None
    _check_end(frame, path, kind)


def _check_end(frame: Frame, path: Path, kind: FileKind) -> None:
    """Raise if the file does not end as it should: ReadStat does not notice that a disk is full."""
    height = len(frame)
    try:
        values, _ = _parsed(path, kind, None, row_offset=max(height - 1, 0), row_limit=1)
    except InputError:
        raise _not_written(path) from None
    last = [cell for cells in values.values() for cell in cells]
    if len(last) != len(frame.last) or not all(map(_is_same, last, frame.last)):
        raise _not_written(path)


def _is_same(cell: Any, written: Any) -> bool:
    if isinstance(cell, str) or isinstance(written, str):
        return str(cell or "").rstrip(" ") == str(written or "").rstrip(" ")
    # Numbers next to zero are zero in a transport file, which is told before.
    return cell == written or (None not in {cell, written} and abs(cell - written) < 1e-78)


def _not_written(path: Path) -> OutputError:
    return OutputError(
        "cannot be written: the disk is full or the folder does not allow it",
        where=str(path.parent),
        do="free some space, or write elsewhere",
    )


def _parsed(path: Path, kind: FileKind, encoding: str | None, **how: Any) -> tuple[Mapping[str, list[Any]], Any]:
    with warnings.catch_warnings(), _in_our_words(path, kind, encoding):
        warnings.simplefilter("error")
        values, metadata = parser_entry_point(
            str(path),
            parser_format=kind.parser,
            encoding=encoding,
            user_missing=True,
            disable_datetime_conversion=True,
            output_format="dict",
            **how,
        )
    return values, metadata


@contextlib.contextmanager
def _in_our_words(path: Path, kind: FileKind, encoding: str | None) -> Iterator[None]:
    where = str(path)
    try:
        yield
    except UserWarning:
        raise InputError("two columns have the same name", where=where, do="rename one of them at the source") from None
    except UnicodeError:
        raise InputError("its text is not in the encoding that it names", where=where, do=_TRY_ENCODING) from None
    except (ReadstatError, PyreadstatError) as error:
        problem, do = _said(str(error), kind, encoding)
        raise InputError(problem, where=where, do=do) from None
    except (OverflowError, ValueError, MemoryError) as error:
        raise InputError(
            f"is damaged: its header makes no sense ({type(error).__name__})", where=where, do=_AGAIN
        ) from None


_TRY_ENCODING = "say how its text is encoded, for example --encoding cp1252"
_AGAIN = "fetch or export it again"


def _said(text: str, kind: FileKind, encoding: str | None) -> tuple[str, str]:
    if "convert string" in text:
        of = f"'{encoding}'" if encoding else "the encoding that it names"
        return f"its text is not in {of}", _TRY_ENCODING
    if "character set" in text:
        if encoding:
            return f"no encoding '{encoding}' is known", "use a name such as utf-8, cp1252 or latin1"
        return "its encoding is not known here", _TRY_ENCODING
    if "Unable to read" in text or "seek" in text:
        return "ends too early: it is cut off", _AGAIN
    if "number of rows" in text or "expected length" in text:
        return "has fewer rows than its header says: it is cut off", _AGAIN
    if "version" in text:
        return f"is not a file of {kind.package}, or of a version that is not known here", _AGAIN
    if "compression" in text:
        return (
            "is compressed in a way that is not known here",
            f"save it without compression in {kind.package}",
        )
    if "allocate" in text:
        return "needs more memory than there is, or its header is damaged", _AGAIN
    return f"is damaged, or is not a file of {kind.package}", _AGAIN


def _check_start(path: Path, kind: FileKind) -> None:
    """Raise for what the first bytes alone tell: an empty file, a file of another kind."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path), do="check the path") from None
    if not size:
        raise InputError("is empty", where=str(path), do=_AGAIN)
    own = {Package.STATA: ".dta", Package.SPSS: ".sav"}.get(kind.package, f".{kind.parser}".replace(".xport", ".xpt"))
    for magic, what, ending in _MAGIC:
        if start.startswith(magic) and ending != own:
            do = f"give it the ending {ending}" if ending else "unpack it first"
            raise InputError(f"is {what}, not one of {kind.package}", where=str(path), do=do)
    if kind.parser == "xport" and size % 80 and start.startswith(b"HEADER"):
        raise InputError(
            "ends too early: it is cut off (transport files have records of 80 bytes)",
            where=str(path),
            do=_AGAIN,
        )


_HEADER = 4096
"""Bytes within which every header has its times."""
_RECORD = 80
_TIME_OF_SAS = re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d")
_SPSS_AT, _SPSS_THEN = 92, b"01 Jan 0000:00:00"
_STATA_END, _STATA_THEN = b"</timestamp></header>", b" 1 Jan 2000 00:00"
_SAS_THEN = b"01JAN00:00:00:00"


def without_time(path: Path, package: Package) -> None:
    """Let the header of a file say the first second of 2000."""
    with path.open("r+b") as file:
        header = file.read(_HEADER)
        for place, then in _times(header, package):
            file.seek(place)
            file.write(then)


def _times(header: bytes, package: Package) -> list[tuple[int, bytes]]:
    """Return where the times stand, and what to write there; nothing in a file that a full disk cut off."""
    if package is Package.SPSS:
        return [(_SPSS_AT, _SPSS_THEN)] if len(header) >= _SPSS_AT + len(_SPSS_THEN) else []
    if package is Package.STATA:
        end = header.find(_STATA_END)
        return [(end - len(_STATA_THEN), _STATA_THEN)] if end >= 0 else []
    # A time is the first or the last word of a record of 80 bytes; a label in between may look like one.
    starts = [place for record in range(0, 8 * _RECORD, _RECORD) for place in (record, record + _RECORD - 16)]
    return [(place, _SAS_THEN) for place in starts if _TIME_OF_SAS.match(header, place)]
