"""Re-identification: one over the number in the population that a record's combination stands for (Algorithm 3).

Without weights every record stands for itself, and the risk is one over the number of records that look alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from tacita.errors import listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.frequencies import FREQUENCY, POPULATION, frequencies_of_records, frequency_type
from tacita.risk.measure import RISK, ROW, Risks, Specification, stored_risks
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Reidentification:
    """The risk 1 / F of equation 1 of the VADA-SA paper, F being the sum of the weights of the combination."""

    threshold: float = 0.1
    name: ClassVar[str] = "reidentification"

    def lacks(self, sample: Sample) -> list[str]:
        """Return nothing: without a weight every record stands for itself."""
        return []

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return risk, frequency and population of each record."""
        counted = frequencies_of_records(sample, progress).subquery("f")
        one, population = exp.Literal.number("1.0"), exp.column("c2")
        risk = exp.func("least", one, exp.Div(this=one.copy(), expression=population, typed=False, safe=False))
        terms = [exp.column("c0"), risk, exp.column("c1"), population.copy()]
        plan = exp.select(*(exp.alias_(term, f"c{i}") for i, term in enumerate(terms))).from_(counted)
        columns = {
            ROW: ColumnType.INTEGER,
            RISK: ColumnType.NUMBER,
            FREQUENCY: frequency_type(sample),
            POPULATION: ColumnType.NUMBER,
        }
        notes = [] if sample.weight else ["no weight: every record stands for itself alone"]
        records = stored_risks(sample.engine, plan, columns)
        return Risks(self.name, self.threshold, records, are_probabilities=True, notes=notes)

    def risk_of(self, frequency: Array, population: Array) -> Array:
        """Return the risk of records whose look-alikes stand for so many of the population."""
        import numpy as np

        inverse: Array = np.minimum(1.0, 1.0 / population)
        return inverse

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how many of the population look alike."""
        known = listed(list(sample.known), 9)
        return f"one of {record[POPULATION]:,.4g} in the population with this {known}"

    def specification(self, sample: Sample) -> Specification | None:
        """Return Algorithm 3, which needs weights."""
        return Specification("reidentification", {"AnonSet": list(sample.known)}) if sample.weight else None
