"""The request rule: a contributor who asked for protection gets it, if it is visible enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.errors import InputError
from tacita.model.table import SensitivityReason, Table
from tacita.tables.sensitivity.contributors import contributions_of, has_more, require_between
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.sensitivity.rules.minimum_frequency import usual_levels
from tacita.tables.specification.fields import entry


@dataclass(frozen=True, slots=True)
class Request:
    """A cell is sensitive if a contributor who asked for protection holds more than `share` per cent of it.

    This is the passive confidentiality of foreign trade, as in tau-Argus: only who asks is protected. Levels are the
    share `range` of the value. Shares are of absolute values where some are negative. `n` is how many of the largest
    contributions the table keeps at least. `excess` is in points of per cent.

    >>> Request(70).label
    'request (share = 70)'
    """

    share: float = entry(least=0, most=100)
    n: int = entry(1, least=1)
    range: float = 0.15

    name: ClassVar[str] = "request"
    is_of_contributors: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_between("the share", "the request rule", self.share, above=-1, below=100)
        require_between("the range", "the request rule", self.range, above=0, below=math.inf)
        if self.share < 0:
            raise InputError("the share is below 0 %", where="request rule", do="give a share from 0 to 100")

    @property
    def label(self) -> str:
        """The rule with its parameter."""
        return f"request (share = {self.share:g})"

    @property
    def needs_contributions(self) -> int:
        """How many of the largest contributions the table is to keep."""
        return self.n

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the cells in which somebody who asked is visible."""
        contributions = contributions_of(table, self.label, 1)
        where = f"table '{table.name}'"
        if contributions.requested is None:
            raise InputError(
                f"{self.label} needs to know who asked for protection, and the table does not say",
                where=where,
                do='name the column of the microdata that says it: request = "..."',
            )
        # One beyond those that are kept is at most as large as each of them.
        kept = contributions.largest.shape[1]
        if self.share < 100 / (kept + 1) and has_more(contributions).any():
            raise InputError(
                f"{self.label} needs the {math.ceil(100 / max(self.share, 1))} largest contributions, and the table "
                f"keeps {kept}: a smaller one may be of somebody who asked",
                where=where,
                do="build the table with more of the largest contributions, "
                f"or let requests count from a share of {100 / (kept + 1):.3g} %",
            )
        total = np.abs(contributions.totals) if contributions.absolutes is None else contributions.absolutes
        requested = np.where(contributions.requested, np.abs(contributions.largest), 0.0).max(axis=1, initial=0.0)
        share = np.where(total > 0, 100 * requested / np.where(total > 0, total, 1.0), 0.0)
        reason = SensitivityReason(
            f"a contributor who asked for protection holds {{excess}} points more than the {self.share:g} % from which "
            "requests count"
        )
        level = usual_levels(table, self.range, 1.0)
        return (
            SensitivityFinding.of(
                self.label, reason, share > self.share * (1 + 1e-12), level, np.minimum(share, 100) - self.share
            ),
        )
