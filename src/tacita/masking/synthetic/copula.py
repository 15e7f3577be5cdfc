"""Synthetic records by a normal copula: distributions as they are, dependence as correlations of normal scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.matrices import product, pseudo_inverse
from tacita.arithmetic.normal import normal_share
from tacita.masking.method import Grid, Treated
from tacita.masking.multivariate_normal import drawn
from tacita.masking.synthetic.latent import Latent, correlations, drawn_behind
from tacita.masking.synthetic.predictors import RARE, averages, pooled_codes, positions
from tacita.masking.synthetic.preparation import (
    as_released,
    check_enough,
    check_synthesisable,
    check_wishes,
    together,
)
from tacita.masking.synthetic.quantiles import Quantiles, check_extremes
from tacita.model.records import Categories, Numbers, Records, Values
from tacita.progress import Progress, Step, silent

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

_LEAST = 5
"""Fewer records than these are no distribution, and a number that fewer share is not released."""
_COMMON = 10
"""Of a category without order, so many values tell how another one goes along with it."""


@dataclass(frozen=True, slots=True)
class SyntheticCopula:
    """Records are drawn from a multivariate normal distribution and turned back by each attribute's own quantiles.

    Behind each attribute stands a standard normal variable: numbers are its quantiles, categories lie between its
    thresholds, and whether a value is missing is a variable of its own. Their correlations are those that give the
    correlations seen in the file (see `latent`). Draws with these correlations become numbers by a quantile function
    through averages of five neighbouring values, which ends at the averages of the `extremes` smallest and largest, and
    categories by the thresholds. Categories without order are put in the order of the first principal component of
    what the other attributes are on average; dependence in other directions is lost.

    Without `attributes` all are synthesised and records are invented. With `attributes` only these are drawn, from the
    normal distribution given the others, which stay, and so do missing values.

    Several `data_sets` are each fitted to a bootstrap sample of the records, so that their differences show how
    uncertain the model is.

    Source: N. Patki, R. Wedge and K. Veeramachaneni, The synthetic data vault (2016); P. Hoff, Extending the rank
    likelihood for semiparametric copula estimation, Annals of Applied Statistics 1 (2007), for mixed attributes; M.
    Cario and B. Nelson, Modeling and generating random vectors with arbitrary marginal distributions and correlation
    matrix (1997), for correlations of what lies behind.

    >>> from tacita.model.records import Numbers
    >>> draw = np.random.default_rng(1)
    >>> size = draw.lognormal(3, 1, 500)
    >>> firms = Records({"size": Numbers.of(size), "turnover": Numbers.of(size * draw.lognormal(0, 0.5, 500))})
    >>> found = SyntheticCopula(records=2000).treated(firms, np.random.default_rng(2)).records
    >>> bool(found.numbers("size").values.max() < size.max())
    True
    >>> np.corrcoef(np.log(found.matrix(["size", "turnover"]).T))[0, 1].round(1)
    np.float64(0.9)
    """

    name: ClassVar[str] = "synthetic-copula"
    treats: ClassVar[str] = "all"
    grid: ClassVar[Grid] = {}
    promises: ClassVar[str] = (
        "Of a record nothing is used but its part in each attribute's distribution and in correlations; no number that "
        "is extreme is released."
    )
    limits: ClassVar[str] = (
        "Dependence that correlations of normal scores do not show is lost, such as bends and interactions, and "
        "combinations may appear that cannot be. Values that many share are released."
    )
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...] = ()
    """Those to replace, given the others; all, if none is named."""
    records: int | None = None
    """How many to invent; as many as there are, unless given."""
    extremes: int = 3
    """Of how many extreme values the average bounds the numbers."""
    data_sets: int = 1
    """How many synthetic files are made."""

    def __post_init__(self) -> None:
        check_wishes(self.attributes, self.records, self.data_sets, self.name)
        check_extremes(self.extremes)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return synthetic records."""
        names = self.attributes or records.names
        check_enough(records, _LEAST)
        notes = check_synthesisable(records, names, _LEAST)
        files = []
        for file in range(self.data_sets):
            progress(Step(self.name, file, self.data_sets))
            rows = random.integers(len(records), size=len(records)) if self.data_sets > 1 else np.arange(len(records))
            files.append(self._file(records, rows, random, progress))
        return together(files, bool(self.attributes), {}, notes)

    def _file(self, records: Records, rows: Whole, random: np.random.Generator, progress: Progress) -> Records:
        orders = _orders(records, self.attributes)
        latents: dict[tuple[str, bool], Latent] = {}
        for name in records.names:
            codes, missing = orders[name], records[name].missing
            latents[name, False] = Latent.of(codes)
            if not self.attributes and 0 < missing.sum() < len(missing):
                latents[name, True] = Latent.of(missing.astype(np.int64))
        progress(Step(f"{self.name}: correlations", 0, 1))
        matrix = correlations([Latent.of(latent.codes[rows]) for latent in latents.values()])
        keys = list(latents)
        count = len(records) if self.records is None else self.records
        if self.attributes:
            scores = dict(zip(keys, self._given(latents, matrix, random), strict=True))
        else:
            scores = dict(zip(keys, drawn(matrix, count, random), strict=True))
        columns: dict[str, Values] = {}
        for name in self.attributes or records.names:
            column = records[name]
            absent = column.missing if self.attributes else np.full(count, bool(column.missing.all()))
            if (name, True) in scores:
                absent = latents[name, True].value(scores[name, True]) == 1
            columns[name] = self._back(column, orders[name], rows, scores[name, False], absent)
        return Records({name: columns.get(name, records[name]) for name in records.names})

    def _given(
        self, latents: dict[tuple[str, bool], Latent], matrix: Array, random: np.random.Generator
    ) -> list[Array]:
        """Return variables drawn given those behind the attributes that stay."""
        new = np.array([name in self.attributes for name, _ in latents])
        stay = np.flatnonzero(~new)
        count = len(next(iter(latents.values())).codes)
        scores = np.zeros((len(latents), count))
        left = matrix[np.ix_(new, new)]
        if len(stay):
            behind = [latent for latent, is_new in zip(latents.values(), new, strict=True) if not is_new]
            own = matrix[np.ix_(~new, ~new)]
            scores[stay] = drawn_behind(behind, own, random)
            weights = product(matrix[np.ix_(new, ~new)], pseudo_inverse(own, 1e-9))
            scores[new] = product(weights, scores[stay])
            left = left - product(weights, matrix[np.ix_(~new, new)])
        scores[new] += drawn((left + left.T) / 2, count, random)
        return list(scores)

    def _back(self, column: Values, codes: Whole, rows: Whole, scores: Array, absent: NDArray[np.bool_]) -> Values:
        """Return scores as values of an attribute."""
        if isinstance(column, Numbers):
            known = column.values[rows][~column.missing[rows]]
            values = np.full(len(scores), np.nan)
            if len(known):
                values[~absent] = Quantiles.of(known, _LEAST, self.extremes).at(normal_share(scores[~absent]))
            return as_released(column, values)
        categories = np.full(len(scores), -1, dtype=np.int32)
        own = codes[rows]
        if (own >= 0).any():
            # From the place in the order back to the code: the order of each code is seen in the records.
            code = np.full(int(codes.max()) + 1, -1, dtype=np.int32)
            code[codes[codes >= 0]] = column.codes[codes >= 0]
            categories[~absent] = code[Latent.of(own).value(scores[~absent])]
        return column.with_codes(categories)


def _orders(records: Records, attributes: tuple[str, ...]) -> dict[str, Whole]:
    """Return for each attribute the places of its values in their order, -1 where missing.

    Rare categories without order stand in the order in which they are listed, at the place of their common average;
    those of an attribute that stays share one place. A place of its own would tell what these records are like.
    """
    ranks: dict[str, Whole] = {}
    loose: list[str] = []
    for name, column in records.columns.items():
        if isinstance(column, Categories) and not column.is_ordered and np.count_nonzero(column.counts) > 2:
            loose.append(name)
            continue
        cells = column.values if isinstance(column, Numbers) else np.where(column.missing, np.nan, column.codes)
        ranks[name] = _places(cells)
    known = [np.nan_to_num(Latent.of(codes).scores()) for codes in ranks.values()]
    profile = np.stack(known, axis=1) if known else np.zeros((len(records), 0))
    for name in loose:
        codes = records.categories(name).codes
        present = np.flatnonzero(codes >= 0)
        pooled = pooled_codes(codes, len(records.categories(name).values), RARE)[codes[present]]
        others = [_shares(records, other)[present] for other in loose if other != name]
        target = np.concatenate([profile[present], *others], axis=1)
        order = np.arange(int(pooled.max()) + 1, dtype=float)
        if target.shape[1]:
            order = positions(averages(pooled, len(order), target))
        within = codes[present] if name in attributes or not attributes else np.zeros(len(present))
        place = np.full(len(codes), -1)
        place[present] = np.unique(np.stack([order[pooled], within]), axis=1, return_inverse=True)[1].reshape(-1)
        ranks[name] = place
    return {name: ranks[name] for name in records.names}


def _places(values: Array) -> Whole:
    """Return the place of each value among the distinct ones, -1 where it is NaN."""
    classes = np.full(len(values), -1)
    present = ~np.isnan(values)
    classes[present] = np.unique(values[present], return_inverse=True)[1].reshape(-1)
    return classes


def _shares(records: Records, name: str) -> Array:
    """Return indicators of the most common categories, which tell how another attribute goes along."""
    column = records.categories(name)
    common = np.argsort(-column.counts, kind="stable")[:_COMMON]
    indicators: Array = (column.codes[:, None] == common[None, :]).astype(float)
    return indicators
