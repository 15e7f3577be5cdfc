"""The p-q rule (prior-posterior): what was known to within q per cent must not become known to within p per cent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.table import Contributions, SensitivityReason, Table
from tacita.tables.sensitivity.contributors import require_between
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.sensitivity.rules.p_percent import estimate_level, estimated
from tacita.tables.specification.fields import entry


@dataclass(frozen=True, slots=True)
class PriorPosterior:
    """A cell is sensitive if the largest contribution can be estimated to within p per cent by who knows others to q.

    The coalition of n contributors knows the remaining ones to within q per cent beforehand, so that its error is q per
    cent of their sum: sensitive if ``value - x1 - (x2 + ... + x[n+1]) < p/q * x1``; the level is what lacks, as in the
    p % rule, which this is with q = 100. `excess` is in points of per cent.

    >>> PriorPosterior(10, 50).label
    'p-q (p = 10, q = 50)'
    """

    p: float = entry(least=0, above=True)
    q: float = entry(least=0, above=True)
    n: int = entry(1, least=1)

    name: ClassVar[str] = "prior_posterior"
    is_of_contributors: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_between("p", "the p-q rule", self.p, above=0, below=math.inf)
        require_between("q", "the p-q rule", self.q, above=0, below=math.inf)
        require_between("n, the size of the coalition,", "the p-q rule", self.n, above=-1, below=math.inf, whole=True)
        if self.p >= self.q:
            raise InputError(
                f"the prior-posterior rule needs p below q, but p is {self.p:g} and q is {self.q:g}", where="p-q rule"
            )
        if self.q > 100:
            raise InputError(
                f"p = {self.p:g} and q = {self.q:g}",
                where="p-q rule",
                do="give p below q, and q at most 100: what is known before is less than what may not be known after",
            )

    @property
    def label(self) -> str:
        """The rule with its parameters."""
        coalition = "" if self.n == 1 else f", n = {self.n}"
        return f"p-q (p = {self.p:g}, q = {self.q:g}{coalition})"

    @property
    def needs_contributions(self) -> int:
        """How many of the largest contributions count: the coalition, and whom it estimates."""
        return self.n + 1

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the cells from which a contribution can be estimated too closely."""
        sensitive, level, closeness = estimated(table, self.label, self.n, self.p / self.q)
        wording = (
            f"who knows the others to within {self.q:g} % can estimate the largest contributor "
            f"to within {{reached}} %, {self.p:g} % are required"
        )
        excess = self.p - self.q * closeness
        return (SensitivityFinding.of(self.label, SensitivityReason(wording, self.p), sensitive, level, excess),)

    def level_against(self, others: Contributions) -> NDArray[np.float64]:
        """Return the level that protects others from one contributor, who is the first of the coalition."""
        return estimate_level(others, self.n - 1, self.p / self.q)
