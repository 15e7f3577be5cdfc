"""Microdata as arrays, and arrays as microdata: the bridge between an engine and the methods that need numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacita.engines.protocol import Relation
from tacita.errors import InputError
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.microdata import Microdata
from tacita.model.records import Categories, Numbers, Records, Values
from tacita.model.relation import Column, ColumnType

if TYPE_CHECKING:
    import pyarrow as pa

_EXACT = 2**53
_RECORD, _NEW, _ROW = "r", "n", "row_number_"


def records_of(microdata: Microdata, names: Sequence[str] | None = None) -> Records:
    """Return attributes of microdata as arrays, all of them unless named.

    Numbers are numbers, unless the dictionary calls them categories or gives them an order; so are dates, in days, and
    moments, in microseconds. All else are categories.

    >>> import tacita as tc
    >>> records_of(tc.sample("figure-1").microdata, ["Area", "W"])
    <Records: 20 of 2 attributes>
    """
    import pyarrow as pa

    relation = microdata.relation
    wanted = [microdata.column(name) for name in (names if names is not None else microdata.dictionary.names)]
    terms = [exp.alias_(_fetched(column), f"x{place}") for place, column in enumerate(wanted)]
    if not terms:
        return Records({})
    plan = exp.select(*terms).from_(relation.source())
    plan = plan.order_by(exp.column(relation.number)) if relation.number else plan
    batches = list(relation.engine.stream(plan, 1_000_000))
    table = pa.Table.from_batches(batches) if batches else None
    columns: dict[str, Values] = {}
    for place, column in enumerate(wanted):
        cells = table.column(place) if table is not None else pa.chunked_array([], pa.null())
        columns[column.name] = _values(cells, column, microdata)
    return Records(columns)


def microdata_of(
    records: Records,
    microdata: Microdata,
    origin: NDArray[np.int64] | None,
    changed: Sequence[str],
    dropped: Collection[str] = (),
) -> Microdata:
    """Return microdata whose changed attributes are taken from arrays, and all others from the records of origin.

    Without an origin all attributes come from the arrays. Attributes that the microdata do not have are added, and
    those that are dropped are left out. Types stay: whole numbers are rounded to whole numbers again, and only
    categories that are not values of their type turn a column into text. Of the source's spellings a changed attribute
    keeps those of values that were missing and still are.
    """
    import pyarrow as pa

    relation = microdata.relation
    kept = {column.name: column for column in relation.columns if column.name not in dropped}
    given = [name for name in records.names if origin is None or name in changed or name not in kept]
    if origin is None:
        kept = {name: column for name, column in kept.items() if name in records.columns}
    kinds: dict[str, ColumnType] = {}
    arrays: list[Any] = []
    for name in given:
        array, kinds[name] = _column(records[name], kept[name].type if name in kept else _natural(records[name]))
        arrays.append(array)
    place = pa.array(range(len(records)), pa.int64())
    comes = pa.nulls(len(records), pa.int64()) if origin is None else pa.array(origin + 1, pa.int64())
    batch = pa.RecordBatch.from_arrays([place, comes, *arrays], names=[f"v{i}" for i in range(len(arrays) + 2)])
    beside = relation.engine.adopt([batch], batch.schema)
    new = dict(zip(given, beside.columns[2:], strict=True))
    terms: list[exp.Expr] = []
    columns: list[Column] = []
    for at, name in enumerate([*kept, *(name for name in given if name not in kept)]):
        if name in new:
            value = exp.column(new[name].physical, table=_NEW)
            terms.append(exp.alias_(value, f"n{at}"))
            code = _missing_code(value, kept.get(name)) if origin is not None else None
            columns.append(Column(name, f"n{at}", kinds[name], f"n{at}w" if code is not None else None))
            terms += [exp.alias_(code, f"n{at}w")] if code is not None else []
            continue
        column = kept[name]
        columns.append(replace(column, physical=f"n{at}", as_written=f"n{at}w" if column.as_written else None))
        terms.append(exp.alias_(exp.column(column.physical, table=_RECORD), f"n{at}"))
        if column.as_written:
            terms.append(exp.alias_(exp.column(column.as_written, table=_RECORD), f"n{at}w"))
    plan = exp.select(*terms).from_(beside.source().as_(_NEW))
    if origin is not None:
        plan = plan.join(_numbered(relation), on=_same_record(beside), join_type="left")
    stored = relation.engine.store(plan.order_by(exp.column(beside.columns[0].physical, table=_NEW)), columns)
    relation.engine.drop(beside)
    return _described(microdata, stored, records, kinds)


def _missing_code(value: exp.Expr, before: Column | None) -> exp.Expr | None:
    """Return how the source spells a value that was missing and still is: no answer, not applicable."""
    if before is None or before.as_written is None:
        return None
    absent = [exp.Is(this=term, expression=exp.Null()) for term in (value.copy(), _old(before.physical))]
    return exp.Case(ifs=[exp.If(this=exp.and_(*absent), true=_old(before.as_written))])


def _old(physical: str) -> exp.Column:
    return exp.column(physical, table=_RECORD)


def _numbered(relation: Relation) -> exp.Subquery:
    names = [name for column in relation.columns for name in (column.physical, column.as_written) if name]
    row = exp.alias_(relation.engine.numbered(relation), _ROW)
    return exp.select(row, *map(exp.column, names)).from_(relation.source()).subquery(_RECORD)


def _same_record(beside: Relation) -> exp.Expr:
    origin = exp.column(beside.columns[1].physical, table=_NEW)
    return exp.EQ(this=exp.column(_ROW, table=_RECORD), expression=origin)


def _described(microdata: Microdata, stored: Relation, records: Records, kinds: Mapping[str, ColumnType]) -> Microdata:
    """Return stored records with a dictionary that fits them."""
    known = {attribute.name: attribute for attribute in microdata.dictionary}
    before = {column.name: column.type for column in microdata.columns}
    attributes = []
    for column in stored.columns:
        attribute = known.get(column.name, Attribute(column.name, Category.NON_IDENTIFYING))
        if column.name in kinds:
            attribute = _attribute(attribute, records[column.name], kinds[column.name], before.get(column.name))
        attributes.append(attribute)
    hierarchies = {
        name: hierarchy
        for name, hierarchy in microdata.hierarchies.items()
        if stored_type(stored, name) is before[name]
    }
    scenarios = {
        name: names
        for name, names in microdata.dictionary.scenarios.items()
        if {a.name for a in attributes} >= {*names}
    }
    return replace(
        microdata,
        relation=stored,
        dictionary=replace(microdata.dictionary, attributes=tuple(attributes), scenarios=scenarios),
        hierarchies=MappingProxyType(hierarchies),
        readings=(),
    )


def stored_type(relation: Relation, name: str) -> ColumnType | None:
    """Return the type of a column, or None if there is no such column."""
    return next((column.type for column in relation.columns if column.name == name), None)


def _natural(values: Values) -> ColumnType:
    """Return the type of a column that nobody has told yet."""
    if isinstance(values, Numbers):
        return ColumnType.INTEGER if values.is_whole else ColumnType.NUMBER
    for kind in (ColumnType.BOOLEAN, ColumnType.INTEGER, ColumnType.NUMBER):
        if values.values and all(type(value) in _FITS[kind] for value in values.values):
            return kind
    return ColumnType.TEXT


def as_arrow_table(records: Records, types: Mapping[str, ColumnType] | None = None) -> pa.Table:
    """Return records that belong to no microdata as an Arrow table, each column of its natural type unless it is told.

    >>> as_arrow_table(Records({"n": Numbers.of([1, None], is_whole=True)})).to_pylist()
    [{'n': 1}, {'n': None}]
    """
    import pyarrow as pa

    known = types or {}
    columns = {name: _column(values, known.get(name, _natural(values)))[0] for name, values in records.columns.items()}
    return pa.table(columns)


def _fetched(column: Column) -> exp.Expr:
    term = exp.column(column.physical)
    return exp.Cast(this=term, to=exp.DataType(this=exp.DType.TEXT)) if column.is_coded else term


def _values(cells: pa.ChunkedArray, column: Column, microdata: Microdata) -> Values:
    import pyarrow as pa
    import pyarrow.compute as pc

    attribute = microdata.attribute(column.name)
    hierarchy = microdata.hierarchies.get(column.name)
    labelled = attribute.kind in {Kind.CATEGORICAL, Kind.ORDINAL, Kind.TEXT} or bool(attribute.order)
    if column.type in {ColumnType.TEXT, ColumnType.BOOLEAN} or (column.type.is_numeric and labelled):
        coded = cells.combine_chunks().dictionary_encode()
        coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
        return _categories(coded.dictionary.to_pylist(), coded.indices, attribute, hierarchy)
    if column.type is ColumnType.DATE:
        cells = cells.cast(pa.date32()).cast(pa.int32())
    elif column.type is ColumnType.TIMESTAMP:
        cells = cells.cast(pa.timestamp("us")).cast(pa.int64())
    numbers = np.array(pc.cast(cells, pa.float64(), safe=False).combine_chunks().fill_null(float("nan")), dtype=float)
    is_whole = column.type is not ColumnType.NUMBER
    if is_whole and len(numbers) and np.nanmax(np.abs(numbers), initial=0) >= _EXACT:
        raise InputError(
            f"'{column.name}' has whole numbers above 2^53, which arithmetic cannot hold exactly",
            do=f"read it as text (--as {column.name}=text, in a recipe types), or divide it by a unit first",
        )
    return Numbers(numbers, is_whole)


def _categories(values: list[Any], indices: pa.Array, attribute: Attribute, hierarchy: Any) -> Categories:
    order = {text: place for place, text in enumerate(attribute.order)}
    ordered = bool(order) and all(str(value) in order for value in values)
    numeric = bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    ranks = sorted(range(len(values)), key=lambda i: order[str(values[i])] if ordered else values[i])
    place = np.empty(len(values) + 1, dtype=np.int32)
    place[ranks] = np.arange(len(values))
    place[-1] = -1
    codes = np.array(indices.fill_null(len(values)), dtype=np.int64)
    by_size = numeric and attribute.kind is Kind.ORDINAL
    return Categories(place[codes], tuple(values[i] for i in ranks), ordered or by_size, hierarchy)


def _column(values: Values, kind: ColumnType) -> tuple[Any, ColumnType]:
    """Return values as a column of a type, or as text if some are not of that type."""
    import pyarrow as pa

    if isinstance(values, Categories):
        fits = _FITS.get(kind, (str,))
        alike = all(
            isinstance(v, fits) and (kind is ColumnType.BOOLEAN or not isinstance(v, bool)) for v in values.values
        )
        if kind in {ColumnType.DATE, ColumnType.TIMESTAMP} and alike:
            dates = np.array([*map(float, values.values), np.nan])[values.codes]  # type: ignore[arg-type]
            return _column(Numbers(dates, is_whole=True), kind)
        type_ = _arrow_types()[kind] if alike else pa.string()
        cells = pa.array([v if alike else _text(v) for v in values.values], type_)
        codes = pa.array(values.codes, pa.int32(), mask=np.asarray(values.missing))
        return cells.take(codes), kind if alike else ColumnType.TEXT
    numbers = values.values
    if not kind.is_numeric and kind not in {ColumnType.DATE, ColumnType.TIMESTAMP}:
        return pa.array(numbers, pa.float64(), mask=np.asarray(values.missing)), ColumnType.NUMBER
    if kind is ColumnType.NUMBER:
        return pa.array(numbers, pa.float64(), mask=np.asarray(values.missing)), kind
    whole = np.rint(np.where(values.missing, 0, numbers)).astype(np.int64)
    cells = pa.array(whole, pa.int64(), mask=np.asarray(values.missing))
    if kind is ColumnType.DATE:
        cells = cells.cast(pa.int32()).cast(pa.date32())
    elif kind is ColumnType.TIMESTAMP:
        cells = cells.cast(pa.timestamp("us"))
    return cells, kind


def _text(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _attribute(attribute: Attribute, values: Values, kind: ColumnType, before: ColumnType | None) -> Attribute:
    """Return what the dictionary says of an attribute afterwards."""
    if kind is before:
        return attribute
    if isinstance(values, Numbers):
        return attribute.with_(kind=Kind.CONTINUOUS, order=(), labels={}, hierarchy="", hierarchy_rule={}, format="")
    ordered = isinstance(values, Categories) and values.is_ordered
    order = tuple(str(value) for value in values.values) if isinstance(values, Categories) and ordered else ()
    category_kind = Kind.ORDINAL if ordered else Kind.CATEGORICAL
    return attribute.with_(kind=category_kind, order=order, labels={}, hierarchy="", hierarchy_rule={}, format="")


def _arrow_types() -> dict[ColumnType, Any]:
    import pyarrow as pa

    return {
        ColumnType.INTEGER: pa.int64(),
        ColumnType.NUMBER: pa.float64(),
        ColumnType.BOOLEAN: pa.bool_(),
        ColumnType.TEXT: pa.string(),
    }


_FITS: dict[ColumnType, tuple[type, ...]] = {
    ColumnType.INTEGER: (int,),
    ColumnType.NUMBER: (int, float),
    ColumnType.BOOLEAN: (bool,),
    ColumnType.DATE: (int, float),
    ColumnType.TIMESTAMP: (int, float),
}
