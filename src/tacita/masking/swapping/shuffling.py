"""Data shuffling: a model of the ranks, given what is not confidential, says which record gets which value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.matrices import cross_products, product, pseudo_inverse, rank
from tacita.errors import InputError, UsageError, listed
from tacita.masking.method import Treated
from tacita.masking.multivariate_normal import drawn
from tacita.masking.normal_scores import in_order_of, normal_scores
from tacita.masking.preconditions import each_named_once, finite_columns
from tacita.model.records import Numbers, Records
from tacita.progress import Progress, Step, silent

Array = NDArray[np.float64]
_LEAST = 10
"""A term of the model stands for at least so many records."""


@dataclass(frozen=True, slots=True)
class DataShuffling:
    """Confidential values are rearranged in the order that a model draws for them from the predictors.

    1. Confidential attributes X and numbers and ordered categories among the predictors S become normal scores; other
    categories become indicators. 2. X is regressed on S. 3. For each record scores are drawn from the normal
    distribution with the regression's mean and residual covariance. 4. The record with the r-th drawn score of an
    attribute gets the r-th of its values.

    Given S and what is estimated from the whole file, the masked values do not depend on the record's own confidential
    values: an intruder who knows S learns nothing more of a record from its masked values. The values are those of the
    original. Rank correlations within X and between X and S are kept in expectation as far as a normal copula can show
    them. Without predictors X is rearranged as a whole and keeps only its own dependence.

    A missing confidential value stays missing; for the regression it, and a missing number among the predictors, counts
    as the middle rank. A missing category is a category. Categories of fewer than ten records count as one: a term of
    its own would let the model follow these records.

    Source: K. Muralidhar and R. Sarathy, Data shuffling: a new masking approach for numerical data, Management Science
    52 (2006), with regression in place of the inverse of the predictors' correlations, so that these may be singular.

    >>> from tacita.model.records import Numbers
    >>> people = Records({"age": Numbers.of([20, 30, 40, 50, 60]), "income": Numbers.of([9.0, 12, 18, 30, 27])})
    >>> found = DataShuffling(("income",), predictors=("age",)).treated(people, np.random.default_rng(1))
    >>> sorted(found.records.numbers("income").values.tolist())
    [9.0, 12.0, 18.0, 27.0, 30.0]
    """

    name: ClassVar[str] = "data-shuffling"
    promises: ClassVar[str] = "Every attribute keeps its values; given the predictors, masked values tell nothing more."
    limits: ClassVar[str] = "Dependence that no normal copula shows is lost; extreme values appear at another record."
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    predictors: tuple[str, ...] = ()
    """Attributes that are not confidential and stay as they are."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        if self.predictors:
            each_named_once(self.predictors, self.name)
        if clash := set(self.attributes) & set(self.predictors):
            raise UsageError(f"{listed(sorted(clash))} is to be shuffled and predicts", do="name it in one place only")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with values rearranged."""
        columns = finite_columns(records, self.attributes)
        scores = np.empty_like(columns)
        for place, column in enumerate(columns):
            progress(Step(self.name, place, 2 * len(columns)))
            scores[place] = np.nan_to_num(normal_scores(column, random))
        design = self._design(records, random)
        if len(records) <= len(design) + 1:
            raise InputError(
                f"{len(records)} records are too few for a model with {len(design)} terms: it would tell the values",
                do="name fewer predictors, recode those with many categories, or treat more records together",
            )
        fitted, residual = _regression(scores, design)
        wanted = fitted + drawn(residual, len(records), random)
        changed = {}
        for place, name in enumerate(self.attributes):
            progress(Step(self.name, len(columns) + place, 2 * len(columns)))
            changed[name] = records.numbers(name).with_values(in_order_of(wanted[place], columns[place]))
        return Treated.in_place(records.with_columns(changed))

    def _design(self, records: Records, random: np.random.Generator) -> Array:
        """Return the predictors as terms of the regression, a row for each."""
        rows: list[Array] = [np.ones(len(records))]
        for name in self.predictors:
            column = records[name]
            if isinstance(column, Numbers) or column.is_ordered:
                numbers = (
                    finite_columns(records, (name,))[0] if isinstance(column, Numbers) else column.codes.astype(float)
                )
                numbers = np.where(column.missing, np.nan, numbers)
                rows.append(np.nan_to_num(normal_scores(numbers, random)))
            else:
                rows += _indicators(column.codes)
        return np.array(rows)


def _regression(scores: Array, design: Array) -> tuple[Array, Array]:
    """Return fitted scores, a row for each attribute, and the covariance of the residuals."""
    # Normal equations by pseudo-inverse: few terms, many records, and terms may determine each other.
    among = cross_products(design)
    weights = product(cross_products(scores, design), pseudo_inverse(among))
    fitted = product(weights, design)
    away = scores - fitted
    freedom = max(1, scores.shape[1] - rank(among))
    return fitted, cross_products(away) / freedom


def _indicators(codes: NDArray[np.int32]) -> list[Array]:
    """Return an indicator for each category but the first, rare ones taken together."""
    codes_present, counts = np.unique(codes, return_counts=True)
    common = codes_present[counts >= _LEAST]
    sets = [codes == code for code in common]
    rare = ~np.isin(codes, common)
    if rare.sum() >= _LEAST:
        sets.append(rare)
    return [column.astype(float) for column in sets[1:]]
