"""Small tables for the attackers' tests, built from their inner cells."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Dimension, Equations, Table


def cross(name: str, dimensions: Sequence[Dimension], inner: NDArray[np.float64], *, is_count: bool = False) -> Table:
    """A table over all codes; `inner` has one axis per dimension, over its leaves."""
    values = np.asarray(inner, float)
    for axis, each in enumerate(dimensions):
        under = each.leaves_under()
        spread = np.array([[leaf in under[code] for leaf in each.leaves] for code in each.codes], float)
        values = np.moveaxis(np.tensordot(spread, values, axes=(1, axis)), 0, axis)
    shape = values.shape
    codes = np.array(list(itertools.product(*(range(n) for n in shape))), np.int32)
    numbers = np.arange(len(codes)).reshape(shape)
    sums = []
    for axis, each in enumerate(dimensions):
        for one in each.sums:
            totals = np.take(numbers, each.position(one.total), axis).ravel()
            parts = np.stack([np.take(numbers, each.position(part), axis).ravel() for part in one.parts])
            sums += [(int(total), [int(p) for p in parts[:, at]]) for at, total in enumerate(totals)]
    return Table(name, tuple(dimensions), codes, values.ravel(), Equations.of(sums), is_count)


def flat(inner: NDArray[np.float64], *, is_count: bool = False) -> Table:
    """A table of flat dimensions with all its margins."""
    inner = np.asarray(inner, float)
    dimensions = [
        Dimension.flat("xyzuv"[axis], [f"{'xyzuv'[axis]}{n}" for n in range(1, size + 1)])
        for axis, size in enumerate(inner.shape)
    ]
    return cross("flat", dimensions, inner, is_count=is_count)


def hidden(table: Table, *cells: tuple[str, ...]) -> NDArray[np.bool_]:
    """The pattern in which the cells with these codes are suppressed."""
    wanted = set(cells)
    found = np.array([table.cell_codes(cell) in wanted for cell in range(len(table))])
    assert found.sum() == len(wanted)
    return found


def number(table: Table, *codes: str) -> int:
    """The number of the cell with these codes."""
    return int(np.flatnonzero(hidden(table, codes))[0])
