"""Random rounding: numbers go up or down to a multiple of a base, with the chances that keep the expectation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.masking.coding.rounding import checked_base, multiples, rounded_column
from tacita.masking.method import Treated
from tacita.masking.preconditions import each_named_once
from tacita.model.records import Numbers, Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class RandomRounding:
    """A value between two multiples of a base goes up with the share of the way that it has gone, otherwise down.

    ``x = b (q + r)`` with whole q and ``0 <= r < 1`` becomes ``b (q + 1)`` with probability r, ``b q`` otherwise: the
    expectation is x, so totals and means are unbiased, with a variance of ``b^2 r (1 - r)`` for each record. Multiples
    stay. Source: Willenborg and de Waal: Elements of Statistical Disclosure Control (2001).

    >>> wages = Records({"wage": Numbers.of([1234, 1300, None])})
    >>> found = RandomRounding(("wage",), base=100).treated(wages, np.random.default_rng(1))
    >>> found.records.numbers("wage").values.tolist()
    [1200.0, 1300.0, nan]
    """

    name: ClassVar[str] = "random-rounding"
    promises: ClassVar[str] = "Every released value is a multiple of the base whose expectation is the original value."
    limits: ClassVar[str] = (
        "Values that are multiples already stay, extreme values stay extreme, and who sees several releases with "
        "different seeds averages the rounding out."
    )
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    base: float

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        checked_base(self.base)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with rounded values."""
        columns: dict[str, Numbers] = {}
        for name in self.attributes:
            column = rounded_column(records, name, self.base)
            times = column.values / self.base
            near = np.rint(times)
            # A multiple that arithmetic misses by a hair, such as 0.3 / 0.1, is one.
            times = np.where(np.abs(times - near) <= 1e-12 * np.maximum(1, np.abs(times)), near, times)
            down = np.floor(times)
            up = random.random(len(column)) < times - down
            columns[name] = column.with_values(multiples(down + up, self.base))
        return Treated.in_place(records.with_columns(columns))
