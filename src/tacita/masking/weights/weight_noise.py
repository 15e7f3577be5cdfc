"""Noise on sampling weights, with totals that stay, and how whole weights stay whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError
from tacita.masking.method import Treated
from tacita.masking.weights.calibration import calibrated_noise, design, weights_of
from tacita.model.records import Categories, Records
from tacita.progress import Progress, silent


def whole_weights(weights: NDArray[np.float64], order: NDArray[np.int64], start: float = 0.5) -> NDArray[np.float64]:
    """Return weights rounded up or down so that their sum is that of the given ones, rounded.

    Rounding each to the nearest would take a noise of 10 % back from every weight below 5. Instead the fractions are
    added up in an order, and a weight goes up where the sum passes the next whole number: along the order every
    stretch keeps its sum to less than 1, and with a random start each goes up with the probability of its fraction
    (systematic sampling). So a weight below 1 may become 0: its record then counts for nobody, as one that was not
    drawn.

    >>> whole_weights(np.array([1.5, 1.5, 2.2, 2.8, 0.0]), np.arange(5)).tolist()
    [2.0, 1.0, 2.0, 3.0, 0.0]
    """
    low = np.floor(weights)
    # Ten digits: a sum that is whole but for dust is whole.
    passed = np.floor(np.concatenate([[0.0], np.round(np.cumsum((weights - low)[order]), 10)]) + start)
    rounded = low.copy()
    rounded[order] += np.diff(passed)
    return rounded


def ordered_by(records: Records, names: Sequence[str], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an order sorted by the categories among some attributes, the first first: the sum of each value stays."""
    keys = [column.codes[order] for column in (records[name] for name in names) if isinstance(column, Categories)]
    return order[np.lexsort(keys[::-1])] if keys else order


_LEAST = 3
"""Records in a kept total: that of one alone would give its weight back."""


@dataclass(frozen=True, slots=True)
class WeightNoise:
    """Each weight times a factor drawn evenly from ``1 - noise`` to ``1 + noise``, then calibrated within these bounds.

    A weight may tell the stratum of a record, and with it more than its quasi-identifiers do. Afterwards the weights
    are calibrated (see `calibration`), so that their sum stays, and the weighted totals of the attributes of `keep`: of
    numbers the total, of categories the sum of the weights of each value; no weight moves by more than the noise.
    Missing weights stay missing, zeros stay zero. Whole weights stay whole (see `whole`): they are rounded up or down,
    so that a weight moves by the noise and less than 1, and their sum is kept, the totals about. The noise is that of
    mu-Argus, which does not calibrate.

    >>> from tacita.model.records import Numbers
    >>> people = Records({"w": Numbers.of([10.0, 20, 30, 40])})
    >>> found = WeightNoise("w", noise=0.3).treated(people, np.random.default_rng(1)).records.numbers("w").values
    >>> round(float(found.sum()), 6), bool((found != [10, 20, 30, 40]).all())
    (100.0, True)
    """

    name: ClassVar[str] = "weight-noise"
    promises: ClassVar[str] = (
        "No weight moves by more than the noise, whole ones by that and less than 1; the sum of the weights and the "
        "totals of the kept attributes stay."
    )
    limits: ClassVar[str] = (
        "Weights that are far apart can still be told from each other, and the more totals are kept, the more the "
        "noise is taken back."
    )
    is_random: ClassVar[bool] = True

    weight: str
    noise: float = 0.1
    keep: tuple[str, ...] = ()
    """Attributes whose weighted totals stay."""

    def __post_init__(self) -> None:
        if not self.weight:
            raise UsageError("no weight is named", do="name the attribute with the weights")
        if not 0 < self.noise < 1:
            raise UsageError("'noise' is not between 0 and 1", do="give the largest relative change, such as 0.1")
        if self.weight in self.keep or len(set(self.keep)) < len(self.keep):
            raise UsageError("'keep' names the weight, or an attribute twice", do="name other attributes, each once")

    @property
    def attributes(self) -> tuple[str, ...]:
        """The weight."""
        return (self.weight,)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with changed weights."""
        column = weights_of(records, self.weight)
        uniform = random.random(len(records))
        rows = np.flatnonzero(column.values > 0)
        if not len(rows):
            return Treated.in_place(records, notes=(f"'{self.weight}' has no weight above 0: nothing was changed",))
        before, added = column.values[rows], design(records.taken(rows), self.keep)
        contributors = np.asarray((added != 0).sum(axis=0)).ravel()
        if thin := int(((contributors > 0) & (contributors < _LEAST)).sum()):
            raise InputError(
                f"{thin:,} of the totals to keep are of fewer than {_LEAST} records, whose weights they would tell",
                do="aggregate rare values first, or keep fewer totals",
            )
        after = column.values.copy()
        after[rows] = calibrated_noise(before, added, uniform[rows], self.noise, progress)
        if column.is_whole:
            order = ordered_by(records.taken(rows), self.keep, random.permutation(len(rows)))
            after[rows] = whole_weights(after[rows], order, random.random())
        change = float(np.abs(after[rows] / before - 1).mean())
        notes = (f"'{self.weight}' holds whole numbers: the kept totals hold to about one weight",)
        return Treated.in_place(
            records.with_columns({self.weight: column.with_values(after)}),
            figures={"mean relative change of weights": change},
            notes=notes if column.is_whole and self.keep else (),
        )
