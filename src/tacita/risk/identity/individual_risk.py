"""Individual risk: how likely a record is found, estimated from the sample and its weights.

How often a combination occurs in the population is not known. Its frequency f in the sample and the sum F of the
weights of those records are. Three estimates of the mean of one over the population frequency:

- *posterior*: the mean under the negative binomial distribution of Benedetti and Franconi, exact for every f;
- *ratio*: f / F, the form of the VADA-SA paper (Algorithm 5);
- *approximate*: sdcMicro's, for comparisons with its figures.

Without weights the file is taken for the whole population, and every estimate is 1 / f.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from tacita.engines.arrow import as_numpy
from tacita.engines.plans.terms import as_double
from tacita.engines.protocol import Relation
from tacita.errors import listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.combinations import NUMBER, adopted, of_each_record
from tacita.risk.frequencies import FREQUENCY, POPULATION, frequencies, frequencies_of_records, frequency_type
from tacita.risk.measure import RISK, ROW, Risks, Specification, stored_risks
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


class RiskEstimate(StrEnum):
    """How the mean of one over the population frequency is estimated."""

    POSTERIOR = "posterior"
    """Exact posterior mean (Benedetti and Franconi)."""
    RATIO = "ratio"
    """f / F (VADA-SA, Algorithm 5)."""
    APPROXIMATE = "approximate"
    """sdcMicro's approximation for f > 2."""


@dataclass(frozen=True, slots=True)
class IndividualRisk:
    """The probability that an intruder who knows a record's values finds it in the population."""

    estimate: RiskEstimate = RiskEstimate.POSTERIOR
    threshold: float = 0.1
    name: ClassVar[str] = "individual-risk"

    @classmethod
    def by_default(cls, sample: Sample, k: int) -> IndividualRisk:
        """Return the measure as it is taken if nobody chose one."""
        # Without weights the risk is one over how many look alike: the same bar as that of k-anonymity.
        return cls() if sample.weight else cls(threshold=1 / k)

    def lacks(self, sample: Sample) -> list[str]:
        """Return nothing: without a weight the file is its own population."""
        return []

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return risk, frequency and population of each record."""
        counted = frequencies(sample, progress)
        if POPULATION in {column.name for column in counted.columns}:
            plan = self._by_combination(sample, counted)
        else:
            plan = self._by_record(sample)
        columns = {
            ROW: ColumnType.INTEGER,
            RISK: ColumnType.NUMBER,
            FREQUENCY: frequency_type(sample),
            POPULATION: ColumnType.NUMBER,
        }
        notes = [] if sample.weight else ["no weight: the file is taken for the whole population; the risk is 1 / f"]
        records = stored_risks(sample.engine, plan, columns)
        return Risks(self.name, self.threshold, records, are_probabilities=True, notes=notes)

    def _by_combination(self, sample: Sample, counted: Relation) -> exp.Select:
        frequency, population = _arrays(sample, counted, NUMBER)
        estimated = adopted(
            sample, {RISK: self.risk_of(frequency, population), FREQUENCY: frequency, POPULATION: population}
        )
        return of_each_record(sample, estimated, [RISK, FREQUENCY, POPULATION])

    def _by_record(self, sample: Sample) -> exp.Select:
        """Return the plan where records of one combination differ: their own weight counts otherwise."""
        columns = {ROW: ColumnType.INTEGER, FREQUENCY: ColumnType.NUMBER, POPULATION: ColumnType.NUMBER}
        records = stored_risks(sample.engine, frequencies_of_records(sample), columns)
        frequency, population = _arrays(sample, records, ROW)
        estimated = adopted(sample, {RISK: self.risk_of(frequency, population)})
        terms = [
            exp.column("c0", table="r"),
            exp.column(estimated.column(RISK).physical, table="e"),
            exp.column("c1", table="r"),
            exp.column("c2", table="r"),
        ]
        number = exp.column(estimated.column(NUMBER).physical, table="e")
        plan = exp.select(*(exp.alias_(term, f"c{i}") for i, term in enumerate(terms)))
        on = exp.EQ(this=exp.column("c0", table="r"), expression=number)
        return plan.from_(records.source().as_("r")).join(estimated.source().as_("e"), on=on)

    def risk_of(self, frequency: Array, population: Array) -> Array:
        """Return the risk of records with so many look-alikes that stand for so many of the population."""
        import numpy as np

        from tacita.risk.identity.posterior import posterior_mean, sdcmicro_approximation

        if self.estimate is RiskEstimate.RATIO:
            ratio: Array = np.minimum(1.0, frequency / population)
            return ratio
        estimated = posterior_mean if self.estimate is RiskEstimate.POSTERIOR else sdcmicro_approximation
        return estimated(frequency, population)

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how many records look alike, and how many of the population they stand for."""
        alike = f"one of {record[FREQUENCY]:,g} with this {listed(list(sample.known), 9)}"
        if sample.weight is None:
            return alike
        return f"{alike}, standing for {record[POPULATION]:,.4g} of the population"

    def specification(self, sample: Sample) -> Specification | None:
        """Return Algorithm 5, which defines the ratio; the other estimates take frequency and population from it."""
        if sample.weight is None:
            return None
        same = self.estimate is RiskEstimate.RATIO
        return Specification("individual_risk", {"AnonSet": list(sample.known)}, same_risk=same)


def _arrays(sample: Sample, relation: Relation, order: str) -> tuple[Array, Array]:
    import numpy as np
    import pyarrow as pa

    terms = [as_double(term) for term in relation.physical([FREQUENCY, POPULATION])]
    plan = exp.select(*(exp.alias_(term, f"x{i}") for i, term in enumerate(terms))).from_(relation.source())
    batches = list(sample.engine.stream(plan.order_by(relation.column(order).physical), 1_000_000))
    if not batches:
        return np.empty(0), np.empty(0)
    table = pa.Table.from_batches(batches)
    return as_numpy(table.column(0)), as_numpy(table.column(1))
