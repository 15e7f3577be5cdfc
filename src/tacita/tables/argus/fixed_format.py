"""Microdata as tau-Argus has them: fixed columns or separators, without a header, by a record layout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacita.engines.arrow import as_arrow
from tacita.engines.protocol import Engine
from tacita.errors import InputError, faults_text, listed
from tacita.files.read import read
from tacita.model.microdata import Microdata
from tacita.tables.argus.record_layout import ArgusVariable, RecordLayout, read_record_layout

_NUMBERS = frozenset(("numeric", "weight", "frequency", "largest", "lower level", "upper level", "cost", "shadow"))

_STATUSES = {"safe": "s", "unsafe": "u", "protect": "z"}

Texts = NDArray[np.bytes_]


def read_fixed_format(path: Path, layout: Path, engine: Engine) -> Microdata:
    """Return the microdata of a file by its record layout: codes as texts without blanks, numbers as numbers."""
    return read(table_of(path, read_record_layout(layout)), engine, name=path.stem)


def cells_of(path: Path, layout_path: Path) -> pa.Table:
    """Return a file of cells by its record layout, with statuses in our words: s, u and z."""
    layout = read_record_layout(layout_path)
    table = table_of(path, layout)
    status = layout.name_of("status")
    if status is None or not layout.statuses:
        return table
    ours = {layout.statuses.get(word, "").casefold(): letter for word, letter in _STATUSES.items()}
    words = [ours.get((word or "").casefold(), word) for word in table.column(status).to_pylist()]
    return table.set_column(table.column_names.index(status), status, pa.array(words, pa.string()))


def table_of(path: Path, layout: RecordLayout) -> pa.Table:
    """Return the records of a file; a code that the layout declares missing is null in a number, and kept in a code."""
    try:
        lines = [line for line in path.read_bytes().splitlines() if line.strip()]
    except OSError as fault:
        raise InputError(
            f"cannot be read ({fault.strerror})", where=str(path), do="check the path of the microdata"
        ) from None
    if not lines:
        raise InputError("there is no record", where=str(path), do="give a file with a line for each record")
    columns = _separated(lines, layout, path) if layout.separator else _fixed(lines, layout, path)
    arrays, faults = {}, []
    for variable, texts in zip(layout.variables, columns, strict=True):
        plain = np.char.strip(texts)
        if variable.roles & _NUMBERS:
            values, strange = _numbers(plain, variable)
            arrays[variable.name] = as_arrow(values, ~np.isnan(values))
            if len(strange):
                faults.append(f"'{variable.name}' is no number on lines {listed(strange)}")
        else:
            arrays[variable.name] = _codes(plain)
    if faults:
        raise InputError(faults_text(faults), where=str(path), do="correct these lines, or the record layout")
    return pa.table(arrays)


def _fixed(lines: list[bytes], layout: RecordLayout, path: Path) -> list[Texts]:
    ends = {variable.name: (variable.start or 1) + (variable.length or 1) - 1 for variable in layout.variables}
    width = max(map(len, lines))
    late = [name for name, end in ends.items() if end > width]
    if late:
        raise InputError(
            f"the longest line has {width} characters; these variables end later: {listed(late)}",
            where=str(path),
            do="check that the record layout belongs to this file",
        )
    letters = np.array(lines, f"S{width}").view("S1").reshape(len(lines), width)
    return [
        np.ascontiguousarray(letters[:, (v.start or 1) - 1 : ends[v.name]]).view(f"S{v.length}").ravel()
        for v in layout.variables
    ]


def _separated(lines: list[bytes], layout: RecordLayout, path: Path) -> list[Texts]:
    separator = (layout.separator or ",").encode()
    rows = [[cell.strip().strip(b'"') for cell in line.split(separator)] for line in lines]
    wrong = [number for number, row in enumerate(rows, 1) if len(row) < len(layout.variables)]
    if wrong:
        raise InputError(
            f"lines {listed(wrong)} have fewer fields than the layout has variables ({len(layout.variables)})",
            where=str(path),
            do="check that the record layout belongs to this file",
        )
    return [np.array([row[at] for row in rows], np.bytes_) for at in range(len(layout.variables))]


def _numbers(texts: Texts, variable: ArgusVariable) -> tuple[NDArray[np.float64], list[int]]:
    absent = (texts == b"") | np.isin(texts, [code.encode() for code in variable.missing])
    points = np.where(absent, b"nan", np.char.replace(texts, b",", b"."))
    try:
        return points.astype(np.float64), []
    except ValueError:
        strange = [row + 1 for row, text in enumerate(points.tolist()) if not _is_number(text)]
        return np.zeros(0), strange


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _codes(texts: Texts) -> pa.Array:
    values, places = np.unique(texts, return_inverse=True)
    words = [_decoded(value) or None for value in values.tolist()]
    return pa.array(words, pa.string()).take(as_arrow(places.astype(np.int32)))


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("cp1252", errors="replace")
