"""The records of a file with concealed cells as they are handed out: hidden cells empty, in random order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacita.concealment.concealment import Concealment
from tacita.concealment.hidden_cells import HiddenCells
from tacita.concealment.keys import Tokens
from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Relation
from tacita.model.relation import Column, ColumnType
from tacita.release.records.tuples import ROW, Tuples, store_in_order, with_numbers

if TYPE_CHECKING:
    import pyarrow as pa

Order = NDArray[np.int64]
RECORD_ID = "record_id"
_GROUP, _SOURCE = "g", "p"
_ROW_NUMBER, _OF, _PLACE = "\0row", "\0group", "\0place"
"""No attribute has such a name."""


@dataclass(frozen=True, slots=True)
class ConcealedTuples:
    """What is handed out, and the name of the column that numbers its records; none if nothing refers to them."""

    tuples: Tuples
    record_id: str | None


def concealed_tuples(
    concealment: Concealment, order: Order | None, *, numbered: bool, in_cells: Sequence[Tokens] = ()
) -> ConcealedTuples:
    """Return the records with hidden cells empty, or holding their tokens as text."""
    names = concealment.original.dictionary.names
    record_id = _unused(RECORD_ID, names) if numbered else None
    relation = concealed_relation(
        concealment.original.relation, concealment.attributes, concealment.hidden, order, record_id, in_cells
    )
    gone = tuple(name for name in names if name not in concealment.attributes)
    return ConcealedTuples(Tuples(relation, gone, frozenset(concealment.hidden.masks()), order), record_id)


def concealed_relation(
    relation: Relation,
    attributes: Sequence[str],
    hidden: HiddenCells,
    order: Order | None = None,
    record_id: str | None = None,
    in_cells: Sequence[Tokens] = (),
) -> Relation:
    """Return some attributes of records with hidden cells empty, or holding their tokens as text.

    `record_id` is the name of a column that numbers the records in their new order, if there is to be one.
    """
    import pyarrow as pa

    engine = relation.engine
    places = places_of(order, len(hidden.of_record))
    beside: dict[str, pa.Array] = {
        _ROW_NUMBER: pa.array(np.arange(1, len(places) + 1)),
        _OF: pa.array(hidden.of_record),
        _PLACE: pa.array(places),
    }
    tokens = {one.attribute: _by_row(one, places) for one in in_cells}
    batch = pa.RecordBatch.from_arrays([*beside.values(), *tokens.values()], names=[*map(str, range(3 + len(tokens)))])
    groups = engine.adopt([batch], batch.schema)
    at = dict(zip([*beside, *tokens], (column.physical for column in groups.columns), strict=True))
    terms: list[exp.Expr] = []
    columns: list[Column] = []
    if record_id is not None:
        terms.append(exp.alias_(exp.column(at[_PLACE], table=_GROUP), "n0"))
        columns.append(Column(record_id, "n0", ColumnType.INTEGER))
    for column in relation.columns:
        if column.name in attributes:
            hiding = [place for place, one in enumerate(hidden.groups) if column.name in one.hidden]
            kept, new = _kept(column, hiding, at, is_token=column.name in tokens)
            terms += kept
            columns.append(new)
    on = exp.EQ(this=exp.column(ROW, table=_SOURCE), expression=exp.column(at[_ROW_NUMBER], table=_GROUP))
    plan = exp.select(*terms).from_(with_numbers(relation).subquery(_SOURCE)).join(groups.source().as_(_GROUP), on=on)
    stored = store_in_order(engine, plan, columns, order)
    engine.drop(groups)
    return stored


def places_of(order: Order | None, records: int) -> Order:
    """Return the place, from 1, of each record of the source in the release."""
    places = np.arange(1, records + 1)
    if order is not None:
        places[order - 1] = np.arange(1, records + 1)
    return places


def _kept(
    column: Column, groups: Sequence[int], at: Mapping[str, str], *, is_token: bool
) -> tuple[list[exp.Expr], Column]:
    """Return the terms of an attribute as it is released, and its column."""
    value: exp.Expr = exp.column(column.physical, table=_SOURCE)
    spelling = exp.column(column.as_written, table=_SOURCE) if column.as_written else None
    if is_token:
        text = as_text(value) if spelling is None else exp.func("coalesce", spelling, as_text(value))
        token = exp.column(at[column.name], table=_GROUP)
        shown = _unless_hidden(text, groups, at)
        cell = exp.func("coalesce", token, shown)
        new = replace(column, type=ColumnType.TEXT, is_coded=False, as_written=None)
        return [exp.alias_(cell, column.physical)], new
    terms = [exp.alias_(_unless_hidden(value, groups, at), column.physical)]
    if spelling is not None and column.as_written:
        terms.append(exp.alias_(_unless_hidden(spelling, groups, at), column.as_written))
    return terms, column


def _unless_hidden(value: exp.Expr, groups: Sequence[int], at: Mapping[str, str]) -> exp.Expr:
    if not groups:
        return value
    numbers: list[exp.Expr] = [exp.Literal.number(group) for group in groups]
    hides = exp.In(this=exp.column(at[_OF], table=_GROUP), expressions=numbers)
    return exp.Case(ifs=[exp.If(this=hides, true=exp.Null())], default=value)


def _by_row(tokens: Tokens, places: Order) -> pa.Array:
    """Return tokens as text in the order of the source, null where a cell is not hidden."""
    import pyarrow as pa

    source = np.empty(len(places) + 1, dtype=np.int64)
    source[places] = np.arange(len(places))
    texts: list[str | None] = [None] * len(places)
    for place, text in zip(tokens.row_ids.to_pylist(), tokens.as_text().to_pylist(), strict=True):
        texts[source[int(place)]] = text
    return pa.array(texts, pa.string())


def _unused(name: str, names: Sequence[str]) -> str:
    taken = {one.casefold() for one in names}
    number, candidate = 1, name
    while candidate.casefold() in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
