"""Tables from a file of cells: checked as a whole, totals completed, suppressed cells recognised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, faults_text, listed
from tacita.model.table import WITHHELD, Contributions, Dimension, Levels, Status, Table
from tacita.tables.build.additivity import decimals_of, gaps
from tacita.tables.build.cells.cells_file import RawCells
from tacita.tables.build.cells.completion import computed, consistent, largest_of, lowest, missing_totals
from tacita.tables.build.cells.markers import given_statuses
from tacita.tables.build.given import GivenTable
from tacita.tables.build.linked import System, linked
from tacita.tables.build.sums import equations_of, owners

_MOST_TOLD = 8


def from_cells(
    raw: RawCells,
    tables: Sequence[tuple[str, Sequence[Dimension]]],
    *,
    is_count: bool | None = None,
    negative: bool = False,
    decimals: int | None = None,
    response: str = "",
) -> GivenTable:
    """Return the table of a file of cells (see `read_cells`), or the linked tables, with all that is said of it.

    A cell with a marker instead of its value, or with a status that says so, is suppressed. Totals that the file leaves
    out are computed if all cells below are published, and suppressed otherwise; any other combination that it leaves
    out is zero for everybody.
    `is_count`: whether values are frequencies; None: they are if all are whole numbers and the value is the count.

    Raises with all faults together: codes that no hierarchy has, cells given twice, values that are negative (unless
    that is allowed), infinite or missing without a mark, sums that fail, bounds that exclude the value.
    """
    system = linked(tables)
    faults, keys = _keys(system, raw)
    status, said, notes = given_statuses(raw)
    faults += said
    values = raw.values
    if not negative and (below := _named(raw, values < 0)):
        faults.append(
            f'negative values: {below}; they need an attacker without a lower bound (lower = "none" in [attacker])'
        )
    if is_count and (broken := _named(raw, np.isfinite(values) & (values % 1 != 0))):
        faults.append(f"frequencies that are no whole numbers: {broken}; a table of something else has a response")
    if strange := _named(raw, np.isinf(values)):
        faults.append(f"values that are not finite: {strange}")
    if is_count and any(name.startswith("largest ") for name in raw.numbers):
        # Counts have none: amounts taken for counts would have neither the rules nor the attackers of amounts.
        faults.append(
            'largest contributions to a table of frequencies; say what is summed: response = "..." in [[table]]'
        )
    elif not negative:
        faults += _contribution_faults(raw, decimals=decimals)
    _raise(faults, raw)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    columns = {name: numbers[order] for name, numbers in raw.numbers.items()}
    cells = _Cells(system, keys, values[order], None if status is None else status[order], columns)
    whole = bool((cells.values[np.isfinite(cells.values)] % 1 == 0).all())
    if is_count is None:
        is_count = whole and raw.columns.value == raw.columns.count
    completed, completion_notes = _completed(cells, shared=not is_count)
    parts = _parts(system, completed.keys)
    table = Table(
        ", ".join(system.names),
        system.dimensions,
        system.codes(completed.keys),
        completed.values,
        equations_of(system, completed.keys, parts),
        is_count,
        response or (raw.columns.value or ""),
        parts=dict(zip(system.names, parts, strict=True)),
    )
    table = _with_contributors(table, completed)
    given = _given(table, completed, (*raw.notes, *notes, *completion_notes))
    # Whole numbers that miss their total are taken as rounded only if the steward says so: it may as well be a mistake.
    wrong = gaps(table, decimals=decimals, exact=is_count or (whole and decimals is None), suppressed=given.suppressed)
    faults = [f"does not add up: {gap.sentence(table)}" for gap in wrong[:_MOST_TOLD]]
    if len(wrong) > _MOST_TOLD:
        faults.append(f"and {len(wrong) - _MOST_TOLD:,} more sums fail")
    if wrong and not is_count:
        faults[-1] += "; if values are rounded, say how: decimals = 0 in [data] for whole numbers, -3 for thousands"
    faults += _bound_faults(given)
    _raise(faults, raw)
    return consistent(given)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cells in the order of their keys."""

    system: System
    keys: NDArray[np.int64]
    values: NDArray[np.float64]
    status: NDArray[np.int8] | None
    columns: dict[str, NDArray[np.float64]]


def _keys(system: System, raw: RawCells) -> tuple[list[str], NDArray[np.int64]]:
    """Return faults of the codes, and the key of each row."""
    faults = []
    keys = np.zeros(len(raw), np.int64)
    for dimension, radix in zip(system.dimensions, system.radix, strict=True):
        texts = raw.codes[dimension.name]
        place = {code: at for at, code in enumerate(dimension.codes)}
        place_of = {text: place.get(text or "", place.get((text or "").strip(), -1)) for text in set(texts)}
        unknown = sorted((text or "").strip() for text, at in place_of.items() if at < 0)
        if unknown:
            rows = sum(place_of[text] < 0 for text in texts)
            named = listed([repr(code) if code else "no code" for code in unknown], 5)
            faults.append(f"dimension '{dimension.name}': {counted(rows, 'cell')} with codes it does not have: {named}")
        keys += np.array([place_of[text] for text in texts], np.int64) * radix
    if faults:
        return faults, keys
    cells, first, times = np.unique(keys, return_index=True, return_counts=True)
    if (times > 1).any():
        twice = first[times > 1].tolist()
        faults.append(f"cells given more than once: {listed([_cell(raw, row) for row in twice], 5)}")
    shown = np.zeros(len(cells), bool)
    for table in range(len(system.names)):
        codes = system.codes(cells)
        places = zip(codes.T, system.shown[table], strict=True)
        shown |= np.logical_and.reduce([np.isin(column, of) for column, of in places])
    if not shown.all():
        other = first[~shown].tolist()
        faults.append(f"cells that no table shows: {listed([_cell(raw, row) for row in other], 5)}")
    return faults, keys


def _completed(cells: _Cells, *, shared: bool) -> tuple[_Cells, list[str]]:
    """Return the cells with the totals that the file leaves out, and what was computed.

    `shared` says that one contributor may stand behind several cells.
    """
    hidden = np.isnan(cells.values)
    if cells.status is not None:
        hidden |= np.isin(cells.status, WITHHELD)
    base = lowest(cells.system, cells.keys, _parts(cells.system, cells.keys))
    totals, over_hidden = missing_totals(cells.system, cells.keys, base, hidden)
    if not len(totals):
        return cells, []
    everything = np.concatenate([cells.keys, totals])
    order = np.argsort(everything, kind="stable")
    names = [name for name in cells.columns if name in {"count", "cost"}]
    figures = np.stack([cells.values, *(cells.columns[name] for name in names)], axis=1)
    sums = computed(cells.system, cells.keys, base, figures, totals)
    columns = dict(cells.columns)
    columns |= {name: np.concatenate([cells.columns[name], sums[:, at]])[order] for at, name in enumerate(names, 1)}
    largest = [name for name in cells.columns if name.startswith("largest ")]
    if largest:
        given = np.nan_to_num(np.stack([cells.columns[name] for name in largest], axis=1))
        tops = largest_of(cells.system, cells.keys, base, given, totals)
        columns |= {n: np.concatenate([cells.columns[n], tops[:, at]])[order] for at, n in enumerate(largest)}
    for name in cells.columns:
        if name not in names and name not in largest:
            columns[name] = np.concatenate([cells.columns[name], np.full(len(totals), np.nan)])[order]
    status = None
    if cells.status is not None:
        status = np.concatenate([cells.status, np.where(over_hidden, Status.FORCED, Status.PUBLISHED)])[order]
        status = status.astype(np.int8)
    values = np.concatenate([cells.values, sums[:, 0]])[order]
    notes = []
    if not over_hidden.all():
        number = int((~over_hidden).sum())
        notes.append(f"{counted(number, 'total')} that the file leaves out computed from its other cells")
    if over_hidden.any():
        number = int(over_hidden.sum())
        notes.append(
            f"{counted(number, 'total')} over suppressed cells that the file leaves out taken as suppressed too"
        )
    if shared and ("count" in names or largest):
        notes.append("their contributors are taken to be different in each cell")
    return _Cells(cells.system, everything[order], values, status, columns), notes


def _parts(system: System, keys: NDArray[np.int64]) -> list[NDArray[np.bool_]]:
    codes = system.codes(keys)
    return [
        np.logical_and.reduce([np.isin(column, of) for column, of in zip(codes.T, shown, strict=True)])
        for shown in system.shown
    ]


def _with_contributors(table: Table, cells: _Cells) -> Table:
    """Return the table with counts and contributions, as far as the file tells them."""
    count = cells.columns.get("count")
    counts = None if count is None else np.nan_to_num(count).round().astype(np.int64)
    if counts is None and table.is_count and np.isfinite(table.values).all():
        counts = table.values.round().astype(np.int64)
    names = [name for name in cells.columns if name.startswith("largest ")]
    table = replace(table, counts=counts)
    if not names:
        return table
    largest = np.nan_to_num(np.stack([cells.columns[name] for name in names], axis=1))
    known = (largest > 0).sum(axis=1) if counts is None else counts
    if counts is None:
        # What the largest do not sum up to comes from at least one other: nobody is taken to be alone there.
        known = known + (table.values - largest.sum(axis=1) > 1e-9 * np.abs(table.values))
    holders = np.full(largest.shape, -1, np.int64)
    holders[:, 0] = owners(replace(table, counts=known))
    ones = np.ones(largest.shape)
    return replace(table, contributions=Contributions(largest, holders, ones, known.astype(np.int64), table.values))


def _given(table: Table, cells: _Cells, notes: tuple[str, ...]) -> GivenTable:
    levels = None
    distances = [cells.columns.get(f"{name}_level") for name in ("lower", "upper", "sliding")]
    primary = np.zeros(len(table), bool) if cells.status is None else cells.status == Status.PRIMARY
    if any(distance is not None for distance in distances):
        lower, upper, sliding = (
            np.zeros(len(table)) if distance is None else np.nan_to_num(distance) for distance in distances
        )
        if cells.status is None:
            primary = (lower > 0) | (upper > 0) | (sliding > 0)
        levels = Levels(
            primary,
            np.where(primary, lower, 0.0),
            np.where(primary, upper, 0.0),
            np.where(primary, sliding, 0.0),
            np.where(primary, 0, -1).astype(np.int16),
            ("given",),
            np.zeros(len(table)),
        )
    return GivenTable(
        table,
        cells.status,
        levels,
        cells.columns.get("cost"),
        cells.columns.get("lower"),
        cells.columns.get("upper"),
        None,
        bool(np.isfinite(table.values).all()),
        notes,
    )


def _bound_faults(given: GivenTable) -> list[str]:
    """Return which bounds exclude the true value; the value itself is not told."""
    table, faults = given.table, []
    for name, bound, sign in (("lower", given.lower, 1), ("upper", given.upper, -1)):
        if bound is not None:
            with np.errstate(invalid="ignore"):
                wrong = sign * (bound - table.values) > 1e-9 * np.maximum(1.0, np.abs(table.values))
            if wrong.any():
                cells = [table.cell_name(cell) for cell in np.flatnonzero(wrong).tolist()]
                faults.append(f"the {name} bound excludes the value of: {listed(cells, 5)}")
    return faults


def _contribution_faults(raw: RawCells, *, decimals: int | None) -> list[str]:
    """Return what cannot be right about the largest contributions to values that are not negative."""
    names = [name for name in raw.numbers if name.startswith("largest ")]
    if not names:
        return []
    largest = np.nan_to_num(np.stack([raw.numbers[name] for name in names], axis=1))
    faults = []
    if below := _named(raw, np.asarray((largest < 0).any(axis=1))):
        faults.append(f"negative largest contributions: {below}")
    with np.errstate(invalid="ignore"):
        # A value may be rounded to its last place, and so may each contribution.
        unit = 10.0 ** -(decimals_of(raw.values) if decimals is None else decimals)
        more = np.asarray(largest.sum(axis=1) - raw.values > len(names) * unit + 1e-9 * np.abs(raw.values))
    if above := _named(raw, more):
        faults.append(f"largest contributions that are together more than the value: {above}")
    return faults


def _named(raw: RawCells, mask: NDArray[np.bool_]) -> str:
    return listed([_cell(raw, row) for row in np.flatnonzero(mask).tolist()], 5)


def _cell(raw: RawCells, row: int) -> str:
    return "(" + ", ".join(f"{name}={(codes[row] or '').strip()}" for name, codes in raw.codes.items()) + ")"


def _raise(faults: Sequence[str], raw: RawCells) -> None:
    if faults:
        raise InputError(faults_text(list(faults)), where=raw.where, do="correct the file of cells, or its hierarchies")
