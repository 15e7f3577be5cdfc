"""Hybrid data: within groups of similar records, numbers are replaced by others with the same means and covariances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.draws import standard_normal
from tacita.errors import UsageError
from tacita.masking.catalogue import METHODS
from tacita.masking.method import Treated
from tacita.masking.preconditions import each_named_once, one_of
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

Array = NDArray[np.float64]
Grouping = Literal["mdav", "v-mdav", "blocked-mdav"]
_GROUPINGS = ("mdav", "v-mdav", "blocked-mdav")


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Records are grouped by microaggregation, and each group gets random numbers with its own means and covariances.

    In a group of m records with deviations X from its means, X = U S V' is replaced by F S V', where the columns of F
    are a random orthonormal frame of vectors that sum to 0: the means and X'X are the same, exactly, and apart from
    them the group tells nothing of its records if m - 1 is not below the number of attributes. So means, variances and
    covariances of every group and of the whole file are kept, for any k: k = 3 is near the original, and a k as large
    as the file keeps the first two moments alone.

    Records stay in their place, beside the attributes that are not named. Records that lack the same attributes are
    grouped by themselves, and what is missing stays missing.

    Source: J. Domingo-Ferrer and U. González-Nicolás, Hybrid microdata using microaggregation, Information Sciences 180
    (2010), with the random orthogonal matrices of D. Ting, S. Fienberg and M. Trottini, Random orthogonal matrix
    masking methodology for microdata release, International Journal of Information and Computer Security 2 (2008).

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([1.0, 2, 3, 10, 11, 12]), "wages": Numbers.of([5.0, 4, 6, 9, 7, 8])})
    >>> found = Hybrid(("turnover", "wages"), k=3).treated(firms, np.random.default_rng(1))
    >>> before, after = (each.matrix(("turnover", "wages")) for each in (firms, found.records))
    >>> np.allclose(np.cov(before.T), np.cov(after.T)), np.allclose(before[:3].mean(axis=0), after[:3].mean(axis=0))
    (True, True)
    """

    name: ClassVar[str] = "hybrid"
    promises: ClassVar[str] = (
        "Means and covariances of every group of k records or more, and so of the whole file, are exactly kept; the "
        "numbers within a group are drawn at random."
    )
    limits: ClassVar[str] = (
        "With small groups values are near the original, outliers still stand out as a group, and values may be "
        "impossible, such as negative ones. What no mean or covariance shows is lost within groups."
    )
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    k: int = 10
    """The least number of records in a group."""
    grouping: Grouping = "mdav"
    """The microaggregation that makes the groups."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        one_of(self.grouping, _GROUPINGS, "grouping")
        if self.k < 3:
            raise UsageError(
                "'k' is below 3: two records with given means and variances are the two records",
                do="give 3 or more; more than the number of attributes is better",
            )

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with numbers that are random within their groups."""
        parameters = {"attributes": list(self.attributes), "k": self.k}
        grouped = METHODS.make(self.grouping, parameters).treated(records, random, progress)
        groups = grouped.groups
        assert groups is not None
        values = records.matrix(self.attributes)
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups)
        starts = np.cumsum(sizes) - sizes
        # Groups of one size that lack the same attributes are drawn at once.
        lacking = np.isnan(values[order[starts]])
        patterns, kind = np.unique(np.column_stack([sizes, lacking]), axis=0, return_inverse=True)
        for place, pattern in enumerate(patterns):
            progress(Step(self.name, place, len(patterns)))
            present = np.flatnonzero(pattern[1:] == 0)
            if not len(present):
                continue
            rows = order[starts[kind.reshape(-1) == place][:, None] + np.arange(pattern[0])[None, :]]
            at = rows[:, :, None], present[None, None, :]
            values[at] = redrawn(values[at], random)
        figures = {
            "groups": float(len(sizes)),
            "smallest group": float(sizes.min()),
            "largest group": float(sizes.max()),
        }
        return Treated.in_place(
            records.with_matrix(self.attributes, values), groups=groups, figures=figures, notes=self._notes(records)
        )

    def _notes(self, records: Records) -> tuple[str, ...]:
        notes = []
        if self.k <= len(self.attributes):
            notes.append(
                f"k = {self.k} is not above the {len(self.attributes)} attributes: what is linear in the records of a "
                "group still holds in it"
            )
        whole = [name for name in self.attributes if records.numbers(name).is_whole]
        if whole:
            notes.append(f"'{whole[0]}' holds whole numbers: means and covariances are kept up to rounding")
        return tuple(notes)


def redrawn(groups: Array, random: np.random.Generator) -> Array:
    """Return groups of one size (group, record, attribute), redrawn with their own means and cross products."""
    from tacita.arithmetic.orthogonal import contrasts, factored, from_contrasts, products

    count, size, attributes = groups.shape
    means = groups.mean(axis=1, keepdims=True)
    # Of the contrasts of a group C = Q R the cross products R'R stay, with whatever frame in the place of Q.
    _, upper = factored(contrasts(groups))
    draws = standard_normal((count, size - 1, min(size - 1, attributes)), random)
    # The diagonal is positive: without that the frame would not be uniformly distributed.
    frame, _ = factored(draws)
    return np.asarray(means + from_contrasts(products(frame, upper)))
