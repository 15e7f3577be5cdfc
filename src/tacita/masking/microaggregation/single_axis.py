"""Groups of k along one axis: the first principal component, one attribute, or the sum of z-scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.matrices import cross_products, eigen, product
from tacita.errors import InputError, UsageError, counted, did_you_mean, listed
from tacita.masking.method import Treated
from tacita.masking.microaggregation.aggregation import Aggregate, Microaggregation, microaggregated
from tacita.masking.microaggregation.preparation import standardised
from tacita.model.records import Records
from tacita.progress import Progress, silent

AXES = ("principal component", "z-scores")


@dataclass(frozen=True, slots=True)
class SingleAxis(Microaggregation):
    """Multivariate microaggregation with groups of k that follow each other along an axis.

    Records are sorted by the axis; each k that follow each other are a group, the last one of up to 2k - 1. The axis is
    the first principal component of the standardised attributes, the sum of their z-scores, or one of the attributes,
    which then has to reflect the size of the record (document 002, "Unidimensional fixed-size methods"; Mateo-Sanz and
    Domingo-Ferrer, Questiio 22, 1998). Good where the attributes are highly correlated.

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"staff": Numbers.of([5, 1, 2, 7, 9]), "profit": Numbers.of([50, 10, 20, 75, 70])})
    >>> found = SingleAxis(("staff", "profit"), k=2, axis="staff").treated(firms, np.random.default_rng(0))
    >>> found.groups.tolist()
    [1, 0, 0, 1, 1]
    """

    axis: str = "principal component"
    """``principal component``, ``z-scores``, or the name of one of the attributes."""
    aggregate: Aggregate = "mean"
    name: ClassVar[str] = "single-axis"
    promises: ClassVar[str] = (
        "Every combination of the attributes is shared by k records or more; groups have k to 2k - 1; means are kept."
    )
    limits: ClassVar[str] = "Loses much where the attributes are not highly correlated. Variances shrink."

    def __post_init__(self) -> None:
        Microaggregation.__post_init__(self)
        check_axis(self.axis, self.attributes, AXES)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which groups along the axis show the same values."""
        check_sortable(records, self.axis, AXES)
        return microaggregated(
            records,
            self.attributes,
            self.k,
            lambda points, columns, _: fixed_size_groups(
                along(points, self.axis, [self.attributes[place] for place in columns]), self.k
            ),
            progress,
            aggregate=self.aggregate,
        )


def check_axis(axis: str, attributes: Sequence[str], axes: Sequence[str]) -> None:
    """Raise if records cannot be sorted along an axis of this name."""
    if axis not in axes and axis not in attributes:
        near = did_you_mean(axis, [*axes, *attributes])
        raise UsageError(f"no axis '{axis}'{near}", do=f"use {listed(axes)}, or one of the attributes")


def check_sortable(records: Records, axis: str, axes: Sequence[str]) -> None:
    """Raise if the axis is an attribute of which values are missing."""
    if axis not in axes and (lacking := int(records.numbers(axis).missing.sum())):
        raise InputError(
            f"{counted(lacking, 'record')} have no value of '{axis}', by which records are sorted",
            do=f"sort by another attribute, or by {listed(axes)}",
        )


def along(points: NDArray[np.float64], axis: str, names: Sequence[str]) -> NDArray[np.float64]:
    """Return where each record lies on an axis; the attributes of the points are standardised, and have these names."""
    if axis == "principal component":
        return principal_component(points)
    if axis == "z-scores":
        return np.asarray(standardised(points).sum(axis=1))
    return points[:, names.index(axis)]


def principal_component(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where each record lies on the first principal component, the largest loading of which is positive.

    >>> principal_component(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])).round(3).tolist()
    [-1.414, 0.0, 1.414]
    """
    centred = points - points.mean(axis=0)
    return product(centred, eigen(cross_products(np.ascontiguousarray(centred.T)))[1][:, -1])


def fixed_size_groups(scores: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the group of each record: k that follow each other by their scores, the last group up to 2k - 1.

    >>> fixed_size_groups(np.array([3.0, 1.0, 2.0, 5.0, 4.0]), 2).tolist()
    [1, 0, 0, 1, 1]
    """
    groups = np.empty(len(scores), dtype=np.int64)
    groups[np.argsort(scores, kind="stable")] = np.minimum(np.arange(len(scores)) // k, len(scores) // k - 1)
    return groups
