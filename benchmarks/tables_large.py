"""Large hierarchical tables: how many secondary suppressions, at which cost, how near the bound, in how much time.

The tables of the peers are not known cell by cell: these are of the same size and kind. A plain grouped heuristic of
linear programmes needed 5,835 secondary cells on 97,940 with 18,247 primary; tau-Argus' hypercube 9,043, and left 1,786
cells with less protection than they need. Both know nothing of single contributors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.business_tables import BusinessTable, dense, huge, middle, regular, sparse
from tacita.model.table import Levels, Table, table_of_leaves


class LargeKind(NamedTuple):
    """A table, whether single contributors attack, whether each cell costs one, and what peers and aims say."""

    name: str
    drawn: Callable[[], BusinessTable]
    singletons: bool
    is_unit: bool
    peers: str
    aim: str


_PLAIN = "LP 5,835 cells in 10 s; hypercube 9,043"
KINDS = (
    LargeKind("middle", middle, False, False, "", "3,000 cells in 30 s, gap 40 %"),
    LargeKind("middle, each cell 1", middle, False, True, "", "3,000 cells in 30 s, gap 40 %"),
    LargeKind("middle, singletons", middle, True, False, "", "30 s, gap 40 %"),
    LargeKind("sparse", sparse, False, False, _PLAIN, "6,000 cells in 60 s, gap 40 %"),
    LargeKind("sparse, singletons", sparse, True, False, "", "60 s, gap 40 %"),
    LargeKind("dense", dense, False, False, _PLAIN, "60 s, gap 40 %"),
    LargeKind("huge", huge, False, False, "", "ends"),
)


def sparse_counts(seed: int = 0) -> tuple[Table, Levels]:
    """Return 103,200 counts, about 20,000 of them 1 or 2, which must stay unknown to within one."""
    random = np.random.default_rng(seed)
    dimensions = [regular("a", (7, 7, 7)), regular("b", (6, 6)), regular("c", (5,))]
    wide, middle_, narrow = (
        np.exp(random.normal(0, s, len(d.leaves))) for d, s in zip(dimensions, (1.2, 1.2, 0.7), strict=True)
    )
    mean = np.minimum(0.12 * wide[:, None, None] * middle_[None, :, None] * narrow, 50)
    table = table_of_leaves("large", dimensions, random.poisson(mean).astype(float), is_count=True)
    return table, Levels.of(len(table), np.flatnonzero((table.values > 0) & (table.values <= 2)), 1, 1)
