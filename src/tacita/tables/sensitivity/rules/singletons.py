"""Cells with a single contributor, and what that contributor knows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import SensitivityReason, Table
from tacita.tables.build.sums import owners as owners_by_sums
from tacita.tables.sensitivity.contributors import checked, counts_of
from tacita.tables.sensitivity.finding import SensitivityFinding
from tacita.tables.sensitivity.rules.minimum_frequency import all_consented, usual_levels


@dataclass(frozen=True, slots=True)
class Singletons:
    """A cell with exactly one contributor is sensitive: its value is that contributor's.

    Levels are those of minimum frequency, of which this is the case 2. `owners` says who the single contributors are,
    because each of them knows the own cell and attacks with it.

    >>> Singletons().name
    'single contributor'
    """

    range: float = 0.15
    level: float = 1.0

    is_of_contributors: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked("the range", "single contributor", self.range, above=0, below=math.inf)
        checked("the level", "single contributor", self.level, above=0, below=math.inf)

    @property
    def name(self) -> str:
        """The rule."""
        return "single contributor"

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the cells with one contributor."""
        counts = counts_of(table, self.name)
        alone = (counts == 1) & ~all_consented(table, counts)
        reason = SensitivityReason("a single contributor stands behind it")
        return (SensitivityFinding.of(self.name, reason, alone, usual_levels(table, self.range, self.level)),)


def owners(table: Table) -> NDArray[np.int64]:
    """Return, for `Knowledge.owners`, the contributor who alone stands behind each cell; -1: nobody or several.

    Where contributors have no numbers (frequency tables, given cells), cells with one contributor are of the same
    one if they are bound by a sum: a total with one contributor, and its only part with one.
    """
    held = table.contributions
    if held is not None and (held.holders[held.counts == 1, :1] >= 0).all():
        return held.sole_contributors()
    return owners_by_sums(replace(table, contributions=None, counts=counts_of(table, "the singletons' knowledge")))
