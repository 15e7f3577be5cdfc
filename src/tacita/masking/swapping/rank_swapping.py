"""Rank swapping: values are exchanged with others of a near rank."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted
from tacita.masking.method import Grid, Treated
from tacita.masking.normal_scores import order_of
from tacita.masking.preconditions import between, each_named_once, finite_columns
from tacita.model.records import Categories, Numbers, Records, Values
from tacita.progress import Progress, Step, silent

_LEAST = 3
"""The mean of one value is the value, and that of two tells each the other."""


@dataclass(frozen=True, slots=True)
class RankSwapping:
    """Each attribute by itself is ranked, and each value exchanged with one whose rank differs by at most p % of n.

    From the lowest rank up, a value that has not been swapped is swapped with one drawn, all equally likely, from those
    above it within floor(p n / 100) ranks that have not been swapped either. An odd one that is left at the top joins a
    pair within its reach. n counts the present values, and equal values rank in random order. p is a percentage: some
    programs that ask for one take it as a share.

    The values are those of the original, so every univariate statistic is kept, unless tails are grouped: the lowest
    `bottom` % and the highest `top` % of values are then replaced by their mean (which keeps the mean of the attribute)
    and take no part in the swaps; a tail has at least three values. Ordered categories are swapped too; their tails
    have no mean and cannot be grouped.

    Source: R. A. Moore, Controlled data-swapping techniques for masking public use microdata sets, US Bureau of the
    Census (1996); document 001, section 3.1.3.

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([50.0, 10.0, 40.0, 30.0, None, 20.0])})
    >>> RankSwapping(("turnover",), p=20).treated(firms, np.random.default_rng(1)).records.numbers("turnover").values
    array([50., 20., 30., 40., nan, 10.])
    """

    name: ClassVar[str] = "rank-swapping"
    treats: ClassVar[str] = "numbers"
    grid: ClassVar[Grid] = {"p": (2, 5, 10, 20)}
    promises: ClassVar[str] = (
        "Values stay, but for tails that are grouped, and none moves by more than p % of the ranks."
    )
    limits: ClassVar[str] = "Who sees the file knows each value to p % of ranks; dependence within that range is lost."
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    p: float = 5.0
    """The largest difference of ranks, in per cent of the number of values."""
    bottom: float = 0.0
    """The lowest values that are grouped together, in per cent."""
    top: float = 0.0
    """The highest values that are grouped together, in per cent."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        between(self.p, 0, 100, "p")
        if self.bottom < 0 or self.top < 0 or not self.bottom + self.top < 100:
            raise UsageError(
                "'bottom' and 'top' leave nothing between them", do="give percentages that add up to < 100"
            )

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with values exchanged."""
        changed: dict[str, Values] = {}
        stayed: list[str] = []
        for place, name in enumerate(self.attributes):
            progress(Step(self.name, place, len(self.attributes)))
            column = records[name]
            if isinstance(column, Categories) and column.is_ordered:
                codes = np.where(column.missing, np.nan, column.codes)
                if self.bottom or self.top:
                    do = "leave out 'bottom' and 'top' here, and code its tails in a step of its own"
                    raise UsageError(f"the tails of '{name}', which is not a number, have no mean", do=do)
            elif isinstance(column, Categories):
                do = "give its values an order, or use 'data-swapping'"
                raise InputError(f"'{name}' has no order, and so no ranks", do=do)
            else:
                codes = finite_columns(records, (name,))[0]
            swapped, alone = self._swapped(codes, name, random)
            if alone:
                stayed.append(f"{counted(alone, 'value')} of '{name}' found no partner within reach and stayed")
            if isinstance(column, Numbers):
                changed[name] = column.with_values(swapped)
            else:
                changed[name] = column.with_codes(np.where(column.missing, -1, swapped).astype(np.int32))
        return Treated.in_place(records.with_columns(changed), notes=tuple(stayed))

    def _swapped(
        self, values: NDArray[np.float64], name: str, random: np.random.Generator
    ) -> tuple[NDArray[np.float64], int]:
        """Return values after swapping, and how many found no partner."""
        from tacita.masking.swapping.kernels import rank_partners

        order = order_of(values, random)
        swapped = values.copy()
        if not len(order):
            return swapped, 0
        reach, low, high = (_part(len(order), percent) for percent in (self.p, self.bottom, self.top))
        if len(order) == 1:
            raise InputError(
                f"'{name}' has a single value, and nothing to swap it with",
                do="treat more records together, or leave the attribute out",
            )
        if reach < 1:
            raise InputError(
                f"p = {self.p:g} % of the {len(order)} values of '{name}' is less than one rank",
                do=f"give p of at least {100 / len(order):.2g}, or treat more records together",
            )
        for tail in (order[:low], order[len(order) - high :]):
            if 0 < len(tail) < _LEAST:
                raise InputError(
                    f"a tail of '{name}' has {counted(len(tail), 'value')}, which their mean would tell",
                    do=f"give 'bottom' and 'top' of at least {100 * _LEAST / len(order):.2g}, or leave them out",
                )
            if len(tail):
                swapped[tail] = values[tail].mean()
        middle = order[low : len(order) - high]
        partners = rank_partners(len(middle), reach, random.random(len(middle)))
        swapped[middle] = values[middle[partners]]
        return swapped, int((partners == np.arange(len(middle))).sum())


def _part(count: int, percent: float) -> int:
    """Return a percentage of a number, rounded down, but not because of how fractions are held.

    >>> _part(1000, 0.7), _part(100, 29), _part(39, 5)
    (7, 29, 1)
    """
    return math.floor(percent * count / 100 + 1e-9)
