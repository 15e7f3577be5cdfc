"""What would make a release pass: changes of it that are judged again before anybody hears of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from tacita.errors import listed
from tacita.joint.case import CaseResult
from tacita.joint.judgement import JointReason, JointRemedy
from tacita.joint.recorded import RecordedRelease
from tacita.ledger.disclosures import AttributeDisclosure, DisclosedCell, DisclosedTable, number_text

Judge = Callable[[RecordedRelease], CaseResult]
_ROUNDS = 4
"""How often further cells are withheld before this is given up."""
_BASES = (5, 10, 100, 1_000)
_MOST_ATTRIBUTES = 8
_MOST_CELLS = 20


def remedies_of(new: RecordedRelease, reasons: Sequence[JointReason], judge: Judge) -> Iterator[JointRemedy]:
    """Yield changes of a release with which it passes."""
    yield from _withheld(new, reasons, judge)
    yield from _rounded(new, judge)
    yield from _without_attribute(new, judge)


def _withheld(new: RecordedRelease, reasons: Sequence[JointReason], judge: Judge) -> Iterator[JointRemedy]:
    """Yield the cells of the new tables to withhold, too, if that helps and some figures are left."""
    cells: list[tuple[int, int]] = []
    changed = new
    for _ in range(_ROUNDS):
        more = [cell for cell in _published_in(changed, reasons) if cell not in cells]
        if not more:
            return
        cells += more
        if len(cells) > _MOST_CELLS or len(cells) >= _published(new):
            return
        changed = _with_cells(new, cells)
        result = judge(changed)
        if result.passes:
            names = [f"({_address(new.disclosures.tables[table], cell)})" for table, cell in cells]
            action = f"withhold {listed(names, _MOST_CELLS)}, too"
            yield JointRemedy(action, "name them in 'suppress' of [protect]")
            return
        reasons = result.reasons


def _published_in(release: RecordedRelease, reasons: Sequence[JointReason]) -> Iterator[tuple[int, int]]:
    """Yield the published cells of a release that enter the arithmetic of reasons, by table and cell."""
    tables = release.disclosures.tables
    for reason in reasons:
        own = [term.place for term in reason.terms if not term.output.sequence and 0 <= term.place[0] < len(tables)]
        # One figure less is enough to break a chain.
        if own and tables[own[-1][0]].cells[own[-1][1]].is_exact:
            yield own[-1]


def _address(table: DisclosedTable, cell: int) -> str:
    codes = zip(table.dimensions, table.cells[cell].codes, strict=True)
    return ", ".join(f"{dimension.name}={code}" for dimension, code in codes)


def _published(release: RecordedRelease) -> int:
    return sum(cell.is_exact for table in release.disclosures.tables for cell in table.cells)


def _with_cells(release: RecordedRelease, cells: Sequence[tuple[int, int]]) -> RecordedRelease:
    """Return a release with some cells withheld."""
    tables = []
    for at, table in enumerate(release.disclosures.tables):
        own = {cell for number, cell in cells if number == at}
        changed = tuple(
            replace(one, lower=None, upper=None, is_withheld=True) if cell in own else one
            for cell, one in enumerate(table.cells)
        )
        tables.append(replace(table, cells=changed))
    return replace(release, disclosures=replace(release.disclosures, tables=tuple(tables)))


def _rounded(new: RecordedRelease, judge: Judge) -> Iterator[JointRemedy]:
    """Yield the smallest base to which all figures of the new tables can be rounded."""
    if not new.disclosures.tables:
        return
    for base in _BASES:
        tables = tuple(
            replace(table, cells=tuple(_interval(cell, base) for cell in table.cells))
            for table in new.disclosures.tables
        )
        if judge(replace(new, disclosures=replace(new.disclosures, tables=tables))).passes:
            yield JointRemedy(
                f"round all figures to multiples of {base:,}", f"method = 'controlled_rounding', base = {base}"
            )
            return


def _interval(cell: DisclosedCell, base: int) -> DisclosedCell:
    """Return a cell of which the nearest multiple of a base is told."""
    if not cell.is_exact or cell.lower is None:
        return cell
    value = float(cell.lower)
    middle = base * np.floor(value / base + 0.5)
    low, high = middle - base / 2, middle + base / 2
    low = max(low, 0.0) if value >= 0 else low
    return replace(cell, lower=number_text(min(low, value)), upper=number_text(max(high, value)))


def _without_attribute(new: RecordedRelease, judge: Judge) -> Iterator[JointRemedy]:
    """Yield the attributes one of which can be left out."""
    records = new.disclosures.records
    if records is None:
        return
    names = [one.attribute for one in records.attributes if one.attribute]
    if len(names) < 2:
        return
    for name in names[:_MOST_ATTRIBUTES]:
        attributes = tuple(
            replace(one, attribute="", status=AttributeDisclosure.SYNTHETIC) if one.attribute == name else one
            for one in records.attributes
        )
        changed = replace(new.disclosures, records=replace(records, attributes=attributes))
        if judge(replace(new, disclosures=changed)).passes:
            yield JointRemedy(f"leave out the attribute '{name}'", f"--drop {name}")
