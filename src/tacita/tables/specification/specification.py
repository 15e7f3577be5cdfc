"""What the steward wants of a table, as values: data, dimensions, tables, rules, attacker, protection, history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tacita.model.microdata import Microdata
from tacita.tables.specification.fields import entry
from tacita.tables.specification.sensitivity import SensitivityPlan

CELL_FORMATS = ("csv", "sbs", "argus", "sdctable", "gauss", "jj")
"""The kinds of files of cells: any table with columns of our own names, or what another tool writes or reads."""


@dataclass(frozen=True, slots=True)
class DataPlan:
    """Where the figures come from: microdata, or cells of a table that exists already.

    Columns of microdata: `weight` (sampling weight), `contributor` (enterprise or holding: one counts once), `holding`
    (a group of contributors that acts as one, beside the contributors themselves), `request` (asked for protection),
    `waiver` (consented to be recognised), `frequency` (rows that each stand for several records of a frequency table).
    Columns of cells: `value`, `count`, `status`, bounds `lower` and `upper`, `cost`, protection levels, the `largest`
    contributions.
    """

    microdata: Path | str | Microdata | None = None
    """A file, a folder, a pattern, a database URL, or records that were read already; the record layout of a
    fixed-format file is `layout`."""
    cells: Path | None = None
    layout: Path | None = None
    format: str = entry("", among=CELL_FORMATS)
    """Kind of the file of cells; empty: found out."""
    weight: str | None = None
    contributor: str | None = None
    holding: str | None = None
    request: str | None = None
    request_codes: tuple[str, ...] = entry((), single=True)
    """What stands in the column `request` of those who asked; empty: anything but a missing value, 0, no and false."""
    waiver: str | None = None
    frequency: str | None = None
    missing_response: Literal["refuse", "zero", "leave_out"] = "refuse"
    """What a missing response means."""
    empty: bool = True
    """Whether combinations without a record are cells (zeros that are shown), or are left out of the table."""
    value: str | None = None
    count: str | None = None
    status: str | None = None
    lower: str | None = None
    upper: str | None = None
    cost: str | None = None
    lower_level: str | None = None
    upper_level: str | None = None
    sliding_level: str | None = None
    largest: tuple[str, ...] = ()
    markers: tuple[str, ...] = entry((), single=True)
    """Texts in the value column that mark a suppressed cell; empty: the usual ones."""
    decimals: int | None = entry(None, least=-12)
    """Decimals to which values are rounded (-3: thousands); None: found out, from the values."""

    @property
    def is_jj(self) -> bool:
        """Whether the cells are a file in the JJ format, by its ending if no format is given."""
        return self.cells is not None and (self.format or self.cells.suffix.lower().lstrip(".")) == "jj"


@dataclass(frozen=True, slots=True)
class DimensionPlan:
    """One dimension: where its hierarchy comes from, and how its codes are shown.

    At most one of `hierarchies` (files; several are alternatives over the same leaves), `tree`, `prefixes`, `columns`
    (coarse to fine) and `codes` is given; with none of them the dimension is flat, from the data.
    """

    name: str
    column: str = ""
    """The column of the data; empty: the name."""
    hierarchies: tuple[Path, ...] = ()
    lead: str = "@"
    """What stands before a code of an .hrc file, once for each level."""
    tree: Mapping[str, Any] | None = None
    prefixes: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    total: str = "Total"
    missing: str | None = None
    """The code that a missing code is shown as; None: refuse and count them."""
    labels: Path | Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One table: its dimensions, and what is counted or summed."""

    name: str
    dimensions: tuple[str, ...]
    responses: tuple[str, ...] = ()
    """Columns that are summed, one table after the other; empty: a frequency table."""
    hierarchies: Mapping[str, Path] = field(default_factory=dict)
    """Other hierarchies of dimensions, for this table only."""


@dataclass(frozen=True, slots=True)
class AttackerPlan:
    """What the attacker knows beforehand."""

    lower: float | None = 0.0
    """The least that any cell can be; None: values may be negative without limit."""
    upper: float | None = None
    within: float | None = entry(None, least=0, above=True)
    """Share of its value to within which each suppressed cell is known beforehand."""
    singletons: bool | None = None
    """Whether a single contributor, who knows the own cell, is an attacker too; None: in magnitude tables only."""


@dataclass(frozen=True, slots=True)
class ProtectPlan:
    """How to protect, and what the steward insists on."""

    method: str = "suppression"
    cost: str = "value"
    """What a suppressed cell costs: ``value``, ``count``, ``unity``, or a column."""
    base: int = entry(5, least=1)
    seed: int | None = field(default=None, repr=False)
    time: float = entry(60.0, least=0)
    gap: float = entry(0.0, least=0)
    keep: tuple[Mapping[str, str], ...] = ()
    suppress: tuple[Mapping[str, str], ...] = ()
    apriori: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the method itself, from a table of its name: ``[protect.cell_key]``."""


@dataclass(frozen=True, slots=True)
class HistoryPlan:
    """An earlier publication: of the same period (values are known) or of an earlier one (its pattern is reused)."""

    cells: Path
    period: Literal["same", "earlier"] = "same"
    within: float | None = entry(None, least=0, above=True)
    """For an earlier period: the share by which a value may have changed since; the attacker knows it too."""
    format: str = entry("", among=tuple(kind for kind in CELL_FORMATS if kind != "jj"))
    value: str | None = None
    status: str | None = None
    markers: tuple[str, ...] = entry((), single=True)


@dataclass(frozen=True, slots=True)
class TableSpecification:
    """A table and its protection from beginning to end; `folder` is what file names are relative to."""

    data: DataPlan
    dimensions: Mapping[str, DimensionPlan]
    tables: tuple[TablePlan, ...]
    title: str = ""
    sensitivity: SensitivityPlan = field(default_factory=SensitivityPlan)
    attacker: AttackerPlan = field(default_factory=AttackerPlan)
    protect: ProtectPlan = field(default_factory=ProtectPlan)
    history: HistoryPlan | None = None
    folder: Path = field(default_factory=Path)
    notes: tuple[str, ...] = ()
    """What was not taken over from another tool's files, or was decided without being asked."""

    @property
    def responses(self) -> tuple[str, ...]:
        """What is tabulated, each once: columns that are summed, and ``""`` for a frequency table."""
        return tuple(dict.fromkeys(response for table in self.tables for response in (table.responses or ("",))))

    def tables_of(self, response: str) -> tuple[TablePlan, ...]:
        """Return the tables of one response: linked, they are one system."""
        return tuple(table for table in self.tables if response in (table.responses or ("",)))
