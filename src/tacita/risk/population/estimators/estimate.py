"""What an estimator of population uniqueness returns: two numbers, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass


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
