"""What a release of records discloses: the released values of each record, and how they relate to the true ones.

What is compared is what the engine holds: an attribute is exact if every released value is that of the source. The
values go to a file of the internal folder, for the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.plans.terms import as_text, named
from tacita.engines.protocol import Relation
from tacita.errors import LedgerError, did_you_mean
from tacita.ledger.disclosures import (
    PERSON_COLUMN,
    QUASI_IDENTIFIER,
    RECORDS_FILE,
    ROW_COLUMN,
    SENSITIVE,
    AttributeDisclosure,
    DisclosedAttribute,
    DisclosedRecords,
)
from tacita.ledger.persons import PersonHashes
from tacita.model.attribute import Category
from tacita.model.microdata import Microdata
from tacita.release.kind import Workplace
from tacita.release.manifest import sha256
from tacita.release.records.tuples import ROW, as_relation, with_numbers

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, np.dtype[Any]]

_BATCH = 200_000
_MOST_VALUES = 10_000
"""Attributes with more pairs of a released and a true value have no list of what values stand for."""


@dataclass(frozen=True, slots=True)
class ReleasedRecordsOf:
    """Records as they are released, and what they were."""

    original: Microdata
    released: Relation
    """In the order of the release."""
    origin: Array | None = field(repr=False)
    """The number of each record in the source, from 1 on; None: as in the source."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What attributes are called in the file, where that is not as in the relation."""
    marks: Mapping[str, AttributeDisclosure] = field(default_factory=dict)
    """Attributes whose values were replaced in a known way; all others are compared with the source."""
    changed_as: AttributeDisclosure = AttributeDisclosure.COARSENED
    """What an attribute is of which some value is not that of the source."""
    known: Sequence[str] = ()
    """Attributes that an intruder is taken to know, besides those that the dictionary has as quasi-identifiers."""

    def role(self, name: str) -> str:
        """Return what an attribute is to an intruder."""
        dictionary = self.original.dictionary
        category = dictionary[name].category if name in dictionary.names else None
        if name in self.known or category is Category.QUASI_IDENTIFIER:
            return QUASI_IDENTIFIER
        return SENSITIVE if category is Category.SENSITIVE else ""


def disclosed_records(folder: Workplace, records: ReleasedRecordsOf, persons: PersonHashes | None) -> DisclosedRecords:
    """Write what is released of each record to the internal folder; return what is said of it in the ledger."""
    import numpy as np
    import pyarrow.parquet as pq

    original, released = records.original, records.released
    engine = released.engine
    count = released.count()
    origin = np.arange(1, count + 1) if records.origin is None else records.origin
    places = as_relation(engine, place=np.arange(1, count + 1), source=origin)
    known = {column.name for column in original.columns}
    plan, differs = _plan(records, places, known)
    hashes = None if persons is None else person_hashes(original, persons)
    different = dict.fromkeys(differs, 0)
    with folder.file(RECORDS_FILE) as partial:
        schema = _schema(len(released.columns), with_person=hashes is not None)
        with pq.ParquetWriter(partial, schema, compression="zstd") as writer:
            for batch in engine.stream(plan, _BATCH):
                for name in differs:
                    different[name] += _true(batch.column(differs[name]))
                writer.write_table(_table(batch, schema, hashes))
    statuses = {
        column.name: _status(column.name, records, known, different.get(column.name, 0)) for column in released.columns
    }
    coarsened = [name for name, status in statuses.items() if status is AttributeDisclosure.COARSENED]
    stands_for = {name: _stands_for(records, places, name) for name in coarsened}
    engine.drop(places)
    attributes = tuple(
        DisclosedAttribute(
            records.names.get(name, name),
            name if name in known else "",
            status,
            stands_for.get(name, {}),
            records.role(name),
        )
        for name, status in statuses.items()
    )
    keys = () if persons is None else persons.attributes
    return DisclosedRecords(count, attributes, sha256(folder.path / RECORDS_FILE), keys)


def invented_records(released: Relation, names: Mapping[str, str]) -> DisclosedRecords:
    """Return what is said in the ledger of records that are nobody's."""
    attributes = tuple(
        DisclosedAttribute(names.get(column.name, column.name), "", AttributeDisclosure.SYNTHETIC)
        for column in released.columns
    )
    return DisclosedRecords(released.count(), attributes, "")


def _plan(records: ReleasedRecordsOf, places: Relation, known: set[str]) -> tuple[exp.Select, dict[str, str]]:
    """Return the plan of released values as text by place, and the columns that say where they are not the source's."""
    terms: list[exp.Expr] = [named(exp.column("c1", table="o"), ROW_COLUMN)]
    differs: dict[str, str] = {}
    for at, column in enumerate(records.released.columns):
        value: exp.Expr = as_text(exp.column(column.physical, table="r"))
        if column.name in known:
            differs[column.name] = f"d{at}"
            is_other = _is_other(records, column.name, value)
            if records.marks.get(column.name) is AttributeDisclosure.CONCEALED:
                value = exp.Case(ifs=[exp.If(this=is_other, true=exp.Null())], default=value)
            terms.append(named(is_other.copy(), f"d{at}"))
        terms.append(named(value, f"a{at}"))
    return _joined(records, places, exp.select(*terms)).order_by(exp.column("c0", table="o")), differs


def _joined(records: ReleasedRecordsOf, places: Relation, plan: exp.Select) -> exp.Select:
    of_place = exp.EQ(this=exp.column(ROW, table="r"), expression=exp.column("c0", table="o"))
    of_source = exp.EQ(this=exp.column(ROW, table="s"), expression=exp.column("c1", table="o"))
    plan = plan.from_(places.source().as_("o"))
    plan = plan.join(with_numbers(records.released).subquery("r"), on=of_place)
    return plan.join(with_numbers(records.original.relation).subquery("s"), on=of_source, join_type="left")


def _is_other(records: ReleasedRecordsOf, name: str, value: exp.Expr) -> exp.Expr:
    """Return whether a released value is there and is not that of the source."""
    source = as_text(exp.column(records.original.relation.column(name).physical, table="s"))
    is_there = exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))
    return exp.and_(is_there, exp.NullSafeNEQ(this=value.copy(), expression=source))


def _status(name: str, records: ReleasedRecordsOf, known: set[str], different: int) -> AttributeDisclosure:
    if name in records.marks:
        return records.marks[name]
    if name not in known:
        return AttributeDisclosure.SYNTHETIC
    return records.changed_as if different else AttributeDisclosure.EXACT


def _stands_for(records: ReleasedRecordsOf, places: Relation, name: str) -> dict[str, tuple[str, ...]]:
    """Return the values of the source that stand behind each released value; nothing if there are too many."""
    value = as_text(exp.column(records.released.column(name).physical, table="r"))
    source = as_text(exp.column(records.original.relation.column(name).physical, table="s"))
    pairs = exp.select(named(value, "v"), named(source, "w")).distinct()
    is_there = [exp.Not(this=exp.Is(this=term.copy(), expression=exp.Null())) for term in (value, source)]
    plan = _joined(records, places, pairs).where(*is_there).limit(_MOST_VALUES + 1)
    rows = records.released.engine.run(plan)
    if len(rows) > _MOST_VALUES:
        return {}
    behind: dict[str, set[str]] = {}
    for row in rows:
        behind.setdefault(row["v"], set()).add(row["w"])
    return {released: tuple(sorted(true)) for released, true in sorted(behind.items())}


def person_hashes(original: Microdata, persons: PersonHashes) -> list[str | None]:
    """Return the hash of the person of each record of the source."""
    names = [column.name for column in original.columns]
    for name in persons.attributes:
        if name not in names:
            raise LedgerError(
                f"the key of the source '{persons.subject}' is not an attribute of it{did_you_mean(name, names)}",
                do=f"correct 'key' in [sources.{persons.subject}] of the settings of the ledger",
            )
    relation = original.relation
    terms = [named(as_text(term), f"k{at}") for at, term in enumerate(relation.physical(list(persons.attributes)))]
    plan = exp.select(*terms).from_(with_numbers(relation).subquery("s")).order_by(exp.column(ROW, table="s"))
    return [persons.of(values) for values in _rows(relation, plan)]


def _rows(relation: Relation, plan: exp.Select) -> Iterator[tuple[str | None, ...]]:
    for batch in relation.engine.stream(plan, _BATCH):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _schema(attributes: int, *, with_person: bool) -> pa.Schema:
    import pyarrow as pa

    person = [(PERSON_COLUMN, pa.string())] if with_person else []
    return pa.schema([(ROW_COLUMN, pa.int64()), *person, *((f"a{at}", pa.string()) for at in range(attributes))])


def _table(batch: pa.RecordBatch, schema: pa.Schema, hashes: list[str | None] | None) -> pa.Table:
    import pyarrow as pa

    columns: dict[str, Any] = {name: batch.column(name) for name in schema.names if name != PERSON_COLUMN}
    if hashes is not None:
        rows = columns[ROW_COLUMN].to_pylist()
        columns[PERSON_COLUMN] = pa.array([hashes[row - 1] if row else None for row in rows], pa.string())
    return pa.table({name: columns[name] for name in schema.names}).cast(schema)


def _true(column: pa.Array) -> int:
    import pyarrow.compute as pc

    return int(pc.sum(column.cast("int64")).as_py() or 0)
