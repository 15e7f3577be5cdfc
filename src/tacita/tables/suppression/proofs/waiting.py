"""Targets that wait for a proof, as columns: which of thousands a movement reaches is one comparison."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.target import CLOSE_ENOUGH, EVERYBODY, WIDTH, ProtectionTarget


class Waiting:
    """Some targets in their order."""

    def __init__(self, targets: Iterable[ProtectionTarget]) -> None:
        self.targets = list(targets)
        columns = np.array(self.targets, np.float64).reshape(len(self.targets), len(ProtectionTarget._fields))
        self._cells, self._signs, self._attackers = (columns[:, at].astype(np.int64) for at in (0, 1, 3))
        self._enough = columns[:, 2] * (1 - CLOSE_ENOUGH)

    def __len__(self) -> int:
        return len(self.targets)

    def met_by(self, delta: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which a movement takes to their level (of a direction; widths need two movements)."""
        return np.asarray((self._signs * delta[self._cells] >= self._enough) & (self._signs != WIDTH))

    def of_others_than(self, contributors: frozenset[int]) -> NDArray[np.bool_]:
        """Return which are not about one of these contributors as attacker."""
        seen = np.fromiter(contributors, np.int64, len(contributors))
        return np.asarray((self._attackers == EVERYBODY) | ~np.isin(self._attackers, seen))

    def but(self, some: NDArray[np.bool_]) -> Waiting:
        """Return the others."""
        return self._only(list(compress(self.targets, (~some).tolist())), ~some) if some.any() else self

    def after_first(self) -> Waiting:
        """Return all but the first."""
        return self._only(self.targets[1:], slice(1, None))

    def _only(self, targets: list[ProtectionTarget], places: NDArray[np.bool_] | slice) -> Waiting:
        rest = Waiting(())
        rest.targets = targets
        rest._cells, rest._signs = self._cells[places], self._signs[places]
        rest._attackers, rest._enough = self._attackers[places], self._enough[places]
        return rest
