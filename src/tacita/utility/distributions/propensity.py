"""Propensity scores: how well a model can tell released records from original ones."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.model.records import Numbers, Records
from tacita.utility.columns import any_kind, is_number, shared_codes
from tacita.utility.loss import Lost

Matrix = NDArray[np.float64]
MOST_INDICATORS = 50
MOST_CROSSED = 50


@dataclass(frozen=True, slots=True)
class Propensity:
    """pMSE, the mean of ``(p - c)^2`` over the records of both files, p being the chance to be a released one.

    c is the share of released records; pMSE is 0 if the model cannot tell and c(1 - c) if it always can, 1/4 for files
    of one size (Woo, Reiter, Oganian and Karr, "Global measures of data utility for microdata masked for disclosure
    limitation", 2009). ``share of worst`` is pMSE / c(1 - c), the first figure, from 0 to 1. ``ratio`` divides pMSE by
    its expectation for a file drawn from the same distribution, and ``standardised`` is the difference in its standard
    deviations (Snoke, Raab, Nowok, Dibben and Slavkovic, "General and specific utility measures for synthetic data",
    2018): for the logistic model ``(k - 1) (1 - c)^2 c / N`` and ``sqrt(2 (k - 1)) (1 - c)^2 c / N`` with k parameters,
    for trees from `permutations` of the label. A ratio near 1 is what a perfect synthesis would have; masked records
    that are paired with the originals may fall below.

    `model` is "tree" (CART, leaves of at least `leaf` records) or "logistic" (main effects, with `interactions` also
    products of two). Main effects see means only: a masked file that keeps means loses nothing there. Numbers are
    standardised, missing ones are the mean with an indicator of their own. Categories, of which missing is one, are
    ranks by frequency for a tree, and otherwise indicators, of more than 51 values the rarest together. An attribute
    that is a number in one file only is taken as categories. Of more than `records` records in a file a sample is drawn
    by `seed`, which also draws the permutations.

    >>> from tacita.model.records import Numbers
    >>> before = Records({"x": Numbers.of([1.0, 2.0, 3.0, 4.0])})
    >>> Propensity().lost(before, before, ["x"]).figure
    0.0
    """

    name: ClassVar[str] = "propensity"
    needs_pairs: ClassVar[bool] = False

    model: Literal["tree", "logistic"] = "tree"
    interactions: bool = False
    leaf: int = 20
    permutations: int = 10
    records: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.model not in {"logistic", "tree"}:
            raise UsageError(f"no model '{self.model}' of propensity", do="use logistic or tree")
        for key in ("leaf", "permutations", "records"):
            if getattr(self, key) < 1:
                raise UsageError(f"'{key}' of 'propensity' must be at least 1", do="give a positive whole number")

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return pMSE and its scaled forms."""
        fitting = any_kind(before, after, attributes)
        notes = list(fitting.notes)
        random = np.random.default_rng(self.seed)
        one, two = _samples(before, after, self.records, random)
        if len(one) + len(two) < len(before) + len(after):
            notes.append(f"a sample of {self.records:,} records was taken of a larger file")
        keys = ("share of worst", "pMSE", "ratio", "standardised")
        matrix = (
            _columns(one, two, fitting.names, ranks=self.model == "tree") if len(one) and len(two) else np.empty((0, 0))
        )
        if not matrix.size:
            return Lost(self.name, dict.fromkeys(keys, np.nan), {}, (*notes, "no attribute or no record to compare"))
        if self.interactions:
            if matrix.shape[1] > MOST_CROSSED:
                raise UsageError(
                    f"{matrix.shape[1]} columns have too many interactions, at most {MOST_CROSSED} can be crossed",
                    do="name fewer attributes, or use model = 'tree'",
                )
            matrix = _with_products(matrix)
        label = np.repeat([0.0, 1.0], [len(one), len(two)])
        share = float(label.mean())
        if self.model == "tree":
            # permutations and ties of a tree must not depend on the order in which records stand
            order = np.lexsort((label, *matrix.T))
            matrix, label = matrix[order], label[order]
            error = self._by_tree(matrix, label, 0)
            null = [self._by_tree(matrix, random.permutation(label), i + 1) for i in range(self.permutations)]
            expected, deviation = float(np.mean(null)), float(np.std(null, ddof=1)) if len(null) > 1 else np.nan
        else:
            scores, parameters = _logistic(matrix, label)
            error = float(np.mean((scores - share) ** 2))
            unit = (1 - share) ** 2 * share / len(label)
            expected, deviation = (parameters - 1) * unit, np.sqrt(2 * (parameters - 1)) * unit
        # what is left of rounding when the files are the same
        error = 0.0 if error < 1e-15 else error
        figures = (
            error / (share * (1 - share)),
            error,
            error / expected if expected > 0 else np.nan,
            (error - expected) / deviation if deviation > 0 else np.nan,
        )
        return Lost(self.name, dict(zip(keys, map(float, figures), strict=True)), {}, tuple(notes))

    def _by_tree(self, matrix: Matrix, label: Matrix, place: int) -> float:
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(
            min_samples_leaf=self.leaf, min_impurity_decrease=1e-6, random_state=self.seed + place
        )
        scores = tree.fit(matrix, label.astype(int)).predict_proba(matrix)
        return float(np.mean((scores[:, -1] - label.mean()) ** 2)) if scores.shape[1] > 1 else 0.0


def _samples(before: Records, after: Records, most: int, random: np.random.Generator) -> tuple[Records, Records]:
    """Return at most so many records of each file; of files of one size, which may be paired, the same places."""
    if max(len(before), len(after)) <= most:
        return before, after
    if len(before) == len(after):
        rows = np.sort(random.choice(len(before), most, replace=False))
        return before.taken(rows), after.taken(rows)
    one, two = (
        records.taken(np.sort(random.choice(len(records), min(most, len(records)), replace=False)))
        for records in (before, after)
    )
    return one, two


def _columns(before: Records, after: Records, names: Sequence[str], *, ranks: bool) -> Matrix:
    """Return both files, one below the other, as columns of a model: categories as ranks, or as indicators."""
    columns: list[Matrix] = []
    for name in names:
        if isinstance(before[name], Numbers) and is_number(after, name):
            values = np.concatenate([before.numbers(name).values, after.numbers(name).values])
            known = np.isfinite(values)
            missing = ~known
            spread = values[known].std() if known.any() else 0.0
            if spread > 0:
                columns.append(np.where(known, (values - values[known].mean()) / spread, 0.0))
            if missing.any():
                columns.append(missing.astype(float))
            continue
        one, two, _ = shared_codes(before, after, name)
        codes = np.concatenate([one, two])
        there, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
        by_count = np.argsort(-counts, kind="stable")
        if ranks:
            columns.append(np.argsort(by_count)[place.reshape(-1)].astype(float))
            continue
        # all but one have an indicator; of very many values the rarest share none
        often = there[by_count][: min(len(there) - 1, MOST_INDICATORS)]
        columns += [(codes == code).astype(float) for code in often]
    return np.column_stack(columns) if columns else np.empty((len(before) + len(after), 0))


def _with_products(matrix: Matrix) -> Matrix:
    products = [matrix[:, i] * matrix[:, j] for i in range(matrix.shape[1]) for j in range(i)]
    return np.column_stack([matrix, *products])


def _logistic(matrix: Matrix, label: Matrix) -> tuple[Matrix, int]:
    """Return the scores of a logistic regression, and its number of parameters.

    A penalty too small to matter lets the model exist where the files can be told apart without error, and where
    columns determine each other; whether its last digits have converged does not matter either.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1e5, solver="newton-cholesky", tol=1e-8, max_iter=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(matrix, label.astype(int))
    scores: Matrix = model.predict_proba(matrix)[:, 1]
    # of columns of about one size, the eigenvalues of their products tell the rank, in a fraction of the time
    columns = np.column_stack([np.ones(len(matrix)), matrix])
    spread = np.linalg.eigvalsh(columns.T @ columns)
    return scores, int(np.sum(spread > 1e-10 * spread[-1]))
