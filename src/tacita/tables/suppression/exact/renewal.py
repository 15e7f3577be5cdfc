"""Better safe patterns near a safe one: publish some of its cells, protect again in other ways, take back.

Where sums run in three directions, the pattern that a point of the master suggests costs much more than the cheapest,
and a repair of its neighbourhood costs little. All chance comes from one seed, and steps are counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.exact.routing import RouterWithin
from tacita.tables.suppression.exact.safe_pattern import SafePatterns

_AROUND_ONE = 0.7  # of the steps publish cells that protect one target, the others cells from everywhere
_SHARES = (0.05, 0.3)  # of these cells
_EVERYWHERE = 0.3  # of those shares, where cells come from everywhere
_HOPELESS = 1.08  # of the best cost: a pattern dearer than that before taking back is left
_DEARER, _SOMETIMES = 1.004, 0.3  # a pattern that costs a little more is gone on from, now and then
_CANDIDATES = 0.25  # of the cells that are published now may be withheld in one step


class Renewal:
    """A search of one pattern's neighbourhood; `step` is the whole of it."""

    def __init__(self, patterns: SafePatterns) -> None:
        self._patterns = patterns
        self._problem = patterns.problem
        self._random = np.random.default_rng(0)

    def step(self, pattern: NDArray[np.bool_], guide: NDArray[np.float64], clock: Clock) -> NDArray[np.bool_]:
        """Return a safe pattern near the given one, whose proofs are at hand, with its proofs: rarely a dearer one."""
        patterns, cost = self._patterns, self._patterns.cost(pattern)
        kept = patterns.proofs.kept()
        try:
            renewed = self._renewed(pattern, guide, clock)
        except OutOfTime:
            renewed = None
        most = cost * (_DEARER if self._random.random() < _SOMETIMES else 1.0)
        if renewed is not None and patterns.cost(renewed) <= most:
            return renewed
        patterns.proofs.come_back_to(kept)
        return pattern

    def _renewed(
        self, pattern: NDArray[np.bool_], guide: NDArray[np.float64], clock: Clock
    ) -> NDArray[np.bool_] | None:
        random, cells = self._random, len(self._problem)
        published = self._to_publish(pattern)
        if not len(published):
            return None
        start = pattern.copy()
        start[published] = False
        liked = np.clip(random.random() * guide + 0.5 * random.random() * random.random(cells), 0.0, 0.95)
        liked[published] = 0.0
        near = RouterWithin(self._problem, pattern | (random.random(cells) < _CANDIDATES))
        safe = self._patterns.safe(start, liked, clock, near)
        if self._patterns.cost(safe) > _HOPELESS * self._patterns.cost(pattern):
            return None
        return self._patterns.taken_back(safe, clock)

    def _to_publish(self, pattern: NDArray[np.bool_]) -> NDArray[np.int64]:
        random, targets = self._random, self._patterns.proofs.targets
        cells = np.flatnonzero(pattern & ~self._problem.withheld)
        share = random.uniform(*_SHARES)
        if random.random() < _AROUND_ONE:
            witness = self._patterns.proofs.of(targets[int(random.integers(len(targets)))])
            cells = cells if witness is None else np.intersect1d(witness.cells, cells)
        else:
            share *= _EVERYWHERE
        return cells[random.random(len(cells)) < share]
