"""How large the population is."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.errors import InputError, UsageError
from tacita.risk.combinations import codes
from tacita.risk.sample import Sample

_LARGEST = 1e13
"""Above this a sum of weights is no count of persons or firms."""
UNKNOWN_SIZE = (
    "the size of the population is not known, so neither is the sampling fraction; name the weight in the dictionary, "
    "hand in the population, or give population_size or sampling_fraction"
)


@dataclass(frozen=True, slots=True)
class KnownSize:
    """What a user says about the size of the population, if anything; at most one of the two."""

    population_size: int | None = None
    sampling_fraction: float | None = None

    def __post_init__(self) -> None:
        if self.population_size is not None and self.sampling_fraction is not None:
            raise UsageError(
                "both population_size and sampling_fraction are given",
                do="give one of them: each follows from the other",
            )
        if self.population_size is not None and self.population_size < 1:
            raise UsageError(
                f"population_size is {self.population_size}", do="give a number of persons or firms from 1 on"
            )
        if self.sampling_fraction is not None and not 0 < self.sampling_fraction <= 1:
            raise UsageError(f"sampling_fraction is {self.sampling_fraction}", do="give a share above 0 and at most 1")

    def knows_size(self, sample: Sample) -> bool:
        """Return whether the size of the population can be had."""
        is_given = self.population_size is not None or self.sampling_fraction is not None
        return is_given or sample.population is not None or sample.weight is not None


def population_size(sample: Sample, given: KnownSize) -> tuple[float, str]:
    """Return the size of the population, and a note if it had to be corrected.

    What the user says comes first, then the population itself, then the sum of the weights. A population is never
    smaller than its sample.
    """
    coded = codes(sample)
    records = int(coded.counts.sum())
    if given.population_size is not None:
        size, source = float(given.population_size), "population_size"
    elif given.sampling_fraction is not None:
        size, source = records / given.sampling_fraction, "sampling_fraction"
    elif sample.population is not None:
        size, source = float(sample.population.count()), "the population handed in"
    else:
        size, source = float(coded.weights.sum()), "the sum of the weights"
    if size > _LARGEST or float(coded.weights.sum()) < records / _LARGEST:
        raise InputError(
            "the weights are of no population: they add up to more than anybody counts, or to nothing",
            where=f"weight of '{sample.microdata.name}'",
            do="a weight is how many of the population a record stands for: correct it, or give population_size",
        )
    if size < records:
        return float(records), (
            f"{source} says that the population is smaller than the sample; the sample was taken for the population"
        )
    return size, ""
