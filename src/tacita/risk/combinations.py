"""The combinations of values that records have on the attributes an intruder knows: one scan, one group-by.

Most measures need no record, only how often each combination occurs. There are far fewer combinations than records, so
kernels work on them as arrays of codes and the answer is joined back to the records at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.arrow import as_arrow, as_codes, as_numpy
from tacita.engines.plans.terms import as_double, same
from tacita.engines.protocol import Relation
from tacita.model.relation import Column, ColumnType
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, np.dtype[Any]]

COUNT, WEIGHT, NUMBER = "n", "w", "id"
"""Physical columns of the table of combinations: records, their weights together, the combination's number from 1."""

NULL = -1
"""The code of a null."""


@dataclass(frozen=True, slots=True)
class Codes:
    """Combinations as arrays: what kernels work on."""

    codes: Array
    """One row per combination, one column per attribute; values are numbered from 0, a null is -1."""
    counts: Array
    """How many records have the combination."""
    weights: Array
    """Their weights together; the counts, if there is no weight."""
    values: tuple[pa.Array, ...]
    """What the codes of each attribute stand for."""
    missing: tuple[frozenset[object], ...] = ()
    """Of each attribute: the values that are codes of missing values, and have no place in a hierarchy."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many different values each attribute has."""
        return tuple(len(values) for values in self.values)


def combinations(sample: Sample) -> Relation:
    """Return the table of combinations: the known attributes, then ``n``, ``w`` and ``id``, in the order of values.

    Missing values are put together here, whatever they will mean.
    """
    if "combinations" not in sample.cache:
        sample.cache["combinations"] = _grouped(sample)
    stored: Relation = sample.cache["combinations"]
    return stored


def _grouped(sample: Sample) -> Relation:
    records, engine = sample.records, sample.engine
    keys = records.physical(sample.known)
    count = exp.Count(this=exp.Star())
    weight: exp.Expr = as_double(count.copy())
    if sample.weight is not None:
        weight = exp.Sum(this=as_double(records.physical([sample.weight])[0]))
    grouped = (
        exp.select(*keys, exp.alias_(count, COUNT), exp.alias_(weight, WEIGHT))
        .from_(records.source())
        .group_by(*(key.copy() for key in keys))
        # Threads hand out groups in any order, and kernels let the first of equally good ones win.
        .order_by(*(exp.Ordered(this=key.copy(), nulls_first=True) for key in keys))
    )
    columns = [records.column(name) for name in sample.known]
    columns += [Column(_ours(COUNT), COUNT, ColumnType.INTEGER), Column(_ours(WEIGHT), WEIGHT, ColumnType.NUMBER)]
    stored = engine.store(grouped, columns)
    numbered = exp.select("*", exp.alias_(engine.numbered(stored), NUMBER)).from_(stored.source())
    table = engine.new_table()
    engine.define(table, numbered)
    return Relation(engine, table, (*columns, Column(_ours(NUMBER), NUMBER, ColumnType.INTEGER)))


def _ours(name: str) -> str:
    """Return a name that no attribute of anybody's data has: theirs may be called ``n`` too."""
    return f"\0{name}"


def codes(sample: Sample) -> Codes:
    """Return the combinations as arrays, in the order of their numbers; missing values get the code of a null."""
    if "codes" not in sample.cache:
        sample.cache["codes"] = _coded(sample)
    cached: Codes = sample.cache["codes"]
    return cached


def _coded(sample: Sample) -> Codes:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    table = combinations(sample)
    plan = exp.select(*(exp.column(c.physical) for c in table.columns)).from_(table.source())
    plan = plan.order_by(NUMBER)
    arrow = pa.Table.from_batches(list(sample.engine.stream(plan, 1_000_000)) or _none(table))
    coded, values = [], []
    for place in range(len(sample.known)):
        column = arrow.column(place).combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_floating(column.type):
            column = pc.add(column, 0.0)  # -0.0 is 0.0 for the engine
        column = column.dictionary_encode()
        coded.append(as_codes(column.indices, NULL))
        values.append(column.dictionary)
    counts = as_numpy(arrow.column(COUNT)).astype(np.int64)
    weights = as_numpy(arrow.column(WEIGHT)).astype(np.float64)
    missing = tuple(frozenset(sample.published.codes.get(name, {}).values()) for name in sample.known)
    return Codes(np.stack(coded, axis=1), counts, weights, tuple(values), missing)


def _none(table: Relation) -> list[pa.RecordBatch]:
    import pyarrow as pa

    return [pa.RecordBatch.from_pydict({column.physical: pa.array([], pa.int64()) for column in table.columns})]


def adopted(sample: Sample, columns: dict[str, Array], *, numbers: Array | None = None) -> Relation:
    """Return arrays as a relation with the number ``id`` of the combination that each place belongs to.

    Without `numbers` there is one place per combination, in order.
    """
    import numpy as np
    import pyarrow as pa

    length = len(next(iter(columns.values())))
    number = np.arange(1, length + 1, dtype=np.int64) if numbers is None else numbers
    arrays = [as_arrow(number), *(as_arrow(values) for values in columns.values())]
    batch = pa.RecordBatch.from_arrays(arrays, names=[NUMBER, *columns])
    return sample.engine.adopt([batch], batch.schema)


def of_each_record(sample: Sample, relation: Relation, names: Sequence[str], *, also: Sequence[str] = ()) -> exp.Select:
    """Return the plan that gives columns of a relation about combinations to each record.

    The relation has the number ``id`` of a combination in each tuple, at most one tuple per combination. The result has
    ``c0``, the number of the record, then the named columns as ``c1``, ``c2``, ..., null where the relation has none,
    then columns of the record itself, named in `also`.
    """
    records, engine, table = sample.records, sample.engine, combinations(sample)
    keys = [records.column(name).physical for name in sample.known]
    own = [records.column(name).physical for name in also]
    row = exp.alias_(engine.numbered(records), "row_number_")
    kept = dict.fromkeys([*keys, *own])
    numbered = exp.select(row, *(exp.column(name) for name in kept)).from_(records.source()).subquery("r")
    beside = relation.table != table.table
    terms = [exp.column("row_number_", table="r")]
    terms += [exp.column(relation.column(name).physical, table="f" if beside else "g") for name in names]
    terms += [exp.column(name, table="r") for name in own]
    plan = exp.select(*(exp.alias_(term, f"c{i}") for i, term in enumerate(terms))).from_(numbered)
    plan = plan.join(table.source().as_("g"), on=same("r", "g", keys), copy=False)
    if not beside:
        return plan
    number = exp.EQ(
        this=exp.column(NUMBER, table="g"), expression=exp.column(relation.column(NUMBER).physical, table="f")
    )
    return plan.join(relation.source().as_("f"), on=number, join_type="left", copy=False)
