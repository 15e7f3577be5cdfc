"""Hierarchies as CSV: a line per leaf, ``leaf;level 1;level 2;...``, without a header, as ARX keeps them."""

from __future__ import annotations

import csv
import io
from os import PathLike
from pathlib import Path

from tacita.errors import HierarchyError, faults_text
from tacita.model.hierarchy.faults import path_faults
from tacita.model.hierarchy.text_file import read_text
from tacita.model.hierarchy.value import ValueHierarchy

_DELIMITERS = (";", "\t", ",")


def read_csv(
    path: str | PathLike[str],
    attribute: str,
    *,
    header: bool = False,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    star: bool = False,
) -> ValueHierarchy:
    """Return the hierarchy of a CSV file; the delimiter (``;``, tab or ``,``) is found if not given."""
    text = read_text(Path(path), HierarchyError, "a hierarchy, a CSV file", encoding)
    return parse_csv(text, attribute, header=header, delimiter=delimiter, star=star, where=str(path))


def parse_csv(
    text: str,
    attribute: str,
    *,
    header: bool = False,
    delimiter: str | None = None,
    star: bool = False,
    where: str | None = None,
) -> ValueHierarchy:
    r"""Return the hierarchy of a CSV text.

    >>> parse_csv("Milano;North;*\nRoma;Center;*\n", "Area").generalise("Roma", 1)
    'Center'
    """
    where = where or f"hierarchy of '{attribute}'"
    try:
        rows, lines = _rows(text, delimiter or _delimiter(text))
    except csv.Error as fault:
        raise HierarchyError(
            f"the CSV cannot be read: {fault}",
            where=where,
            do='close every quotation mark, and double those inside a quoted label: "5"" pipe"',
        ) from None
    names = rows.pop(0) if header and rows else []
    lines = lines[len(lines) - len(rows) :]
    faults = path_faults(rows, lines, least_depth=1 if star else 2)
    if not faults and names and len(names) != len(rows[0]):
        faults = [f"the header has {len(names)} names, the lines have {len(rows[0])} fields"]
    if faults:
        raise HierarchyError(
            faults_text(faults),
            where=where,
            do="give each value one line: the value, then its label at each level, separated by ';'",
        )
    return ValueHierarchy.from_paths(attribute, rows, names, star=star)


def csv_text(hierarchy: ValueHierarchy, *, delimiter: str = ";", header: bool = False) -> str:
    r"""Return a hierarchy as CSV text that `parse_csv` and ARX read.

    >>> csv_text(ValueHierarchy.from_paths("sex", [["Male"], ["Female"]], star=True))
    'Male;*\nFemale;*\n'
    """
    rows = [hierarchy.levels, *hierarchy.rows] if header else hierarchy.rows
    out = io.StringIO()
    # csv.writer leaves a bare carriage return unquoted, which a reader takes for the end of the line
    if any("\r" in label for row in rows for label in row):
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    else:
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerows(rows)
    return out.getvalue()


def _rows(text: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """Return the rows and the line on which each begins; empty lines are none, and blanks are no label."""
    rows, lines, line = [], [], 1
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if any(field.strip() for field in row):
                rows.append([field if field.strip() else "" for field in row])
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as fault:
        raise csv.Error(f"{fault} (line {line})") from None
    return rows, lines


def _delimiter(text: str) -> str:
    """Return the delimiter under which all lines have the same number of fields, or else the most fields."""
    fields = {}
    for delimiter in _DELIMITERS:
        try:
            lengths = {len(row) for row in _rows(text, delimiter)[0]}
        except csv.Error:
            continue
        if not lengths or (len(lengths) == 1 and lengths != {1}):
            return delimiter
        fields[delimiter] = max(lengths, default=0)
    return max(fields, key=lambda delimiter: fields[delimiter], default=_DELIMITERS[0])
