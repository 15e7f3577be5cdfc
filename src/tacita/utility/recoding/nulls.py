"""Nulls as loss: which part of the cells that could be suppressed was (Figure 7b of the VADA-SA paper)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NullLoss:
    """Suppressed cells, against two wholes.

    >>> NullLoss(suppressed=3, risky=4, quasi_identifiers=3, records=100).of_risky
    0.25
    """

    suppressed: int
    """Cells of quasi-identifiers that became null."""
    risky: int
    """Tuples that were above the threshold."""
    quasi_identifiers: int
    records: int

    @property
    def of_risky(self) -> float:
        """Nulls divided by the cells of quasi-identifiers of risky tuples: the paper's information loss.

        The worst that local suppression can do is to blank all of these.
        """
        whole = self.risky * self.quasi_identifiers
        return self.suppressed / whole if whole else 0.0

    @property
    def of_all(self) -> float:
        """Nulls divided by the cells of quasi-identifiers of all tuples."""
        whole = self.records * self.quasi_identifiers
        return self.suppressed / whole if whole else 0.0
