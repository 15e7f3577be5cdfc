"""What a tree predicts from: columns as numbers that a tree can split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.functions import interpolated
from tacita.arithmetic.matrices import principal_direction, product
from tacita.model.records import Numbers, Values

Array = NDArray[np.float64]
Single = NDArray[np.float32]
Whole = NDArray[np.int64]

RARE = 10
"""A category of fewer records has no place of its own: its place would tell the target of these very records."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """An attribute in the original and in each synthetic file.

    Numbers and ordered categories are ranks, which single precision holds exactly, with NaN where they are missing.
    Other categories are codes, missing being one of them and rare ones together another; which order they get depends
    on the target.
    """

    original: Array
    synthetic: tuple[Array, ...]
    has_order: bool

    @classmethod
    def of(cls, original: Values, synthetic: tuple[Values, ...], least: int) -> Predictor:
        """Return a column and its synthetic versions, coded alike."""
        if isinstance(original, Numbers):
            known = np.unique(original.values[~original.missing])
            return cls(
                _ranks(original.values, known),
                tuple(_ranks(column.values, known) for column in synthetic if isinstance(column, Numbers)),
                has_order=True,
            )
        codes = [original.codes, *(column.codes for column in synthetic if not isinstance(column, Numbers))]
        if original.is_ordered:
            columns = [np.where(column < 0, np.nan, column) for column in codes]
        else:
            place = pooled_codes(original.codes, len(original.values), max(RARE, least))
            columns = [place[column].astype(float) for column in codes]  # the last place is that of -1
        return cls(columns[0], tuple(columns[1:]), original.is_ordered)

    def split_by(self, rows: Whole, target: Array | Whole) -> tuple[Single, tuple[Single, ...]]:
        """Return the column of the original and of each synthetic file, given the target of some rows.

        Categories without order stand in the order of the target's average or, for classes, of the shares of classes
        along their first principal component: for a
        number or two classes the order in which the best split is among neighbours (L. Breiman and others,
        Classification and regression trees, 1984, section 4.2), for more classes near to it (D. Coppersmith, S. Hong
        and J. Hosking, Data Mining and Knowledge Discovery 3, 1999).
        """
        if self.has_order:
            return self.original.astype(np.float32), tuple(file.astype(np.float32) for file in self.synthetic)
        codes = self.original.astype(np.int64)
        position = positions(averages(codes[rows], int(codes.max(initial=0)) + 1, target)).astype(np.float32)
        return position[codes], tuple(position[file.astype(np.int64)] for file in self.synthetic)


def averages(codes: Whole, count: int, target: Array | Whole) -> tuple[Array, Whole]:
    """Return a row for each category, the averages of numbers or the shares of classes, and the sizes of categories."""
    sizes = np.bincount(codes, minlength=count)
    used = np.maximum(sizes, 1)[:, None]
    if target.dtype.kind == "f":
        columns = target.reshape(len(target), -1).T
        return np.stack([np.bincount(codes, column, count) for column in columns], axis=1) / used, sizes
    classes = int(target.max()) + 1
    return np.bincount(codes * classes + target, minlength=count * classes).reshape(count, classes) / used, sizes


def positions(profile: tuple[Array, Whole]) -> Array:
    """Return the rank of each category by its averages, along their first principal component.

    >>> positions(averages(np.array([0, 0, 1, 2]), 3, np.array([5.0, 7.0, 9.0, 1.0]))).tolist()
    [1.0, 2.0, 0.0]
    """
    average, sizes = profile
    centred = average - product(sizes.astype(float), average) / max(1, sizes.sum())
    centred[sizes == 0] = 0
    direction = principal_direction(centred * np.sqrt(sizes)[:, None])
    return np.argsort(np.argsort(product(centred, direction), kind="stable"), kind="stable").astype(float)


def _ranks(values: Array, known: Array) -> Array:
    if not len(known):
        return np.full(len(values), np.nan)
    ranks = interpolated(values, known, np.arange(len(known), dtype=float))
    return np.where(np.isnan(values), np.nan, ranks)


def pooled_codes(codes: NDArray[np.int32], count: int, least: int) -> Whole:
    """Return a code for each code, and at the end for -1; rare ones share the code 0.

    >>> pooled_codes(np.array([0, 0, 1, 2, -1, -1], dtype=np.int32), 3, 2).tolist()
    [1, 0, 0, 2]
    """
    sizes = np.bincount(np.where(codes < 0, count, codes), minlength=count + 1)
    common = sizes >= least
    return np.where(common, np.cumsum(common), 0)
