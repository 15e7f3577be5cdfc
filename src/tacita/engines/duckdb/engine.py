"""Relations in an embedded DuckDB: plans in, rows or batches out."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from tacita.engines.duckdb.delimited import load_delimited
from tacita.engines.duckdb.faults import in_our_words
from tacita.engines.duckdb.functions import FUNCTIONS
from tacita.engines.duckdb.plan_text import plan_text
from tacita.engines.duckdb.types import column_type, needs_text_cast
from tacita.engines.plans.terms import finite
from tacita.engines.protocol import Delimited, Relation
from tacita.errors import OutputError, TacitaError
from tacita.interruption import interruptible
from tacita.model.relation import Column, ColumnType
from tacita.settings import Settings
from tacita.workspace import journalled, spill_folder, sweep

# Above this many different values a dictionary costs more than it saves.
_LARGEST_DICTIONARY = 60_000
# Above this many terms DuckDB's optimizer takes time that grows with their square and gains nothing.
_WIDE = 400


class DuckDBEngine:
    """The embedded engine. Mutable by nature: it holds the tables; close it, or use it in a ``with``."""

    name = "duckdb"
    dialect = "duckdb"

    def __init__(self, settings: Settings | None = None) -> None:
        settings = settings or Settings.from_environment()
        sweep(settings.state)
        self._numbers = itertools.count()
        self._scanned: set[str] = set()
        self._defined: set[str] = set()
        self._exit = contextlib.ExitStack()
        spill = self._exit.enter_context(journalled(spill_folder(settings.spill), settings.state))
        _make_private(spill)
        with in_our_words("engine settings"):
            self._connection = duckdb.connect(
                config={
                    "memory_limit": settings.memory,
                    "threads": settings.threads,
                    "temp_directory": str(spill),
                    # Nothing is fetched from anywhere, and no Python variable is mistaken for a table.
                    "autoinstall_known_extensions": False,
                    "autoload_known_extensions": False,
                    "python_enable_replacements": False,
                }
            )
        self._exit.callback(self._connection.close)
        # Whoever forgets to close still leaves nothing behind: this runs when the engine is collected or Python ends.
        self._finalizer = weakref.finalize(self, self._exit.close)

    def __enter__(self) -> DuckDBEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget everything, on disk too."""
        self._finalizer()

    # -- relations in ---------------------------------------------------------------------------------------------

    def scan_parquet(self, paths: Sequence[Path], *, partitioned: bool = False) -> Relation:
        """Return the relation of Parquet files; nothing is loaded."""
        where = str(paths[0]) if len(paths) == 1 else f"{len(paths)} Parquet files"
        reader = exp.func(
            "read_parquet",
            exp.Array(expressions=[exp.Literal.string(_literal_path(path)) for path in paths]),
            exp.EQ(this=exp.column("hive_partitioning"), expression=exp.Boolean(this=partitioned)),
            exp.EQ(this=exp.column("hive_types_autocast"), expression=exp.Boolean(this=False)),
        )
        return self._view(exp.select("*").from_(reader), where)

    def load_delimited(self, paths: Sequence[Path], layout: Delimited) -> Relation:
        """Return a delimited UTF-8 file as a stored relation of text columns; empty cells are null."""
        table = self._new_name()
        with self._cursor(str(paths[0])) as cursor:
            load_delimited(cursor, table, [_literal_path(path) for path in paths], layout)
        columns = tuple(Column(name, name, ColumnType.TEXT) for name in layout.names)
        return Relation(self, table, columns)

    def adopt(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Relation:
        """Return Arrow batches as a stored relation."""
        table, arrow = self._new_name(), self._new_name()
        names = [str(name) for name in schema.names]
        numbered = pa.schema([field.with_name(f"c{i}") for i, field in enumerate(schema)])
        raised: list[BaseException] = []

        def renamed() -> Iterator[pa.RecordBatch]:
            try:
                for batch in batches:
                    yield pa.RecordBatch.from_arrays(batch.columns, schema=numbered)
            except BaseException as error:  # an interrupt too: DuckDB would report it as a fault of the data
                raised.append(error)
                raise

        reader = pa.RecordBatchReader.from_batches(numbered, renamed())
        try:
            with self._cursor() as cursor:
                cursor.register(arrow, reader)
                described = cursor.execute(f"DESCRIBE SELECT * FROM {arrow}").fetchall()
                columns, terms = _stored_columns(names, [row[1] for row in described])
                cursor.execute(
                    f"CREATE TABLE {table} AS {plan_text(exp.select(*terms, copy=False).from_(arrow, copy=False))}"
                ).fetchall()
                cursor.unregister(arrow)
        except TacitaError:
            if not raised:
                raise
        # What went wrong while batches were read is the reason; DuckDB only passes it on.
        if raised:
            raise raised[0]
        return Relation(self, table, columns)

    def store(self, plan: exp.Query, columns: Sequence[Column]) -> Relation:
        """Run a plan and keep its result as a relation."""
        table = self._new_name()
        sql = f"CREATE TABLE {table} AS {plan_text(plan)}"
        with self._cursor() as cursor:
            _spare_optimizer(cursor, plan)
            cursor.execute(sql).fetchall()
        return Relation(self, table, tuple(columns))

    def coded(self, relation: Relation, column: Column) -> exp.Expr | None:
        """Return the term that dictionary-codes a text column (ENUM), or None if it has too many different values."""
        term = exp.column(column.physical)
        count = exp.select(exp.alias_(exp.func("approx_count_distinct", term), "n")).from_(relation.source())
        if not 0 < int(self.run(count)[0]["n"]) < _LARGEST_DICTIONARY:
            return None
        enum = self._new_name()
        values = (
            exp.select(term.copy())
            .distinct()
            .from_(relation.source())
            .where(exp.Not(this=exp.Is(this=term.copy(), expression=exp.Null())))
            .order_by(term.copy())
        )
        self._execute(f"CREATE TYPE {enum} AS ENUM ({values.sql(self.dialect)})")
        return exp.Cast(this=term.copy(), to=exp.DataType.build(enum, udt=True))

    def encode(self, relation: Relation, names: Sequence[str]) -> Relation:
        """Return the named columns alone, stored, text dictionary-coded: what group-bys should run on."""
        columns = [relation.column(name) for name in names]
        terms: list[exp.Expr] = []
        # A code takes two queries, and each of them the longer, the more columns there are.
        few = len(columns) <= _WIDE
        if few and len(relation.columns) > _WIDE:
            plan = exp.select(*relation.physical(names), copy=False).from_(relation.source(), copy=False)
            alone = self.store(plan, columns)
            try:
                return self.encode(alone, names)
            finally:
                self.drop(alone)
        for i, column in enumerate(columns):
            wanted = few and column.type is ColumnType.TEXT and not column.is_coded
            code = self.coded(relation, column) if wanted else None
            columns[i] = replace(column, is_coded=column.is_coded or code is not None, as_written=None)
            terms.append(exp.alias_(code or exp.column(column.physical), column.physical))
        return self.store(exp.select(*terms, copy=False).from_(relation.source(), copy=False), columns)

    def drop(self, relation: Relation) -> None:
        """Forget a stored relation; one that is only scanned has nothing to forget."""
        if relation.table not in self._scanned:
            self._execute(f"DROP TABLE IF EXISTS {relation.table}")

    # -- tables of the reasoner -----------------------------------------------------------------------------------

    def new_table(self) -> str:
        """Return a name that no table has yet."""
        return self._new_name()

    def replace(self, table: str, plan: exp.Query) -> int:
        """Let a table hold the result of a plan, which may read the table as it was; return its number of tuples."""
        if table not in self._defined:
            return self._counted(f"CREATE OR REPLACE TABLE {table} AS {self._sql(plan)}")
        fresh = self._new_name()
        count = self._counted(f"CREATE TABLE {fresh} AS {self._sql(plan)}")
        self.forget(table)
        self._execute(f"ALTER TABLE {fresh} RENAME TO {table}")
        return count

    def append(self, table: str, plan: exp.Query) -> int:
        """Add the result of a plan to a table; return how many tuples were added."""
        return self._counted(f"INSERT INTO {table} {self._sql(plan)}")

    def define(self, table: str, plan: exp.Query) -> None:
        """Let a name stand for a plan that is run whenever the name is read."""
        if table not in self._defined:
            self._execute(f"DROP TABLE IF EXISTS {table}")
        self._execute(f"CREATE OR REPLACE VIEW {table} AS {plan.sql(self.dialect)}")
        self._defined.add(table)

    def numbered(self, relation: Relation) -> exp.Expr:
        """Return the term that numbers the tuples of a relation from 1 in their order, or gives their `number`."""
        if relation.number:
            return exp.column(relation.number)
        if relation.table in self._scanned:
            return exp.Window(this=exp.RowNumber())
        return exp.Add(this=exp.column("rowid"), expression=exp.Literal.number(1))

    def forget(self, table: str) -> None:
        """Drop a table made with `replace` or `define`, if it is there."""
        self._execute(f"DROP {'VIEW' if table in self._defined else 'TABLE'} IF EXISTS {table}")
        self._defined.discard(table)

    def forget_between(self, first: str, last: str) -> None:
        """Forget every table made after one name that `new_table` gave and before another."""
        low, high = _number(first), _number(last)
        for kind, source in (("VIEW", "duckdb_views()"), ("TABLE", "duckdb_tables()")):
            name = exp.column(f"{kind.lower()}_name")
            own = exp.RegexpLike(this=name, expression=exp.Literal.string("^r[0-9]+$"))
            rows = self.run(exp.select(exp.alias_(name.copy(), "name")).from_(source).where(own))
            for stale in (row["name"] for row in rows if low < _number(row["name"]) < high):
                self._execute(f"DROP {kind} IF EXISTS {stale}")
                self._defined.discard(stale)

    def function(self, name: str, *arguments: exp.Expr) -> exp.Expr:
        """Return a function of the rule language in DuckDB's words."""
        return FUNCTIONS[name](*arguments)

    # -- results out ----------------------------------------------------------------------------------------------

    def run(self, plan: exp.Query) -> list[dict[str, Any]]:
        """Run a plan with a small result and return its rows."""
        sql = plan_text(plan)
        with self._cursor() as cursor:
            _spare_optimizer(cursor, plan)
            cursor.execute(sql)
            names = [description[0] for description in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def stream(self, plan: exp.Query, rows: int) -> Iterator[pa.RecordBatch]:
        """Run a plan and yield its result a batch at a time, in order."""
        sql = plan_text(plan)
        with contextlib.closing(self._connection.cursor()) as cursor:
            with in_our_words(), interruptible(cursor):
                _spare_optimizer(cursor, plan)
                reader = cursor.sql(sql).to_arrow_reader(rows)
            while True:
                with in_our_words(), interruptible(cursor):
                    batch = next(reader, None)
                if batch is None:
                    return
                yield batch

    def write_delimited(
        self, plan: exp.Query, path: Path, delimiter: str, header: Sequence[str], *, gzip: bool = False
    ) -> None:
        """Write the result of a plan as UTF-8 text under a header; nulls are empty cells."""
        line = io.StringIO()
        csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(header)
        # DuckDB would rename headers that differ only in case: the header line is ours.
        options = {
            "DELIMITER": delimiter,
            "PREFIX": line.getvalue(),
            "SUFFIX": "\n",
            "COMPRESSION": "gzip" if gzip else "none",
        }
        written = ", ".join(f"{name} {_literal(value)}" for name, value in options.items())
        sql = f"COPY ({plan_text(plan)}) TO {_literal(str(path))} (FORMAT CSV, HEADER false, {written})"
        # One thread: when a disk runs full, DuckDB's writing threads can wait for each other forever.
        threads = self._counted("SELECT current_setting('threads')")
        self._execute("SET threads = 1")
        try:
            with self._cursor(str(path.parent)) as cursor:
                _spare_optimizer(cursor, plan)
                cursor.execute(sql).fetchall()
        finally:
            self._execute(f"SET threads = {threads}")

    # -- inside ---------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _cursor(self, where: str = "") -> Iterator[duckdb.DuckDBPyConnection]:
        """Hand out a cursor whose faults are told in our words, and whose queries Ctrl-C ends."""
        with (
            in_our_words(where),
            contextlib.closing(self._connection.cursor()) as cursor,
            interruptible(cursor),
        ):
            yield cursor

    def _sql(self, plan: exp.Query) -> str:
        """Return a plan as text; a plan that is run round after round is written once."""
        # A copy takes the notes of a plan along and may be changed afterwards: the note says whose text it is.
        owner, written = plan.meta.get("sql", (None, ""))
        if owner != id(plan):
            written = plan.sql(self.dialect)
            plan.meta["sql"] = (id(plan), written)
        return str(written)

    def _counted(self, sql: str) -> int:
        with self._cursor() as cursor:
            row = cursor.execute(sql).fetchone()
        return int(row[0]) if row else 0

    def _execute(self, sql: str, where: str = "") -> None:
        with self._cursor(where) as cursor:
            cursor.execute(sql).fetchall()

    def _view(self, plan: exp.Select, where: str) -> Relation:
        """Return a plan over a file as a relation: nothing is loaded, columns are renamed by position."""
        raw, view = self._new_name(), self._new_name()
        with self._cursor(where) as cursor:
            described = cursor.execute(f"DESCRIBE {plan.sql(self.dialect)}").fetchall()
            aliases = ", ".join(f"c{i}" for i in range(len(described)))
            cursor.execute(f"CREATE VIEW {raw}({aliases}) AS {plan.sql(self.dialect)}")
            columns, terms = _stored_columns([row[0] for row in described], [row[1] for row in described])
            cursor.execute(f"CREATE VIEW {view} AS {plan_text(exp.select(*terms, copy=False).from_(raw, copy=False))}")
        self._scanned.add(view)
        return Relation(self, view, columns)

    def _new_name(self) -> str:
        return f"r{next(self._numbers)}"


def _spare_optimizer(cursor: duckdb.DuckDBPyConnection, plan: exp.Query) -> None:
    """Have a cursor run a wide plan, or one over a wide one, as it is written."""
    if _is_wide(plan):
        cursor.execute("PRAGMA disable_optimizer")  # of this cursor alone


def _is_wide(part: exp.Expr) -> bool:
    """Return whether a part of a plan selects many terms; the terms themselves are not looked into."""
    if isinstance(part, exp.Select) and len(part.selects) > _WIDE:
        return True
    terms = part.args.get("expressions") if isinstance(part, exp.Select) else None
    below = (one for value in part.args.values() if value is not terms for one in _listed(value))
    return any(_is_wide(one) for one in below if isinstance(one, exp.Expr))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _number(name: str) -> int:
    """Return the number in a name of ours."""
    return int(name.removeprefix("r"))


def _make_private(folder: Path) -> None:
    """Make the folder for spilled data, which nobody else may read."""
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise OutputError(
            f"cannot be used for spilled data ({error.strerror})",
            where=str(folder.parent),
            do="set --spill or TACITA_SPILL to a folder that you can write to",
        ) from None


def _stored_columns(names: Sequence[str], types: Sequence[str]) -> tuple[tuple[Column, ...], list[exp.Expr]]:
    """Return the columns that we hold, and the terms that produce them."""
    columns, terms = [], []
    for i, (name, duckdb_type) in enumerate(zip(names, types, strict=True)):
        columns.append(Column(name, f"c{i}", column_type(name, duckdb_type)))
        term: exp.Expr = exp.column(f"c{i}")
        if needs_text_cast(duckdb_type):
            term = exp.Cast(this=term, to=exp.DataType.build("text"))
        elif duckdb_type in {"FLOAT", "DOUBLE"}:  # NaN means that there is no number
            there = exp.Or(this=finite(term), expression=exp.IsInf(this=term.copy()))
            term = exp.Case(ifs=[exp.If(this=there, true=term)])
        terms.append(exp.alias_(term, f"c{i}"))
    return tuple(columns), terms


def _literal_path(path: Path) -> str:
    """Return a path that DuckDB takes as it is: brackets and stars would be read as patterns."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in str(path))


def _literal(text: str) -> str:
    return exp.Literal.string(text).sql(DuckDBEngine.dialect)
