"""From a specification to tables with true values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike

from tacita.errors import counted
from tacita.model.result import Result
from tacita.model.table import Table
from tacita.progress import Progress, silent
from tacita.tables.output.part import ShownCells, TablePart, parts_of
from tacita.tables.protect.cases import given_tables, open_specification, shown_dimensions
from tacita.tables.specification.specification import TableSpecification


@dataclass(frozen=True, slots=True, repr=False)
class BuiltTable:
    """The tables of one response, linked or single, as one system."""

    table: Table
    shows: dict[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Built(Result):
    """All tables of a specification. Internal."""

    title: str
    tables: tuple[BuiltTable, ...]

    def parts(self) -> tuple[TablePart, ...]:
        """Return the tables one by one, with the number of contributors of each cell."""
        all_parts = []
        for table in self.tables:
            counts = table.table.counts
            columns = {} if counts is None else {"count": counts}
            parts = parts_of(table.table, ShownCells(table.table.values, columns=columns), table.shows)
            named = len(self.tables) > 1
            all_parts += [replace(p, name=f"{p.name}, {p.response or 'count'}") if named else p for p in parts]
        return tuple(all_parts)

    def _in_short(self) -> str:
        cells = sum(len(table.table) for table in self.tables)
        return f"'{self.title}': {counted(cells, 'cell')} in {counted(len(self.tables), 'table')}"


def build_table(specification: TableSpecification | str | PathLike[str], *, progress: Progress = silent) -> Built:
    """Build the tables of a specification from microdata or given cells; raise if they do not add up."""
    opened = open_specification(specification)
    tables = tuple(
        BuiltTable(given.table, shown, given.notes)
        for given, shown in zip(given_tables(opened, progress), shown_dimensions(opened), strict=True)
    )
    return Built(opened.title or ", ".join(given.table.name for given in tables), tables)
