"""The contract of a sensitivity rule: a table in, findings out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import SensitivityReason, Table


@dataclass(frozen=True, slots=True)
class SensitivityFinding:
    """The cells that one rule finds sensitive, with their protection levels and by how much the rule is broken.

    Arrays have one entry for each cell of the table; those of cells that are not sensitive count for nothing.
    """

    rule: str
    reason: SensitivityReason
    sensitive: NDArray[np.bool_]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    sliding: NDArray[np.float64]
    excess: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        rule: str,
        reason: SensitivityReason,
        sensitive: NDArray[np.bool_],
        level: NDArray[np.float64],
        excess: NDArray[np.float64] | None = None,
    ) -> SensitivityFinding:
        """Return a finding whose levels are the same up and down, as those of all rules on contributions are."""
        nothing = np.zeros(len(sensitive))
        distance = np.where(sensitive, level, 0.0)
        excesses = nothing if excess is None else np.where(sensitive, excess, 0.0)
        return cls(rule, reason, sensitive, distance, distance, nothing, excesses)


@runtime_checkable
class SensitivityRule(Protocol):
    """A rule: a frozen dataclass that finds sensitive cells. A program of user rules may have several findings.

    Its fields are its parameters, and its `name` is its key in ``[sensitivity]``. Facts are attributes of the class, of
    which each may be left out: ``is_of_contributors = True`` says that it is asked of holdings as well where a table
    keeps them; ``needs_contributions`` is how many of the largest contributions it looks at; ``short`` names the field
    that a file may give without a table. A method ``level_against(others)``, asked of the contributions to cells but
    for one contributor, the largest, says what protects the others from it; without the method, that is the same share
    of the level as the others have of the cell. ``RULES.enter(MyRule)`` lets a specification name a rule of one's own.
    """

    name: ClassVar[str]

    @property
    def label(self) -> str:
        """What people call the rule, with its parameters."""
        ...

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return what the rule finds; raise if the table lacks what the rule needs."""
        ...
