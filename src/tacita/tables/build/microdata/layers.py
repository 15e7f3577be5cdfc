"""The codes of a dimension in layers: in each, a leaf lies under at most one code.

A tree has as many layers as levels. Summing layer by layer needs one pass over the leaves for each combination of
layers, instead of a copy of each leaf for each code above it.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Dimension
from tacita.tables.build.linked import System

Layer = NDArray[np.int64]
"""For each code of the dimension, the place of the code of this layer that holds it (perhaps itself), or -1."""


def layers_of(dimension: Dimension, shown: NDArray[np.int64]) -> tuple[Layer, ...]:
    """Return layers that hold each shown code once.

    >>> tree = Dimension.tree("d", {"T": {"a": ["a1", "a2"], "b": []}})
    >>> [layer.tolist() for layer in layers_of(tree, np.arange(5))]
    [[-1, -1, 2, 3, 4], [-1, 1, 1, 1, -1], [0, 0, 0, 0, 0]]
    """
    leaves = [
        np.array([dimension.position(leaf) for leaf in covered], np.int64)
        for _, covered in sorted(dimension.leaves_under().items(), key=lambda pair: dimension.position(pair[0]))
    ]
    layers: list[Layer] = []
    # Few leaves first: codes of one level come together, and the total, which would block every layer, last.
    for place in sorted(shown.tolist(), key=lambda place: (len(leaves[place]), place)):
        below = leaves[place]
        for layer in layers:
            if (layer[below] < 0).all():
                layer[below] = place
                break
        else:
            fresh = np.full(len(dimension.codes), -1, np.int64)
            fresh[below] = place
            layers.append(fresh)
    for layer in layers:
        for place, below in enumerate(leaves):
            above = layer[below]
            if above[0] >= 0 and (above == above[0]).all():
                layer[place] = above[0]
    return tuple(layers)


def combinations_of_layers(system: System, table: int) -> list[tuple[Layer, ...]]:
    """Return all combinations of layers of the dimensions, as a table shows them."""
    layers = (layers_of(d, shown) for d, shown in zip(system.dimensions, system.shown[table], strict=True))
    return list(product(*layers))


def keys_under(
    leaves: NDArray[np.int64], layers: tuple[Layer, ...], radix: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the key of the cell above each row of leaves in a combination of layers, and which rows have one."""
    keys = np.zeros(len(leaves), np.int64)
    there = np.ones(len(leaves), bool)
    for at, layer in enumerate(layers):
        places = layer[leaves[:, at]]
        there &= places >= 0
        keys += places * radix[at]
    return keys, there


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
    keys = []
    for layers in combinations_of_layers(system, table):
        above, there = keys_under(leaves, layers, system.radix)
        keys.append(np.unique(above[there]))
    return np.unique(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
