"""Data of any kind as the facts of a predicate: files, databases, data frames, data sets, Python tuples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tacita.engines.context import Context
from tacita.engines.protocol import Relation
from tacita.errors import InputError, UsageError, counted, did_you_mean, listed, printable
from tacita.files.contract import ReadOptions
from tacita.files.formats import format_of, is_database
from tacita.files.layout import find_layout
from tacita.files.read import read
from tacita.files.streaming import schema_of
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.reasoning.bindings import FactSource, shown
from tacita.reasoning.columns import MatchedColumns, Wanted, by_name, matched
from tacita.rules.reasoner.inputs import check_whole_numbers
from tacita.rules.reasoner.reason import Input, InputTable

_NUMBER = re.compile(r"[+-]?(\d[\d.,' ]*|\.\d+)([eE][+-]?\d+)?\s*%?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?")
_ENOUGH = 0.9  # a few odd cells in a column of numbers do not make it text
_LIBRARIES = ("pandas", "polars", "pyarrow")


@dataclass(slots=True)
class Reader:
    """Reads data into an engine and remembers what a person should know of it."""

    context: Context
    no_header: bool = False
    notes: list[str] = field(default_factory=list)

    def facts(self, wanted: Wanted, given: object) -> Input:
        """Return data of any kind as the facts of a predicate."""
        if isinstance(given, InputTable):
            return given
        if isinstance(given, str | Path):
            given = FactSource.parse(str(given))
        if isinstance(given, FactSource):
            return self._of_place(wanted, given)
        if isinstance(given, Microdata):
            return self._of_microdata(wanted, given, f"data set '{given.name}'")
        if type(given).__module__.partition(".")[0] in _LIBRARIES:
            where = f"{type(given).__module__.partition('.')[0]} {type(given).__name__}"
            return self._of_microdata(wanted, read(given, self.context.embedded), where)
        if isinstance(given, Iterable) and not isinstance(given, bytes | Mapping):
            return _rows(wanted, list(given))
        raise UsageError(
            f"the input of {wanted.predicate} is a {type(given).__name__}",
            do="give a path, a database URL, a data frame, a data set or a list of tuples",
        )

    def microdata(self, data: Microdata | str | Path) -> Microdata:
        """Return microdata as it lives in the engine that reasons."""
        if isinstance(data, Microdata):
            microdata = data
        else:
            microdata = read(str(data), self.context.embedded, ReadOptions(progress=self.context.progress))
        return replace(microdata, relation=self._adopted(microdata))

    # -- files and databases -------------------------------------------------------------------------------------------

    def _of_place(self, wanted: Wanted, place: FactSource) -> InputTable:
        where = shown(place.source)
        options = ReadOptions(**place.options, progress=self.context.progress)
        header = False if self.no_header and place.header is None else place.header
        if not is_database(place.source) and _is_text_file(Path(place.source)):
            return self._of_text(wanted, place, options, header)
        if header is False:
            raise UsageError("only text files can be without a header", where=where, do="leave :no-header out")
        microdata = read(place.source, self.context.embedded, options)
        matches = matched(wanted, [c.name for c in microdata.columns], where)
        if types := _declared_types(wanted, matches, {c.name: c.type for c in microdata.columns}):
            microdata = self._read_as(wanted, place.source, replace(options, types=types))
        return self._table(microdata, matches, where)

    def _of_text(self, wanted: Wanted, place: FactSource, options: ReadOptions, header: bool | None) -> InputTable:
        path = Path(place.source)
        tab = "\t" if path.name.lower().endswith((".tsv", ".tab", ".tsv.gz")) else None
        # A line of a sample whole in text: what it looks like decides whether it is a header.
        lines = find_layout(path, replace(options, header=False), tab)
        first, rest = lines.rows[0], lines.rows[1:]
        names = [cell.strip() for cell in first]
        if header is None:
            header = by_name(wanted, names) is not None or not looks_like_data(first, rest)
        if header and len(set(names)) < len(names):
            find_layout(path, replace(options, header=True), tab)  # says which name is there twice
        columns = names if header else list(lines.names)
        matches = matched(wanted, columns, place.source, has_names=header)
        options = replace(options, header=header, types=_declared_types(wanted, matches, {}))
        return self._table(self._read_as(wanted, path, options), matches, place.source)

    def _read_as(self, wanted: Wanted, source: str | Path, options: ReadOptions) -> Microdata:
        """Read a file with the types that ``@input`` declares; where they do not fit, speak of the declaration."""
        try:
            return read(source, self.context.embedded, options)
        except InputError as error:
            if not options.types or "--as" not in (error.do or ""):
                raise
            names = [name for name in wanted.declared_types if wanted.declared_types[name] is not ColumnType.TEXT]
            example = f"{names[0]}:text" if len(names) == 1 else "name:text"
            do = f'mend these rows, or declare the column as a text: "{example}" in @input("{wanted.predicate}", [...])'
            raise InputError(error.found, where=error.where or shown(str(source)), do=do) from None

    # -- objects -------------------------------------------------------------------------------------------------------

    def _of_microdata(self, wanted: Wanted, microdata: Microdata, where: str) -> InputTable:
        matches = matched(wanted, [c.name for c in microdata.columns], where)
        return self._table(microdata, matches, where)

    def _table(self, microdata: Microdata, matches: MatchedColumns, where: str) -> InputTable:
        if matches.note:
            self.notes.append(printable(matches.note))
        for reading in microdata.readings:
            if reading.doubtful and reading.name in matches.columns:
                self.notes.append(printable(f"{where}: {reading.name}: as {reading.type.value}; {reading.reason}"))
        return InputTable(self._adopted(microdata), matches.columns)

    def _adopted(self, microdata: Microdata) -> Relation:
        relation = microdata.relation
        if relation.engine is self.context.engine:
            return relation
        check_whole_numbers(relation, [column.physical for column in relation.columns])
        schema = schema_of(microdata)
        batches = (batch.cast(schema) for batch in relation.batches())
        adopted = self.context.engine.adopt(batches, schema)
        return adopted.renamed(
            [replace(a, name=c.name, type=c.type) for a, c in zip(adopted.columns, relation.columns, strict=True)]
        )


def _is_text_file(path: Path) -> bool:
    return path.is_file() and format_of(path).name in {"CSV", "TSV"}


def _declared_types(wanted: Wanted, matches: MatchedColumns, known: Mapping[str, ColumnType]) -> dict[str, ColumnType]:
    """Return the declared types by the columns that hold them; those that a column has already are left out."""
    if not wanted.declared_types:
        return {}
    arguments = zip(wanted.names, matches.columns, strict=True)
    types = {column: wanted.declared_types[name] for name, column in arguments if name in wanted.declared_types}
    return {column: type_ for column, type_ in types.items() if known.get(column) is not type_}


def _rows(wanted: Wanted, rows: list[Any]) -> Sequence[Sequence[Any]]:
    """Return Python rows as tuples; mappings give their values by the names of the arguments."""
    where = f"input of {wanted.predicate}"
    tuples: list[Sequence[Any]] = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, Mapping):
            if not wanted.names:
                do = f'name the arguments: @input("{wanted.predicate}", ["...", ...])'
                raise InputError("the tuples have names, the arguments have none", where=where, do=do)
            missing = [name for name in wanted.names if name not in row]
            if missing:
                near = did_you_mean(missing[0], map(str, row))
                raise InputError(f"tuple {number} has no {listed(missing)}{near}", where=where, do="name all arguments")
            tuples.append(tuple(row[name] for name in wanted.names))
        elif isinstance(row, Sequence) and not isinstance(row, str | bytes):
            tuples.append(row)
        else:
            raise InputError(f"tuple {number} is a {type(row).__name__}", where=where, do="give tuples")
    lengths = {len(row) for row in tuples}
    if lengths and lengths != {wanted.arity}:
        raise InputError(
            f"the tuples have {listed(sorted(lengths))} values, the rules give {wanted.predicate} "
            f"{counted(wanted.arity, 'argument')}",
            where=where,
            do="give each tuple a value for each argument",
        )
    return tuples


# -- headers -----------------------------------------------------------------------------------------------------------


def looks_like_data(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Return whether a first line looks like the lines below it, and not like names of columns.

    >>> looks_like_data(["1", "0", "0.7"], [["2", "0", "0.41"]])
    True
    >>> looks_like_data(["owner", "company", "share"], [["a", "b", "0.41"]])
    False
    >>> looks_like_data(["a", "b"], [["b", "c"], ["a", "c"]])
    True
    >>> looks_like_data(["owner", "owner", "share"], [["a", "b", "0.41"]])
    False
    """
    cells = [cell.strip() for cell in first]
    if not all(cells):
        return True  # a column without a name: no header at all
    kinds = [_kind(cell) for cell in cells]
    for place, kind in enumerate(kinds):
        below = [row[place].strip() for row in rest if place < len(row) and row[place].strip()]
        same = [_kind(cell) for cell in below]
        if kind == "text" and below and sum(k != "text" for k in same) >= _ENOUGH * len(below):
            return False  # a word above numbers is what headers look like
    if any(kind != "text" for kind in kinds) or len(set(cells)) < len(cells):
        return True  # names are words, and different ones
    values = {cell.strip() for row in rest for cell in row}
    return any(cell in values for cell in cells)


def _kind(cell: str) -> str:
    if _DATE.fullmatch(cell):
        return "date"
    return "number" if _NUMBER.fullmatch(cell) else "text"
