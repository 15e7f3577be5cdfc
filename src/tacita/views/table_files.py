"""The forms of files of tables that were written or taken over. None tells a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import counted
from tacita.tables.argus.jj_format import STATUSES
from tacita.views.terminal import lines
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.api.tables import TableExport, TableFiles, TableImport


class TableFilesView(View["TableFiles"]):
    """The forms of tables that were written with true values."""

    def title(self, result: TableFiles) -> str:
        """Return the title of the specification."""
        return result.built.title

    def as_dict(self, result: TableFiles) -> dict[str, Any]:
        """Return how large the tables are, and their files."""
        return result.built.to_dict() | {"files": [str(file) for file in result.files]}

    def as_text(self, result: TableFiles) -> RenderableType:
        """Return the same for people."""
        from rich.console import Group

        files = ", ".join(str(file) for file in result.files)
        written = ["", f"Written: {files}; true values, not for publication."] if files else []
        return Group(result.built.to_terminal(), *lines(written))


class TableExportView(View["TableExport"]):
    """The forms of a table that was written for another program, with true values."""

    def as_dict(self, result: TableExport) -> dict[str, Any]:
        """Return how many cells of each status there are, and the files."""
        problem = result.problem
        return {
            "files": [str(file) for file in result.files],
            "cells": len(problem.values),
            "equations": len(problem.equations),
            "status": {letter: int((problem.status == status).sum()) for letter, status in STATUSES.items()},
            "notes": list(result.notes),
        }

    def as_text(self, result: TableExport) -> RenderableType:
        """Return the same as sentences."""
        from rich.console import Group

        problem = result.problem
        counts = ", ".join(f"{int((problem.status == status).sum()):,} {letter}" for letter, status in STATUSES.items())
        said = [f"{counted(len(problem.values), 'cell')} ({counts}), {counted(len(problem.equations), 'sum')}"]
        said += [f"Note: {note}" for note in result.notes]
        files = " and ".join(str(file) for file in result.files)
        return Group(*lines([*said, f"Written: {files}; true values, not for publication."]))


class TableImportView(View["TableImport"]):
    """The forms of a specification that was made of a batch."""

    def as_dict(self, result: TableImport) -> dict[str, Any]:
        """Return the tables, the method, and what could not be taken over."""
        specification = result.specification
        tables = [
            {"name": table.name, "dimensions": list(table.dimensions), "responses": list(table.responses)}
            for table in specification.tables
        ]
        return {
            "specification": str(result.file),
            "tables": tables,
            "method": specification.protect.method,
            "notes": list(specification.notes),
        }

    def as_text(self, result: TableImport) -> RenderableType:
        """Return the same as sentences, and what to do next."""
        from rich.console import Group

        names = ", ".join(table.name for table in result.specification.tables)
        said = [f"Specification written to {result.file}: {names}"]
        said += [f"Note: {note}" for note in result.specification.notes]
        return Group(*lines([*said, f"Next: tacita table assess {result.file}"]))
