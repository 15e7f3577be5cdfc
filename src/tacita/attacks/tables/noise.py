"""The attack on figures that do not add up: the true ones do, so that all of them together take noise off each.

Cell keys and random rounding change every cell by itself. Of all tables that add up, the one nearest to what is
published (least squares) has less noise than the published figures, the less the more totals each cell has a part in:
of a table with noise of variance 1 over binary dimensions, every dimension takes a third off the variance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.attacks.tables.system.possible_tables import Numbers, Span
from tacita.model.table import Levels, Table

FEW = 10
"""Of fewer sensitive cells nothing can be said about how often a guess is right."""

NEARLY_ALL = 0.9
"""Where this share of the sensitive counts is guessed exactly, the noise does not protect."""


@dataclass(frozen=True, slots=True)
class NoiseTaken:
    """How many of `cells` sensitive counts are guessed exactly: from all figures together, and each from its own."""

    cells: int
    recovered: int
    by_themselves: int

    @property
    def protects(self) -> bool:
        """Whether what is left of the noise protects."""
        return self.cells < FEW or self.recovered < NEARLY_ALL * self.cells


def nearest_additive(table: Table, published: Numbers) -> Numbers:
    """Return the values nearest to what is published that keep all sums.

    >>> from tacita.model.table import Dimension, table_of_leaves
    >>> people = table_of_leaves("people", [Dimension.flat("sex", ["f", "m"])], [4, 5], is_count=True)
    >>> nearest_additive(people, np.array([12.0, 4, 5])).round(9).tolist()
    [11.0, 5.0, 6.0]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import lsmr

    equations = table.equations
    sums = csr_array((equations.coefficients, equations.cells, equations.starts), shape=(len(equations), len(table)))
    # The shortest change that mends the sums.
    return np.asarray(published - lsmr(sums, sums @ published, atol=1e-12, btol=1e-12)[0])


def take_noise(table: Table, published: Numbers, bounds: Span, levels: Levels) -> NoiseTaken:
    """Return how many sensitive counts follow from all published counts together; `bounds` are what the method says."""
    cells = np.flatnonzero(levels.sensitive)
    low, high = bounds.low[cells], bounds.high[cells]
    guess = np.rint(np.clip(nearest_additive(table, published)[cells], low, high))
    own = np.rint(np.clip(published[cells], low, high))
    true = table.values[cells]
    return NoiseTaken(len(cells), int((guess == true).sum()), int((own == true).sum()))
