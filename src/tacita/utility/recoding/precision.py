"""Precision: how far up its hierarchy each cell went (Sweeney, IJUFKS 2002; "generalisation intensity" in ARX)."""

from __future__ import annotations

from collections.abc import Sequence


def precision_loss(levels: Sequence[int], heights: Sequence[int], records: int, suppressed: int = 0) -> float:
    """Return the mean of level / height over all cells, 1 for those of suppressed records.

    The precision itself is 1 minus this. An attribute that cannot go up has nothing to lose.

    >>> precision_loss([1, 0], [2, 4], records=10, suppressed=5)
    0.625
    """
    if not records or not levels:
        return 0.0
    climbed = [level / height if height else 0.0 for level, height in zip(levels, heights, strict=True)]
    lost = [(suppressed + (records - suppressed) * part) / records for part in climbed]
    return sum(lost) / len(lost)
