"""Rounding: numbers become the nearest multiple of a base."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.masking.method import Treated
from tacita.masking.preconditions import each_named_once, finite_numbers
from tacita.model.records import Numbers, Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Rounding:
    """Every value becomes the nearest multiple of a base; halfway, the even multiple.

    >>> wages = Records({"wage": Numbers.of([1234, 1250, 1350, None])})
    >>> Rounding(("wage",), base=100).treated(wages, np.random.default_rng()).records.numbers("wage").values.tolist()
    [1200.0, 1200.0, 1400.0, nan]
    """

    name: ClassVar[str] = "rounding"
    promises: ClassVar[str] = "A value is told no better than half a base to both sides."
    limits: ClassVar[str] = "Extreme values stay extreme, and sums of rounded values do not add up to rounded sums."
    is_random: ClassVar[bool] = False

    attributes: tuple[str, ...]
    base: float

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        checked_base(self.base)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with rounded values."""
        columns = {}
        for name in self.attributes:
            column = rounded_column(records, name, self.base)
            columns[name] = column.with_values(multiples(np.rint(column.values / self.base), self.base))
        return Treated.in_place(records.with_columns(columns))


def checked_base(base: float) -> None:
    """Raise if numbers cannot be rounded to a base."""
    if not (np.isfinite(base) and base > 0):
        raise UsageError("the base of rounding is not above 0", do="give a number such as 5 or 100")


def rounded_column(records: Records, name: str, base: float) -> Numbers:
    """Return a column of numbers that can be rounded to a base."""
    column = finite_numbers(records, name)
    if column.is_whole and not float(base).is_integer():
        raise UsageError(f"'{name}' has whole numbers, but the base is not whole", do="give a whole number as base")
    return column


def multiples(times: NDArray[np.float64], base: float) -> NDArray[np.float64]:
    """Return multiples of a base without the dust of binary fractions: 3 times 0.1 is 0.3."""
    exponent = Decimal(repr(float(base))).as_tuple().exponent
    digits = max(0, -exponent) if isinstance(exponent, int) else 0
    # Zero times a negative number is a zero with a sign, which a file would show.
    return np.asarray(np.round(times * base, digits) + 0.0)
