"""Hidden cells given back to whoever has a key: the steward with the master key, or a person with their own.

Nothing is written unless every token that the key is for opens, and the files are those of the release: tokens of an
earlier release under the same keys open as well, and give old values. A wrong key says so before any token is tried.
Cells of persons whose key was erased stay hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sqlglot import exp

from tacita.concealment.keys import (
    CellState,
    Ciphers,
    DerivedKeys,
    ExportedKey,
    KeyStore,
    OpenedCells,
    Tokens,
    open_tokens,
    read_exported_key,
    read_master_key,
)
from tacita.concealment.keys.person_keys import PersonKeys
from tacita.concealment.texts import texts_of
from tacita.engines.context import Context
from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Relation
from tacita.errors import InputError, UsageError, counted, faults_text
from tacita.files.declared_missing import with_declared_missing
from tacita.files.read import read
from tacita.model import dictionary_file
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, Step, silent
from tacita.release.kinds.concealed.sealed import (
    HIDDEN,
    KEYS,
    RECORDS,
    SOURCE_DICTIONARY,
    TOKENS,
    hidden_records,
    parquet_table,
    tokens_in,
)
from tacita.release.manifest import MANIFEST, changed_files, check_manifest
from tacita.release.opening import OpenedRelease, kind_of, open_to_verify
from tacita.release.records.data_file import reading_options

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "concealed release"
_RECORD, _SPELT, _OPEN = "\0record", "\0spelt ", "\0open "
"""No attribute has a name that begins so."""
_TYPES = {
    ColumnType.INTEGER: exp.DType.BIGINT,
    ColumnType.NUMBER: exp.DType.DOUBLE,
    ColumnType.BOOLEAN: exp.DType.BOOLEAN,
    ColumnType.DATE: exp.DType.DATE,
    ColumnType.TIMESTAMP: exp.DType.TIMESTAMP,
}
_EXPORTED = b"{"
"""An exported key is JSON; a master key is random bytes, which begin like that in one of 256 cases."""


@dataclass(frozen=True, slots=True)
class RevealedCells:
    """Records whose hidden cells were given back, and how many cells were."""

    microdata: Microdata
    opened: int
    erased: int
    """How many cells stay hidden because the key of their person is gone."""
    damaged: int
    """How many cells stay hidden because their token is damaged, and somebody said to go on."""
    notes: tuple[str, ...] = ()
    """Which files were changed, if somebody said to go on."""


def reveal(
    release: Path,
    key: Path,
    context: Context,
    *,
    internal: Path | None = None,
    skip_damaged: bool = False,
    progress: Progress = silent,
) -> RevealedCells:
    """Return the records of a release with their hidden cells given back, as far as a key goes.

    With the master key and the internal folder these are all records, in the order of the source, under the dictionary
    of the source. With the key of a person, which needs no internal folder, they are the records of that person.
    """
    opened = opened_with_tokens(release, internal)
    keys, persons = keys_of(opened, key)
    microdata = read(str(opened.data), context.engine, reading_options(opened.public, progress))
    cells = _cells(opened, microdata, keys, persons, progress)
    _check_damage(cells, skip_damaged=skip_damaged)
    notes = _check_files(opened, skip_damaged=skip_damaged)
    counts = {state: sum(one.count(state) for one in cells.values()) for state in CellState}
    own = [int(row) for row in keys.row_ids] if isinstance(keys, ExportedKey) else None
    restored = _restored(microdata, opened, cells, own)
    return RevealedCells(restored, counts[CellState.OPENED], counts[CellState.ERASED], counts[CellState.DAMAGED], notes)


def opened_with_tokens(release: Path, internal: Path | None) -> OpenedRelease:
    """Return a release whose hidden cells have tokens; raise if it is another one."""
    kind = kind_of(release)
    if kind.name != NAME:
        raise UsageError("no cell of this release is concealed", where=str(release), do="name a release of 'conceal'")
    opened = open_to_verify(release, kind, internal)
    check_manifest(opened.public, release, NAME)
    if opened.public.get("hidden_as") != "token":
        raise UsageError("hidden cells of this release have no tokens", where=str(release), do="go back to the source")
    return opened


def keys_of(opened: OpenedRelease, path: Path) -> tuple[PersonKeys, Mapping[str, str]]:
    """Return the keys of persons, and the person of each record they are for."""
    data_set = str(opened.public["data_set"])
    if _is_exported(path):
        own = read_exported_key(path, data_set)
        return own, dict.fromkeys(own.row_ids, own.person)
    master = read_master_key(path)
    sealed = opened.manifest.get("sealed")
    if not opened.manifest or not isinstance(sealed, dict):
        raise InputError(
            "the master key opens tokens only together with the internal folder",
            where=str(opened.internal),
            do="say where it is with --internal DIR",
        )
    if sealed.get("derived"):
        if not master.fits(bytes.fromhex(str(sealed["key_check"]))):
            raise InputError(
                "is not the master key of this release", where=str(path), do="use the key it was made with"
            )
        keys: PersonKeys = DerivedKeys(master, data_set)
    else:
        keys = KeyStore.read(opened.internal / KEYS, master, data_set)
    table = opened.table(RECORDS)
    records = [str(number) for number in table.column("record").to_pylist()]
    return keys, dict(zip(records, table.column("person").to_pylist(), strict=True))


def _is_exported(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(1) == _EXPORTED and path.stat().st_size != 64
    except OSError:
        return False  # whoever reads it as a master key says what is wrong


def _cells(
    opened: OpenedRelease, microdata: Microdata, keys: PersonKeys, persons: Mapping[str, str], progress: Progress
) -> dict[str, OpenedCells]:
    """Return the opened cells of each attribute that has tokens of these persons."""
    import pyarrow as pa
    import pyarrow.compute as pc

    opened_cells = {}
    wanted = pa.array(list(persons), pa.string())
    names = pa.array(list(persons.values()), pa.string())
    tokens = _tokens(opened, microdata)
    ciphers = Ciphers()
    for number, (name, one) in enumerate(tokens.items()):
        progress(Step("opening hidden cells", number, len(tokens)))
        places = pc.index_in(one.row_ids, value_set=wanted)
        mine = places.is_valid()
        part = Tokens(name, one.row_ids.filter(mine), one.tokens.filter(mine))
        opened_cells[name] = open_tokens(part, names.take(places.filter(mine)), keys, ciphers=ciphers)
    return opened_cells


def _tokens(opened: OpenedRelease, microdata: Microdata) -> dict[str, Tokens]:
    """Return the tokens of a release by attribute of the source, from their file or from the cells."""
    in_cells = opened.public.get("tokens") == "cells"
    path = opened.folder / (HIDDEN if in_cells else TOKENS)
    table = parquet_table(path)
    if not in_cells:
        return tokens_in(table, str(path))
    tokens = {}
    numbers = texts_of(microdata.relation, [str(opened.public["record_id"])])[0]
    for own, name in opened.public["concealed"].items():
        texts = dict(zip(numbers, texts_of(microdata.relation, [own])[0], strict=True))
        records = hidden_records(table, name, str(path))
        tokens[name] = Tokens.from_text(name, records, [texts.get(record) for record in records])
    return tokens


def _check_damage(cells: Mapping[str, OpenedCells], *, skip_damaged: bool) -> None:
    damaged = {name: one for name, one in cells.items() if one.count(CellState.DAMAGED)}
    if not damaged or skip_damaged:
        return
    faults = []
    for name, one in damaged.items():
        rows = one.rows(CellState.DAMAGED)
        shown = ", ".join(rows[:8]) + (f" and {len(rows) - 8:,} more" if len(rows) > 8 else "")
        faults.append(f"{counted(len(rows), 'token')} of '{name}' damaged or moved (record {shown})")
    raise InputError(
        faults_text(faults),
        do="restore the release; to leave these cells hidden, add --skip-damaged. Nothing was written",
    )


def _check_files(opened: OpenedRelease, *, skip_damaged: bool) -> tuple[str, ...]:
    """Return which files that cells come from are not those of the release; raise unless somebody said to go on."""
    used = {MANIFEST, str(opened.public["data"]), TOKENS, HIDDEN}
    changed = changed_files(opened.folder, opened.public, opened.manifest)
    faults = [f"{name} is not the file that was released" for name in changed if name in used]
    if faults and not skip_damaged:
        raise InputError(
            faults_text(faults),
            where=str(opened.folder),
            do="restore the release; to reveal what these files have, add --skip-damaged. Nothing was written",
        )
    return tuple(f"{fault}: values may be old or changed" for fault in faults)


@dataclass(frozen=True, slots=True)
class _OpenedColumn:
    """The terms of the opened cells of an attribute."""

    value: exp.Expr
    spelling: exp.Expr
    is_open: exp.Expr
    is_text: bool

    @classmethod
    def by_name(cls, schema: pa.Schema, given: Relation) -> dict[str, _OpenedColumn]:
        """Return the columns of a table of `_opened_table` by the names that attributes have in the file."""
        import pyarrow as pa

        terms = {
            name: exp.column(column.physical, table="o")
            for name, column in zip(schema.names, given.columns, strict=True)
        }
        names = [name for name in schema.names if f"{_OPEN}{name}" in terms]
        return {
            name: cls(
                # a column of nulls alone has no type that would fit that of the file
                exp.Null() if pa.types.is_null(schema.field(name).type) else terms[name],
                terms[f"{_SPELT}{name}"],
                terms[f"{_OPEN}{name}"],
                pa.types.is_string(schema.field(name).type),
            )
            for name in names
        }


def _restored(
    microdata: Microdata, opened: OpenedRelease, cells: Mapping[str, OpenedCells], own: Sequence[int] | None
) -> Microdata:
    """Return the released records with opened cells in their places; those of one person, if they are given."""
    relation = microdata.relation
    number = str(opened.public["record_id"])
    of_file = {name: own_name for own_name, name in opened.public["concealed"].items()}
    types = {name: ColumnType(type_) for name, type_ in opened.public.get("types", {}).items()}
    beside = _opened_table(cells, of_file)
    given = relation.engine.adopt(beside.to_batches(), beside.schema)
    at = _OpenedColumn.by_name(beside.schema, given)
    terms: list[exp.Expr] = []
    columns: list[Column] = []
    for column in relation.columns:
        if column.name != number:
            restored, new = _cell(column, at, types.get(column.name))
            terms += restored
            columns.append(new)
    key = exp.column(relation.column(number).physical, table="p")
    plan = exp.select(*terms).from_(relation.source().as_("p"))
    plan = plan.join(
        given.source().as_("o"),
        on=exp.EQ(this=key.copy(), expression=exp.column(given.columns[0].physical, table="o")),
        join_type="left",
    )
    if own is not None:
        plan = plan.where(exp.In(this=key.copy(), expressions=[exp.Literal.number(row) for row in own] or [exp.Null()]))
        stored = relation.engine.store(plan.order_by(key), columns)
    else:
        order = opened.table(RECORDS)
        batch = pa_batch(order)
        places = relation.engine.adopt([batch], batch.schema)
        same = exp.EQ(this=key, expression=exp.column("c0", table="s"))
        plan = plan.join(places.source().as_("s"), on=same)
        stored = relation.engine.store(plan.order_by(exp.column("c1", table="s")), columns)
        relation.engine.drop(places)
    relation.engine.drop(given)
    return _described(microdata, stored, opened, is_whole=own is None)


def _described(microdata: Microdata, stored: Relation, opened: OpenedRelease, *, is_whole: bool) -> Microdata:
    """Return restored records under the dictionary of the source, or what the release has of it."""
    names = [column.name for column in stored.columns]
    dictionary = microdata.dictionary
    path = opened.internal / SOURCE_DICTIONARY
    if is_whole and path.is_file():
        source = dictionary_file.load(path)
        of_file = {file: own for own, file in opened.manifest["names"].items()}
        dictionary = replace(source, attributes=tuple(source[of_file[name]].with_(name=name) for name in names))
    attributes = tuple(attribute for attribute in dictionary if attribute.name in names)
    dictionary = replace(dictionary, attributes=attributes, scenarios={})
    stored = with_declared_missing(stored, {attribute.name: attribute for attribute in attributes})
    return replace(microdata, relation=stored, dictionary=dictionary, readings=(), hierarchies={})


def _cell(column: Column, at: Mapping[str, _OpenedColumn], type_: ColumnType | None) -> tuple[list[exp.Expr], Column]:
    """Return the terms of a column with opened cells in the place of hidden ones, and the column.

    `type_` is the type of the source. Where a column of the file is text, since tokens stood in its cells or a format
    knows no better, cells that are values of that type become values again.
    """
    value: exp.Expr = exp.column(column.physical, table="p")
    spelling: exp.Expr = exp.column(column.as_written, table="p") if column.as_written else exp.Null()
    if column.name not in at:
        terms = [exp.alias_(value, column.physical)]
        return (terms + ([exp.alias_(spelling, column.as_written)] if column.as_written else [])), column
    opened, companion = at[column.name], column.as_written or f"{column.physical}w"
    given, written = opened.value, opened.spelling
    if column.is_coded:
        value, column = as_text(value), replace(column, is_coded=False)
    if column.type is ColumnType.TEXT and type_ is not None:
        text = exp.func("coalesce", spelling, value)
        value = exp.TryCast(this=text, to=exp.DataType(this=_TYPES[type_]))
        spelling = exp.Case(ifs=[exp.If(this=exp.NullSafeNEQ(this=as_text(value), expression=text), true=text)])
        column = replace(column, type=type_)
    elif column.type is ColumnType.TEXT and not opened.is_text:
        given, written = exp.func("coalesce", written, as_text(given)), exp.Null()
    return [
        exp.alias_(exp.Case(ifs=[exp.If(this=opened.is_open, true=given)], default=value), column.physical),
        exp.alias_(exp.Case(ifs=[exp.If(this=opened.is_open.copy(), true=written)], default=spelling), companion),
    ], replace(column, as_written=companion)


def _opened_table(cells: Mapping[str, OpenedCells], of_file: Mapping[str, str]) -> pa.Table:
    """Return opened cells as a table: a row for each record that has one, by the names of the file."""
    import pyarrow as pa

    opened = {name: np.flatnonzero(one.states == CellState.OPENED) for name, one in cells.items()}
    numbers = {name: one.row_ids.cast(pa.int64()).to_numpy()[opened[name]] for name, one in cells.items()}
    records = np.unique(np.concatenate([np.empty(0, np.int64), *numbers.values()]))
    columns: dict[str, pa.Array] = {_RECORD: pa.array(records)}
    for name, one in cells.items():
        own = of_file[name]
        place = np.full(len(records), -1, dtype=np.int64)
        place[np.searchsorted(records, numbers[name])] = opened[name]
        at = pa.array(place, mask=place < 0)
        columns[own] = one.values.take(at)
        columns[f"{_SPELT}{own}"] = one.as_written.take(at)
        columns[f"{_OPEN}{own}"] = pa.array(place >= 0)
    return pa.table(columns)


def pa_batch(table: pa.Table) -> pa.RecordBatch:
    """Return the number and the source of each record as one batch."""
    return table.select(["record", "source"]).combine_chunks().to_batches(max_chunksize=None)[0]
