"""Zero cells: that nobody is there, or that everybody's figure is nothing, is information too."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacita.model.table import SensitivityReason, Table
from tacita.tables.sensitivity.contributors import checked
from tacita.tables.sensitivity.finding import SensitivityFinding
from tacita.tables.sensitivity.rules.minimum_frequency import smallest_value
from tacita.tables.sensitivity.structural_zeros import structural_zeros


@dataclass(frozen=True, slots=True)
class ZeroCells:
    """A cell whose value is zero is sensitive, unless everybody knows that it must be.

    In a frequency table each zero tells of all members of a margin what they are not. In a magnitude table a zero tells
    every contributor's figure exactly, so that only zeros with contributors are sensitive (all, if their number is not
    known); contributions that cancel each other are the p % rule's. `structural` are combinations of codes that cannot
    occur. The interval must reach up to `level`: by default 1 in a frequency table, and the smallest value that is not
    zero in a magnitude table. There is nothing to protect below zero; the interval is to be as wide as it reaches up.

    >>> ZeroCells().name
    'zero cells'
    """

    structural: tuple[Mapping[str, str], ...] = ()
    level: float | None = None

    def __post_init__(self) -> None:
        if self.level is not None:
            checked("the level", "zero cells", self.level, above=0, below=math.inf)

    @property
    def name(self) -> str:
        """The rule."""
        return "zero cells"

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the zeros that tell something."""
        zero = (table.values == 0) & ~structural_zeros(table, self.structural)
        if not table.is_count and table.counts is not None:
            zero &= table.counts > 0
        level = self.level or (1.0 if table.is_count else smallest_value(table))
        up = np.where(zero, level, 0.0)
        nothing = np.zeros(len(table))
        said = "nobody is there" if table.is_count else "the figure of each contributor is nothing"
        reason = SensitivityReason(f"a zero tells that {said}")
        return (SensitivityFinding(self.name, reason, zero, nothing, up, up, nothing),)
