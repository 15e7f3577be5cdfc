"""Records: columns of one length under the names of their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, did_you_mean, listed
from tacita.model.records.categories import MISSING, Categories
from tacita.model.records.numbers import Numbers

Values = Numbers | Categories


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Columns of one length; a change is a new value that shares the columns which stay.

    >>> firms = Records({"turnover": Numbers.of([1.5, 2.5]), "sector": Categories.of(["trade", "mining"])})
    >>> len(firms), firms.names
    (2, ('turnover', 'sector'))
    """

    columns: Mapping[str, Values]
    _length: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) > 1:
            raise InputError("columns have different numbers of records", do="give each attribute one value per record")
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        object.__setattr__(self, "_length", lengths.pop() if lengths else 0)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(self.columns)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, name: str) -> Values:
        if name not in self.columns:
            raise InputError(f"no attribute '{name}'{did_you_mean(name, self.columns)}", do=f"use {listed(self.names)}")
        return self.columns[name]

    def numbers(self, name: str) -> Numbers:
        """Return a column of numbers; categories that are numbers may be taken as such.

        >>> Records({"rooms": Categories.of([3, 1, None])}).numbers("rooms").values.tolist()
        [3.0, 1.0, nan]
        """
        column = self[name]
        if isinstance(column, Numbers):
            return column
        if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in column.values):
            raise InputError(f"'{name}' is not a number", do="use a method for categories, or leave the attribute out")
        numbers = np.array([*map(float, column.values), np.nan])  # type: ignore[arg-type]
        return Numbers(numbers[column.codes], all(isinstance(value, int) for value in column.values))

    def categories(self, name: str) -> Categories:
        """Return a column of categories; numbers may be taken as such, ordered by size.

        >>> Records({"rooms": Numbers.of([3, 1, None], is_whole=True)}).categories("rooms").values
        (1, 3)
        """
        column = self[name]
        if isinstance(column, Categories):
            return column
        distinct, codes = np.unique(column.values, return_inverse=True, equal_nan=True)
        known = distinct[~np.isnan(distinct)]
        whole = column.is_whole and bool(np.all(known == np.rint(known)))
        values = tuple(int(value) for value in known) if whole else tuple(float(value) for value in known)
        return Categories(np.where(column.missing, MISSING, codes).astype(np.int32), values, is_ordered=True)

    def matrix(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return attributes as a matrix, a row for each record, NaN where a value is missing."""
        matrix = np.empty((len(self), len(names)))
        for place, name in enumerate(names):
            matrix[:, place] = self.numbers(name).values
        return matrix

    def with_matrix(self, names: Sequence[str], values: NDArray[np.float64]) -> Records:
        """Return these records with attributes taken from a matrix."""
        changed = {n: Numbers(values[:, i], self.numbers(n).is_whole) for i, n in enumerate(names)}
        return self.with_columns(changed)

    def with_columns(self, columns: Mapping[str, Values]) -> Records:
        """Return these records with some columns replaced, or added at the end."""
        return Records({**self.columns, **columns})

    def only(self, names: Iterable[str]) -> Records:
        """Return some of the attributes, in that order."""
        return Records({name: self[name] for name in names})

    def taken(self, rows: NDArray[np.int64]) -> Records:
        """Return some of the records, in that order."""
        return Records({name: column.taken(rows) for name, column in self.columns.items()})

    def __repr__(self) -> str:
        return f"<Records: {len(self)} of {len(self.columns)} attributes>"


def strata(records: Records, by: Sequence[str]) -> tuple[NDArray[np.int64], ...]:
    """Return the places of the records of each stratum, in the order in which strata first appear; missing is a value.

    >>> records = Records({"area": Categories.of(["n", "s", "n"])})
    >>> [rows.tolist() for rows in strata(records, ["area"])]
    [[0, 2], [1]]
    """
    if not by:
        return (np.arange(len(records)),)
    codes = np.zeros(len(records), dtype=np.int64)
    for name in by:
        column = records.categories(name)
        codes = codes * (len(column.values) + 1) + column.codes + 1
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else []
    return tuple(sorted(parts, key=lambda part: int(part[0])))


def same_values(some: Values, others: Values) -> bool:
    """Whether two columns hold the same values, whatever their codes.

    >>> same_values(Categories.of(["a", None]), Categories.of(["a", None], order=["b", "a"]))
    True
    """
    if isinstance(some, Numbers) and isinstance(others, Numbers):
        return np.array_equal(some.values, others.values, equal_nan=True)
    if isinstance(some, Categories) and isinstance(others, Categories) and len(some) == len(others):
        one, two = ([*column.values, None] for column in (some, others))
        pairs = np.unique(np.stack([some.codes, others.codes]), axis=1).T
        return all(one[a] == two[b] for a, b in pairs)
    return False
