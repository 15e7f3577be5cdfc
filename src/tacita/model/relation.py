"""Columns of a relation: named and typed, whatever engine holds them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
