"""k-map: whether fewer than k of the population have a record's combination of values.

Sweeney, "Computational Disclosure Control" (thesis, MIT 2001): k-anonymity where the intruder does not know who is in
the sample, but holds a register of everybody. It needs that register (`register`). A record whose
combination nobody has is a sign that register and sample do not go together; its risk is 1, since nothing is known to
hide it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from tacita.errors import UsageError, listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.bounds import risk_where
from tacita.risk.class_risks import ClassFigure, check, class_risks
from tacita.risk.combinations import NUMBER
from tacita.risk.measure import Risks, Specification
from tacita.risk.population.register import POPULATION_FREQUENCY, lacking, misfits, population_frequencies
from tacita.risk.sample import Sample


@dataclass(frozen=True, slots=True)
class KMap:
    """Risk 1 if fewer than k of the population have the record's values of the known attributes, 0 otherwise."""

    k: int = 3
    threshold: float = 0.5
    name: ClassVar[str] = "k-map"
    counts_look_alikes: ClassVar[bool] = True
    uses_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.k < 1:
            raise UsageError(f"k is {self.k}", do="give a number of people from 1 on")

    @classmethod
    def by_default(cls, sample: Sample, k: int) -> KMap | None:
        """Return the measure as it is taken if nobody chose one."""
        return cls(k) if sample.population is not None else None

    def lacks(self, sample: Sample) -> list[str]:
        """Return whether the population is missing, or does not go with the records."""
        return lacking(sample)

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk and the population frequency of each record."""
        check(self, sample)
        table = population_frequencies(sample)
        frequency = exp.column(POPULATION_FREQUENCY)
        few = risk_where(exp.LT(this=frequency, expression=exp.Literal.number(self.k)))
        plan = exp.select(NUMBER, exp.alias_(few, "risk"), exp.alias_(frequency.copy(), "f0")).from_(table.source())
        figure = ClassFigure(POPULATION_FREQUENCY, ColumnType.INTEGER, least_is_worst=True)
        return class_risks(sample, self, [figure], {"": plan}, misfits(sample))

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how many of the population are alike, and how many are needed."""
        known = listed(list(sample.known), 9)
        if not record[POPULATION_FREQUENCY]:
            return f"nobody in the population has this {known}; needs {self.k}"
        return f"one of {record[POPULATION_FREQUENCY]:,} in the population with this {known}; needs {self.k}"

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: there is no rule program of it."""
        return None
