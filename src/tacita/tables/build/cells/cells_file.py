"""A file of cells as columns: codes as they are written, values as numbers, and what stands where a value does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from tacita.engines.arrow import as_numpy
from tacita.engines.plans.terms import as_double, as_text
from tacita.engines.protocol import Engine, Relation
from tacita.errors import InputError, did_you_mean, faults_text, listed
from tacita.files.contract import ReadOptions
from tacita.files.read import read
from tacita.model.relation import Column, ColumnType
from tacita.tables.build.cells.markers import MARKERS, ZEROS

_BATCH = 100_000
_BOUNDS = ("lower", "upper")


@dataclass(frozen=True, slots=True)
class CellColumns:
    """Which column of a file of cells is what; None: there is none, or it is found by its usual name."""

    value: str | None = None
    count: str | None = None
    status: str | None = None
    primary: str | None = None
    """A column that is true for cells suppressed by a rule, beside `suppressed` for all that are."""
    suppressed: str | None = None
    lower: str | None = None
    upper: str | None = None
    cost: str | None = None
    lower_level: str | None = None
    upper_level: str | None = None
    sliding_level: str | None = None
    largest: tuple[str, ...] = ()

    @property
    def numbers(self) -> dict[str, str]:
        """The columns of numbers that were named, by what they are, besides the value."""
        names = ("count", "lower", "upper", "cost", "lower_level", "upper_level", "sliding_level")
        columns = {name: column for name in names if (column := getattr(self, name)) is not None}
        return columns | {f"largest {place}": column for place, column in enumerate(self.largest, 1)}


@dataclass(frozen=True, slots=True)
class RawCells:
    """The rows of a file of cells: nothing is checked yet but that each number is one."""

    codes: Mapping[str, Sequence[str | None]]
    """By dimension."""
    values: NDArray[np.float64]
    """nan where there is none."""
    marks: Sequence[str | None]
    """What stands in the file where a value does not; None where there is a value."""
    words: Sequence[str | None] | None
    """Statuses, as written."""
    numbers: Mapping[str, NDArray[np.float64]]
    columns: CellColumns
    where: str
    kind: str = ""
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.values)


def read_cells(
    source: object,
    dimensions: Mapping[str, str],
    columns: CellColumns,
    engine: Engine,
    *,
    kind: str = "",
    markers: Sequence[str] = (),
    response: str | None = None,
    bounds: bool = False,
) -> RawCells:
    """Return the rows of a file (any format that microdata may have) or of an Arrow table.

    `dimensions` are names with their columns. `kind` is ``csv``, ``sbs``, ``argus``, ``sdctable`` or ``gauss``; empty:
    found out from the columns. `markers` are texts that mark a suppressed value; none: the usual ones. `response` is
    the column of the values if there is one of that name and none is said; empty: frequencies are wanted. `bounds`
    says that columns of numbers called ``lower`` and ``upper`` are published intervals.
    """
    where = str(source) if isinstance(source, str | PathLike) else "the table in memory"
    spelled = tuple(markers) or MARKERS
    kind = kind or ("sbs" if where.lower().endswith(".sbs") else "")
    if kind in {"sbs", "argus"}:
        from tacita.tables.argus.cells import headless_table

        source, columns = headless_table(Path(where), list(dimensions.values()), columns, kind)
    microdata = read(source, engine, ReadOptions(missing=(*spelled, *ZEROS)), use_dictionary=False)
    relation = microdata.relation
    names = [column.name for column in relation.columns]
    if columns.value is None and response in names:
        columns = replace(columns, value=response)
    columns, kind = _recognised(columns, names, kind, set(dimensions.values()), response == "")
    if bounds:
        free = [one.name for one in relation.columns if one.type.is_numeric and one.name not in dimensions.values()]
        lower, upper = (next((name for name in free if name.casefold() == wanted), None) for wanted in _BOUNDS)
        columns = replace(columns, lower=columns.lower or lower, upper=columns.upper or upper)
    _check_columns(relation, columns, dimensions, where)
    assert columns.value is not None
    words = columns.status or columns.suppressed
    texts = {*dimensions.values(), columns.value, *filter(None, (words, columns.primary))}
    text_columns = _as_texts(relation, sorted(texts))
    values, marks, strange = _values(relation, columns.value, text_columns[columns.value], spelled)
    faults = [f"row {row}: the value is not a number or a known marker" for row in strange[:5]]
    if len(strange) > 5:
        faults.append(f"and {len(strange) - 5:,} more such rows")
    numbers = {}
    for name, column in columns.numbers.items():
        if not relation.column(column).type.is_numeric:
            faults.append(f"column '{column}' ({name}) holds something that is not a number")
        else:
            numbers[name] = _numbers(relation, column)
    if faults:
        raise InputError(
            faults_text(faults),
            where=where,
            do='correct these cells, or say what marks a suppressed value: markers = ["x"] in [data]',
        )
    return RawCells(
        {name: text_columns[column] for name, column in dimensions.items()},
        values,
        marks,
        _words(text_columns, columns),
        numbers,
        columns,
        where,
        kind,
    )


def _recognised(
    columns: CellColumns, names: Sequence[str], kind: str, taken: set[str], counted: bool
) -> tuple[CellColumns, str]:
    """Return columns with those filled in that a kind of file always has, and the kind."""
    free = [name for name in names if name not in taken]

    def called(*wanted: str) -> str | None:
        return next((name for want in wanted for name in free if name.casefold() == want.casefold()), None)

    if not kind:
        kind = "sdctable" if called("sdcStatus") else "gauss" if called("suppressed") and called("primary") else "csv"
    columns = replace(columns, count=columns.count or called("freq", "count", "n") if kind != "csv" else columns.count)
    if kind == "gauss":
        columns = replace(
            columns,
            suppressed=columns.suppressed or called("suppressed"),
            primary=columns.primary or called("primary"),
        )
    elif columns.status is None:
        columns = replace(columns, status=called("sdcStatus") if kind == "sdctable" else called("status"))
    if columns.value is None and counted and kind == "sdctable":
        columns = replace(columns, value=columns.count)  # it has the frequencies beside every other figure
    if columns.value is None:
        used = {columns.count, columns.status, columns.primary, columns.suppressed, *columns.numbers.values()}
        rest = [name for name in free if name not in used and not name.startswith(("lo", "up", "suppressed_"))]
        value = called("value", "OBS_VALUE") or (rest[0] if len(rest) == 1 or (kind == "gauss" and rest) else None)
        columns = replace(columns, value=value or columns.count)
    return columns, kind


def _check_columns(relation: Relation, columns: CellColumns, dimensions: Mapping[str, str], where: str) -> None:
    names = [column.name for column in relation.columns]
    wanted = {f"dimension '{name}'": column for name, column in dimensions.items()} | dict(columns.numbers)
    wanted |= {"value": columns.value or "value"}
    wanted |= {name: column for name in ("status", "primary", "suppressed") if (column := getattr(columns, name))}
    faults = [
        f"no column '{column}' for the {what}{did_you_mean(column, names)}"
        for what, column in wanted.items()
        if column not in names
    ]
    if faults:
        raise InputError(faults_text(faults), where=where, do=f"name the columns; there are: {listed(names, 20)}")


def _as_texts(relation: Relation, names: Sequence[str]) -> dict[str, list[str | None]]:
    """Return columns as they are written in their source."""

    def written(column: Column) -> exp.Expr:
        value: exp.Expr = exp.column(column.physical)
        value = value if column.type is ColumnType.TEXT and not column.is_coded else as_text(value)
        return exp.func("coalesce", exp.column(column.as_written), value) if column.as_written else value

    terms = [exp.alias_(written(relation.column(name)), f"t{at}") for at, name in enumerate(names)]
    rows = _rows(relation, terms)
    return {name: _whole(rows.column(at).to_pylist(), relation.column(name)) for at, name in enumerate(names)}


def _whole(texts: list[str | None], column: Column) -> list[str | None]:
    """Return codes without the point that a number without fraction gets: 39.0 is 39."""
    if column.type is not ColumnType.NUMBER:
        return texts
    return [text.removesuffix(".0") if text is not None else None for text in texts]


def _numbers(relation: Relation, name: str) -> NDArray[np.float64]:
    value = as_double(exp.column(relation.column(name).physical))
    term = exp.func("coalesce", value, as_double(exp.Literal.string("nan")))
    return as_numpy(_rows(relation, [exp.alias_(term, "v")]).column(0)).astype(np.float64)


def _rows(relation: Relation, terms: Sequence[exp.Expr]) -> pa.Table:
    plan = exp.select(*terms).from_(relation.source())
    batches = list(relation.engine.stream(plan, _BATCH))
    if not batches:
        raise InputError("there is no cell", do="give a file with a row for each cell")
    return pa.Table.from_batches(batches)


def _values(
    relation: Relation, name: str, texts: Sequence[str | None], markers: Sequence[str]
) -> tuple[NDArray[np.float64], list[str | None], list[int]]:
    """Return the values, the marks where there is none, and the rows (from 1) that hold something else."""
    is_number = relation.column(name).type.is_numeric
    values = _numbers(relation, name) if is_number else np.full(len(texts), np.nan)
    marks: list[str | None] = [None] * len(texts)
    strange = []
    known = {"", *(marker.casefold() for marker in markers)}
    for row in np.flatnonzero(np.isnan(values)).tolist():
        plain = (texts[row] or "").strip()
        if plain in ZEROS and plain not in markers:
            values[row] = 0.0
        elif plain.casefold() in known:
            marks[row] = plain
        elif is_number:
            strange.append(row + 1)
        else:
            try:
                values[row] = float(plain.replace("\u00a0", "").replace(" ", ""))
            except ValueError:
                strange.append(row + 1)
    return values, marks, strange


def _words(text_columns: Mapping[str, list[str | None]], columns: CellColumns) -> list[str | None] | None:
    if columns.suppressed is not None:
        first = text_columns[columns.primary] if columns.primary else text_columns[columns.suppressed]
        pairs = zip(text_columns[columns.suppressed], first, strict=True)
        return ["" if not _true(hidden) else "u" if _true(primary) else "x" for hidden, primary in pairs]
    return text_columns[columns.status] if columns.status else None


def _true(text: str | None) -> bool:
    return (text or "").strip().casefold() in {"true", "t", "1", "yes"}
