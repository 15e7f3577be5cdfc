"""A column of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacita.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Numbers in the order of the records, NaN where the value is missing.

    >>> ages = Numbers.of([31, None, 40], is_whole=True)
    >>> len(ages), ages.missing.tolist()
    (3, [False, True, False])
    """

    values: NDArray[np.float64]
    is_whole: bool = False
    """Whether the attribute holds whole numbers. Methods compute with fractions; what is released is whole again."""

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self.values, dtype=np.float64)
        if values.ndim != 1:
            raise InputError("a column of numbers has more than one dimension", do="give one number for each record")
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    @classmethod
    def of(cls, values: ArrayLike | list[Any], *, is_whole: bool = False) -> Numbers:
        """Return a column of numbers; None is a missing value."""
        return cls(np.array(values, dtype=np.float64), is_whole)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where the value is missing."""
        return np.isnan(self.values)

    def taken(self, rows: NDArray[np.int64]) -> Numbers:
        """Return the values of some records, in that order."""
        return Numbers(self.values[rows], self.is_whole)

    def with_values(self, values: NDArray[np.float64]) -> Numbers:
        """Return other values of the same attribute."""
        return Numbers(values, self.is_whole)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Numbers: {len(self)}>"
