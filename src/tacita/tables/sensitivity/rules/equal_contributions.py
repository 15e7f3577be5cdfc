"""Equal contributions: where all contributors gave the same, the mean of the cell is what each of them gave."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from tacita.model.table import SensitivityReason, Table
from tacita.tables.sensitivity.contributors import Ranked, contributions_of, counts_of, require_between
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.sensitivity.rules.minimum_frequency import all_consented, usual_levels

_EQUAL = 1e-9  # of the cell: what adding up may lose


@dataclass(frozen=True, slots=True)
class EqualContributions:
    """A cell is sensitive if it has several contributors, and all of them gave the same amount, which is not zero.

    It is the check "all values are same" of ACRO. With x1 the largest of N contributions in absolute value, all are
    equal if and only if ``N * x1`` is the value; then ``value / N`` is everybody's figure, however large N is. Levels
    are those of minimum frequency, a share `range` of the value. Weighted contributions are never found equal: there
    the published value does not tell the mean of those who answered. A cell of zeros is the rule `zeros`.

    >>> EqualContributions().label
    'equal contributions'
    """

    range: float = 0.15

    name: ClassVar[str] = "equal_contributions"
    is_of_contributors: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_between("the range", "equal contributions", self.range, above=0, below=math.inf)

    @property
    def label(self) -> str:
        """The rule."""
        return "equal contributions"

    @property
    def needs_contributions(self) -> int:
        """How many of the largest contributions count."""
        return 1

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the cells whose contributors gave the same."""
        ranked = Ranked.of(contributions_of(table, self.label, 1))
        counts = counts_of(table, self.label)
        largest, weighted = ranked.largest[:, 0], (ranked.weights * (ranked.largest > 0) > 1).any(axis=1)
        equal = (abs(counts * largest - ranked.total) <= _EQUAL * ranked.total) & (largest > 0) & ~weighted
        sensitive = equal & (counts > 1) & ~all_consented(table, counts)
        reason = SensitivityReason("all contributors gave the same, so that the mean tells what each of them gave")
        return (SensitivityFinding.of(self.label, reason, sensitive, usual_levels(table, self.range, 1.0)),)
