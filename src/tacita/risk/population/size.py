"""How large the population is, and how many of it share each combination of the sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.plans.joins import same
from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import EngineRelation
from tacita.errors import UsageError
from tacita.model.relation import Column, ColumnType
from tacita.risk.combinations import NUMBER, codes, combinations
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

UNKNOWN_SIZE = (
    "the size of the population is not known, so neither is the sampling fraction; name the weight in the dictionary, "
    "hand in the population, or give population_size or sampling_fraction"
)


@dataclass(frozen=True, slots=True)
class Told:
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
        told = self.population_size is not None or self.sampling_fraction is not None
        return told or sample.population is not None or sample.weight is not None


def population_size(sample: Sample, told: Told) -> tuple[float, str]:
    """Return the size of the population, and a note if it had to be corrected.

    What the user says comes first, then the population itself, then the sum of the weights. A population is never
    smaller than its sample.
    """
    found = codes(sample)
    records = int(found.counts.sum())
    if told.population_size is not None:
        size, source = float(told.population_size), "population_size"
    elif told.sampling_fraction is not None:
        size, source = records / told.sampling_fraction, "sampling_fraction"
    elif sample.population is not None:
        size, source = float(sample.population.count()), "the population handed in"
    else:
        size, source = float(found.weights.sum()), "the sum of the weights"
    if size < records:
        return float(records), (
            f"{source} says that the population is smaller than the sample; the sample was taken for the population"
        )
    return size, ""


def population_counts(sample: Sample, population: EngineRelation) -> Array:
    """Return how many of the population have each combination of the sample, in the order of the combinations.

    A missing value is the same as a missing value only: a register that knows less than the sample finds less.
    """
    import numpy as np

    table = combinations(sample)
    ours = [_comparable(table.column(name), population.column(name)) for name in sample.known]
    theirs = [_comparable(population.column(name), table.column(name)) for name in sample.known]
    names = [f"k{place}" for place in range(len(sample.known))]
    counted = (
        exp.select(*(exp.alias_(t, n) for t, n in zip(theirs, names, strict=True)))
        .select(exp.alias_(exp.Count(this=exp.Star()), "found"))
        .from_(population.source())
        .group_by(*(term.copy() for term in theirs))
    )
    keyed = (
        exp.select(*(exp.alias_(t, n) for t, n in zip(ours, names, strict=True))).select(NUMBER).from_(table.source())
    )
    number, count = exp.column(NUMBER, table="s"), exp.column("found", table="p")
    plan = (
        exp.select(exp.alias_(exp.func("coalesce", count, exp.Literal.number(0)), "found"))
        .from_(keyed.subquery("s"))
        .join(counted.subquery("p"), on=same("s", "p", names), join_type="left", copy=False)
        .order_by(number)
    )
    parts = [batch.column(0).to_numpy(zero_copy_only=False) for batch in sample.engine.stream(plan, 1_000_000)]
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)


def _comparable(column: Column, other: Column) -> exp.Expr:
    """Return a column as a term that can be compared with its namesake, whose text may be coded otherwise."""
    term = exp.column(column.physical)
    coded = column.is_coded or other.is_coded
    return as_text(term) if coded or (column.type is ColumnType.TEXT) != (other.type is ColumnType.TEXT) else term
