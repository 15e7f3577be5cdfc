"""Top and bottom coding: values beyond a bound become the bound, a given value, or their mean or median."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError
from tacita.masking.method import Treated
from tacita.masking.preconditions import check_measured, each_named_once, finite_numbers, one_of
from tacita.model.records import Numbers, Records, Values
from tacita.progress import Progress, silent

By = Literal["value", "quantile", "fences"]
Replacement = Literal["bound", "mean", "median"]

_LEAST = 3
"""Coded records of which a mean or median may be told: of one it is the value, of two each knows the other's."""


@dataclass(frozen=True, slots=True)
class TopBottomCoding:
    """Values above a top, or below a bottom, become one value; those equal to the bound stay.

    What a bound is, `by` says: a ``value``; a ``quantile`` of the values (0.99); or ``fences``, so many times the
    distance between the quartiles above the third and below the first (Tukey's outlier rule; 1.5 is usual, 3 for far
    out). A quantile is the nearest value inwards that a record has: one interpolated towards a coded value would tell
    it. Fences of whole numbers are rounded inwards. In place of the coded values stands the bound, a number that is
    given, or their mean (which keeps totals) or median; that of fewer than three records is refused.

    Source: `topBotCoding` of sdcMicro, which has values and given numbers; Tukey: Exploratory Data Analysis (1977).

    >>> wages = Records({"wage": Numbers.of([20, 30, 35, 40, 900, None])})
    >>> method = TopBottomCoding(("wage",), by="fences", top=1.5)
    >>> method.treated(wages, np.random.default_rng()).records.numbers("wage").values.tolist()
    [20.0, 30.0, 35.0, 40.0, 55.0, nan]
    """

    name: ClassVar[str] = "top-bottom-coding"
    promises: ClassVar[str] = "No value beyond the bounds is told, but as the common replacement."
    limits: ClassVar[str] = (
        "Who has a coded value is known to be beyond the bound, values within the bounds stay exact, and the tails of "
        "the distribution are lost."
    )
    is_random: ClassVar[bool] = False

    attributes: tuple[str, ...]
    by: By = "value"
    top: float | None = None
    bottom: float | None = None
    replacement: Replacement = "bound"
    top_replacement: float | None = None
    """A number in place of values above the top, whatever `replacement` says."""
    bottom_replacement: float | None = None
    """A number in place of values below the bottom, whatever `replacement` says."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        one_of(self.by, get_args(By), "by")
        one_of(self.replacement, get_args(Replacement), "replacement")
        given = [bound for bound in (self.top, self.bottom) if bound is not None]
        numbers = [n for n in (*given, self.top_replacement, self.bottom_replacement) if n is not None]
        if not given:
            raise UsageError("no bound is given", do="give 'top', 'bottom', or both")
        if not np.all(np.isfinite(numbers)):
            raise UsageError("a bound or replacement is not finite", do="give numbers")
        if self.by == "quantile" and not all(0 <= bound <= 1 for bound in given):
            raise UsageError("a quantile is not between 0 and 1", do="give shares of the records, such as top = 0.99")
        if self.by == "fences" and min(given) < 0:
            raise UsageError("a fence is below 0", do="give a multiple of the distance of the quartiles, such as 1.5")
        if self.by != "fences" and len(given) == 2 and given[1] >= given[0]:
            raise UsageError("the bottom is not below the top", do="give a bottom below the top")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with coded values."""
        columns: dict[str, Values] = {}
        figures: dict[str, float] = {}
        for name in self.attributes:
            # Given bounds and numbers need no arithmetic: an infinite value is then as good as a large one.
            plain = self.by == "value" and self.replacement == "bound"
            if plain:
                check_measured(records, [name], ordered=True)
            column = records.numbers(name) if plain else finite_numbers(records, name)
            columns[name], above, below = self._coded(name, column)
            figures[f"coded at the top of {name}"] = above
            figures[f"coded at the bottom of {name}"] = below
        return Treated.in_place(records.with_columns(columns), figures=figures)

    def _coded(self, name: str, column: Numbers) -> tuple[Numbers, int, int]:
        bottom, top = self._bounds(column)
        values = column.values.copy()
        above, below = column.values > top, column.values < bottom  # what is missing is neither
        for where, bound, given in ((above, top, self.top_replacement), (below, bottom, self.bottom_replacement)):
            if where.any():
                values[where] = self._replacement(name, column.values[where], bound) if given is None else given
        return column.with_values(values), int(above.sum()), int(below.sum())

    def _bounds(self, column: Numbers) -> tuple[float, float]:
        """Return bottom and top; infinite where there is none."""
        known = column.values[~column.missing]
        bottom, top = self.bottom, self.top
        if self.by != "value" and not len(known):
            return -np.inf, np.inf
        if self.by == "quantile":
            bottom = None if bottom is None else float(np.quantile(known, bottom, method="higher"))
            top = None if top is None else float(np.quantile(known, top, method="lower"))
        elif self.by == "fences":
            first, third = np.quantile(known, [0.25, 0.75]).tolist()
            bottom = None if bottom is None else first - bottom * (third - first)
            top = None if top is None else third + top * (third - first)
            if column.is_whole:
                bottom = None if bottom is None else float(np.ceil(bottom))
                top = None if top is None else float(np.floor(top))
        return -np.inf if bottom is None else bottom, np.inf if top is None else top

    def _replacement(self, name: str, coded: NDArray[np.float64], bound: float) -> float:
        if self.replacement == "bound":
            return bound
        if len(coded) < _LEAST:
            raise InputError(
                f"fewer than {_LEAST} records of '{name}' are beyond a bound: their {self.replacement} would tell them",
                do="move the bound inwards, or use replacement = 'bound'",
            )
        return float(np.mean(coded) if self.replacement == "mean" else np.median(coded))
