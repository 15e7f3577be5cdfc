"""Minimum frequency: a cell with few contributors tells about each of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import SensitivityReason, Table
from tacita.tables.sensitivity.contributors import counts_of, require_between
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.specification.fields import entry


@dataclass(frozen=True, slots=True)
class MinimumFrequency:
    """A cell is sensitive if it has contributors, but fewer than `minimum`; they are never weighted.

    Frequency alone does not say how close an estimate may come, so the levels are a choice. In a frequency table the
    interval must reach `level` below and above the value (1, as in sdcTable: what matters is that a small count is not
    known exactly). In a magnitude table it must reach a share `range` of the value (15 %, as tau-Argus's safety range),
    where the sum of absolute contributions counts if some are negative; a value of zero, which has no share, needs as
    much as the smallest other value. A cell all of whose contributors consented is not sensitive. `excess` is how many
    contributors lack, and 0 in a frequency table, where it would be the value.

    An empty cell is not sensitive by this rule: see `zero_cells`.

    >>> MinimumFrequency(3).label
    'minimum frequency (3)'
    """

    minimum: int = entry(3, least=1)
    range: float = 0.15
    level: float = 1.0

    name: ClassVar[str] = "minimum_frequency"
    short: ClassVar[str] = "minimum"
    """The field that a file may give without a table."""
    is_of_contributors: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_between("the minimum", "minimum frequency", self.minimum, above=1, below=math.inf, whole=True)
        require_between("the range", "minimum frequency", self.range, above=0, below=math.inf)
        require_between("the level", "minimum frequency", self.level, above=0, below=math.inf)

    @property
    def label(self) -> str:
        """The rule with its parameters."""
        return f"minimum frequency ({self.minimum})"

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the cells with few contributors."""
        counts = counts_of(table, self.label)
        few = (counts > 0) & (counts < self.minimum) & ~all_consented(table, counts)
        lacking = np.zeros(len(counts)) if table.is_count else (self.minimum - counts).astype(np.float64)
        reason = SensitivityReason(f"fewer than {self.minimum} contributors stand behind it")
        return (SensitivityFinding.of(self.label, reason, few, usual_levels(table, self.range, self.level), lacking),)


def all_consented(table: Table, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the cells all of whose contributors consented to be recognised; in doubt they did not."""
    contributions = table.contributions
    if contributions is None or contributions.waived is None:
        return np.zeros(len(counts), bool)
    agreed: NDArray[np.bool_] = (counts > 0) & (contributions.waived.sum(axis=1) >= counts)
    return agreed


def usual_levels(table: Table, range_: float, level: float) -> NDArray[np.float64]:
    """Return levels for cells that no contribution makes sensitive: see `MinimumFrequency`."""
    if table.is_count:
        return np.full(len(table), level)
    size = np.abs(table.values)
    if table.contributions is not None and table.contributions.absolutes is not None:
        size = np.maximum(size, table.contributions.absolutes)
    return range_ * np.where(size > 0, size, smallest_value(table))


def usual_distances(table: Table, range_: float, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the usual levels, lower and upper, for cells that may be zero: there is nothing to protect below zero."""
    up = usual_levels(table, range_, level)
    return np.where(table.values == 0, 0.0, up), up


def smallest_value(table: Table) -> float:
    """Return the smallest value that is not zero, as a measure of what is not nothing in this table; 1 if all are."""
    size = np.abs(table.values)
    return float(size[size > 0].min(initial=np.inf)) if (size > 0).any() else 1.0
