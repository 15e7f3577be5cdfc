"""Differential privacy after microaggregation: means of k records need less noise than single values.

The argument why the sensitivities used here hold is in `after_microaggregation.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, listed
from tacita.masking.method import Treated
from tacita.masking.noise.laplace import (
    STEPS,
    Whole,
    checked_bounds,
    epsilon_of_each,
    off_the_grid,
    on_the_grid,
    refused,
    with_laplace_noise,
)
from tacita.masking.preconditions import each_named_once, finite_columns, one_of
from tacita.model.records import Numbers, Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class NoiseAfterMicroaggregation:
    """Groups of at least k records are replaced by their means, and the means get Laplace noise.

    Who is grouped with whom tells something too. There are three ways to keep that within epsilon, of which each has a
    sensitivity (D = upper - lower bound, G = number of groups = n // k, E = epsilon_j; the noise has scale S / E):

    - `by` names attributes that are public and released as they are. Records are sorted by them and cut into groups of
      k. One record's values touch one mean: S = D / k. The records stay in place.
    - ``ranking = "individual"``: each attribute is sorted by itself. One record shifts the sorted values between its
      old and its new place by no more than D in all: S = D / k. Nothing but the noisy means may be told: records are
      invented by joining the attributes at random, so that dependence between attributes is lost.
    - ``ranking = "joint"``: records are sorted by the first attribute, equal ones by the second, and so on. One record
      may push another over every border between groups: S = D / k for the first attribute, G D / k for each other,
      which is less than D only if k^2 > n. Dependence is kept; the records are invented, each group's mean as often as
      it has records.

    Without `by` the release must hold no other attribute, as that would tell which record is in which group.

    What it guarantees: epsilon-differential privacy, files being neighbours if they have equally many records and one
    record has other values of the named attributes (and, with `by`, the same of all others). What it does not: the
    number of records is public; a person with m records has m times epsilon; bounds must not be read off the data.

    The noise is opendp's and does not follow the seed. Source: J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez and S.
    Martínez, Enhancing data utility in differential privacy via microaggregation-based k-anonymity, VLDB Journal 23
    (2014), for insensitive microaggregation and the joint order; D. Sánchez, J. Domingo-Ferrer, S. Martínez and J.
    Soria-Comas, Utility-preserving differentially private data releases via individual ranking microaggregation,
    Information Fusion 30 (2016), for D / k, here of the means alone.

    >>> from tacita.model.records import Numbers
    >>> people = Records({"age": Numbers.of([20, 60, 30, 70]), "income": Numbers.of([1200.0, 2500.0, 1800.0, 900.0])})
    >>> method = NoiseAfterMicroaggregation({"income": (0, 5000)}, epsilon=2, k=2, by=("age",))
    >>> new_columns = method.treated(people, np.random.default_rng(1))
    >>> new_columns.figures["scale of income"], new_columns.groups.tolist()  # 2500 without microaggregation
    (1250.0, [0, 1, 0, 1])
    """

    name: ClassVar[str] = "differential-privacy-after-microaggregation"
    promises: ClassVar[str] = (
        "Epsilon-differential privacy of the named attributes, with less noise than single values need."
    )
    limits: ClassVar[str] = (
        "Detail within groups is lost, other attributes are not covered, the noise is not repeatable."
    )
    is_random: ClassVar[bool] = True
    is_repeatable: ClassVar[bool] = False
    """The noise comes from a secure source, not from the seed."""

    bounds: Mapping[str, tuple[float, float]]
    """The lowest and highest value that each attribute can have."""
    epsilon: float
    k: int
    """The least number of records in a group."""
    by: tuple[str, ...] = ()
    """Public attributes that make the groups."""
    ranking: Literal["individual", "joint"] = "individual"
    """What makes the groups if there are no public attributes."""
    shares: Mapping[str, float] | None = None
    """How epsilon is divided among the attributes; equally, unless given."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounds", checked_bounds(self.bounds, self.name))
        epsilon_of_each(self.epsilon, self.shares, self.attributes)
        if self.k < 1:
            raise UsageError("'k' is below 1", do="give the least number of records in a group")
        if self.by:
            each_named_once(self.by, self.name)
        if clash := set(self.by) & set(self.bounds):
            raise UsageError(
                f"{listed(sorted(clash))} would be protected and makes the groups in the open",
                do="name only public attributes in 'by'",
            )
        one_of(self.ranking, ("individual", "joint"), "ranking")

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that have bounds."""
        return tuple(self.bounds)

    def scales(self, count: int) -> dict[str, float]:
        """Return the scale of the noise on the mean of k values of each attribute, for a number of records."""
        parts = epsilon_of_each(self.epsilon, self.shares, self.attributes)
        times = self._times(count)
        return {n: times[n] * (high - low) / self.k / parts[n] for n, (low, high) in self.bounds.items()}

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records with the noisy means of their groups."""
        if len(records) < self.k:
            raise InputError(f"{len(records)} records are fewer than k = {self.k}", do="treat more records, or lower k")
        others = set(records.names) - set(self.bounds)
        if not self.by and others:
            raise UsageError(
                f"attributes without bounds, such as {sorted(others)[0]}, would tell who is in which group",
                do="name public attributes in 'by', or release the attributes with bounds alone",
            )
        columns = finite_columns(records, self.attributes)
        for name, column in zip(self.attributes, columns, strict=True):
            if absent := int(np.isnan(column).sum()):
                raise refused(absent, name)
        steps = {n: on_the_grid(c, self.bounds[n]) for n, c in zip(self.attributes, columns, strict=True)}
        parts = epsilon_of_each(self.epsilon, self.shares, self.attributes)
        times = self._times(len(records))
        order = None if self._is_individual else self._order(records, steps, random)
        groups = cut(len(records), self.k)
        new_columns: dict[str, Numbers] = {}
        for name in self.attributes:
            own = np.sort(steps[name]) if order is None else steps[name][order]
            sums = np.add.reduceat(own, np.flatnonzero(np.diff(groups, prepend=-1)))
            noisy = with_laplace_noise(sums, times[name] * STEPS, parts[name], progress, f"{self.name}: {name}")
            means = off_the_grid(noisy / np.bincount(groups), self.bounds[name])
            values = means[groups]
            if order is None:
                values = random.permutation(values)
            elif self.by:
                values = values[np.argsort(order)]
            new_columns[name] = records.numbers(name).with_values(values)
        figures = {"epsilon": self.epsilon, **{f"scale of {n}": s for n, s in self.scales(len(records)).items()}}
        if self.by:
            assert order is not None
            placed = groups[np.argsort(order)]
            return Treated.in_place(records.with_columns(new_columns), groups=placed, figures=figures)
        kept = {name: new_columns[name] for name in records.names}
        return Treated(Records(kept), None, None if order is None else groups, figures)

    @property
    def _is_individual(self) -> bool:
        return not self.by and self.ranking == "individual"

    def _times(self, count: int) -> dict[str, int]:
        """Return how many ranges the sums of an attribute can change by in all when one record changes."""
        first = self.attributes[0]
        many = 1 if self.by or self._is_individual else max(1, count // self.k)
        return {name: 1 if name == first else many for name in self.attributes}

    def _order(self, records: Records, steps: Mapping[str, Whole], random: np.random.Generator) -> NDArray[np.int64]:
        """Return the records in the order in which they are cut into groups: lexicographic, first attribute first."""
        if self.by:
            # Equal ones at random: their order in the file may be that of a confidential attribute.
            mixed = random.permutation(len(records))
            return mixed[np.lexsort([_ranked(records, name)[mixed] for name in reversed(self.by)])]
        return np.lexsort(list(steps.values())[::-1])


def cut(count: int, k: int) -> NDArray[np.int64]:
    """Return the group of each place in an order: groups of k, the last with what is left over.

    >>> cut(7, 3).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    return np.minimum(np.arange(count) // k, max(count // k - 1, 0))


def _ranked(records: Records, name: str) -> NDArray[np.float64]:
    """Return an attribute as numbers to sort by, missing values last; unordered categories as they are listed."""
    column = records[name]
    return column.values if isinstance(column, Numbers) else np.where(column.missing, np.inf, column.codes)
