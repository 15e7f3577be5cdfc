"""A full table from an array over its leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacita.errors import InputError
from tacita.model.table.dimension import Dimension
from tacita.model.table.equations import Equations
from tacita.model.table.table import Table


def table_of_leaves(name: str, dimensions: Sequence[Dimension], leaves: ArrayLike, *, is_count: bool = False) -> Table:
    """Return the table over all combinations of codes, its inner cells given in the order of the leaves.

    >>> sex, age = Dimension.flat("sex", "fm"), Dimension.flat("age", ["young", "old"])
    >>> table = table_of_leaves("persons", (sex, age), [[1, 2], [3, 4]], is_count=True)
    >>> [(table.cell_codes(c), v) for c, v in enumerate(table.values.tolist())][:3]
    [(('Total', 'Total'), 10.0), (('Total', 'young'), 4.0), (('Total', 'old'), 6.0)]
    >>> len(table.equations), bool(table.equations.residuals(table.values).any())
    (6, False)
    """
    values: NDArray[np.float64] = np.asarray(leaves, np.float64)
    shape = tuple(len(each.leaves) for each in dimensions)
    if values.shape != shape:
        raise InputError(
            f"an array of {' x '.join(map(str, values.shape))} was given for {' x '.join(map(str, shape))} leaves",
            where=f"table '{name}'",
            do="give one value for each combination of leaves",
        )
    for axis, each in enumerate(dimensions):
        under, at = each.leaves_under(), {leaf: number for number, leaf in enumerate(each.leaves)}
        # In the order of the leaves: sums of fractions must not depend on the order in which a set is walked.
        places = [sorted(at[leaf] for leaf in under[code]) for code in each.codes]
        values = np.stack([np.take(values, some, axis=axis).sum(axis=axis) for some in places], axis=axis)
    numbers = np.arange(values.size).reshape(values.shape)
    sums: list[tuple[int, list[int]]] = []
    for axis, each in enumerate(dimensions):
        for one in each.sums:
            totals = np.take(numbers, each.position(one.total), axis=axis).ravel()
            parts = np.stack([np.take(numbers, each.position(p), axis=axis).ravel() for p in one.parts], axis=1)
            sums.extend(zip(totals.tolist(), parts.tolist(), strict=True))
    codes = np.stack(np.unravel_index(np.arange(values.size), values.shape), axis=1).astype(np.int32)
    return Table(name, tuple(dimensions), codes, values.ravel(), Equations.of(sums), is_count)
