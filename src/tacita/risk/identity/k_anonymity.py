"""k-anonymity: whether fewer than k records share a combination of values (Algorithm 4 of the VADA-SA paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from tacita.errors import UsageError, listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.bounds import TOLERANCE, fewer_than, risk_where
from tacita.risk.frequencies import FREQUENCY, frequencies_of_records, frequency_type
from tacita.risk.measure import RISK, ROW, Risks, Specification, stored_risks
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Risk 1 if fewer than k records look alike on the known attributes, 0 otherwise."""

    k: int = 3
    threshold: float = 0.5
    name: ClassVar[str] = "k-anonymity"
    counts_look_alikes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.k < 1:
            raise UsageError(f"k is {self.k}", do="give a number of records from 1 on")

    @classmethod
    def by_default(cls, sample: Sample, k: int) -> KAnonymity:
        """Return the measure as it is taken if nobody chose one."""
        return cls(k)

    def lacks(self, sample: Sample) -> list[str]:
        """Return nothing: records and what the intruder knows are enough."""
        return []

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk and the frequency of each record."""
        counted = frequencies_of_records(sample, progress)
        frequency = exp.column("c1")
        risk = risk_where(fewer_than(frequency, self.k))
        plan = exp.select(
            exp.alias_(exp.column("c0"), "c0"), exp.alias_(risk, "c1"), exp.alias_(frequency.copy(), "c2")
        ).from_(counted.subquery("f"))
        columns = {ROW: ColumnType.INTEGER, RISK: ColumnType.NUMBER, FREQUENCY: frequency_type(sample)}
        records = stored_risks(sample.engine, plan, columns)
        return Risks(self.name, self.threshold, records)

    def risk_of(self, frequency: Array, population: Array) -> Array:
        """Return the risk of records with so many look-alikes."""
        few: Array = (frequency < self.k - TOLERANCE * self.k).astype(float)
        return few

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how many look alike, and how many are needed."""
        return f"one of {record[FREQUENCY]:,g} with this {listed(list(sample.known), 9)}; needs {self.k}"

    def specification(self, sample: Sample) -> Specification:
        """Return Algorithm 4."""
        return Specification("k_anonymity", {"k": self.k, "AnonSet": list(sample.known)})
