"""A column of categories."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.hierarchy import Hierarchy

MISSING = -1


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """Codes in the order of the records, -1 where the value is missing, and what each code stands for.

    >>> sectors = Categories.of(["trade", None, "mining", "trade"])
    >>> sectors.codes.tolist(), sectors.values
    ([1, -1, 0, 1], ('mining', 'trade'))
    """

    codes: NDArray[np.int32]
    values: tuple[Hashable, ...]
    """The value of each code; if the attribute is ordered, lowest first."""
    is_ordered: bool = False
    hierarchy: Hierarchy | None = None
    """The taxonomy of the values, if there is one."""

    def __post_init__(self) -> None:
        codes = np.ascontiguousarray(self.codes, dtype=np.int32)
        if codes.ndim != 1 or (len(codes) and not (codes.min() >= MISSING and codes.max() < len(self.values))):
            raise InputError("a code of a category has no value", do="give each code from 0 a value, and -1 to missing")
        codes.setflags(write=False)
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "values", tuple(self.values))

    @classmethod
    def of(
        cls,
        values: Sequence[Hashable],
        *,
        order: Sequence[Hashable] | None = None,
        hierarchy: Hierarchy | None = None,
    ) -> Categories:
        """Return a column of categories; None is missing. With `order` they are ordered so, otherwise unordered."""
        known = set(values) - {None}
        in_order = list(order) if order is not None else sorted(known, key=lambda value: (str(type(value)), value))
        place: dict[Hashable, int] = {value: code for code, value in enumerate(in_order)}
        if missing := known - place.keys():
            raise InputError(f"{len(missing)} values are not in the given order", do="give every value a place")
        codes = np.fromiter((MISSING if v is None else place[v] for v in values), np.int32, len(values))
        return cls(codes, tuple(in_order), order is not None, hierarchy)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where the value is missing."""
        is_missing: NDArray[np.bool_] = self.codes == MISSING
        return is_missing

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many records have each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values)).astype(np.int64)

    def taken(self, rows: NDArray[np.int64]) -> Categories:
        """Return the values of some records, in that order."""
        return self.with_codes(self.codes[rows])

    def with_codes(self, codes: NDArray[np.int32]) -> Categories:
        """Return other codes of the same values."""
        return Categories(codes, self.values, self.is_ordered, self.hierarchy)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"<Categories: {len(self)}>"
