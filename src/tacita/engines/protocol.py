"""What an engine can do: the only door between the tuples and everything above.

Plans are sqlglot expressions over physical column names, never text: no value or name of a user is pasted into SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from sqlglot import exp

from tacita.errors import InputError, did_you_mean
from tacita.model.relation import Column

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Delimited:
    """How a delimited text file is laid out; everything is decided before the engine reads it."""

    columns: int
    delimiter: str = ","
    quote: str = '"'
    header: bool = True
    kept: tuple[int, ...] | None = None
    """The places of the columns that are loaded; None for all. Every field is parsed, and counted, all the same."""

    @property
    def names(self) -> list[str]:
        """The physical names of the columns that are loaded."""
        return [f"c{place}" for place in (range(self.columns) if self.kept is None else self.kept)]


class Engine(Protocol):
    """Where relations live."""

    name: str
    dialect: str

    def scan_parquet(self, paths: Sequence[Path], *, partitioned: bool = False) -> Relation:
        """Return the relation of Parquet files; nothing is loaded. Folders such as ``year=2024`` become columns."""

    def load_delimited(self, paths: Sequence[Path], layout: Delimited) -> Relation:
        """Return a delimited UTF-8 file as a stored relation of text columns; empty cells are null."""

    def adopt(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Relation:
        """Return Arrow batches as a stored relation."""

    def store(self, plan: exp.Query, columns: Sequence[Column]) -> Relation:
        """Run a plan and keep its result as a relation."""

    def coded(self, relation: Relation, column: Column) -> exp.Expr | None:
        """Return the term that dictionary-codes a text column, or None if it has too many different values."""

    def encode(self, relation: Relation, names: Sequence[str]) -> Relation:
        """Return the named columns alone, stored, text dictionary-coded: what group-bys should run on."""

    def run(self, plan: exp.Query) -> list[dict[str, Any]]:
        """Run a plan with a small result and return its rows."""

    def stream(self, plan: exp.Query, rows: int) -> Iterator[pa.RecordBatch]:
        """Run a plan and yield its result a batch at a time, in order."""

    def write_delimited(
        self, plan: exp.Query, path: Path, delimiter: str, header: Sequence[str], *, gzip: bool = False
    ) -> None:
        """Write the result of a plan as UTF-8 text under a header; nulls are empty cells."""

    def drop(self, relation: Relation) -> None:
        """Forget a stored relation."""

    def new_table(self) -> str:
        """Return a name that no table has yet."""

    def replace(self, table: str, plan: exp.Query) -> int:
        """Let a table hold the result of a plan, which may read the table as it was; return its number of tuples."""

    def append(self, table: str, plan: exp.Query) -> int:
        """Add the result of a plan to a table; return how many tuples were added."""

    def define(self, table: str, plan: exp.Query) -> None:
        """Let a name stand for a plan that is run whenever the name is read."""

    def numbered(self, relation: Relation) -> exp.Expr:
        """Return the term that numbers the tuples of a relation from 1 in their order, or gives their `number`."""

    def forget(self, table: str) -> None:
        """Drop a table made with `replace`, if it is there."""

    def forget_between(self, first: str, last: str) -> None:
        """Forget every table made after one name that `new_table` gave and before another."""

    def function(self, name: str, *arguments: exp.Expr) -> exp.Expr:
        """Return a function of the rule language in this engine's own words; the names are in `engines.functions`."""

    def close(self) -> None:
        """Forget everything."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation in an engine: what stands after FROM, and its columns."""

    engine: Engine
    table: str
    columns: tuple[Column, ...]
    number: str = ""
    """Physical column with the number that each tuple has in the data it was taken from, if it is a part of such."""
    _by_name: Mapping[str, Column] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {column.name: column for column in self.columns})

    def source(self) -> exp.Table:
        """Return what stands after FROM in a plan."""
        return exp.Table(this=exp.to_identifier(self.table))  # a name of ours, so there is nothing to parse

    def column(self, name: str) -> Column:
        """Return the column of that name, or raise with the nearest one."""
        if name in self._by_name:
            return self._by_name[name]
        names = [column.name for column in self.columns]
        raise InputError(f"no column '{name}'{did_you_mean(name, names)}", do=f"use one of: {', '.join(names[:20])}")

    def physical(self, names: Iterable[str]) -> list[exp.Column]:
        """Return columns as terms of a plan."""
        return [exp.column(self.column(name).physical) for name in names]

    def count(self) -> int:
        """Return the number of tuples."""
        plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(self.source())
        return int(self.engine.run(plan)[0]["n"])

    def batches(self, rows: int = 100_000) -> Iterator[pa.RecordBatch]:
        """Yield the tuples in order, a batch at a time, under the users' names."""
        import pyarrow as pa

        names = [column.name for column in self.columns]
        text = exp.DataType(this=exp.DType.TEXT)
        terms = [
            exp.alias_(exp.Cast(this=exp.column(c.physical), to=text.copy()), c.physical)
            if c.is_coded
            else exp.column(c.physical)
            for c in self.columns
        ]
        plan = exp.select(*terms, copy=False).from_(self.source(), copy=False)
        for batch in self.engine.stream(plan, rows):
            yield pa.RecordBatch.from_arrays(batch.columns, names=names)

    def renamed(self, columns: Sequence[Column]) -> Self:
        """Return the same tuples with other column descriptions (names or types told by a reader)."""
        return replace(self, columns=tuple(columns))
