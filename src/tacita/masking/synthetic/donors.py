"""A tree whose leaves hold donors: records of which one lends its value to each synthetic record in the leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
        donors: Whole = order[np.clip(place, starts[leaf], starts[leaf + 1] - 1)]
        return donors


def grown(
    target: Array | Whole,
    predictors: Sequence[Predictor],
    rows: Whole,
    counts: Sequence[int],
    least: int,
    random: np.random.Generator,
) -> Donors:
    """Return the donors of a tree that predicts a target, codes of classes or numbers, of which `rows` have a value.

    `counts` are the numbers of records of the synthetic files.
    """
    everybody = np.arange(len(rows))
    tree = fitted(target, predictors, rows, everybody, least, random)
    if tree is None:
        whole = tuple(np.zeros(count, dtype=np.int64) for count in counts)
        return Donors(np.zeros(len(rows), dtype=np.int64), whole)
    kept, leaf = np.unique(tree.leaves(everybody), return_inverse=True)
    synthetic = tuple(np.searchsorted(kept, leaves).astype(np.int64) for leaves in tree.synthetic)
    return Donors(leaf.reshape(-1).astype(np.int64), synthetic)


@dataclass(frozen=True, slots=True, eq=False)
class DonorTree:
    """A tree, and where it leads records."""

    model: Any
    columns: NDArray[np.float32]
    """What it splits by: a row for each record that has a target."""
    synthetic: tuple[Whole, ...]
    """For every synthetic file the node of each record."""

    def leaves(self, places: Whole) -> Whole:
        """Return the nodes at which some records end."""
        leaves: Whole = self.model.apply(self.columns[places]).astype(np.int64)
        return leaves

    @property
    def parents(self) -> Whole:
        """The node above each node, -1 for the root. A node is followed by all that are below it."""
        node_leaf = np.full(self.model.tree_.node_count, -1, dtype=np.int64)
        for side in (self.model.tree_.children_left, self.model.tree_.children_right):
            node_leaf[side[side >= 0]] = np.flatnonzero(side >= 0)
        return node_leaf


def fitted(
    target: Array | Whole,
    predictors: Sequence[Predictor],
    rows: Whole,
    places: Whole,
    least: int,
    random: np.random.Generator,
) -> DonorTree | None:
    """Return a tree grown on some places of a target; None if there is nothing to split, or by which.

    It splits by the Gini index or the sum of squares until leaves would have fewer than `least` records.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    seed = int(random.integers(2**31))
    learnt, own = target[places], rows[places]
    if not predictors or len(own) < 2 * least or len(np.unique(learnt)) < 2:
        return None
    if learnt.dtype.kind != "f":
        learnt = np.unique(learnt, return_inverse=True)[1].reshape(-1).astype(np.int64)
        if (classes := int(learnt.max()) + 1) > _CLASSES:
            learnt = positions(averages(learnt, classes, _ordered(predictors, own)))[learnt]
    is_number = learnt.dtype.kind == "f"
    goal = _scaled(learnt) if is_number else learnt
    coded = [predictor.split_by(own, goal) for predictor in predictors]
    columns = np.stack([column[rows] for column, _ in coded], axis=1)
    kind = DecisionTreeRegressor if is_number else DecisionTreeClassifier
    model = kind(min_samples_leaf=least, random_state=seed).fit(columns[places], goal)
    files = len(coded[0][1])
    matrices = [np.stack([by_file[file] for _, by_file in coded], axis=1) for file in range(files)]
    return DonorTree(model, columns, tuple(model.apply(by_file).astype(np.int64) for by_file in matrices))


def _scaled(target: Array | Whole) -> Array:
    """Return a number with mean 0 and deviation 1: sums of squares of huge numbers would overflow."""
    scaled = target / max(np.abs(target).max(), 1e-300)
    scaled = scaled - scaled.mean()
    return np.asarray(scaled / max(scaled.std(), 1e-300), dtype=np.float64)


def _ordered(predictors: Sequence[Predictor], rows: Whole) -> Array:
    """Return predictors that have an order as a profile of records; missing ones are in the middle."""
    columns = [predictor.original[rows] for predictor in predictors if predictor.has_order]
    if not columns:
        return np.zeros((len(rows), 1))
    filled = [np.where(np.isnan(one), np.nanmean(one) if not np.isnan(one).all() else 0.0, one) for one in columns]
    return np.stack([_scaled(column) for column in filled], axis=1)
