"""Cells that everybody knows to be empty: they tell nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted, did_you_mean, listed
from tacita.model.table import Table


def structural_zeros(table: Table, patterns: Iterable[Mapping[str, str]]) -> NDArray[np.bool_]:
    """Return the cells that lie under one of some combinations of codes that cannot occur.

    A pattern names codes of some dimensions, ``{"sex": "male", "cause": "childbirth"}``; it holds for what is below
    these codes in the hierarchies as well. A cell that it holds for and that is not empty is refused: what occurs is
    not impossible.
    """
    named = {each.name: at for at, each in enumerate(table.dimensions)}
    mask = np.zeros(len(table), bool)
    for pattern in patterns:
        under = np.ones(len(table), bool)
        for name, code in pattern.items():
            if name not in named:
                raise UsageError(
                    f"no dimension '{name}'{did_you_mean(name, named)}",
                    where="structural zeros",
                    do=f"use one of: {listed(list(named))}",
                )
            dimension = table.dimensions[named[name]]
            if code not in dimension:
                raise UsageError(
                    f"no code '{code}' in dimension '{name}'{did_you_mean(code, dimension.codes)}",
                    where="structural zeros",
                    do="use a code of the table",
                )
            leaves = dimension.leaves_under()
            below = np.array([leaves[each] <= leaves[code] for each in dimension.codes])
            under &= below[table.codes[:, named[name]]]
        mask |= under
    filled = np.flatnonzero(mask & (table.values != 0))
    if len(filled):
        raise InputError(
            f"{counted(len(filled), 'cell')} said to be structural zeros are not empty, such as "
            f"{table.cell_name(int(filled[0]))}",
            where=f"table '{table.name}'",
            do="correct the structural zeros, or the data",
        )
    return mask
