"""How far values moved, on a scale from 0 to 1, for numbers and categories alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.model.records import Categories, Numbers, Records
from tacita.utility.columns import any_kind, check_pairs, is_number, shared_codes
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class BoundedDistance:
    """Mean over cells of a distance between 0 and 1.

    Of numbers ``2/pi arctan |x - x'|``, of ordered categories the places between them divided by the most there can be,
    of others 0 if equal and 1 if not (Mlodak, "Information loss resulting from statistical disclosure control of output
    data", 2020; ``IL_variables`` of sdcMicro 5.8.1, equal on CASC). A cell that is missing in one file only counts 1.

    Limits: the arctangent has the unit of the number; with `standardised` numbers are divided by their standard
    deviation before, as no unit should decide.

    >>> from tacita.model.records import Numbers
    >>> before, after = Records({"x": Numbers.of([0.0, 3.0])}), Records({"x": Numbers.of([1.0, 3.0])})
    >>> round(BoundedDistance().lost(before, after, ["x"]).figure, 12)
    0.25
    """

    name: ClassVar[str] = "bounded-distance"
    bounded: ClassVar[bool] = True
    by_default: ClassVar[bool] = True
    settings: ClassVar[Mapping[str, Any]] = {"standardised": True}
    compares: ClassVar[str] = "values of single records"
    needs_pairs: ClassVar[bool] = True

    standardised: bool = False

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the mean distance, in all and by attribute."""
        check_pairs(before, after, self.name)
        fitting = any_kind(before, after, attributes)
        single = {name: self._mean(before, after, name) for name in fitting.names}
        whole = float(np.mean(list(single.values()))) if single and len(before) else np.nan
        return Lost(
            self.name,
            {"distance": whole},
            {name: {"distance": distance} for name, distance in single.items()},
            fitting.notes,
        )

    def _mean(self, before: Records, after: Records, name: str) -> float:
        column = before[name]
        if not len(column):
            return np.nan
        if isinstance(column, Numbers) and is_number(after, name):
            return float(self._of_numbers(column.values, after.numbers(name).values).mean())
        one, two, values = shared_codes(before, after, name)
        apart = (one != two).astype(float)
        if isinstance(column, Categories) and column.is_ordered and len(values) == len(column.values) > 1:
            known = (one >= 0) & (two >= 0)
            apart[known] = np.abs(one[known] - two[known]) / (len(values) - 1)
        return float(apart.mean())

    def _of_numbers(self, one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.float64]:
        known = one[np.isfinite(one)]
        scale = known.std(ddof=1) if self.standardised and len(known) > 1 and known.min() < known.max() else 1.0
        with np.errstate(invalid="ignore"):
            apart = 2 / np.pi * np.arctan(np.abs(one - two) / scale)
        apart = np.where((one == two) | (np.isnan(one) & np.isnan(two)), 0.0, apart)
        return np.asarray(np.where(np.isnan(apart), 1.0, apart))
