"""What recoding and suppression cost: functions of levels, classes and nulls, not of records.

Granularity, how much of its domain a released value covers, is ARX's loss and the one that searches minimise. The
share of a value is the number of leaves below it in its hierarchy, divided by all leaves; 1 for a suppressed cell.
With n records, and m leaves of an attribute, its loss is

    (sum of shares over kept records + suppressed records - n / m) / (n - n / m),

0 if all values are as they were collected and 1 if none is left (Iyengar, "Transforming data to satisfy privacy
constraints", KDD 2002, as ARX 3.9 computes it). Leaves are those of the hierarchy, not those of the data: an age
hierarchy from 1 to 100 has 100 of them although nobody is 100. The losses of all attributes are put together by their
arithmetic mean, or by the geometric mean of (1 + loss), minus 1, as ARX does unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from tacita.errors import UsageError, did_you_mean
from tacita.model.hierarchy import Hierarchy, ValueHierarchy

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


Mean = Literal["geometric", "arithmetic"]


@dataclass(frozen=True, slots=True)
class Granularity:
    """The loss of each attribute, and of all of them."""

    attributes: tuple[str, ...]
    losses: tuple[float, ...]
    score: float
    mean: Mean = "geometric"


def check_mean(mean: str) -> None:
    """Raise if there is no such mean."""
    if mean not in get_args(Mean):
        raise UsageError(f"no mean '{mean}'{did_you_mean(mean, get_args(Mean))}", do="use geometric or arithmetic")


def granularity(
    attributes: Sequence[str], shares: Sequence[Array], leaves: Sequence[float], mean: Mean = "geometric"
) -> Granularity:
    """Return the loss of records of which each released cell has a share; `leaves` is m for each attribute.

    >>> import numpy as np
    >>> found = granularity(["sex"], [np.array([0.5, 0.5, 1.0, 1.0])], [2])
    >>> found.losses, round(found.score, 12)
    ((0.5,), 0.5)
    """
    check_mean(mean)
    totals = [float(share.sum()) for share in shares]
    least = [len(share) / number for share, number in zip(shares, leaves, strict=True)]
    records = len(shares[0]) if shares else 0
    losses = tuple(loss(total, low, records) for total, low in zip(totals, least, strict=True))
    return Granularity(tuple(attributes), losses, together(losses, mean), mean)


def loss(total: float, least: float, records: float) -> float:
    """Return the loss of an attribute from the sum of its shares and the least that this sum could be.

    >>> loss(3.0, 2.0, 4)
    0.5
    """
    # sums of many shares may fall short of the least by their last bits
    return max((total - least) / (records - least), 0.0) if records > least else 0.0


def together(losses: Sequence[float], mean: Mean = "geometric", weights: Sequence[float] | None = None) -> float:
    """Return the losses of all attributes as one figure.

    >>> round(together([0.0, 0.21]), 12), together([0.0, 0.5], "arithmetic")
    (0.1, 0.25)
    """
    import math

    shares = [1.0] * len(losses) if weights is None else list(weights)
    total = math.fsum(shares)
    if not total:
        return 0.0
    if mean == "arithmetic":
        return math.fsum(w * loss for w, loss in zip(shares, losses, strict=True)) / total
    return math.expm1(math.fsum(w * math.log1p(loss) for w, loss in zip(shares, losses, strict=True)) / total)


def with_shares(hierarchy: Hierarchy, values: Sequence[object]) -> Hierarchy:
    """Return a hierarchy in which every label has a share.

    Rules such as intervals without a domain have no list of leaves; there the distinct values of the data are the
    leaves.
    """
    if not values or hierarchy.share(str(hierarchy.generalise(values[0], 0)), 0) is not None:
        return hierarchy
    return ValueHierarchy.over(hierarchy, values)


def average_class_size(sizes: Array, suppressed: int = 0) -> float:
    """Return the mean size of the classes; 0 if there is none (LeFevre, DeWitt and Ramakrishnan, ICDE 2006).

    Suppressed records are one class together, as in ARX.

    >>> import numpy as np
    >>> average_class_size(np.array([2, 3]), suppressed=1)
    2.0
    """
    classes = len(sizes) + bool(suppressed)
    return (float(sizes.sum()) + suppressed) / classes if classes else 0.0


def discernibility(sizes: Array, suppressed: int = 0) -> float:
    """Return how many records each record cannot be told from (Bayardo and Agrawal, ICDE 2005), ARX's figure.

    The sum of |class|^2 over released classes, and n for each suppressed record.

    >>> import numpy as np
    >>> discernibility(np.array([2, 3]), suppressed=1)
    19.0
    """
    import numpy as np

    sizes = np.asarray(sizes, dtype=np.float64)
    return float(sizes @ sizes) + suppressed * float(sizes.sum() + suppressed)


def precision_loss(levels: Sequence[int], heights: Sequence[int], records: int, suppressed: int = 0) -> float:
    """Return the mean of level / height over all cells, 1 for those of suppressed records.

    How far up its hierarchy each cell went (Sweeney, IJUFKS 2002; "generalisation intensity" in ARX). The precision
    itself is 1 minus this. An attribute that cannot go up has nothing to lose.

    >>> precision_loss([1, 0], [2, 4], records=10, suppressed=5)
    0.625
    """
    if not records or not levels:
        return 0.0
    climbed = [level / height if height else 0.0 for level, height in zip(levels, heights, strict=True)]
    lost = [(suppressed + (records - suppressed) * part) / records for part in climbed]
    return sum(lost) / len(lost)


@dataclass(frozen=True, slots=True)
class NullLoss:
    """Suppressed cells, against two wholes: the cells that could be suppressed (Figure 7b of the VADA-SA paper).

    >>> NullLoss(suppressed=3, risky=4, quasi_identifiers=3, records=100).of_risky
    0.25
    """

    suppressed: int
    """Cells of quasi-identifiers that became null."""
    risky: int
    """Tuples that were above the threshold."""
    quasi_identifiers: int
    records: int

    @property
    def of_risky(self) -> float:
        """Nulls divided by the cells of quasi-identifiers of risky tuples: the paper's information loss.

        The worst that local suppression can do is to blank all of these.
        """
        whole = self.risky * self.quasi_identifiers
        return self.suppressed / whole if whole else 0.0

    @property
    def of_all(self) -> float:
        """Nulls divided by the cells of quasi-identifiers of all tuples."""
        whole = self.records * self.quasi_identifiers
        return self.suppressed / whole if whole else 0.0
