"""A relation as the model sees it: named, typed columns in some engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa


class ColumnType(StrEnum):
    """The types that every engine can hold and every file format can carry."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"

    @property
    def is_numeric(self) -> bool:
        """Whether values can be added up."""
        return self in {ColumnType.INTEGER, ColumnType.NUMBER}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: the name that people use, and the one that the engine uses.

    The physical name is made by us and never holds text of a user: names that are SQL keywords, differ only in case or
    hold quotes are safe by construction.
    """

    name: str
    physical: str
    type: ColumnType
    as_written: str | None = None
    """Physical text column with the source's own spelling of cells whose value cannot restore it: ``1.234,50`` in a
    CSV, ``.a`` in Stata, ``99`` declared missing in SPSS. NULL where the value says it all."""
    is_coded: bool = False
    """Whether the engine holds the text as codes of a dictionary, which makes group-bys several times faster."""


class Relation(Protocol):
    """Tuples that live in an engine."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, in order."""

    def column(self, name: str) -> Column:
        """Return the column of that name, or raise with the nearest one."""

    def count(self) -> int:
        """Return the number of tuples."""

    def batches(self, rows: int = 100_000) -> Iterator[pa.RecordBatch]:
        """Yield the tuples in order, a batch at a time, under the users' names."""
