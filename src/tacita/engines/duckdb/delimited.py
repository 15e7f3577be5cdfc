"""Loading delimited text with DuckDB's parser, strictly: a row that does not fit stops everything, by its line."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import duckdb

from tacita.engines.protocol import Delimited
from tacita.errors import InputError, faults_text

_LONGEST_LINE = 16 * 1024 * 1024
_SHOWN = 6


def load_delimited(cursor: duckdb.DuckDBPyConnection, table: str, paths: Sequence[str], layout: Delimited) -> None:
    """Create a table of text columns c0, c1, ... from UTF-8 files; empty cells become NULL."""
    kept = "*" if layout.kept is None else ", ".join(layout.names)
    columns = "{" + ", ".join(f"'c{i}': 'VARCHAR'" for i in range(layout.columns)) + "}"
    reader = (
        f"read_csv($paths, auto_detect=false, columns={columns}, delim=$delimiter, quote=$quote, escape=$quote, "
        f"header={str(layout.header).lower()}, strict_mode=true, max_line_size={_LONGEST_LINE}"
    )
    values: dict[str, object] = {"paths": list(paths), "delimiter": layout.delimiter, "quote": layout.quote}
    fault: InputError | None = None
    try:
        cursor.execute(f"CREATE TABLE {table} AS SELECT {kept} FROM {reader})", values).fetchall()
    except (duckdb.InvalidInputException, duckdb.ConversionException) as error:
        if "interrupted" in str(error).lower():
            raise
        where = paths[0] if len(paths) == 1 else f"{len(paths)} files"
        fault = _faults(cursor, table, reader, values, str(error), where)
    if fault is None and layout.header:
        fault = _nothing_below_the_header(cursor, table, reader, values, paths[0])
    # Outside of the except: the context of our error must not hold DuckDB's text, which quotes the line.
    if fault is not None:
        raise fault


def _nothing_below_the_header(
    cursor: duckdb.DuckDBPyConnection, table: str, reader: str, values: dict[str, object], where: str
) -> InputError | None:
    """Return the fault of a file that has rows and seems to have none: its header holds another line end than they.

    DuckDB takes the first line end that it meets for that of the file, also one inside quotes, and then finds no row.
    """
    if cursor.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchall():
        return None
    try:
        whole = reader.replace("header=true", "header=false")
        rows = cursor.execute(f"SELECT count(*) FROM {whole})", values).fetchall()
        has_rows = rows[0][0] > 1
    except duckdb.Error:
        has_rows = True
    if not has_rows:
        return None
    return InputError(
        "the lines below the header cannot be told apart: a name in it holds another line end than the lines have",
        where=where,
        do="write the header on one line, or save the file with one kind of line end",
    )


def _faults(
    cursor: duckdb.DuckDBPyConnection,
    table: str,
    reader: str,
    values: dict[str, object],
    first: str,
    where: str,
) -> InputError:
    """Read again, collecting every line that does not fit; never its text."""
    rejects = f"rejects_table='{table}_rejects', rejects_scan='{table}_rejects_scan'"
    with contextlib.suppress(duckdb.Error):
        cursor.execute(f"SELECT count(*) FROM {reader}, store_rejects=true, {rejects})", values).fetchall()
    rows: list[tuple[int, str, str, int]] = []
    total = 0
    with contextlib.suppress(duckdb.Error):
        rows = cursor.execute(
            "SELECT DISTINCT line, error_type::VARCHAR, error_message, "
            "coalesce(try_cast(regexp_extract(error_message, 'Found: ([0-9]+)', 1) AS BIGINT), 0) "
            f"FROM {table}_rejects ORDER BY line LIMIT {_SHOWN}"
        ).fetchall()
        total = cursor.execute(f"SELECT count(DISTINCT line) FROM {table}_rejects").fetchall()[0][0]
    expected = reader.count("'VARCHAR'")
    if not rows:
        return _fault_of_text(first, where)
    faults = [f"line {line}: {_said(kind, columns, expected)}" for line, kind, _, columns in rows]
    if total > _SHOWN:
        faults.append(f"and {total - _SHOWN:,} more lines")
    kinds = {kind for _, kind, _, _ in rows}
    return InputError(faults_text(faults), where=where, do=_advice(kinds))


def _said(kind: str, columns: int, expected: int) -> str:
    kind = kind.upper()
    if "MISSING COLUMNS" in kind or "TOO MANY COLUMNS" in kind:
        return f"{columns} field{'' if columns == 1 else 's'} where the header has {expected}"
    if "UNQUOTED" in kind or "QUOTE" in kind:
        return "a quote is opened and not closed"
    if "LINE SIZE" in kind:
        return f"longer than {_LONGEST_LINE // 1024 // 1024} MB (a quote that is not closed looks the same)"
    if "UNICODE" in kind or "ENCODING" in kind:
        return "bytes that are not UTF-8"
    return kind.lower()


def _advice(kinds: set[str]) -> str:
    text = " ".join(kinds).upper()
    if "UNICODE" in text or "ENCODING" in text:
        return "say how the file is encoded, for example --encoding cp1252"
    if "QUOTE" in text or "LINE SIZE" in text:
        return "mend the line, or say which quote character is used with --quote (--quote none for none)"
    return "mend these lines, or say what separates the fields with --delimiter"


def _fault_of_text(first: str, where: str) -> InputError:
    lowered = first.lower()
    if "unicode" in lowered or "utf-8" in lowered:
        return InputError(
            "bytes that are not UTF-8",
            where=where,
            do="say how the file is encoded, for example --encoding cp1252",
        )
    if "line size" in lowered or "maximum line" in lowered:
        return InputError(_said("LINE SIZE", 0, 0), where=where, do=_advice({"LINE SIZE"}))
    return InputError(
        "the text does not follow one layout of delimiter and quotes",
        where=where,
        do="say how it is laid out with --delimiter and --quote",
    )
