"""The classes of a sample counted by their size: how many combinations occur once, twice, three times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.risk.combinations import COUNT, combinations
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Class sizes that occur, ascending, and how many classes have each.

    >>> import numpy as np
    >>> s = Spectrum(np.array([1, 2, 5]), np.array([4, 2, 1]))
    >>> s.records, s.classes, s.of_size(1), s.of_size(3)
    (13, 7, 4, 0)
    """

    sizes: Array
    classes_of_size: Array

    @property
    def records(self) -> int:
        """The records of the sample, n."""
        return int((self.sizes * self.classes_of_size).sum())

    @property
    def classes(self) -> int:
        """The classes of the sample, u."""
        return int(self.classes_of_size.sum())

    def of_size(self, size: int) -> int:
        """Return how many classes have this many records."""
        return int(self.classes_of_size[self.sizes == size].sum())


def spectrum(sample: Sample) -> Spectrum:
    """Return the spectrum of a sample, a missing value being a category.

    Estimators need classes that partition the records. Under maybe-match groups overlap and there is no spectrum.
    """
    import numpy as np

    table = combinations(sample)
    size = exp.column(COUNT)
    plan = (
        exp.select(exp.alias_(size, "size"), exp.alias_(exp.Count(this=exp.Star()), "classes"))
        .from_(table.source())
        .group_by(size.copy())
        .order_by(size.copy())
    )
    rows = sample.engine.run(plan)
    sizes = np.array([row["size"] for row in rows], dtype=np.int64)
    return Spectrum(sizes, np.array([row["classes"] for row in rows], dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many are unique in the population, by one estimator.

    An estimator that does not apply or does not converge says so: a 0 in its place would read as "no risk".
    """

    estimator: str
    population_uniques: float | None = None
    """Members of the population that are alone with their combination, in the sample or not."""
    records: float | None = None
    """Records of the sample that are alone in the population: some of the sample uniques."""
    fails: str = ""
    """Why there is no estimate."""
    note: str = ""
    """What to know about an estimate that is there."""

    @property
    def exists(self) -> bool:
        """Whether there is an estimate."""
        return self.records is not None
