"""Figures of leaf combinations summed up to every cell of linked tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.tables.build.linked import System
from tacita.tables.build.microdata.layers import combinations_of_layers, keys_under


def summed(
    system: System, leaves: NDArray[np.int64], figures: NDArray[np.float64], keys: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the figures (columns) of each cell with one of these keys, in order, from rows of leaf combinations."""
    result = np.zeros((len(keys), figures.shape[1]))
    done = np.zeros(len(keys), bool)
    for table in range(len(system.names)):
        for layers in combinations_of_layers(system, table):
            above, there = keys_under(leaves, layers, system.radix)
            cells, groups = np.unique(above[there], return_inverse=True)
            at = np.searchsorted(keys, cells)
            new = ~done[at]  # shared with a table before: the same figure, and once is enough
            for column in range(figures.shape[1]):
                sums = np.bincount(groups, weights=figures[there, column], minlength=len(cells))
                result[at[new], column] = sums[new]
            done[at] = True
    return result


def occurring_keys(system: System, table: int, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the keys of the cells of a table under which some leaf combination lies, in order."""
    found = []
    for layers in combinations_of_layers(system, table):
        above, there = keys_under(leaves, layers, system.radix)
        found.append(np.unique(above[there]))
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
