"""What every format module takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tacita.engines.protocol import EngineRelation
from tacita.model.attribute import Attribute
from tacita.model.microdata import Microdata, Reading
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
    missing: tuple[str, ...] = ()
    """Spellings of a missing value, besides the empty cell."""
    types: Mapping[str, ColumnType] = field(default_factory=lambda: MappingProxyType({}))
    """Types of columns, by name."""
    sheet: str | None = None
    """Sheet of a workbook, by name or by number from 1."""
    table: str | None = None
    """Table of a database, with its schema if needed: ``survey.firms``."""
    query: str | None = None
    """Query of a database."""
    progress: Progress = silent


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a format module found: the tuples, and all that the file says of its columns."""

    relation: EngineRelation
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


def engine_relation(microdata: Microdata) -> EngineRelation:
    """Return the relation of microdata as one of an engine, which is the only kind that can be planned over."""
    if not isinstance(microdata.relation, EngineRelation):
        raise TypeError(f"a relation of type {type(microdata.relation).__name__} lives in no engine")
    return microdata.relation
