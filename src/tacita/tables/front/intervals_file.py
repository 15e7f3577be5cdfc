"""The attacker's intervals as a file; internal, since they stand beside the true values."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tacita.errors import UsageError
from tacita.files.atomic import atomic, write_text
from tacita.tables.front.audit import Audited, AuditedTable
from tacita.tables.output.as_csv import long_csv
from tacita.tables.output.as_parquet import write_parquet
from tacita.tables.output.part import Part


def write_intervals(found: Audited, path: Path, *, force: bool) -> None:
    """Write every withheld cell with its value, what it needs, and what the attacker finds; CSV or Parquet."""
    if path.suffix.lower() not in {".csv", ".parquet"}:
        raise UsageError(f"no intervals in the format '{path.suffix}'", do="name a file that ends in .csv or .parquet")
    if len(found.tables) > 1:
        raise UsageError("there are several responses", do="write the intervals of one response at a time")
    part = _part(found.tables[0])
    if path.suffix.lower() == ".csv":
        write_text(path, long_csv(part), force=force)
        return
    with atomic(path, force=force) as partial:
        write_parquet(part, partial)


def _part(each: AuditedTable) -> Part:
    table, levels, attacked = each.case.table, each.case.levels, each.audit.intervals
    cells = np.flatnonzero(~np.isnan(attacked.lower))
    rules = (*levels.rules, "")
    return Part(
        table.name,
        table.dimensions,
        table.codes[cells],
        table.values[cells],
        table.response,
        attacked.lower[cells],
        attacked.upper[cells],
        each.status[cells],
        columns={
            "exact": attacked.exact[cells],
            "rule": [rules[rule] for rule in levels.rule[cells].tolist()],
            "lower_level": levels.lower[cells],
            "upper_level": levels.upper[cells],
            "sliding_level": levels.sliding[cells],
        },
    )
