"""What rules ask of a table: how many contributors, which are the largest, and how sampling weights count.

A waiver (the consent to be recognised) takes protection from who gave it, and from nobody else. Rules that ask whether
somebody's contribution can be estimated (p %, p-q) take the largest contributor without a waiver as the one to be
protected, against the same attackers as ever, among them those with waivers. Dominance, which does not say who is
protected, is asked of the cell and of the cell without those who consented, and both must break the rule. Minimum
frequency is met if all contributors consented. So a waiver can make a sensitive cell safe, never a safe one sensitive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.table import Contributions, Table
from tacita.tables.build.sums import owners as owners_by_sums

TINY = 1e-12
"""Share of a cell below which a difference is an error of arithmetic."""


def counts_of(table: Table, rule: str) -> NDArray[np.int64]:
    """Return how many contributors each cell has, never weighted."""
    if table.counts is not None:
        return table.counts
    contributions = table.contributions
    if contributions is not None and not has_more(contributions).any():
        return contributions.counts
    if table.is_count and (table.values == np.rint(table.values)).all() and (table.values >= 0).all():
        return table.values.astype(np.int64)
    lacking = "the frequencies are no whole numbers, so weighted" if table.is_count else "the table does not have it"
    raise InputError(
        f"{rule} needs the number of contributors to each cell, never weighted, and {lacking}",
        where=f"table '{table.name}'",
        do='build the table from microdata, or name the column of the cells that has it: count = "..."',
    )


def contributions_of(table: Table, rule: str, needed: int) -> Contributions:
    """Return the contributions if the `needed` largest to each cell are there, as far as it has so many."""
    contributions = table.contributions
    columns = ", ".join(f'"max{at + 1}"' for at in range(needed))
    do = (
        "build the table from microdata with its response, or name the columns of the cells that have them: "
        f"largest = [{columns}]"
    )
    where = f"table '{table.name}'"
    if contributions is None or (table.is_count and contributions.largest.max(initial=0.0) <= 1):
        what = "a frequency table has none" if table.is_count else "the table has none"
        raise InputError(
            f"{rule} needs the {needed} largest contributions to each cell, and {what}", where=where, do=do
        )
    kept = contributions.largest.shape[1]
    if kept < needed and has_more(contributions).any():
        raise InputError(
            f"{rule} needs the {needed} largest contributions to each cell, and the table keeps {kept}",
            where=where,
            do=do,
        )
    return contributions


def has_more(contributions: Contributions) -> NDArray[np.bool_]:
    """Return which cells have, or may have, contributors beyond those that are kept.

    A number of contributors may be wrong or missing where cells are given: what those that are kept do not sum up to
    comes from others, whatever it says.
    """
    total = np.abs(contributions.totals) if contributions.absolutes is None else contributions.absolutes
    left = total - (np.abs(contributions.largest) * contributions.weights).sum(axis=1)
    more: NDArray[np.bool_] = (contributions.counts > contributions.largest.shape[1]) | (left > 1e-9 * total)
    return more


@dataclass(frozen=True, slots=True)
class Ranked:
    """The largest contributions to each cell as rules count them: absolute values, descending, with weights.

    A contribution x with sampling weight w stands for w contributors of x each, as in tau-Argus: with weight 2 or more
    the two largest both come from one record. A part of a weight counts as that part of a contributor, and a weight
    below 1 as 1, because the record itself is there.
    """

    largest: NDArray[np.float64]
    weights: NDArray[np.float64]
    waived: NDArray[np.bool_]
    total: NDArray[np.float64]
    has_more: NDArray[np.bool_]

    @classmethod
    def of(cls, contributions: Contributions) -> Ranked:
        """Return the contributions in order."""
        size = np.abs(contributions.largest)
        weights = np.maximum(contributions.weights, 1.0)
        waived = np.zeros(size.shape, bool) if contributions.waived is None else contributions.waived
        if size.shape[1] > 1 and (size[:, 1:] > size[:, :-1]).any():
            order = np.argsort(-size, axis=1, kind="stable")
            size, weights, waived = (np.take_along_axis(array, order, 1) for array in (size, weights, waived))
        total = np.abs(contributions.totals) if contributions.absolutes is None else contributions.absolutes
        return cls(size, weights, waived, total, has_more(contributions))

    def sum_of_largest(self, n: int, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return the sum of the n largest contributors of each cell, each contribution as often as its weight says."""
        weights = self.weights if weights is None else weights
        before = np.cumsum(weights, axis=1) - weights
        taken = np.clip(n - before, 0.0, weights)
        summed: NDArray[np.float64] = (taken * self.largest).sum(axis=1)
        return summed

    def target(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the place and size of the largest contribution that needs protection: of one who did not consent.

        Where all that are kept consented and there are more, the target may be as large as the smallest kept: place -1.
        """
        open_ = ~self.waived & (self.largest > 0)
        rows = np.arange(len(open_))
        if not open_.shape[1]:
            return np.full(len(open_), -1, np.int64), np.zeros(len(open_))
        place = open_.argmax(axis=1)
        is_kept = open_[rows, place]
        smallest = np.where(self.has_more, self.largest[:, -1], 0.0)
        size = np.where(is_kept, self.largest[rows, place], smallest)
        return np.where(is_kept, place, -1), size

    def rest_after(self, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the target's contribution, and what is left of the cell without it and the n largest others."""
        place, size = self.target()
        weights = self.weights.copy()
        is_kept = place >= 0
        weights[is_kept, place[is_kept]] -= 1.0
        rest = self.total - size - self.sum_of_largest(n, weights)
        return size, np.where(rest <= TINY * self.total, 0.0, rest)


def require_between(what: str, rule: str, value: Any, *, above: float, below: float, whole: bool = False) -> None:
    """Raise unless a parameter lies strictly between two bounds."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not above < value < below or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        reach = f"above {above:g}" + (f" and below {below:g}" if np.isfinite(below) else "")
        raise InputError(f"{what} of {rule} is {value!r}", where="sensitivity rule", do=f"give {kind} {reach}")


def owners(table: Table) -> NDArray[np.int64]:
    """Return, for `Knowledge.owners`, the contributor who alone stands behind each cell; -1: nobody or several.

    Where contributors have no numbers (frequency tables, given cells), cells with one contributor are of the same
    one if they are bound by a sum: a total with one contributor, and its only part with one.
    """
    contributions = table.contributions
    if contributions is not None and (contributions.holders[contributions.counts == 1, :1] >= 0).all():
        return contributions.sole_contributors()
    return owners_by_sums(replace(table, contributions=None, counts=counts_of(table, "the singletons' knowledge")))
