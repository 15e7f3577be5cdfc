"""Cells of one table in another, by their codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Table


def same_cells(table: Table, other: Table) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return for each cell of a table the cell of another with the same codes, and whether there is one.

    The two may have other codes and other hierarchies; a dimension that one of them lacks is at its total.
    """
    keys, old_keys = np.zeros(len(table), np.int64), np.zeros(len(other), np.int64)
    old = {each.name: at for at, each in enumerate(other.dimensions)}
    inside = np.ones(len(other), bool)
    size = 1
    for at, dimension in enumerate(table.dimensions):
        keys += table.codes[:, at].astype(np.int64) * size
        if dimension.name in old:
            codes = other.dimensions[old[dimension.name]].codes
            places = np.array([dimension.position(code) if code in dimension else -1 for code in codes], np.int64)
            found = places[other.codes[:, old.pop(dimension.name)]]
            inside &= found >= 0
            old_keys += found * size
        size *= len(dimension.codes)
    for at in old.values():
        inside &= other.codes[:, at] == 0
    number = np.flatnonzero(inside)
    if not len(number):
        return np.zeros(len(table), np.int64), np.zeros(len(table), bool)
    order = number[np.argsort(old_keys[number], kind="stable")]
    match = order[np.minimum(np.searchsorted(old_keys[order], keys), len(order) - 1)]
    return match, old_keys[match] == keys
