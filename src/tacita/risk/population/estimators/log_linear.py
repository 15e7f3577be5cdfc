"""The log-linear model of Skinner and Shlomo: cells of a table as smooth as their margins let them be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations as pairs_of
from math import prod
from typing import TYPE_CHECKING, Any

from tacita.risk.combinations import NULL, Codes

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

NAME = "log_linear"
CELLS = 5_000_000
"""The largest table that interactions are fitted on, in cells; each takes 8 bytes."""
_ROUNDS = 200
_CLOSE = 1e-4
"""Margins fit if they are off by less than this share of a record's weight."""


class LogLinearModel(StrEnum):
    """Which margins of the table are kept."""

    INDEPENDENCE = "independence"
    """Each attribute alone."""
    TWO_WAY = "two-way"
    """Each pair of attributes."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Combinations under a model."""

    expected: Array
    """The expected number of the population with each combination, lambda."""
    fractions: Array
    """The share of it that is in the sample, pi."""
    model: LogLinearModel
    notes: tuple[str, ...] = ()

    def with_notes(self, notes: Sequence[str]) -> Fitted:
        """Return the same with notes on how it came about."""
        return replace(self, notes=(*notes, *self.notes))

    def unique(self, counts: Array) -> Array:
        """Return P(F=1 | f=1) = exp(-lambda (1-pi)) of combinations that occur once, 0 of others."""
        import numpy as np

        alone: Array = np.where(counts == 1, np.exp(-self.expected * (1 - self.fractions)), 0.0)
        return alone

    def risk(self, counts: Array) -> Array:
        """Return E(1/F | f) with F - f Poisson of mean mu = lambda (1-pi).

        It is the integral of t^(f-1) exp(-mu (1-t)) over t from 0 to 1, or M(1, f+1, -mu)/f with Kummer's function M;
        for f = 1, (1 - exp(-mu))/mu.
        """
        from scipy.special import hyp1f1

        match: Array = hyp1f1(1.0, counts + 1.0, -self.expected * (1 - self.fractions)) / counts
        return match


def fitted(codes: Codes, population_size: float, model: LogLinearModel, cells: int = CELLS) -> Fitted:
    """Return the expected population counts of combinations.

    Population counts F are Poisson with mean lambda, and the sample takes each member with probability pi. Then f is
    Poisson with mean pi lambda, and F - f is Poisson with mean (1-pi) lambda, whatever f is. log lambda is a sum of
    effects:

    - independence: lambda = N times the product of the attributes' shares;
    - two-way: the table that has all margins of two attributes, by iterative proportional fitting on all cells.

    With weights, margins are sums of weights (pseudo maximum likelihood) and pi of a combination is its records over
    their weights; without, pi = n/N.

    Too simple a model makes rare combinations look rarer or more common than they are, too rich a model repeats the
    sample. With one or two attributes, two-way is the sample itself, and independence is taken.

    Source: C. Skinner and N. Shlomo, Assessing identification risk in survey microdata using log-linear models, JASA
    103 (2008). sdcMicro's modRisk puts the fitted count of the *sample*, pi lambda, where lambda belongs, so that a
    sample of 1 % looks as if it were nearly the population. It also divides by the number of occupied cells, adds up
    the inclusion probabilities of the records of a cell, and in all methods but IPF takes codes that are numbers for
    quantities.
    """
    import numpy as np

    notes = []
    weights = codes.weights * (population_size / codes.weights.sum()) if len(codes.weights) else codes.weights
    fractions = np.minimum(codes.counts / weights, 1.0)
    levels = [_levels(codes.codes[:, place]) for place in range(codes.codes.shape[1])]
    sizes = tuple(int(column.max()) + 1 if len(column) else 0 for column in levels)
    if model is LogLinearModel.TWO_WAY and len(sizes) < 3:
        notes.append("two attributes or fewer: the log-linear model is that of independence")
        model = LogLinearModel.INDEPENDENCE
    if model is LogLinearModel.TWO_WAY and prod(sizes) > cells:
        notes.append(
            f"the table of {prod(sizes):,} cells is larger than {cells:,}: the log-linear model is independence, "
            "which knows no interaction; recode attributes with many values"
        )
        model = LogLinearModel.INDEPENDENCE
    margins = [np.bincount(c, weights, size) for c, size in zip(levels, sizes, strict=True)]
    if model is LogLinearModel.INDEPENDENCE or not len(weights):
        shares = [margin[c] / population_size for margin, c in zip(margins, levels, strict=True)]
        return Fitted(population_size * np.prod(shares, axis=0), fractions, model, tuple(notes))
    smallest = float((weights / codes.counts).min())
    table, converged = two_way(levels, weights, sizes, smallest * _CLOSE)
    if (
        not converged
    ):  # a table that is too thin for the model makes rare combinations look common: take the simpler one
        notes.append(
            f"the two-way log-linear model did not settle in {_ROUNDS} rounds; independence is taken, which rather "
            "overstates the risk"
        )
        return fitted(codes, population_size, LogLinearModel.INDEPENDENCE).with_notes(notes)
    return Fitted(table[tuple(levels)], fractions, model, tuple(notes))


def _levels(column: Array) -> Array:
    """Return codes from 0, a null being a value of its own."""
    return column - NULL if len(column) and column.min() == NULL else column


def two_way(levels: list[Array], weights: Array, sizes: tuple[int, ...], close: float) -> tuple[Array, bool]:
    """Return the table with all two-way margins of the combinations, and whether its margins are as close as wanted."""
    import numpy as np

    pairs = list(pairs_of(range(len(sizes)), 2))
    targets = {}
    for i, j in pairs:
        flat = np.bincount(levels[i].astype(np.int64) * sizes[j] + levels[j], weights, sizes[i] * sizes[j])
        targets[i, j] = flat.reshape(sizes[i], sizes[j])
    table = np.ones(sizes)
    for _ in range(_ROUNDS):
        worst = 0.0
        for i, j in pairs:
            margin = table.sum(axis=tuple(axis for axis in range(len(sizes)) if axis not in {i, j}))
            worst = max(worst, float(np.abs(margin - targets[i, j]).max()))
            factor = np.divide(targets[i, j], margin, out=np.zeros_like(margin), where=margin > 0)
            table *= factor.reshape([size if axis in {i, j} else 1 for axis, size in enumerate(sizes)])
        if worst <= close:
            return table, True
    return table, False
