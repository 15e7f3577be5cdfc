"""What every format module takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypedDict

from tacita.engines.protocol import Relation
from tacita.errors import UsageError, did_you_mean
from tacita.model.attribute import Attribute
from tacita.model.microdata import Reading
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a user may tell a reader instead of letting it find out. None means: find out."""

    delimiter: str | None = None
    quote: str | None = None
    """Quote character; an empty text means that nothing is quoted."""
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool = True
    dates: str | None = None
    """Order of dates such as 01/02/2024: ``day-first`` or ``month-first``."""
    missing: tuple[str, ...] = ()
    """Spellings of a missing value, besides the empty cell."""
    one_spelling: tuple[str, ...] = ()
    """Attributes whose values that differ only in case or blanks are read as the most frequent of them."""
    types: Mapping[str, ColumnType] = field(default_factory=lambda: MappingProxyType({}))
    """Types of columns, by name."""
    sheet: str | None = None
    """Sheet of a workbook, by name or by number from 1."""
    table: str | None = None
    """Table of a database, with its schema if needed: ``survey.firms``."""
    query: str | None = None
    """Query of a database."""
    progress: Progress = silent

    def __post_init__(self) -> None:
        for option in ("delimiter", "quote", "decimal", "thousands"):
            if len(getattr(self, option) or "") > 1:
                raise UsageError(f"{option} is '{getattr(self, option)}'", do="give one character")
        for option in ("missing", "one_spelling"):
            if isinstance(getattr(self, option), str):
                object.__setattr__(self, option, (getattr(self, option),))
        for option in ("decimal", "thousands"):
            sign = getattr(self, option)
            if sign is not None and (not sign or sign.isalnum() or sign in "+-"):
                raise UsageError(f"{option} is '{sign}'", do="give a sign such as . or ,")
        if self.delimiter is not None and (self.delimiter in {"", "\n", "\r"} or self.delimiter == self.quote):
            raise UsageError("the delimiter is empty, a line end, or the quote", do="give what stands between fields")
        if self.dates not in {None, "day-first", "month-first"}:
            raise UsageError(f"dates is '{self.dates}'", do="say day-first or month-first")


def types_named(given: Mapping[str, ColumnType | str]) -> dict[str, ColumnType]:
    """Return types of columns given by their names.

    >>> types_named({"zip": "text"})
    {'zip': <ColumnType.TEXT: 'text'>}
    """
    known = [member.value for member in ColumnType]
    for name, type_ in given.items():
        if type_.casefold() not in known:
            raise UsageError(
                f"no type '{type_}' for column '{name}'{did_you_mean(type_, known)}",
                do=f"use one of {', '.join(known)}",
            )
    return {name: ColumnType(type_.casefold()) for name, type_ in given.items()}


class ReadKeywords(TypedDict, total=False):
    """The same, as keywords of `tacita.read`; types may be given by their names."""

    delimiter: str
    quote: str
    encoding: str
    decimal: str
    thousands: str
    header: bool
    dates: str
    missing: tuple[str, ...]
    one_spelling: tuple[str, ...]
    types: Mapping[str, ColumnType | str]
    sheet: str
    table: str
    query: str
    progress: Progress


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a format module found: the tuples, and all that the file says of its columns."""

    relation: Relation
    attributes: tuple[Attribute, ...]
    """Names, descriptions, value labels, user-defined missings: no categories."""
    readings: tuple[Reading, ...]
    details: tuple[tuple[str, str], ...] = ()
    description: str = ""
    """The file's own label, if it has one."""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What a user may say about an output."""

    delimiter: str | None = None
    force: bool = False
    """Whether an existing file may be replaced."""
    progress: Progress = silent
    escape_formulas: bool = False
    """Whether cells of delimited text that a spreadsheet would run get an apostrophe in front."""
