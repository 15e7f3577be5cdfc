"""The JJ format: a table as a list of cells and a list of sums, as tau-Argus and sdcTable write it for solvers.

Line by line: ``0``; the number of cells; of each cell, numbered from 0, its value, cost, status, the least and the most
that everybody knows it can be, and its lower, upper and sliding protection level as distances; the number of sums; of
each sum ``0``, how many cells it has, a colon, and the cells with -1 for the total and 1 for its parts:

    0
    3
    0 10 10 z 0 100 0 0 0
    1 4 4 u 0 100 1 2 0
    2 6 6 s 0 100 0 0 0
    1
    0 3 : 0 (-1) 1 (1) 2 (1)

A status is ``s`` (safe), ``u`` (unsafe), ``m`` (suppressed to protect others) or ``z`` (may not be suppressed). The
file holds every true value: it is internal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, faults_text
from tacita.model.hierarchy.text_file import read_text
from tacita.model.table import Equations, Status

Numbers = NDArray[np.float64]

STATUSES = {"s": Status.PUBLISHED, "u": Status.PRIMARY, "m": Status.SECONDARY, "z": Status.KEPT}
_LEVELS = ("lower level", "upper level", "sliding level")
COLUMNS = ("index", "value", "cost", "status", "lower bound", "upper bound", *_LEVELS)
_MOST_FAULTS = 10
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_HEAD = re.compile(r"\s*(\S+)\s+(\d{1,9})\s*:")
_TERM = re.compile(r"\s*(\d{1,9})\s*\(\s*([+-]?[\d.,]+)\s*\)")


@dataclass(frozen=True, slots=True, repr=False)
class JJProblem:
    """The cells and the sums of a file, in its order; statuses are numbers of `Status`."""

    values: Numbers
    costs: Numbers
    status: NDArray[np.int8]
    lower: Numbers
    upper: Numbers
    lower_level: Numbers
    upper_level: Numbers
    sliding_level: Numbers
    equations: Equations


def read_jj(path: Path) -> JJProblem:
    """Return the problem of a file, or raise with the line and the column of what does not fit."""
    return parse_jj(read_text(path, InputError, "a table in the JJ format (.jj)"), where=str(path))


def parse_jj(text: str, where: str = "the JJ file") -> JJProblem:
    r"""Return the problem of a text.

    >>> text = "0\n3\n0 10 1 s 0 99 0 0 0\n1 4 1 u 0 99 1 2 0\n2 6 1 s 0 99 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 (1)\n"
    >>> problem = parse_jj(text)
    >>> problem.values.tolist(), problem.status.tolist(), problem.equations.row(0)[0].tolist()
    ([10.0, 4.0, 6.0], [0, 1, 0], [0, 1, 2])
    >>> jj_text(problem).splitlines()[3]
    '1 4 1 u 0 99 1 2 0'
    """
    lines = _Lines(text, where)
    lines.head("0", "the format")
    cells = lines.number_of("cells")
    rows = [_cell(lines, number, cells) for number in range(cells)]
    lines.raise_faults()
    sums = [_sum(lines, cells) for _ in range(lines.number_of("sums"))]
    lines.end()
    values, costs, status, *others = np.array(rows, np.float64).T
    lower, upper, lower_level, upper_level, sliding_level = others
    return JJProblem(
        values,
        costs,
        status.astype(np.int8),
        lower,
        upper,
        lower_level,
        upper_level,
        sliding_level,
        Equations.of(sums),
    )


def jj_text(problem: JJProblem) -> str:
    """Return a problem as the text of a file; every number is written so that it reads back as it is."""
    letters = {int(status): letter for letter, status in STATUSES.items()}
    columns = (problem.lower, problem.upper, problem.lower_level, problem.upper_level, problem.sliding_level)
    lines = ["0", str(len(problem.values))]
    figures = (problem.values, problem.costs, *columns)
    rows = zip(*(map(_written, column.tolist()) for column in figures), strict=True)
    for number, (value, cost, *others) in enumerate(rows):
        lines.append(" ".join((str(number), value, cost, letters[int(problem.status[number])], *others)))
    lines.append(str(len(problem.equations)))
    for row in range(len(problem.equations)):
        cells, signs = problem.equations.row(row)
        terms = " ".join(f"{cell} ({sign:.0f})" for cell, sign in zip(cells.tolist(), signs.tolist(), strict=True))
        lines.append(f"0 {len(cells)} : {terms}")
    return "\n".join(lines) + "\n"


def _written(number: float) -> str:
    return np.format_float_positional(number + 0.0, trim="-")  # no -0, no exponent


@dataclass(slots=True)
class _Lines:
    """The lines of a file, one after the other, and what is wrong with them."""

    text: str
    where: str
    lines: list[str] = field(default_factory=list)
    at: int = 0
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = re.split(r"\r\n|\r|\n", self.text)
        while self.lines and not self.lines[-1].strip():
            self.lines.pop()

    def next(self, what: str) -> str:
        """Return the next line, or raise: the file was cut off."""
        if self.at >= len(self.lines):
            self.fault(f"the file ends after line {len(self.lines)}, where {what} is expected")
            self.raise_faults()
        self.at += 1
        return self.lines[self.at - 1]

    def fault(self, message: str, column: int | None = None) -> None:
        """Note a fault, of the line that was read last if a column is given."""
        place = "" if column is None else f"line {self.at}, column {column + 1}: "
        self.faults.append(place + message)
        if len(self.faults) >= _MOST_FAULTS:
            self.raise_faults()

    def raise_faults(self) -> None:
        if self.faults:
            raise InputError(
                faults_text(self.faults), where=self.where, do="correct these lines, or write the file again"
            )

    def head(self, wanted: str, what: str) -> None:
        """Read the first line."""
        if (line := self.next(f"'{wanted}'")).strip() != wanted:
            self.fault(f"a JJ file begins with '{wanted}' for {what}", len(line) - len(line.lstrip()))
            self.raise_faults()

    def number_of(self, what: str) -> int:
        """Return how many cells or sums there are."""
        line = self.next(f"the number of {what}")
        if re.fullmatch(r"\s*[0-9]{1,9}\s*", line) is None or int(line) < 1:
            self.fault(f"the number of {what} is expected, alone", len(line) - len(line.lstrip()))
            self.raise_faults()
        return int(line)

    def end(self) -> None:
        """Raise if there are faults, or lines beyond the sums."""
        if self.at < len(self.lines):
            self.fault(f"line {self.at + 1} is beyond the last sum that was announced")
        self.raise_faults()


def _cell(lines: _Lines, number: int, cells: int) -> tuple[float, ...]:
    """Return the numbers of a cell but for its index, the status as one of them; faults are noted."""
    fields = list(re.finditer(r"\S+", lines.next(f"cell {number} of {cells}")))
    nothing = (0.0,) * 8
    if len(fields) != len(COLUMNS):
        lines.fault(f"a cell has {len(COLUMNS)} fields, and this line has {counted(len(fields), 'field')}", 0)
        return nothing
    row = []
    for name, place in zip(COLUMNS, fields, strict=True):
        word = place.group()
        if name == "status":
            if word.casefold() not in STATUSES:
                lines.fault(f"the status is one of {', '.join(STATUSES)}", place.start())
                return nothing
            row.append(float(STATUSES[word.casefold()]))
        elif (value := _number(word)) is None:
            lines.fault(f"the {name} is not a number", place.start())
            return nothing
        else:
            row.append(value)
    index, value, cost, _, lower, upper, *levels = row
    if index != number:
        lines.fault(f"cell {number} is expected: cells are numbered from 0, in order", fields[0].start())
    elif cost < 0:
        lines.fault("the cost is below zero", fields[2].start())
    elif not lower <= value <= upper:
        lines.fault("the value is not between its bounds", fields[4].start())
    elif min(levels) < 0:
        at = 6 + next(k for k, level in enumerate(levels) if level < 0)
        lines.fault(f"the {COLUMNS[at]} is below zero", fields[at].start())
    return tuple(row[1:])


def _sum(lines: _Lines, cells: int) -> tuple[int, list[int]]:
    """Return the total and the parts of a sum; faults are noted."""
    line = lines.next("a sum")
    head = _HEAD.match(line)
    if head is None:
        lines.fault("a sum begins with 0, the number of its cells, and a colon", 0)
        return 0, []
    if _number(head[1]) != 0:
        lines.fault("only sums that are 0 in all are known: 0 is expected", head.start(1))
    faults = len(lines.faults)
    terms = list(_terms(lines, line, head.end(), cells))
    if len(lines.faults) > faults:
        return 0, []
    if len(terms) != int(head[2]):
        lines.fault(f"the sum says it has {counted(int(head[2]), 'cell')}, and there are {len(terms)}", head.start(2))
        return 0, []
    if len({cell for cell, _ in terms}) < len(terms):
        lines.fault("a cell stands in the sum twice", head.end())
    totals = [cell for cell, sign in terms if sign < 0]
    if len(totals) != 1 and len(totals) == len(terms) - 1:  # turned round
        totals = [cell for cell, sign in terms if sign > 0]
    if len(totals) != 1 or len(terms) < 2:
        lines.fault("a total with -1 and its parts with 1 are expected", head.end())
        return 0, []
    return totals[0], [cell for cell, _ in terms if cell != totals[0]]


def _terms(lines: _Lines, line: str, start: int, cells: int) -> Iterator[tuple[int, float]]:
    while line[start:].strip():
        term = _TERM.match(line, start)
        sign = _number(term[2]) if term else None
        if term is None or sign not in {1.0, -1.0}:
            column = start + len(line[start:]) - len(line[start:].lstrip())
            lines.fault("a cell with 1 or -1 in brackets is expected", column)
            return
        if int(term[1]) >= cells:
            lines.fault(f"there is no cell {term[1]}: they are numbered from 0 to {cells - 1}", term.start(1))
            return
        yield int(term[1]), sign
        start = term.end()


def _number(word: str) -> float | None:
    """Return a finite number, whose decimals may stand behind a comma; None if it is none."""
    if _NUMBER.fullmatch(word) is None:
        return None
    value = float(word.replace(",", "."))
    return value if np.isfinite(value) else None
