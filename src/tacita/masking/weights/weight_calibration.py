"""Weights recalibrated to known margins, after other methods have moved them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError
from tacita.masking.method import Treated
from tacita.masking.weights.calibration import Distance, calibrated, checked_calibration, design, weights_of
from tacita.masking.weights.weight_noise import ordered_by, whole_weights
from tacita.model.hierarchy import text_of
from tacita.model.records import Categories, Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class WeightCalibration:
    """Weights by which the file has known totals: of numbers a total, of categories one for each value.

    For totals that are public, such as those of a census or those that are published of the same survey. In a recipe:
    ``totals = { turnover = 5e6, area = { north = 1200, south = 800 } }``. Every value that occurs needs a total;
    records where the attribute is missing count for the others only. See `calibration` for how.

    >>> from tacita.model.records import Numbers
    >>> people = Records({"w": Numbers.of([1, 1, 1.0]), "area": Categories.of(["n", "s", "s"])})
    >>> method = WeightCalibration("w", totals={"area": {"n": 2, "s": 3}})
    >>> method.treated(people, np.random.default_rng()).records.numbers("w").values.round(6).tolist()
    [2.0, 1.5, 1.5]
    """

    name: ClassVar[str] = "weight-calibration"
    promises: ClassVar[str] = "Weighted totals of the release are the given ones."
    limits: ClassVar[str] = (
        "It protects nothing by itself, and the total of a value that one record has tells the weight of that record."
    )
    is_random: ClassVar[bool] = False

    weight: str
    totals: Mapping[str, float | Mapping[str, float]]
    distance: Distance = "raking"
    lower: float = 0.2
    """The smallest factor."""
    upper: float = 5.0
    """The largest factor."""

    def __post_init__(self) -> None:
        if not self.weight or self.weight in self.totals or not self.totals:
            raise UsageError("the weight, or totals of other attributes, are not given", do="give both")
        numbers = [n for t in self.totals.values() for n in (t.values() if isinstance(t, Mapping) else [t])]
        if not np.all(np.isfinite(numbers)):
            raise UsageError("a total is not finite", do="give numbers")
        checked_calibration(self.distance, self.lower, self.upper)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The weight."""
        return (self.weight,)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with calibrated weights."""
        column = weights_of(records, self.weight)
        rows = np.flatnonzero(column.values > 0)
        if not len(rows):
            raise InputError(f"'{self.weight}' has no weight above 0", do="give weights before they are calibrated")
        some = records.taken(rows)
        added, wanted = design(some, list(self.totals)), self._wanted(some)
        fixed = np.flatnonzero(~np.isnan(wanted))
        after = column.values.copy()
        after[rows] = calibrated(
            after[rows],
            added[:, fixed],
            wanted[fixed],
            distance=self.distance,
            lower=self.lower,
            upper=self.upper,
            progress=progress,
        )
        if column.is_whole:
            after[rows] = whole_weights(after[rows], ordered_by(some, list(self.totals), np.arange(len(rows))))
        factors = after[rows] / column.values[rows]
        notes = (f"'{self.weight}' holds whole numbers: the totals hold to about one weight",)
        return Treated.in_place(
            records.with_columns({self.weight: column.with_values(after)}),
            figures={"smallest factor": float(factors.min()), "largest factor": float(factors.max())},
            notes=notes if column.is_whole else (),
        )

    def _wanted(self, records: Records) -> NDArray[np.float64]:
        """Return a total for each column of the design, NaN where none is asked for."""
        wanted = [np.nan]
        for name, total in self.totals.items():
            column = records[name]
            if isinstance(column, Categories) != isinstance(total, Mapping):
                kind = "one for each value" if isinstance(column, Categories) else "one number"
                raise UsageError(f"the total of '{name}' must be {kind}", do="give it so")
            if isinstance(column, Categories) and isinstance(total, Mapping):
                wanted += [*self._of_values(name, column, total), np.nan]
            elif not isinstance(total, Mapping):
                wanted.append(total)
        return np.array(wanted)

    def _of_values(self, name: str, column: Categories, totals: Mapping[str, float]) -> list[float]:
        occurring = {text_of(value) for value, count in zip(column.values, column.counts, strict=True) if count}
        if lacking := len(occurring - set(totals)):
            raise InputError(f"{lacking:,} values of '{name}' have no total", do="give each value that occurs one")
        if empty := sum(total != 0 for text, total in totals.items() if text not in occurring):
            raise InputError(
                f"{empty:,} totals of '{name}' are of values that no record with a weight has",
                do="give their total to another value, or leave them out",
            )
        return [totals.get(text_of(value), np.nan) for value in column.values]
