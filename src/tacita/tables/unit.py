"""The unit of a table: what all of its values are multiples of, and what all that is published must be multiples of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Table
from tacita.tables.build.additivity import MOST_DECIMALS, decimals_of

Reals = NDArray[np.float64]
_ENOUGH_TO_TELL = 20


def unit_of(table: Table) -> float:
    """Return the unit that all values are multiples of: 1, 0.1, 0.01 and so on; 0 where there is none.

    Tens and more count in tables with twenty values or more: of a few values it would be chance.

    >>> from tacita.model.table import Dimension, table_of_leaves
    >>> unit_of(table_of_leaves("pay", [Dimension.flat("sex", ["f", "m"])], [4.5, 5]))
    0.1
    """
    decimals = decimals_of(table.values)
    if decimals >= MOST_DECIMALS:
        return 0.0
    values = table.values[table.values != 0]
    while not decimals > 0 and len(values) >= _ENOUGH_TO_TELL and decimals > -12 and not table.is_count:
        if (values % 10.0 ** (1 - decimals) != 0).any():
            break
        decimals -= 1
    return float(10.0**-decimals)


def in_units(values: Reals, unit: float) -> Reals:
    """Return the multiples of a unit nearest to some values, as the nearest numbers that a computer has."""
    return np.asarray(np.rint(values / unit) * unit if unit >= 1 else np.rint(values / unit) / round(1 / unit))
