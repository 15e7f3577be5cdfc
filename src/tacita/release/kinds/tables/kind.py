"""The release of tables: the tables as files and as a page; apart from it what proves and explains them.

``release/`` holds each table in the formats that were chosen, a page with all of them and a manifest. One marker stands
for every withheld figure: nobody outside can tell a sensitive cell from one that protects it, and no threshold and no
seed is told. ``release.internal/`` holds the true values, the pattern, the reasons, the attacker's intervals, the
verdict of the audit, the specification and the full manifest.
"""

from __future__ import annotations

import json
import platform
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tacita.attacks.tables.derivable_cells import DerivableCells
from tacita.engines.context import Context
from tacita.errors import InternalError, OutputError, counted, listed
from tacita.files.atomic import atomic, write_text
from tacita.files.file_names import file_names
from tacita.ledger.disclosures import Disclosures
from tacita.ledger.persons import PersonHashes
from tacita.model.table import Status
from tacita.progress import Progress, Step
from tacita.release.kind import LedgerFacts, Released, Workplace
from tacita.release.kinds.tables.attacked import write_attacked
from tacita.release.kinds.tables.check import AUDIT, TableVerification, faults_of_written, verify_tables
from tacita.release.kinds.tables.derivable import check_cells
from tacita.release.kinds.tables.disclosed import disclosed_tables, sources_of
from tacita.release.kinds.tables.page import internal_page, public_page
from tacita.release.kinds.tables.population import write_population
from tacita.release.opening import OpenedRelease
from tacita.release.options import TableOptions, check_table_formats
from tacita.release.records.derivable import with_derivable
from tacita.settings import Settings
from tacita.tables.output.as_excel import write_excel
from tacita.tables.output.as_sdmx_csv import sdmx_csv
from tacita.tables.output.long import long_csv, wide_csv, write_parquet
from tacita.tables.output.part import MARKER, TablePart
from tacita.tables.protect.protected import Protected, ProtectedTable
from tacita.version import __version__
from tacita.views.json_values import plain

if TYPE_CHECKING:
    from tacita.cycle.outcome import Claim
    from tacita.risk.measure import Measure

PAGE, WORKBOOK, SPECIFICATION = "tables.html", "tables.xlsx", "specification.toml"
_VERDICT = "The tables passed the audit: every protection level is kept."

_UNGATED = "The tables were released although nothing says which of their cells are sensitive (--ungated)."


class ReleasedTables(Released):
    """Tables that were released."""

    __slots__ = ()

    def _size(self) -> str:
        return counted(len(self.files), "file")


class TableKind:
    """Protected tables that passed the audit."""

    name: ClassVar = "table release"
    options: ClassVar = TableOptions
    needs_proof: ClassVar = False
    why_no_decisions: ClassVar = (
        "these are tables, not records",
        "ask 'tacita table explain {release} --cell DIMENSION=CODE,...'",
    )

    def check(self, content: Protected, options: TableOptions, where: str) -> None:
        """Raise if the audit found a cell that is not protected, or if nothing says which cells are sensitive."""
        content.external_parts()
        if (unjudged := _unjudged(content)) and not options.ungated:
            raise OutputError(
                f"nothing says which cells of {listed(unjudged)} are sensitive: no rule, no level, no mark",
                where=where,
                do="write a rule, such as minimum_frequency = 3 in [sensitivity], or release without one with "
                "--ungated (Python: TableOptions(ungated=True)), which is recorded; nothing was written",
            )

    def source(self, content: Protected) -> Path | None:
        """Return nothing: tables are made by a specification, whose files are read again and again."""
        return None

    def draft(self, content: Protected, options: TableOptions, where: str, progress: Progress) -> TableDraft:
        """Put together the tables as they are handed out, and look whether withheld cells can be derived."""
        derivable = check_cells(content, where, progress, allow=options.allow_derivable)
        progress(Step("writing the tables"))
        return TableDraft(content, options, content.external_parts(), content.internal_parts(), where, derivable)

    def verify(
        self, release: OpenedRelease, faults: list[str], claim: Claim | None, own: Measure | None, context: Context
    ) -> TableVerification:
        """Compare the files with those that passed the audit."""
        return verify_tables(release, faults)


@dataclass(frozen=True, slots=True, repr=False)
class TableDraft:
    """A release of tables while it is made."""

    protected: Protected
    options: TableOptions
    parts: Sequence[TablePart]
    inside: Sequence[TablePart]
    """The same tables with everything that is known of their cells."""
    where: str
    derivable: tuple[DerivableCells, ...] = ()
    """Withheld cells that can be derived; tables are released only if the steward allowed it."""
    files: Mapping[str, list[str]] | None = None
    """The files that were written, by format."""

    def write(self, folder: Workplace, progress: Progress) -> Self:
        """Write the tables in all formats, and the page."""
        files = write_parts(self.parts, folder.path, self.options.formats, settings=folder.settings)
        folder.text(PAGE, public_page(self.protected, self.parts))
        return replace(self, files=files)

    def public_facts(self) -> Mapping[str, Any]:
        """Return what everybody may know: which tables there are, and how to read them."""
        return {
            "title": self.protected.title,
            "tables": [
                {
                    "name": part.name,
                    "response": part.response,
                    "dimensions": [dimension.name for dimension in part.dimensions],
                    "cells": len(part),
                    "withheld": int(part.withheld.sum()),
                    "method": table.method,
                }
                for table in self.protected.tables
                for part in self.protected.parts_shown(table)
            ],
            "marker": MARKER,
            "reading": list(dict.fromkeys(note for table in self.protected.tables for note in table.reading)),
            "formats": dict(self.files or {}),
            "ungated": bool(_unjudged(self.protected)),
            "versions": {"tacita": __version__},
        }

    def keep(self, folder: Workplace) -> None:
        """Write all that is known of the cells, the verdict of the audit, and the specification."""
        write_parts(self.inside, folder.path, ("parquet",), settings=folder.settings)
        verdicts = [plain(table.audit.to_dict()) for table in self.protected.tables]
        folder.text(AUDIT, json.dumps(verdicts, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        write_attacked(folder, self.protected)
        if self.protected.specification:
            folder.text(SPECIFICATION, self.protected.specification)

    def check(self, release: OpenedRelease, progress: Progress) -> Self:
        """Compare the written cells with the pattern that was audited."""
        if wrong := faults_of_written(self.protected, release.folder, self.files or {}):
            raise InternalError(f"the written tables are not those that were audited: {wrong[0]}", where=self.where)
        return self

    def report(self, folder: Workplace) -> None:
        """Write the page with all figures and reasons."""
        folder.text(PAGE, internal_page(self.protected, self.inside, [str(one) for one in self.derivable]))

    def internal_facts(self) -> Mapping[str, Any]:
        """Return everything."""
        tables = self.protected.tables
        parts = [(number, part) for number, table in enumerate(tables) for part in self.protected.parts_shown(table)]
        stems = file_names([part.name for part in self.inside])
        return {
            "title": self.protected.title,
            "ungated": bool(_unjudged(self.protected)),
            "versions": {"tacita": __version__, "python": platform.python_version(), "highspy": version("highspy")},
            "settings": plain(self.protected.settings),
            "tables": [_table_facts(table) for table in tables],
            "cells": [
                {
                    "name": part.name,
                    "table": number,
                    "file": f"{stem}.parquet",
                    "dimensions": [dimension.name for dimension in part.dimensions],
                }
                for (number, part), stem in zip(parts, stems, strict=True)
            ],
            "formats": dict(self.files or {}),
            "derivable": [one.to_dict() for one in self.derivable],
        }

    def ledger_facts(self) -> LedgerFacts:
        """Return the specification, and how many cells are withheld."""
        try:
            recipe = tomllib.loads(self.protected.specification)
        except tomllib.TOMLDecodeError:
            recipe = {}
        decisions = [_table_facts(table) for table in self.protected.tables]
        settings = plain(self.protected.settings)
        source = self.protected.source
        return LedgerFacts(
            () if source is None else sources_of(source),
            {"specification": recipe, "settings": settings},
            {"tables": decisions, "derivable": [one.to_dict() for one in self.derivable]},
        )

    def disclosed(self, folder: Workplace, persons: PersonHashes | None) -> Disclosures:
        """Return all cells that are handed out; who is behind them goes to a file of the internal folder."""
        disclosures = disclosed_tables(self.protected)
        population, notes = write_population(folder, self.protected, disclosures.tables, persons)
        return replace(disclosures, population=population, notes=(*disclosures.notes, *notes))

    def released(self, folder: Path, internal: Path) -> ReleasedTables:
        """Return where the tables are."""
        files = tuple(name for names in (self.files or {}).values() for name in names)
        is_derivable = bool(self.derivable)
        unjudged = _unjudged(self.protected)
        verdict = with_derivable(_UNGATED if unjudged else _VERDICT, is_derivable=is_derivable)
        notes = tuple(f"allowed by --allow-derivable: {one}" for one in self.derivable)
        return ReleasedTables(folder, internal, files, verdict, self.protected, notes=notes, is_derivable=is_derivable)


def _unjudged(protected: Protected) -> list[str]:
    """Return the tables of which nothing says which cells are sensitive: that their audit passes means nothing."""
    return [f"'{table.table.name}'" for table in protected.tables if not table.case.is_judged]


def write_parts(
    parts: Sequence[TablePart],
    folder: Path,
    formats: Sequence[str],
    *,
    settings: Settings | None = None,
    force: bool = False,
) -> dict[str, list[str]]:
    """Write tables to files in a folder; return the names of the files by format."""
    check_table_formats(formats)
    files: dict[str, list[str]] = {}
    texts = {"csv": (".csv", long_csv), "wide-csv": (".wide.csv", wide_csv), "sdmx-csv": (".sdmx.csv", sdmx_csv)}
    stems = file_names([part.name for part in parts])
    for name in dict.fromkeys(formats):
        if name == "xlsx":
            with atomic(folder / WORKBOOK, force=force, settings=settings) as partial:
                write_excel(parts, partial)
            files[name] = [WORKBOOK]
            continue
        files[name] = []
        for stem, part in zip(stems, parts, strict=True):
            ending = ".parquet" if name == "parquet" else texts[name][0]
            file = f"{stem}{ending}"
            if name == "parquet":
                with atomic(folder / file, force=force, settings=settings) as partial:
                    write_parquet(part, partial)
            else:
                write_text(folder / file, texts[name][1](part), force=force, settings=settings)
            files[name].append(file)
    return files


def _table_facts(protected: ProtectedTable) -> dict[str, Any]:
    return {
        "name": protected.table.name,
        "response": protected.table.response,
        "method": protected.method,
        "cells": len(protected.table),
        "equations": len(protected.table.equations),
        "sensitive": protected.case.counts_of_rules,
        "status": {status.name.lower(): protected.count(status) for status in Status},
        **plain(protected.figures),
        "audit": {
            "passed": protected.audit.passed,
            "suppressed": protected.audit.suppressed,
            "notes": list(protected.audit.notes),
        },
        "notes": [*protected.case.notes, *protected.notes],
    }
