"""Facts as tables and files: arguments become columns, labelled nulls empty cells, sets and records JSON.

Several files are written together: all of them, or none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from sqlglot import exp

from tacita.engines.context import Context
from tacita.engines.protocol import Engine, Relation
from tacita.errors import UsageError
from tacita.files.atomic import atomic, check_target
from tacita.files.contract import WriteOptions
from tacita.files.formats import FORMATS, Format, format_of
from tacita.files.write import fitting
from tacita.model.attribute import Attribute
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, Step, silent
from tacita.reasoning.json_values import json_text
from tacita.rules.logic.types import ANY, Scalar
from tacita.rules.reasoner.plans.layout import FactLayout
from tacita.rules.reasoner.results import Reasoned
from tacita.rules.reasoner.values import decoded
from tacita.settings import Settings

_ROWS = 50_000
_ARROW = {
    ColumnType.INTEGER: pa.int64(),
    ColumnType.NUMBER: pa.float64(),
    ColumnType.BOOLEAN: pa.bool_(),
    ColumnType.DATE: pa.date32(),
    ColumnType.TIMESTAMP: pa.timestamp("us"),
}


def microdata_of(reasoned: Reasoned, predicate: str, context: Context) -> Microdata:
    """Return the facts of a predicate as microdata, sorted; its columns have the names of the arguments.

    The embedded engine of the context holds them, whatever engine has reasoned.
    """
    layout = reasoned.layout(predicate)
    names = unique(reasoned.names(predicate))
    engine = reasoned.run.engine
    if layout.positions and _is_plain(layout) and engine is context.embedded:
        relation = _stored(engine, layout, names)
    else:
        relation = _adopted(reasoned, layout, names, context)
    dictionary = Dictionary(predicate, tuple(Attribute(column.name) for column in relation.columns))
    return Microdata(relation, dictionary, Source(predicate, "rules"))


def unique(names: Sequence[str]) -> list[str]:
    """Return names that are all different and not empty.

    >>> unique(["a", "a", ""])
    ['a', 'a 2', 'argument3']
    """
    different: list[str] = []
    for place, name in enumerate(names, 1):
        wanted, number = name or f"argument{place}", 1
        while wanted in different:
            number += 1
            wanted = f"{name or 'argument'} {number}"
        different.append(wanted)
    return different


def _is_plain(layout: FactLayout) -> bool:
    return all(isinstance(position.type, Scalar) for position in layout.positions)


def _column_type(layout: FactLayout, place: int) -> ColumnType:
    type_ = layout.positions[place].type
    known = {member.value for member in ColumnType}
    return ColumnType(type_.name) if isinstance(type_, Scalar) and type_.name in known else ColumnType.TEXT


def _stored(engine: Engine, layout: FactLayout, names: Sequence[str]) -> Relation:
    """Return facts of single values, without their taking a way through Python."""
    terms, columns = [], []
    for i, (name, position) in enumerate(zip(names, layout.positions, strict=True)):
        term: exp.Expr = exp.column(f"c{i}")
        if position.type == ANY:  # a letter in front tells the type, x a null
            tag = exp.Substring(this=term.copy(), start=exp.Literal.number(1), length=exp.Literal.number(1))
            is_null = exp.EQ(this=tag, expression=exp.Literal.string("x"))
            rest = exp.Substring(this=term.copy(), start=exp.Literal.number(2))
            term = exp.Case(ifs=[exp.If(this=is_null, true=exp.Null())], default=rest)
        terms.append(exp.alias_(term, f"c{i}"))
        columns.append(Column(name, f"c{i}", _column_type(layout, i)))
    order = [exp.column(name) for name in layout.columns()]
    return engine.store(exp.select(*terms).from_(layout.table).order_by(*order), columns)


def _adopted(reasoned: Reasoned, layout: FactLayout, names: Sequence[str], context: Context) -> Relation:
    """Return facts with sets or records, or those of another engine, as a table of the embedded one."""
    fields: list[tuple[str, pa.DataType]] = [
        (name, _ARROW.get(_column_type(layout, i), pa.string())) for i, name in enumerate(names)
    ]
    schema = pa.schema(fields or [("holds", pa.bool_())])
    return context.embedded.adopt(_batches(reasoned, layout, schema), schema)


def _batches(reasoned: Reasoned, layout: FactLayout, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    if not layout.positions:  # p() holds, or it does not
        yield pa.RecordBatch.from_arrays([pa.array([True] * reasoned.count(layout.predicate))], schema=schema)
        return
    order = [exp.column(name) for name in layout.columns()]
    plan = exp.select(*order).from_(layout.table).order_by(*(column.copy() for column in order))
    cells = layout.cells("t")
    for batch in reasoned.run.engine.stream(plan, _ROWS):
        arrays = []
        rows: list[dict[str, object]] | None = None
        for i, (field, position) in enumerate(zip(schema, layout.positions, strict=True)):
            if isinstance(position.type, Scalar) and position.type != ANY:
                arrays.append(batch.column(f"c{i}").cast(field.type))
                continue
            rows = batch.to_pylist() if rows is None else rows
            values = (decoded(cells[i], row) for row in rows)
            texts = [v if isinstance(v, str) else json_text(v) for v in values]
            arrays.append(pa.array(texts, pa.string()))
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


# -- files -------------------------------------------------------------------------------------------------------------


def check_targets(targets: Mapping[str, Path], *, force: bool) -> None:
    """Raise if one of the files cannot or must not be written, before anything is computed."""
    for target in targets.values():
        check_target(target, force=force)
        _writable(target)
    if len({target.absolute() for target in targets.values()}) < len(targets):
        raise UsageError("two outputs have the same name", do="give each its own file")


def write_all(
    targets: Mapping[str, Path],
    facts: Callable[[str], Microdata],
    *,
    force: bool = False,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> tuple[str, ...]:
    """Write the facts of each predicate to its file; all files appear at the end, or none. Returns notes."""
    check_targets(targets, force=force)
    notes: list[str] = []
    with contextlib.ExitStack() as together:
        for predicate, target in targets.items():
            progress(Step(f"writing {target.name}"))
            known = _writable(target)
            microdata, renamed = fitting(facts(predicate), target)
            ending = max((e for e in known.endings if target.name.lower().endswith(e)), key=len)
            partial = together.enter_context(atomic(target, force=force, settings=settings))
            written = known.load().write(microdata, partial, WriteOptions(force=force), ending=ending)
            notes += [f"{target.name}: {note}" for note in (*renamed, *written)]
    return tuple(notes)


def _writable(target: Path) -> Format:
    known = format_of(target)
    if not known.writable:
        writable = " ".join(ending for f in FORMATS if f.writable for ending in f.endings)
        raise UsageError(f"'{target.suffix}' can be read, not written", do=f"choose one of {writable}")
    return known
