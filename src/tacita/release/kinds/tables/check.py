"""Whether released tables are what was audited: cell by cell when they are written, and whenever somebody asks."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.release.kind import Verification
from tacita.release.opening import OpenedRelease
from tacita.release.records.derivable import with_derivable
from tacita.tables.output.part import MARKER, TablePart
from tacita.tables.protect.protected import Protected, ProtectedTable

AUDIT = "audit.json"


@dataclass(frozen=True, slots=True, repr=False)
class TableVerification(Verification):
    """What was found; `faults` is empty if everything is as it was when the tables were audited and released."""

    tables: int = 0
    withheld: int = 0
    is_derivable: bool = False
    """Whether the internal folder says that withheld cells can be derived, and that this was allowed."""

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if not self.holds:
            return "The release is not what was audited."
        return with_derivable("The files are those that were audited.", is_derivable=self.is_derivable)


def verify_tables(release: OpenedRelease, faults: list[str]) -> TableVerification:
    """Return whether the files are those that passed the audit."""
    full, tables = bool(release.manifest), release.public["tables"]
    faults = faults + (_audit_faults(release.internal) if full else [])
    withheld = sum(table["withheld"] for table in tables)
    is_derivable = bool(release.manifest.get("derivable"))
    return TableVerification(release.folder, tuple(faults), full, len(tables), withheld, is_derivable)


def _audit_faults(internal: Path) -> list[str]:
    """Return which tables did not pass the audit, or that the audit is not known: then nothing is verified."""
    try:
        verdicts = json.loads((internal / AUDIT).read_text(encoding="utf-8"))
        failed = [str(table["table"]) for table in verdicts if table["passed"] is not True]
    except (OSError, ValueError, TypeError, KeyError, LookupError):
        return ["audit.json cannot be read: whether the tables passed the audit is not verified"]
    if not verdicts:
        return ["audit.json names no table: whether the tables passed the audit is not verified"]
    return [f"table '{name}' did not pass the audit" for name in failed]


def faults_of_written(protected: Protected, folder: Path, files: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is wrong in the files, in words.

    The pattern that was audited is compared with the cells that have no figure in the file, and the figures with those
    that were audited. Formats that are laid out for people are made of the same cells and are not read back.
    """
    shown = [(table, part) for table in protected.tables for part in protected.parts_shown(table)]
    faults = []
    for format_, read in (("csv", _read_csv), ("parquet", _read_parquet)):
        for (table, part), name in zip(shown, files.get(format_, ()), strict=False):
            faults += [f"{name}: {fault}" for fault in _faults(table, part, *read(folder / name))]
    return faults


def _faults(
    table: ProtectedTable, part: TablePart, values: NDArray[np.float64], marked: NDArray[np.bool_]
) -> Iterator[str]:
    cells = part.cells
    if cells is None or len(values) != len(cells):
        yield "it has not as many cells as the table"
        return
    withheld = table.withheld[cells]
    if (np.isnan(values) != withheld).any() or (marked != withheld).any():
        yield "other cells are withheld than in the pattern that was audited"
    audited = np.where(withheld, np.nan, table.values[cells])
    if not np.allclose(values, audited, rtol=1e-9, atol=1e-9, equal_nan=True):
        yield "a figure differs from the one that was audited"


def _read_csv(path: Path) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    values = np.array([float(row["value"] or "nan") for row in rows], np.float64)
    return values, np.array([row["status"] == MARKER for row in rows], bool)


def _read_parquet(path: Path) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    values = [np.nan if value is None else value for value in table["value"].to_pylist()]
    return np.array(values, np.float64), np.array([mark == MARKER for mark in table["status"].to_pylist()], bool)
