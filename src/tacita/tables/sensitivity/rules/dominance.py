"""The (n, k) rule of dominance: the n largest contributors may not hold more than k per cent of a cell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Contributions, SensitivityReason, Table
from tacita.tables.sensitivity.contributors import TINY, Ranked, contributions_of, require_between
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.specification.fields import entry


@dataclass(frozen=True, slots=True)
class Dominance:
    """A cell is sensitive if its n largest contributions sum up to more than k per cent of it.

    The level, up and down, is the smallest amount that would make the cell safe: ``100/k * (x1 + ... + xn) - value``,
    as in tau-Argus. Absolute values are taken where contributions are negative. With consents, a cell is sensitive only
    if it is so both as it is and without those who consented: the others then keep the protection that a cell of their
    own would have, and no consent ever makes a cell sensitive. `excess` is in points of per cent.

    >>> Dominance(2, 85).label
    'dominance (n = 2, k = 85)'
    """

    n: int = entry(least=1)
    k: float = entry(least=0, most=100, above=True)

    name: ClassVar[str] = "dominance"
    is_of_contributors: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_between("n", "the dominance rule", self.n, above=0, below=math.inf, whole=True)
        require_between("k", "the dominance rule", self.k, above=0, below=100)

    @property
    def label(self) -> str:
        """The rule with its parameters."""
        return f"dominance (n = {self.n}, k = {self.k:g})"

    @property
    def needs_contributions(self) -> int:
        """How many of the largest contributions count."""
        return self.n

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the cells that few contributors dominate."""
        ranked = Ranked.of(contributions_of(table, self.label, self.n))
        top, total = ranked.sum_of_largest(self.n), ranked.total
        level = 100 / self.k * top - total
        if ranked.waived.any():
            level = np.minimum(level, self._without_waived(ranked, level))
        share = 100 * top / np.where(total > 0, total, 1.0)
        who = "the largest contributor holds" if self.n == 1 else f"the {self.n} largest contributors hold"
        reason = SensitivityReason(f"{who} {{excess}} points more than the {self.k:g} % of the cell that are allowed")
        return (
            SensitivityFinding.of(self.label, reason, level > TINY * total, level, np.minimum(share, 100) - self.k),
        )

    def level_against(self, others: Contributions) -> NDArray[np.float64]:
        """Return the level that protects others from one contributor: that of the cell without its part."""
        ranked = Ranked.of(others)
        return 100 / self.k * ranked.sum_of_largest(self.n) - ranked.total

    def _without_waived(self, ranked: Ranked, level: NDArray[np.float64]) -> NDArray[np.float64]:
        consented = np.where(ranked.waived, ranked.weights * ranked.largest, 0.0).sum(axis=1)
        weights = np.where(ranked.waived, 0.0, ranked.weights)
        others = 100 / self.k * ranked.sum_of_largest(self.n, weights) - np.maximum(ranked.total - consented, 0.0)
        # Others that are not kept could be among the n largest: in doubt, the consent helps nothing.
        in_doubt = ranked.has_more & ((~ranked.waived).sum(axis=1) < self.n)
        return np.where(in_doubt, level, others)
