"""From a specification to tables with true values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from tacita.errors import counted
from tacita.model.table import Table
from tacita.progress import Progress, silent
from tacita.tables.output.part import TablePart, parts_of
from tacita.tables.protect.cases import given_tables, opened, shown_dimensions
from tacita.tables.specification.specification import TableSpecification


@dataclass(frozen=True, slots=True)
class BuiltTable:
    """The tables of one response, linked or single, as one system."""

    table: Table
    shows: dict[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """All tables of a specification. Internal."""

    title: str
    tables: tuple[BuiltTable, ...]

    def parts(self) -> tuple[TablePart, ...]:
        """Return the tables one by one, with the number of contributors of each cell."""
        found = []
        for each in self.tables:
            counts = each.table.counts
            columns = {} if counts is None else {"count": counts}
            parts = parts_of(each.table, each.table.values, shows=each.shows, columns=columns)
            named = len(self.tables) > 1
            found += [replace(p, name=f"{p.name}, {p.response or 'count'}") if named else p for p in parts]
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: how large the tables are, and no value."""
        return {
            "title": self.title,
            "tables": [
                {
                    "name": each.table.name,
                    "response": each.table.response or None,
                    "dimensions": {one.name: len(one.codes) for one in each.table.dimensions},
                    "cells": len(each.table),
                    "equations": len(each.table.equations),
                    "empty": _empty(each.table),
                    "frequencies": each.table.is_count,
                    "linked": {name: int(mask.sum()) for name, mask in each.table.parts.items()},
                    "notes": list(each.notes),
                }
                for each in self.tables
            ],
        }

    def lines(self) -> list[str]:
        """Return the same for people."""
        lines = []
        for each in self.tables:
            table = each.table
            what = table.response or "frequencies"
            along = " x ".join(f"{one.name} ({len(one.codes)})" for one in table.dimensions)
            lines.append(f"{table.name}: {what} by {along}")
            lines.append(f"  {counted(len(table), 'cell')}, {counted(len(table.equations), 'sum')} that add up")
            lines.append(f"  {counted(_empty(table), 'empty cell')}")
            if len(table.parts) > 1:
                lines += [f"  {name}: {counted(int(mask.sum()), 'cell')}" for name, mask in table.parts.items()]
            lines += [f"  Note: {note}" for note in each.notes]
        return lines


def build_table(specification: TableSpecification | str | PathLike[str], *, progress: Progress = silent) -> Built:
    """Build the tables of a specification from microdata or given cells; raise if they do not add up."""
    asked = opened(specification)
    tables = tuple(
        BuiltTable(each.table, shown, each.notes)
        for each, shown in zip(given_tables(asked, progress), shown_dimensions(asked), strict=True)
    )
    return Built(asked.title or ", ".join(each.table.name for each in tables), tables)


def _empty(table: Table) -> int:
    return int((table.values == 0).sum() if table.counts is None else (table.counts == 0).sum())
