"""Domains that are known beforehand: what a private model may know of the values of an attribute."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError
from tacita.masking.preconditions import check_measured
from tacita.model.hierarchy import ValueHierarchy, text_of
from tacita.model.records import Categories, Numbers, Records, Values

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """The cells of an attribute: categories, or bins between bounds; the last one for missing values if there are any.

    Nothing in it comes from the data but the type of the attribute.
    """

    name: str
    cells: int
    may_be_missing: bool
    edges: NDArray[np.float64] | None = None
    """The ends of bins; of whole numbers, each bin goes up to the number before the next edge."""
    values: tuple[Hashable, ...] = ()

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.cells + self.may_be_missing

    def codes(self, records: Records) -> Whole:
        """Return the cell of each record."""
        column = records[self.name]
        if column.missing.any() and not self.may_be_missing:
            raise InputError(
                f"'{self.name}' has missing values, and it was not said that it may",
                do=f"fill them in, or name '{self.name}' in 'may_be_missing'",
            )
        if self.edges is not None:
            check_measured(records, [self.name])
            numbers = np.nan_to_num(
                records.numbers(self.name).values, nan=float(self.edges[0]), posinf=np.inf, neginf=-np.inf
            )
            cells_ = np.searchsorted(self.edges[1:-1], numbers, side="right")
        else:
            place = {text_of(value): cell for cell, value in enumerate(self.values)}
            own = records.categories(self.name)
            cells = np.array([*(place.get(text_of(value), -1) for value in own.values), 0])
            if (cells[own.codes] < 0).any():
                raise InputError(
                    f"'{self.name}' has values that are not among its categories",
                    do="give all categories that the attribute can have, in 'categories' or in its hierarchy",
                )
            cells_ = cells[own.codes]
        return np.where(column.missing, self.cells, cells_).astype(np.int64)

    def column(self, codes: Whole, like: Values, random: np.random.Generator) -> Values:
        """Return cells as values: a category, or a number anywhere in its bin."""
        missing = codes >= self.cells
        inside = np.where(missing, 0, codes)
        if self.edges is None or not isinstance(like, Numbers):
            ordered, hierarchy = (like.is_ordered, like.hierarchy) if isinstance(like, Categories) else (False, None)
            return Categories(np.where(missing, -1, codes).astype(np.int32), self.values, ordered, hierarchy)
        low, high = self.edges[inside], self.edges[inside + 1]
        drawn = low + random.random(len(codes)) * (high - low)
        if like.is_whole:
            drawn = np.minimum(np.floor(drawn), high - 1)
        return Numbers(np.where(missing, np.nan, drawn), like.is_whole)


def binned(name: str, column: Values, bounds: tuple[float, float], bins: int, missing: bool) -> Domain:
    """Return the domain of a number: bins of equal width; of whole numbers no more than there are numbers."""
    if not isinstance(column, Numbers):
        raise UsageError(f"'{name}' has bounds and is no number", do="give its categories instead")
    low, high = bounds
    if not column.is_whole:
        return Domain(name, bins, missing, np.linspace(low, high, bins + 1))
    low, high = np.ceil(low), np.floor(high) + 1
    count = int(min(bins, high - low))
    return Domain(name, count, missing, np.rint(np.linspace(low, high, count + 1)))


def listed_categories(name: str, column: Values, given: tuple[str, ...] | None, missing: bool) -> Domain:
    """Return the domain of a category, from a list or from its hierarchy; never from the data."""
    if isinstance(column, Numbers):
        raise UsageError(
            f"'{name}' is a number without bounds",
            do=f"give the bounds that it can have: bounds = {{ {name} = [0, 9] }}",
        )
    labels = given
    if labels is None and isinstance(column.hierarchy, ValueHierarchy):
        labels = column.hierarchy.leaves
    if labels is None:
        raise UsageError(
            f"the categories of '{name}' are not told, and reading them off the data would not be private",
            do="give them from a code list in 'categories', or give the attribute a hierarchy",
        )
    values = tuple(_typed(name, label, {type(value) for value in column.values}) for label in labels)
    return Domain(name, len(values), missing, None, values)


def _typed(name: str, label: str, types: set[type]) -> Hashable:
    """Return a label as a value of the attribute's type: whether it occurs in the data plays no part."""
    try:
        if types == {int}:
            return int(label)
        if types and types <= {int, float}:
            return float(label)
    except ValueError:
        raise UsageError(
            f"'{name}' holds numbers, and a category is none", do="list its categories as numbers"
        ) from None
    return label == "true" if types == {bool} else label
