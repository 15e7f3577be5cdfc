"""How a text file is laid out: encoding, delimiter, quotes, header. Found from its beginning, or told."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import InputError, faults_text, listed
from tacita.files.contract import ReadOptions

_SAMPLE_BYTES = 1 << 20
_SAMPLE_LINES = 500
_DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_MAGIC = {
    b"PK\x03\x04": "a ZIP archive or an Excel workbook",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip archive",
    b"%PDF": "a PDF document",
    b"$FL2": "an SPSS file",
    b"ARROW1": "an Arrow file",
    b"<stata_dta>": "a Stata file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"SQLite format 3": "an SQLite database",
    b"\x28\xb5\x2f\xfd": "a Zstandard archive",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text file is laid out, and its column names."""

    names: tuple[str, ...]
    delimiter: str
    quote: str
    encoding: str
    header: bool
    rows: tuple[tuple[str, ...], ...]
    """The first rows, to find types in."""

    @property
    def details(self) -> tuple[tuple[str, str], ...]:
        """What was found, for the person who brought the file."""
        return (
            ("delimiter", _NAMES.get(self.delimiter, self.delimiter)),
            ("quote", {'"': "double", "'": "single", "": "none"}.get(self.quote, self.quote)),
            ("encoding", self.encoding),
            ("header", "first line" if self.header else "none"),
        )


def character(name: str | None) -> str | None:
    """Return the delimiter of that name, as `Layout.details` gives it.

    >>> character("semicolon")
    ';'
    """
    return {word: char for char, word in _NAMES.items()}.get(name or "", name)


def find_layout(path: Path, options: ReadOptions, default_delimiter: str | None = None) -> Layout:
    """Return the layout of a file; what the options say is taken as it is."""
    raw, whole = _beginning(path)
    where = str(path)
    if not raw.strip():
        raise InputError("the file is empty", where=where, do="check that it was written completely")
    encoding = options.encoding or _encoding(raw, where)
    text = _decoded(raw, encoding, where, whole=whole)
    delimiter = options.delimiter or default_delimiter
    quote = options.quote if options.quote is not None else _quote(text)
    delimiter = delimiter or _delimiter(text, quote)
    rows = _rows(text, delimiter, quote, whole=whole)
    if not rows:
        raise InputError("no header was found in the first lines", where=where, do="check the file's beginning")
    names = _header(rows[0], where) if options.header else tuple(f"column{i}" for i in range(1, len(rows[0]) + 1))
    body = rows[1:] if options.header else rows
    if not body and whole:
        raise InputError("the file has a header and no rows", where=where, do="check that it was written completely")
    return Layout(names, delimiter, quote, encoding, options.header, tuple(tuple(row) for row in body))


def _beginning(path: Path) -> tuple[bytes, bool]:
    """Return the first bytes of a file, and whether that is all of it."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            raw = file.read(_SAMPLE_BYTES)
            return raw, len(raw) < _SAMPLE_BYTES or not file.read(1)
    except (gzip.BadGzipFile, EOFError):
        raise InputError(
            "is not a gzip archive, or a damaged one", where=str(path), do="check how it was made"
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path), do="check the file's rights") from None


def _encoding(raw: bytes, where: str) -> str:
    for magic, what in _MAGIC.items():
        if raw.startswith(magic):
            raise InputError(f"looks like {what}, not like text", where=where, do="give the file its proper ending")
    for bom, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if raw.startswith(bom):
            return name
    if b"\x00" in raw:
        if raw[1::2].count(0) > 0.4 * len(raw) / 2:
            return "utf-16-le"
        raise InputError(
            "holds binary data, not text",
            where=where,
            do="give the file its proper ending, or export it as text",
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(raw)
    except UnicodeDecodeError:
        return _western(raw, where)
    return "utf-8"


def _western(raw: bytes, where: str) -> str:
    """Return the likely encoding of text that is not UTF-8; Windows' Western one is by far the most usual."""
    controls = sum(byte < 32 and byte not in b"\t\n\r\f" for byte in raw[:65536])
    if controls > 0.01 * min(len(raw), 65536):
        raise InputError(
            "holds binary data, not text", where=where, do="give the file its proper ending, or export it as text"
        )
    try:
        raw.decode("cp1252")
    except UnicodeDecodeError:
        pass
    else:
        return "cp1252"
    import charset_normalizer

    best = charset_normalizer.from_bytes(raw[:65536]).best()
    if best is None:
        raise InputError("the encoding could not be found", where=where, do="say it, for example --encoding cp1250")
    return best.encoding


def _decoded(raw: bytes, encoding: str, where: str, *, whole: bool) -> str:
    if not _is_text_encoding(encoding):
        raise InputError(
            f"no encoding '{encoding}' is known", where=where, do="use for example utf-8, cp1252 or latin-1"
        )
    try:
        return codecs.getincrementaldecoder(encoding)().decode(raw, final=whole).removeprefix("\ufeff")
    except UnicodeError as error:
        at = f" (byte {error.start:,})" if isinstance(error, UnicodeDecodeError) else ""
        raise InputError(
            f"is not {encoding} text{at}",
            where=where,
            do="say how it is encoded, for example --encoding cp1252",
        ) from None


def _is_text_encoding(name: str) -> bool:
    """Return whether Python knows an encoding of text by that name; it also knows some of bytes, such as base64."""
    try:
        return bool(getattr(codecs.lookup(name), "_is_text_encoding", True))
    except LookupError:
        return False


def _quote(text: str) -> str:
    return "'" if text.count('"') == 0 and text.count("\n'") + text.count(",'") + text.count(";'") > 4 else '"'


def _delimiter(text: str, quote: str) -> str:
    """Return the delimiter that gives most columns and agrees on their number in most lines."""
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        counts = Counter(len(row) for row in _rows(text, delimiter, quote, whole=False)[:100])
        if not counts:
            continue
        width, agreeing = counts.most_common(1)[0]
        score = (agreeing / counts.total()) * (1 - 1 / width) if width > 1 else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _rows(text: str, delimiter: str, quote: str, *, whole: bool) -> list[list[str]]:
    limit = csv.field_size_limit(1 << 30)  # of the whole process: given back below
    reader = csv.reader(
        io.StringIO(text, newline=None) if "\n" not in text else io.StringIO(text, newline=""),
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    )
    rows = []
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) > _SAMPLE_LINES:
                return rows
    except csv.Error:
        return rows
    finally:
        csv.field_size_limit(limit)
    # The last row of a sample may have been cut in the middle.
    return rows if whole or len(rows) < 2 else rows[:-1]


def _header(cells: list[str], where: str) -> tuple[str, ...]:
    names = [cell.strip() for cell in cells]
    faults = [f"column {i} has no name" for i, name in enumerate(names, 1) if not name]
    places: dict[str, list[int]] = {}
    for i, name in enumerate(names, 1):
        places.setdefault(name, []).append(i)
    for name, numbers in places.items():
        if name and len(numbers) > 1:
            faults.append(f"'{name}' names {len(numbers)} columns: {listed(numbers)}")
    if faults:
        raise InputError(
            faults_text([*faults[:10], *([f"and {len(faults) - 10} more"] if len(faults) > 10 else [])]),
            where=f"{where}, line 1",
            do="give every column a name of its own, or say --no-header if the first line is data",
        )
    return tuple(names)
