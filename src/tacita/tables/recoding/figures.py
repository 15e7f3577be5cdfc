"""What a table looks like before and after a recoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.model.table import Table
from tacita.tables.recoding.granularity import granularity
from tacita.tables.sensitivity.assess import assess
from tacita.tables.sensitivity.contributors import counts_of
from tacita.tables.sensitivity.finding import SensitivityRule


@dataclass(frozen=True, slots=True)
class Figures:
    """How many cells there are, how many have contributors, how many of them are sensitive and how many hyper-rows
    have a critical granularity; and how many codes each dimension has.
    """

    cells: int
    occupied: int
    sensitive: int
    critical_rows: int
    codes: tuple[int, ...]

    @property
    def safe(self) -> int:
        """Cells with contributors that can be shown."""
        return self.occupied - self.sensitive

    def __str__(self) -> str:
        size = " x ".join(str(each) for each in self.codes)
        return (
            f"{size} codes, {self.occupied} occupied cells, {self.sensitive} sensitive, "
            f"{self.critical_rows} rows of critical granularity"
        )


def figures(table: Table, rules: Sequence[SensitivityRule]) -> Figures:
    """Return the figures of a table under some rules. Sensitive empty cells are counted as occupied: they tell."""
    sensitive = assess(table, rules).sensitive
    occupied = (counts_of(table, "recoding") > 0) | sensitive
    rows = granularity(table).critical
    codes = tuple(len(each.codes) for each in table.dimensions)
    return Figures(len(table), int(np.count_nonzero(occupied)), int(np.count_nonzero(sensitive)), len(rows), codes)
