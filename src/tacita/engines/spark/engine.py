"""Relations in Apache Spark: plans in, rows or batches out."""

from __future__ import annotations

import contextlib
import itertools
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sqlglot import exp

from tacita.engines.protocol import Delimited, Relation
from tacita.engines.spark.arrow import frames_of, streamed
from tacita.engines.spark.delimited import text_batches, text_schema, write_text
from tacita.engines.spark.dialect import spark_sql
from tacita.engines.spark.faults import in_our_words
from tacita.engines.spark.functions import FUNCTIONS
from tacita.engines.spark.parquet import loaded, scanned, why_not_scanned
from tacita.engines.spark.session import adapted, configured, local_session, require_pyspark
from tacita.engines.spark.tables import Piece, StoredTable
from tacita.engines.spark.types import arrow_column_type, held_type
from tacita.model.relation import Column
from tacita.settings import Settings
from tacita.workspace import sweep

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkEngine:
    """The engine on Spark: a local one of its own, or the session of a cluster. Close it, or use it in a ``with``."""

    name = "spark"
    dialect = "spark"

    def __init__(self, settings: Settings | None = None, *, session: SparkSession | None = None) -> None:
        settings = settings or Settings.from_environment()
        require_pyspark()
        sweep(settings.state)
        self._numbers = itertools.count()
        self._tables: dict[str, StoredTable] = {}
        self._scanned: set[str] = set()
        self._defined: set[str] = set()
        self._partitions = 2 * settings.threads
        with contextlib.ExitStack() as exit_:
            own = exit_.enter_context(local_session(settings)) if session is None else adapted(session)
            if session is not None:
                self._partitions = 2 * session.sparkContext.defaultParallelism
            with in_our_words("engine settings"):
                self._session = configured(own, self._partitions if session is None else None)
            exit_.callback(_emptied, self._session, self._tables, (self._scanned, self._defined))
            # Whoever forgets to close still leaves nothing behind: runs when the engine is collected or Python ends.
            self._finalizer = weakref.finalize(self, exit_.pop_all().close)

    def __enter__(self) -> SparkEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget everything, on disk too; a session that was handed over goes on without our tables."""
        self._finalizer()

    # -- relations in ---------------------------------------------------------------------------------------------

    def scan_parquet(self, paths: Sequence[Path], *, partitioned: bool = False) -> Relation:
        """Return the relation of Parquet files; nothing is loaded."""
        where = str(paths[0]) if len(paths) == 1 else f"{len(paths)} Parquet files"
        if why_not_scanned(paths) and not partitioned:
            return self.adopt(*loaded(paths))
        view = self._new_name()
        with in_our_words(where):
            frame, columns = scanned(self._session, paths, partitioned=partitioned)
            frame.createOrReplaceTempView(view)
        self._scanned.add(view)
        return Relation(self, view, columns)

    def load_delimited(self, paths: Sequence[Path], layout: Delimited) -> Relation:
        """Return a delimited UTF-8 file as a stored relation of text columns; empty cells are null."""
        batches, schema = text_batches(paths, layout), text_schema(layout.columns)
        if layout.kept is None:
            return self.adopt(batches, schema)
        kept = list(layout.kept)
        few = pa.schema([schema.field(place) for place in kept])
        return self.adopt((batch.select(kept) for batch in batches), few)

    def adopt(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Relation:
        """Return Arrow batches as a stored relation."""
        stored = pa.schema([(f"c{i}", held_type(field.name, field.type)) for i, field in enumerate(schema)])
        columns = tuple(
            Column(str(field.name), f"c{i}", arrow_column_type(stored.field(i).type)) for i, field in enumerate(schema)
        )
        pieces: list[Piece] = []
        with contextlib.ExitStack() as undo:
            undo.callback(lambda: StoredTable(tuple(pieces)).drop())
            for frame in frames_of(self._session, batches, stored):
                with in_our_words():
                    pieces.append(Piece.of(frame()))
            undo.pop_all()
        return Relation(self, self._keep(self._new_name(), StoredTable(tuple(pieces))), columns)

    def store(self, plan: exp.Query, columns: Sequence[Column]) -> Relation:
        """Run a plan and keep its result as a relation."""
        table = self._new_name()
        self.replace(table, plan)
        return Relation(self, table, tuple(columns))

    def coded(self, relation: Relation, column: Column) -> exp.Expr | None:
        """Return None: Spark has no dictionary codes, and compares text as fast as it can."""
        return None

    def encode(self, relation: Relation, names: Sequence[str]) -> Relation:
        """Return the named columns alone, stored: what group-bys should run on."""
        columns = [replace(relation.column(name), as_written=None) for name in names]
        terms = [exp.column(column.physical) for column in columns]
        return self.store(exp.select(*terms).from_(relation.source()), columns)

    def drop(self, relation: Relation) -> None:
        """Forget a stored relation; one that is only scanned has nothing to forget."""
        if relation.table not in self._scanned:
            self.forget(relation.table)

    # -- tables of the reasoner -----------------------------------------------------------------------------------

    def new_table(self) -> str:
        """Return a name that no table has yet."""
        return self._new_name()

    def replace(self, table: str, plan: exp.Query) -> int:
        """Let a table hold the result of a plan, which may read the table as it was; return its number of tuples."""
        copied = self._tables.get(_copied(plan))
        with in_our_words():
            stored = StoredTable(copied.pieces if copied else (Piece.of(self._frame(plan)),))
        self._keep(table, stored)
        return stored.rows

    def append(self, table: str, plan: exp.Query) -> int:
        """Add the result of a plan to a table; return how many tuples were added."""
        before, copied = self._tables[table], self._tables.get(_copied(plan))
        with in_our_words():
            if copied and _types(copied) == _types(before):
                added = StoredTable(copied.pieces)
            else:
                added = StoredTable((Piece.of(_alike(self._frame(plan), before.pieces[0].frame)),))
            try:
                if added.rows:
                    self._keep(table, before.with_(added, self._partitions))
            finally:
                added.drop()
        return added.rows

    def define(self, table: str, plan: exp.Query) -> None:
        """Let a name stand for a plan that is run whenever the name is read."""
        self.forget(table)
        with in_our_words():
            # By its text: a view of a frame would go on reading tables as they are now.
            self._session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {table} AS {spark_sql(plan)}")
        self._defined.add(table)

    def numbered(self, relation: Relation) -> exp.Expr:
        """Return the term that numbers the tuples of a relation from 1 in their order, or gives their `number`."""
        if relation.number:
            return exp.column(relation.number)
        return exp.Window(this=exp.RowNumber())

    def forget_between(self, first: str, last: str) -> None:
        """Forget every table made after one name that `new_table` gave and before another."""
        low, high = (int(name.removeprefix("r")) for name in (first, last))
        for name in [*self._defined, *self._tables]:
            if low < int(name.removeprefix("r")) < high:
                self.forget(name)

    def forget(self, table: str) -> None:
        """Drop a table made with `replace` or `define`, if it is there."""
        stored = self._tables.pop(table, None)
        if stored is not None or table in self._defined:
            with in_our_words():
                self._session.catalog.dropTempView(table)
        self._defined.discard(table)
        if stored is not None:
            stored.drop()

    def function(self, name: str, *arguments: exp.Expr) -> exp.Expr:
        """Return a function of the rule language in Spark's words."""
        return FUNCTIONS[name](*arguments)

    # -- results out ----------------------------------------------------------------------------------------------

    def run(self, plan: exp.Query) -> list[dict[str, Any]]:
        """Run a plan with a small result and return its rows."""
        with in_our_words():
            rows: list[dict[str, Any]] = self._frame(plan).toArrow().to_pylist()
        return rows

    def stream(self, plan: exp.Query, rows: int) -> Iterator[pa.RecordBatch]:
        """Run a plan and yield its result a batch at a time, in order."""
        with in_our_words():
            batches = streamed(self._frame(plan))
        while True:
            with in_our_words():
                batch = next(batches, None)
            if batch is None:
                return
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)

    def write_delimited(
        self, plan: exp.Query, path: Path, delimiter: str, header: Sequence[str], *, gzip: bool = False
    ) -> None:
        """Write the result of a plan as UTF-8 text under a header; nulls are empty cells."""
        as_text = exp.DataType(this=exp.DType.TEXT)
        with in_our_words():
            names = self._frame(plan).columns
        terms = [exp.alias_(exp.Cast(this=exp.column(name), to=as_text.copy()), name) for name in names]
        batches = self.stream(exp.select(*terms).from_(plan.subquery("t")), 50_000)
        write_text(batches, path, delimiter, header, compressed=gzip)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _frame(self, plan: exp.Query) -> DataFrame:
        return self._session.sql(spark_sql(plan))

    def _keep(self, name: str, table: StoredTable) -> str:
        """Let a name stand for a table, and free what it stood for."""
        before = self._tables.get(name)
        with in_our_words():
            table.frame.createOrReplaceTempView(name)
        self._tables[name] = table
        self._defined.discard(name)
        if before is not None:
            before.drop()
        return name

    def _new_name(self) -> str:
        return f"r{next(self._numbers)}"


def _copied(plan: exp.Query) -> str:
    """Return which table a plan is a mere copy of, or nothing."""
    parts = [name for name, value in plan.args.items() if value]
    is_plain = isinstance(plan, exp.Select) and {*parts} <= {"expressions", "from_", "from"} and plan.is_star
    source = (plan.args.get("from_") or plan.args.get("from")) if is_plain else None
    if source is None or len(plan.expressions) != 1 or not isinstance(source.this, exp.Table):
        return ""
    return str(source.this.name)


def _types(table: StoredTable) -> list[object]:
    return [field.dataType for field in table.pieces[0].frame.schema.fields]


def _alike(frame: DataFrame, table: DataFrame) -> DataFrame:
    """Return a frame with the columns of a table, by position."""
    wanted = table.schema.fields
    frame = frame.toDF(*(field.name for field in wanted))
    if [field.dataType for field in frame.schema.fields] == [field.dataType for field in wanted]:
        return frame
    return frame.select(*(frame[field.name].cast(field.dataType).alias(field.name) for field in wanted))


def _emptied(session: SparkSession, tables: dict[str, StoredTable], views: Sequence[set[str]]) -> None:
    """Drop all tables: a session that was handed over lives on."""
    names = [*tables, *(name for some in views for name in some)]
    for table in tables.values():
        table.drop()
    tables.clear()
    with contextlib.suppress(Exception):  # Spark is gone, and with it the names
        for name in names:
            session.catalog.dropTempView(name)
