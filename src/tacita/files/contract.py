"""What every format module takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypedDict

from tacita.engines.protocol import Relation
from tacita.errors import UsageError, did_you_mean
from tacita.forms import PAIRS, Form
from tacita.model.attribute import Attribute
from tacita.model.microdata import Reading
from tacita.model.relation import ColumnType
from tacita.options import option
from tacita.progress import Progress, silent

_READING = "Reading"
_DELIMITERS = {"tab": "\t", "\\t": "\t"}
_QUOTES = {"none": "", "double": '"', "single": "'"}
"""Words for signs that are hard to type."""
_TYPES = replace(PAIRS, parse=lambda typed, flag: types_named(PAIRS.parse(typed, flag)))
"""Types by column, typed as NAME=TYPE."""


def _sign(words: Mapping[str, str]) -> Form:
    """Return the form of a sign that has words, too."""
    return Form(parse=lambda typed, flag: words.get(typed, typed))


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a user may tell a reader instead of letting it find out. None means: find out."""

    delimiter: str | None = option(
        None, form=_sign(_DELIMITERS), panel=_READING, help="What separates fields: , ; | or tab."
    )
    quote: str | None = option(None, form=_sign(_QUOTES), panel=_READING, help="Quote character, or none.")
    """Quote character; an empty text means that nothing is quoted."""
    encoding: str | None = option(None, panel=_READING, help="Encoding of a text file, such as cp1252.")
    decimal: str | None = option(None, panel=_READING, help="Decimal sign: . or ,")
    thousands: str | None = option(None, panel=_READING, help="Thousands sign.")
    dates: str | None = option(
        None, panel=_READING, help="Order of dates such as 01/02/2024: day-first or month-first."
    )
    header: bool = option(True, "--no-header", panel=_READING, help="The first line is data.")
    missing: tuple[str, ...] = option(
        (), panel=_READING, help="Spellings of a missing value, with commas between; may be repeated."
    )
    """Spellings of a missing value, besides the empty cell."""
    one_spelling: tuple[str, ...] = option(
        (),
        panel=_READING,
        help="Attributes in which spellings that differ in case or blanks are one value; may be repeated.",
    )
    """Attributes whose values that differ only in case or blanks are read as the most frequent of them."""
    types: Mapping[str, ColumnType] = option(
        {},
        "--as",
        form=_TYPES,
        panel=_READING,
        help="NAME=TYPE: text, integer, number, date, timestamp or boolean; may be repeated.",
    )
    """Types of columns, by name."""
    sheet: str | None = option(None, panel=_READING, help="Sheet of a workbook, by name or number.")
    """Sheet of a workbook, by name or by number from 1."""
    table: str | None = option(None, panel=_READING, help="Table of a database.")
    """Table of a database, with its schema if needed: ``survey.firms``."""
    query: str | None = option(None, panel=_READING, help="Query of a database.")
    """Query of a database."""
    only: frozenset[str] | None = field(default=None, repr=False)
    """Columns of a text file that are looked at; None for all. Of the others only the layout is checked."""
    progress: Progress = field(default=silent, repr=False)

    def __post_init__(self) -> None:
        for name in ("delimiter", "quote", "decimal", "thousands"):
            if len(getattr(self, name) or "") > 1:
                raise UsageError(f"{name} is '{getattr(self, name)}'", do="give one character")
        for name in ("missing", "one_spelling"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))
        for name in ("decimal", "thousands"):
            sign = getattr(self, name)
            if sign is not None and (not sign or sign.isalnum() or sign in "+-"):
                raise UsageError(f"{name} is '{sign}'", do="give a sign such as . or ,")
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
    left_out: frozenset[str] = frozenset()
    """Columns of the file that nobody looks at."""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What a user may say about an output."""

    delimiter: str | None = None
    force: bool = False
    """Whether an existing file may be replaced."""
    progress: Progress = silent
    escape_formulas: bool = False
    """Whether cells of delimited text that a spreadsheet would run get an apostrophe in front."""
