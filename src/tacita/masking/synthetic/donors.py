"""A tree whose leaves hold donors: records of which one lends its value to each synthetic record in the leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.masking.synthetic.predictors import Predictor, averages, positions

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

_CLASSES = 100
"""More classes than these are put in an order and modelled as a number: splits between classes get slow."""


@dataclass(frozen=True, slots=True, eq=False)
class Donors:
    """Donors by leaf, and for every synthetic file the leaf of each of its records."""

    leaf: Whole
    """The leaf of each donor, from 0."""
    synthetic: tuple[Whole, ...]
    """The leaf of each record of each synthetic file."""

    def drawn(self, file: int, rows: Whole, random: np.random.Generator, *, bootstrap: bool) -> Whole:
        """Return a donor for each of some records of a file.

        Donors of a leaf are equally likely; with `bootstrap` their chances are drawn first, from the flat Dirichlet
        distribution (Bayesian bootstrap), as several files need whose differences show how uncertain the model is
        (J. Reiter, Using CART to generate partially synthetic public use microdata, 2005).
        """
        order = np.argsort(self.leaf, kind="stable")
        chances = random.standard_exponential(len(order)) if bootstrap else np.ones(len(order))
        ends = np.concatenate([[0.0], np.cumsum(chances)])
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.leaf))])
        leaf = self.synthetic[file][rows]
        low, high = ends[starts[leaf]], ends[starts[leaf + 1]]
        place = np.searchsorted(ends, low + random.random(len(rows)) * (high - low), side="right") - 1
        found: Whole = order[np.clip(place, starts[leaf], starts[leaf + 1] - 1)]
        return found


def grown(
    target: Array | Whole,
    predictors: Sequence[Predictor],
    rows: Whole,
    counts: Sequence[int],
    least: int,
    random: np.random.Generator,
) -> Donors:
    """Return the donors of a tree that predicts a target, codes of classes or numbers, of which `rows` have a value.

    The tree splits by the Gini index or the sum of squares until leaves would have fewer than `least` records.
    `counts` are the numbers of records of the synthetic files.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    seed = int(random.integers(2**31))
    if not predictors or len(rows) < 2 * least or len(np.unique(target)) < 2:
        whole = tuple(np.zeros(count, dtype=np.int64) for count in counts)
        return Donors(np.zeros(len(rows), dtype=np.int64), whole)
    if target.dtype.kind != "f":
        target = np.unique(target, return_inverse=True)[1].reshape(-1).astype(np.int64)
        if (classes := int(target.max()) + 1) > _CLASSES:
            target = positions(averages(target, classes, _ordered(predictors, rows)))[target]
    is_number = target.dtype.kind == "f"
    goal = _scaled(target) if is_number else target
    coded = [predictor.split_by(rows, goal) for predictor in predictors]
    train = np.stack([own for own, _ in coded], axis=1)
    kind = DecisionTreeRegressor if is_number else DecisionTreeClassifier
    tree = kind(min_samples_leaf=least, random_state=seed).fit(train, goal)
    kept, leaf = np.unique(tree.apply(train), return_inverse=True)
    synthetic = []
    for file in range(len(counts)):
        held = np.stack([each[file] for _, each in coded], axis=1)
        synthetic.append(np.searchsorted(kept, tree.apply(held)).astype(np.int64))
    return Donors(leaf.reshape(-1).astype(np.int64), tuple(synthetic))


def _scaled(target: Array | Whole) -> Array:
    """Return a number with mean 0 and deviation 1: sums of squares of huge numbers would overflow."""
    held = target / max(np.abs(target).max(), 1e-300)
    held = held - held.mean()
    return np.asarray(held / max(held.std(), 1e-300), dtype=np.float64)


def _ordered(predictors: Sequence[Predictor], rows: Whole) -> Array:
    """Return predictors that have an order as a profile of records; missing ones are in the middle."""
    held = [predictor.original[rows] for predictor in predictors if predictor.has_order]
    if not held:
        return np.zeros((len(rows), 1))
    filled = [np.where(np.isnan(each), np.nanmean(each) if not np.isnan(each).all() else 0.0, each) for each in held]
    return np.stack([_scaled(each) for each in filled], axis=1)
