"""Putting combinations into groups that agree on some attributes, one attribute at a time.

Groups are dense numbers from 0. Adding an attribute makes ``group * size + code`` of them, where ``size`` is the number
of codes; whoever counts by these numbers needs an array as long as the largest one, which `condensed` keeps short.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tacita.engines.arrow import renumbered

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

ADDRESSED = 1 << 16
"""Numbers below this are counted by address, whatever their number: the array stays in the cache."""
SPARSE = 8
"""Beyond this many numbers for each one that is there, hashing them is quicker than an array of all."""
LARGEST_NUMBER = 1 << 62


def condensed(numbers: Array, bound: int) -> tuple[Array, int]:
    """Return numbers below a bound, renumbered from 0 if an array of that length would be mostly empty.

    >>> import numpy as np
    >>> condensed(np.array([7, 1_000_000_000, 7]), 1_000_000_001)
    (array([0, 1, 0]), 2)
    """
    if bound <= max(ADDRESSED, SPARSE * len(numbers)):
        return numbers, bound
    return renumbered(numbers)


def projected(columns: Sequence[Array], sizes: Sequence[int], attributes: Iterable[int], rows: Array) -> Array:
    """Return a number for each row that is the same for two rows if and only if they agree on the attributes."""
    import numpy as np

    numbers, bound = np.zeros(len(rows), dtype=np.int64), 1
    for attribute in attributes:
        size = max(sizes[attribute], 1)
        if bound * size > LARGEST_NUMBER:
            numbers, bound = renumbered(numbers)
        numbers = numbers * size + columns[attribute][rows]
        bound *= size
    return numbers
