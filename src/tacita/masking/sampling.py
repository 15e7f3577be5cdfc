"""Sampling: only some of the records are released, so that nobody knows whether somebody is among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError
from tacita.masking.method import Treated
from tacita.masking.preconditions import finite_numbers
from tacita.masking.weights.weight_noise import whole_weights
from tacita.model.records import Numbers, Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Sampling:
    """A random sample without replacement: of a size, or of a share of the records; stratified by `within`.

    Each record is drawn with the same probability or, if `proportional`, with one that is proportional to its weight
    (systematic sampling in random order, Madow 1949; records whose weight asks for more than 1 are taken). A number of
    records that is not whole goes up or down at random: a stratum of three of which a tenth is drawn is mostly left
    out, otherwise its records would be in the release for sure.

    If a weight is named, it becomes the weight for the sample: times N/n (N records, n drawn), or divided by the
    probability of the record if proportional. Weighted totals are then unbiased for those of the file. (Where less than
    one record is expected, the chance that any is drawn counts too.) Whole weights stay whole, rounded up or down at
    random.

    >>> people = Records({"age": Numbers.of(range(100)), "w": Numbers.of([2.0] * 100)})
    >>> found = Sampling(share=0.1, weight="w").treated(people, np.random.default_rng(1))
    >>> len(found.records), found.records.numbers("w").values.sum().item()
    (10, 200.0)
    """

    name: ClassVar[str] = "sampling"
    promises: ClassVar[str] = "Each record is in the release with its probability: the same for all, or by its weight."
    limits: ClassVar[str] = (
        "Records that are drawn are released as they are: who is unique in the population and drawn is found, and "
        "exact numbers need another method too; a record whose weight asks for it is in the release for sure."
    )
    is_random: ClassVar[bool] = True

    share: float | None = None
    """Of the records, between 0 and 1."""
    size: int | None = None
    """Number of records; within strata, of each."""
    weight: str = ""
    """The attribute with the weights, which becomes the one of the sample."""
    proportional: bool = False
    """Whether records are drawn in proportion to their weight."""

    def __post_init__(self) -> None:
        if (self.share is None) == (self.size is None):
            raise UsageError("the size of the sample must be said in one way", do="give either 'share' or 'size'")
        if self.share is not None and not 0 < self.share < 1:
            raise UsageError(
                "'share' is not between 0 and 1", do="give the share of the records to release, such as 0.1"
            )
        if self.size is not None and self.size < 1:
            raise UsageError("'size' is below 1", do="give the number of records to release")
        if self.proportional and not self.weight:
            raise UsageError("no weight to which sampling is proportional", do="name the weight, or leave it out")

    @property
    def attributes(self) -> tuple[str, ...]:
        """The weight, if there is one: all else stays in the records that are drawn."""
        return (self.weight,) if self.weight else ()

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records that are drawn, in their order."""
        weights = finite_numbers(records, self.weight, is_weight=True) if self.weight else None
        wanted = self._wanted(len(records))
        size = int(wanted) + int(random.random() < wanted % 1)
        if self.proportional and weights is not None:
            rows, factors = _proportional(self.weight, weights, size, random)
        else:
            rows = np.sort(random.choice(len(records), size, replace=False)) if size else np.arange(0)
            factors = np.full(size, len(records) / max(size, 1))
        if size and wanted < 1:
            factors = factors / wanted
        sample = records.taken(rows)
        notes = []
        if weights is not None:
            new = weights.values[rows] * factors
            if weights.is_whole:
                known = np.flatnonzero(~np.isnan(new))
                new[known] = whole_weights(new[known], random.permutation(len(known)), random.random())
            sample = sample.with_columns({self.weight: weights.taken(rows).with_values(new)})
        else:
            notes.append("no weight is named: totals of the sample have to be multiplied by N/n")
        if size and size == len(records):
            notes.append("all records were drawn: the sample is the file")
        elif self.proportional and (certain := int((factors == 1).sum())):
            notes.append(f"{certain:,} records were drawn for sure, as their weights ask for it")
        fraction = size / len(records) if len(records) else 0.0
        return Treated(sample, rows, figures={"sampling fraction": fraction}, notes=tuple(notes))

    def _wanted(self, count: int) -> float:
        if self.size is None:
            return (self.share or 0) * count
        if self.size > count > 0:
            raise InputError(
                f"a sample of {self.size:,} is wanted of {count:,} records", do="give a smaller 'size', or a 'share'"
            )
        return min(self.size, count)


def _proportional(
    name: str, weights: Numbers, size: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the records that are drawn, and 1 over their probabilities."""
    design_weights = weights.values
    if wrong := int((~(design_weights >= 0)).sum()):
        raise InputError(f"{wrong:,} weights of '{name}' are missing or negative", do="correct them first")
    if size > (positive := int((design_weights > 0).sum())):
        raise InputError(
            f"a sample of {size:,} is wanted, but only {positive:,} records have a weight above 0",
            do="give a smaller 'size' or 'share'",
        )
    probabilities = np.zeros(len(design_weights))
    rest, left = design_weights > 0, size
    while left:
        probabilities[rest] = left * design_weights[rest] / design_weights[rest].sum()
        certain = rest & (probabilities >= 1 - 1e-9)
        if not certain.any():
            break
        probabilities[certain] = 1
        rest, left = rest & ~certain, left - int(certain.sum())
    order = random.permutation(np.flatnonzero(rest))
    steps = np.cumsum(probabilities[order])
    points = random.random() + np.arange(left)
    drawn = order[np.searchsorted(steps * (left / steps[-1]), points, side="right")] if left else order[:0]
    rows = np.sort(np.concatenate([np.flatnonzero(probabilities == 1), drawn]))
    return rows, 1 / probabilities[rows]
