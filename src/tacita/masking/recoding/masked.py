"""What a method of masking gives back: the changed microdata, and where they were changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.plans.terms import named
from tacita.engines.protocol import Relation
from tacita.model.attribute import Attribute
from tacita.model.hierarchy import Hierarchy
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

RECORD, ROW = "r", "row_number_"
"""In a plan: the alias of the records, and their number from 1 in their order."""


@dataclass(frozen=True, slots=True)
class Masked:
    """Microdata after a method: the same tuples in the same order under the same names."""

    microdata: Microdata
    whole: tuple[str, ...] = ()
    """Attributes whose whole column was rewritten."""
    changed: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}))
    """Of attributes that were changed in places: the numbers of the records, from 1, in ascending order."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What becomes of one column."""

    term: exp.Expr
    """The new value, over the tables of the plan."""
    type: ColumnType
    attribute: Attribute
    """What the dictionary says of it afterwards."""
    hierarchy: Hierarchy | None = None
    """How it may be coarsened further."""
    where: exp.Expr | None = None
    """The condition under which a cell is changed; None for the whole column."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A table beside the records: at most one tuple for each of them."""

    relation: Relation
    alias: str
    on: exp.Expr


def value_term(column: Column) -> exp.Expr:
    """Return the value of a column of the records; text that the engine holds as codes comes as text."""
    term = exp.column(column.physical, table=RECORD)
    return exp.Cast(this=term, to=exp.DataType(this=exp.DType.TEXT)) if column.is_coded else term


def records_plan(
    relation: Relation, terms: Sequence[exp.Expr], joined: Sequence[Joined], *, where: exp.Expr | None = None
) -> exp.Select:
    """Return the plan over the numbered records and the tables beside them, in any order."""
    physical_names = [name for c in relation.columns for name in (c.physical, c.as_written) if name]
    if where is not None:  # few columns are needed, and a wide table has many
        conditions = [where, *(table.on for table in joined)]
        used = {column.name for condition in conditions for column in condition.find_all(exp.Column)}
        physical_names = [name for name in physical_names if name in used]
    row = named(relation.engine.numbered(relation), ROW)
    inner = exp.select(row, *map(exp.column, physical_names), copy=False).from_(relation.source(), copy=False)
    plan = exp.select(*terms, copy=False).from_(inner.subquery(RECORD, copy=False), copy=False)
    for table in joined:
        plan = plan.join(table.relation.source().as_(table.alias), on=table.on, join_type="left", copy=False)
    return plan if where is None else plan.where(where.copy(), copy=False)


def rewritten(microdata: Microdata, columns: Mapping[str, Rewriting], joined: Sequence[Joined] = ()) -> Microdata:
    """Return microdata with some columns rewritten, all others as they were, in the same engine and order."""
    relation = microdata.relation
    terms: list[exp.Expr] = []
    kept: list[Column] = []
    for column in relation.columns:
        change = columns.get(column.name)
        value = exp.column(column.physical, table=RECORD) if change is None else change.term.copy()
        terms.append(named(value, column.physical))
        spelled = column.as_written
        if spelled:
            own: exp.Expr = exp.column(spelled, table=RECORD)
            if change is not None:
                own = exp.Case(ifs=[exp.If(this=_keeps_spelling(column, change), true=own)])
            terms.append(named(own, spelled))
        if change is None:
            kept.append(column)
        else:
            coded = column.is_coded and change.term == exp.column(column.physical, table=RECORD)
            kept.append(replace(column, type=change.type, as_written=spelled, is_coded=coded))
    plan = records_plan(relation, terms, joined)
    if joined:  # a join may return records in any order
        plan = plan.order_by(exp.column(ROW, table=RECORD), copy=False)
    stored = relation.engine.store(plan, kept)
    dictionary = microdata.dictionary.mapped(lambda a: columns[a.name].attribute if a.name in columns else a)
    hierarchies = dict(microdata.hierarchies)
    for name, change in columns.items():
        if change.hierarchy is None:
            hierarchies.pop(name, None)
        else:
            hierarchies[name] = change.hierarchy
    return replace(microdata, relation=stored, dictionary=dictionary, hierarchies=MappingProxyType(hierarchies))


def _keeps_spelling(column: Column, change: Rewriting) -> exp.Expr:
    """Return the condition that a cell is still spelt as it was: codes of missing values outlive a recoded column."""
    if change.where is not None:
        return exp.Not(this=exp.func("coalesce", exp.Paren(this=change.where.copy()), exp.false()))
    was = exp.Is(this=exp.column(column.physical, table=RECORD), expression=exp.Null())
    return exp.and_(was, exp.Is(this=exp.Paren(this=change.term.copy()), expression=exp.Null()))


def is_there(column: Column) -> exp.Expr:
    """Return the condition that a cell of the records says something: a value, or a code instead of one."""
    absent = [exp.Is(this=exp.column(column.physical, table=RECORD), expression=exp.Null())]
    if column.as_written:
        absent.append(exp.Is(this=exp.column(column.as_written, table=RECORD), expression=exp.Null()))
    return exp.Not(this=exp.Paren(this=exp.and_(*absent)))


def changed_rows(
    microdata: Microdata, columns: Mapping[str, Rewriting], joined: Sequence[Joined] = ()
) -> Mapping[str, Array]:
    """Return for each rewritten attribute the numbers of the records whose cell changes, in ascending order."""
    import numpy as np

    relation = microdata.relation
    codes_by_name: dict[str, Array] = {}
    for name, change in columns.items():
        if change.where is None:
            continue
        tables = {column.table for column in change.where.find_all(exp.Column)}
        needed = [table for table in joined if table.alias in tables]
        row = named(exp.column(ROW, table=RECORD), "row")
        batches = list(relation.engine.stream(records_plan(relation, [row], needed, where=change.where), 1_000_000))
        rows = [np.frombuffer(b.column(0).buffers()[1], np.int64)[b.column(0).offset :][: len(b)] for b in batches]
        codes_by_name[name] = np.sort(np.concatenate(rows)) if rows else np.empty(0, np.int64)
    return MappingProxyType(codes_by_name)
