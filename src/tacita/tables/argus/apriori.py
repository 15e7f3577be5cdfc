"""A-priori files of tau-Argus (.hst): what the steward says of single cells before they are protected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tacita.errors import InputError, counted, faults_text
from tacita.model.hierarchy.text_file import read_text
from tacita.model.table import Levels, Status
from tacita.tables.argus import ENCODING
from tacita.tables.build.given import GivenTable, cells_with

_KINDS = {"u": 0, "s": 0, "p": 0, "c": 1, "pl": 2}
"""What may be said, and how many numbers come with it: unsafe, safe, not to be suppressed, cost, levels."""


@dataclass(frozen=True, slots=True)
class Apriori:
    """One line: the codes of a cell, what is said of it, and the numbers that belong to it."""

    codes: tuple[str, ...]
    kind: str
    numbers: tuple[float, ...] = ()


def read_apriori(path: Path, dimensions: int, separator: str | None = None) -> tuple[Apriori, ...]:
    """Return the lines of a file over cells of so many dimensions."""
    text = read_text(path, InputError, "an a-priori file of tau-Argus (.hst)", otherwise=ENCODING)
    return parse_apriori(text, dimensions, separator, where=str(path))


def parse_apriori(
    text: str, dimensions: int, separator: str | None = None, where: str = "the a-priori file"
) -> tuple[Apriori, ...]:
    r"""Return the lines of a text; all faults at once.

    >>> parse_apriori("Nr,4,u\nOs,6,c,10\nZd,Total,pl,5,8", 2)[2]
    Apriori(codes=('Zd', 'Total'), kind='pl', numbers=(5.0, 8.0))
    """
    separator = separator or max(",;\t|", key=text.partition("\n")[0].count)
    entries, faults = [], []
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip().strip('"').strip() for cell in line.split(separator)]
        if not any(cells):
            continue
        codes, rest = tuple(cells[:dimensions]), [cell for cell in cells[dimensions:] if cell]
        kind = rest[0].lower() if rest else ""
        try:
            numbers = tuple(float(cell) for cell in rest[1:])
        except ValueError:
            numbers = ()
        if kind not in _KINDS:
            faults.append(f"line {number} says none of u, s, p, c and pl after {dimensions} codes")
        elif len(numbers) < _KINDS[kind] or any(amount < 0 for amount in numbers):
            faults.append(f"line {number}: {kind} needs {counted(_KINDS[kind], 'number')}, not negative")
        else:
            entries.append(Apriori(codes, kind, numbers[: _KINDS[kind]]))
    if faults:
        raise InputError(faults_text(faults[:10]), where=where, do="correct the a-priori file")
    return tuple(entries)


def with_apriori(given: GivenTable, lines: Sequence[Apriori], share: float = 0.15) -> GivenTable:
    """Return a table with what an a-priori file says of its cells.

    ``u`` makes a cell sensitive, with protection levels of a `share` of its value unless ``pl`` gives them; ``s``
    declares it safe; ``p`` forbids to suppress it; ``c`` gives its cost, in place of its value.
    """
    table = given.table
    status = np.zeros(len(table), np.int8) if given.status is None else given.status.copy()
    safe = np.zeros(len(table), bool) if given.safe is None else given.safe.copy()
    costs = np.abs(table.values) if given.costs is None else given.costs.copy()
    base = given.levels or Levels.none(len(table))
    sensitive, lower, upper = base.sensitive.copy(), base.lower.copy(), base.upper.copy()
    names = [dimension.name for dimension in table.dimensions]
    faults = []
    for line in lines:
        mask, said = cells_with(table, dict(zip(names, line.codes, strict=True)))
        if said:
            faults += said
            continue
        cell = int(np.flatnonzero(mask)[0])
        match line.kind:
            case "u":
                status[cell], sensitive[cell] = Status.PRIMARY, True
                if not (lower[cell] or upper[cell]):
                    lower[cell] = upper[cell] = share * abs(float(table.values[cell]))
            case "s":
                safe[cell] = True
            case "p":
                status[cell] = Status.KEPT
            case "c":
                costs[cell] = line.numbers[0]
            case "pl":
                lower[cell], upper[cell] = line.numbers
    if faults:
        raise InputError(
            faults_text(list(dict.fromkeys(faults))[:10]),
            where="the a-priori file",
            do="correct its codes; they stand in the order of the table's dimensions",
        )
    rule = np.where(sensitive & (base.rule < 0), len(base.rules), base.rule).astype(np.int16)
    levels = replace(base, sensitive=sensitive, lower=lower, upper=upper, rule=rule, rules=(*base.rules, "a priori"))
    notes = given.notes
    if safe.any():
        notes = (*notes, f"{counted(int(safe.sum()), 'cell')} declared safe a priori")
    return replace(
        given,
        status=status,
        levels=levels if sensitive.any() else given.levels,
        costs=costs if any(line.kind == "c" for line in lines) else given.costs,
        safe=safe if safe.any() else None,
        notes=(*given.notes, f"{counted(int(safe.sum()), 'cell')} declared safe a priori")
        if safe.any()
        else given.notes,
    )
