"""The p % rule: nobody may estimate another's contribution to within p per cent of it."""

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
class PPercent:
    """A cell is sensitive if a coalition of n contributors can estimate the largest other one to within p per cent.

    With contributions x1 >= x2 >= ... the coalition of the n next ones subtracts its own from the value; what is left
    beside x1 is its error: sensitive if ``value - x1 - (x2 + ... + x[n+1]) < p/100 * x1`` (Hundepool et al.,
    Statistical Disclosure Control, 2012, section 4.2). The protection level, up and down, is the least that has to be
    added to the error: ``p/100 * x1 - error``. Absolute values are taken where contributions are negative. Who
    consented is no target, but may still be in the coalition. `excess` is in points of per cent.

    >>> PPercent(10).label
    'p % (p = 10)'
    """

    p: float = entry(least=0, above=True)
    n: int = entry(1, least=1)

    name: ClassVar[str] = "p_percent"
    is_of_contributors: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_between("p", "the p % rule", self.p, above=0, below=math.inf)
        require_between("n, the size of the coalition,", "the p % rule", self.n, above=-1, below=math.inf, whole=True)

    @property
    def label(self) -> str:
        """The rule with its parameters."""
        return f"p % (p = {self.p:g})" if self.n == 1 else f"p % (p = {self.p:g}, n = {self.n})"

    @property
    def needs_contributions(self) -> int:
        """How many of the largest contributions count: the coalition, and whom it estimates."""
        return self.n + 1

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the cells from which a contribution can be estimated too closely."""
        estimates = estimated(table, self.label, self.n, self.p / 100)
        who = "the largest contributor"
        by = "" if self.n == 1 else " by anybody" if self.n == 0 else f" by {self.n} others together"
        wording = f"{who} can be estimated{by} to within {{reached}} %, {self.p:g} % are required"
        sensitive, level, closeness = estimates
        return (
            SensitivityFinding.of(
                self.label, SensitivityReason(wording, self.p), sensitive, level, self.p - 100 * closeness
            ),
        )

    def level_against(self, others: Contributions) -> NDArray[np.float64]:
        """Return the level that protects others from one contributor, who is the first of the coalition."""
        return estimate_level(others, self.n - 1, self.p / 100)


def estimate_level(others: Contributions, n: int, ratio: float) -> NDArray[np.float64]:
    """Return what lacks for a contributor, and n of the others, to leave `ratio` of another's figure uncertain."""
    size, rest = Ranked.of(others).rest_after(max(n, 0))
    return ratio * size - rest


def estimated(
    table: Table, rule: str, n: int, ratio: float
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """Return which cells leave less than `ratio` of the target's contribution uncertain, what lacks, what there is."""
    ranked = Ranked.of(contributions_of(table, rule, n + 1))
    size, rest = ranked.rest_after(n)
    level = ratio * size - rest
    sensitive = level > TINY * ranked.total
    return sensitive, level, rest / np.where(size > 0, size, 1.0)
