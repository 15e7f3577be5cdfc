"""Loading and writing delimited text: Arrow's parser in, our own quoting out. Spark's reader mends rows in silence."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from tacita.engines.protocol import Delimited
from tacita.errors import InputError, OutputError, faults_text

_LONGEST_LINE = 16 * 1024 * 1024
_SHOWN = 6


def text_schema(columns: int) -> pa.Schema:
    """Return the schema of text columns c0, c1, ..."""
    return pa.schema([(f"c{i}", pa.string()) for i in range(columns)])


def text_batches(paths: Sequence[Path], layout: Delimited) -> Iterator[pa.RecordBatch]:
    """Yield the rows of UTF-8 files as text, empty cells as null; raise if a row does not fit, never quoting it."""
    for path in paths:
        _check_quotes_close(path, layout)
        faults: list[str] = []

        def unfit(row: arrow_csv.InvalidRow, faults: list[str] = faults) -> str:
            many = "" if row.actual_columns == 1 else "s"
            faults.append(
                f"row {row.number}: {row.actual_columns} field{many} where the header has {row.expected_columns}"
            )
            return "skip"

        fault: InputError | None = None
        try:
            yield from _reader(path, layout, unfit)
        except (UnicodeError, pa.ArrowInvalid) as error:
            fault = _fault(str(error), str(path))
        else:
            fault = _ragged(faults, str(path))
        if fault is not None:
            raise fault


def _reader(path: Path, layout: Delimited, unfit: object) -> Iterator[pa.RecordBatch]:
    if not path.stat().st_size:
        return iter(())
    schema = text_schema(layout.columns)
    reader: Iterator[pa.RecordBatch] = arrow_csv.open_csv(
        path,
        read_options=arrow_csv.ReadOptions(
            column_names=schema.names,
            skip_rows_after_names=int(layout.header),
            use_threads=False,
            block_size=_LONGEST_LINE,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=layout.delimiter,
            quote_char=layout.quote or False,
            double_quote=bool(layout.quote),
            newlines_in_values=True,
            ignore_empty_lines=layout.columns > 1,
            invalid_row_handler=unfit,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=schema, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True
        ),
    )
    return reader


def _check_quotes_close(path: Path, layout: Delimited) -> None:
    """Raise if a quote is opened and never closed: the parser would swallow the rest in silence."""
    if not layout.quote:
        return
    quotes = 0
    quote = layout.quote.encode()
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as source:
        while chunk := source.read(1 << 20):
            quotes += chunk.count(quote)
    if quotes % 2:
        raise InputError(
            "a quote is opened and not closed",
            where=str(path),
            do="mend the line, or say which quote character is used with --quote (--quote none for none)",
        )


def _ragged(faults: list[str], where: str) -> InputError | None:
    if not faults:
        return None
    more = [f"and {len(faults) - _SHOWN:,} more rows"] if len(faults) > _SHOWN else []
    return InputError(
        faults_text([*faults[:_SHOWN], *more]),
        where=where,
        do="mend these lines, or say what separates the fields with --delimiter",
    )


def _fault(text: str, where: str) -> InputError:
    lowered = text.lower()
    if "utf8" in lowered or "utf-8" in lowered:
        return InputError(
            "bytes that are not UTF-8", where=where, do="say how the file is encoded, for example --encoding cp1252"
        )
    if "straddling" in lowered or "block size" in lowered:
        return InputError(
            f"a row is longer than {_LONGEST_LINE // 1024 // 1024} MB (a quote that is not closed looks the same)",
            where=where,
            do="mend the line, or say which quote character is used with --quote (--quote none for none)",
        )
    return InputError(
        "the text does not follow one layout of delimiter and quotes",
        where=where,
        do="say how it is laid out with --delimiter and --quote",
    )


def write_text(
    batches: Iterator[pa.RecordBatch], path: Path, delimiter: str, header: Sequence[str], *, compressed: bool
) -> None:
    """Write batches of text columns as UTF-8 lines under a header: nulls are empty cells, empty text is quoted."""
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(header)
    try:
        with contextlib.ExitStack() as exit_:
            target: BinaryIO = exit_.enter_context(path.open("wb"))
            if compressed:
                target = exit_.enter_context(gzip.GzipFile("", "wb", fileobj=target, mtime=0))  # type: ignore[assignment]
            target.write(line.getvalue().encode())
            for batch in batches:
                target.write(_lines(batch, delimiter))
    except OSError as error:
        raise OutputError(f"cannot be written ({error.strerror})", where=str(path.parent)) from None


def _lines(batch: pa.RecordBatch, delimiter: str) -> bytes:
    if not batch.num_rows:
        return b""
    special = f'[{_in_class(delimiter)}#"\\n\\r]|^$'
    cells = [_cell(column.cast(pa.large_string()), special) for column in batch.columns]
    joined = (
        cells[0] if len(cells) == 1 else pc.binary_join_element_wise(*cells, pa.scalar(delimiter, pa.large_string()))
    )
    return ("\n".join(joined.to_pylist()) + "\n").encode()


def _cell(column: pa.Array, special: str) -> pa.Array:
    quote = pa.scalar('"', pa.large_string())
    doubled = pc.replace_substring(column, '"', '""')
    quoted = pc.binary_join_element_wise(quote, doubled, quote, pa.scalar("", pa.large_string()))
    return pc.fill_null(pc.if_else(pc.match_substring_regex(column, special), quoted, column), "")


def _in_class(character: str) -> str:
    """Return a character as it stands in the brackets of a pattern."""
    return f"\\{character}" if not character.isalnum() and character.isascii() else character
