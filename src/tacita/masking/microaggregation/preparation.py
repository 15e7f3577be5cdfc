"""What every microaggregation of numbers is given: a size of groups, attributes, and records that can be compared.

Records that lack the same attributes are a part of their own, and groups never reach over parts: a group then has
either all values of an attribute or none, a missing value stays missing, and no average is taken over fewer than k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted, listed
from tacita.masking.preconditions import check_measured
from tacita.model.records import Records


def check_group_size(k: int) -> None:
    """Raise if groups of k hide nobody."""
    if k < 2:
        raise UsageError(f"k is {k}: a group of one record is the record", do="give k of at least 2; 3 is usual")


def check_attributes(attributes: Sequence[str]) -> None:
    """Raise if there is no attribute, or one is named twice."""
    if not attributes:
        raise UsageError("no attribute is named", do="name the attributes to microaggregate")
    if twice := sorted({name for name in attributes if attributes.count(name) > 1}):
        raise UsageError(f"{listed(twice)} is named twice", do="name each attribute once")


def check_enough(records: int, k: int, where: str = "") -> None:
    """Raise if records are too few for one group."""
    if records < k:
        raise InputError(
            f"{counted(records, 'record')}{where} cannot form a group of {k}",
            do="use a smaller k, treat more records together, or impute or leave out what is missing",
        )


def finite_matrix(records: Records, attributes: Sequence[str], *, may_be_codes: bool = False) -> NDArray[np.float64]:
    """Return attributes as a matrix, NaN where a value is missing, or raise if one is infinite or categorical."""
    if not may_be_codes:
        check_measured(records, attributes)
    matrix = records.matrix(attributes)
    for place, name in enumerate(attributes):
        if endless := int(np.isinf(matrix[:, place]).sum()):
            raise InputError(
                f"'{name}' is infinite in {counted(endless, 'record')}", do="correct these, or make them missing"
            )
    return matrix


def standardised(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns less their mean, by their standard deviation (n - 1); a constant column becomes 0.

    >>> standardised(np.array([[1.0, 7.0], [3.0, 7.0]])).round(3).tolist()
    [[-0.707, 0.0], [0.707, 0.0]]
    """
    scaled = np.empty_like(matrix)
    with np.errstate(over="ignore", invalid="ignore"):
        for place, column in enumerate(matrix.T):
            known = column[~np.isnan(column)]
            deviation = known.std(ddof=1) if len(known) > 1 and known.min() < known.max() else 0.0
            if not np.isfinite(deviation):
                raise _too_large()
            scaled[:, place] = (column - known.mean()) / deviation if deviation > 0 else column * 0.0
    return comparable(scaled)


def comparable(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix, or raise if distances between its rows would be infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = float(np.nansum(np.square(matrix)))
    if not np.isfinite(4 * squares):
        raise _too_large()
    return matrix


def _too_large() -> InputError:
    return InputError("values are too large to compute distances", do="give the attributes in a larger unit")


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Records that have values of the same attributes."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    """The places of the attributes of which there are values."""


def parts(missing: NDArray[np.bool_], k: int) -> tuple[Part, ...]:
    """Return the records that lack the same attributes, in the order in which they first appear.

    A part of fewer than k records is an error: it could be grouped only over values that are not there.
    """
    check_enough(len(missing), k)
    patterns, which = np.unique(missing, axis=0, return_inverse=True)
    which = which.reshape(-1)
    parts = [
        Part(np.flatnonzero(which == place).astype(np.int64), np.flatnonzero(~pattern).astype(np.int64))
        for place, pattern in enumerate(patterns)
    ]
    if few := [part for part in parts if len(part.rows) < k]:
        raise InputError(
            f"{counted(sum(len(part.rows) for part in few), 'record')} lack values in {len(few)} of {len(parts)} "
            f"patterns that fewer than {k} records share",
            do="impute or leave out these records, use a smaller k, or microaggregate fewer attributes at a time",
        )
    return tuple(sorted(parts, key=lambda part: int(part.rows[0])))
