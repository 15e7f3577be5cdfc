"""The matrix of PRAM in a CSV file, as a list of cells or as a square."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tacita.errors import InputError
from tacita.model.hierarchy.text_file import read_text

_CELLS = ["from", "to", "probability"]

Table = dict[str, dict[str, float]]


def read_matrix(path: str) -> Table:
    """Return the probabilities of a CSV file: value before, value after, probability.

    Two forms: a line for each cell under the header ``from,to,probability``, as a release has it beside; or a square
    whose header has the values after, and whose lines begin with the value before.
    """
    return parse_matrix(read_text(Path(path), InputError, "a matrix of PRAM, a CSV file"), where=path)


def parse_matrix(text: str, where: str) -> Table:
    r"""Return the probabilities of a CSV text.

    >>> parse_matrix("from,no,yes\nno,0.9,0.1\nyes,0.2,0.8\n", "a matrix")
    {'no': {'no': 0.9, 'yes': 0.1}, 'yes': {'no': 0.2, 'yes': 0.8}}
    >>> parse_matrix("from,to,probability\nno,no,1\n", "a matrix")
    {'no': {'no': 1.0}}
    """
    try:
        delimiter = ";" if ";" in text.partition("\n")[0] else ","
        reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
        lines = [(reader.line_num, line) for line in reader if any(line)]
    except csv.Error:
        raise InputError("the CSV cannot be read", where=where, do="close every quotation mark") from None
    if not lines:
        raise InputError("the file is empty", where=where, do=f"begin with the header {','.join(_CELLS)}")
    header = lines[0][1]
    table: Table = {}
    for number, line in lines[1:]:
        if len(line) != len(header):
            raise InputError(
                f"line {number} has {len(line)} fields, the header {len(header)}", where=where, do="correct this line"
            )
        row = table.setdefault(line[0], {})
        cells = [(line[1], line[2])] if header == _CELLS else list(zip(header[1:], line[1:], strict=True))
        for value, probability in cells:
            if value in row:
                raise InputError(f"line {number} gives a probability twice", where=where, do="give it once")
            try:
                row[value] = float(probability)
            except ValueError:
                raise InputError(
                    f"line {number} has something else than a number", where=where, do="give numbers from 0 to 1"
                ) from None
    return table
