"""The file as a whole: prosecutor, journalist and marketer risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from tacita.engines.arrow import as_numpy
from tacita.engines.protocol import Relation
from tacita.progress import Progress, silent
from tacita.risk.combinations import NUMBER, codes
from tacita.risk.frequencies import FREQUENCY, frequencies, frequencies_of_records
from tacita.risk.measure import Risks, Specification
from tacita.risk.population.register import POPULATION_FREQUENCY, lacking, population_frequencies
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_NO_POPULATION = (
    "nothing tells how often combinations occur in the population: there is no journalist or marketer risk; name the "
    "weight in the dictionary, or hand in the population"
)


@dataclass(frozen=True, slots=True)
class FileRisk:
    """The risk that three attackers are to the whole file: prosecutor, journalist and marketer, after El Emam.

    Let f be how many records of the file share a record's combination, F how many of the population do, n the records.

    - The *prosecutor* knows that the target is in the file: risk 1/f. ``prosecutor_records_at_risk`` counts records
      with 1/f above the threshold, ``prosecutor_highest`` is the largest 1/f, ``prosecutor_average`` the mean over
      records: classes over records, if nulls do not make groups overlap.
    - The *journalist* does not know it and has a register of the population: risk 1/F. ``journalist_average`` is the
      larger of classes / sum of F over classes (someone of the register is looked up in the file) and of the mean of
      1/F over records (someone of the file is looked up in the register).
    - The *marketer* links all records at once: ``marketer_average`` is the mean of 1/F, ``marketer_expected`` their
      sum.

    ``*_expected`` is the expected number of right links if every record is tried. F is counted in the population if it
    is there, otherwise it is the sum of weights; it is never taken below f. Without both, only the prosecutor has
    figures.

    Source: K. El Emam, Guide to the De-Identification of Personal Health Information, 2013; the same
    three models are in ARX. The default threshold 0.2 is cells of five.
    """

    threshold: float = 0.2
    name: ClassVar[str] = "file-risk"
    figures_by: ClassVar[str] = "attacker"
    uses_population: ClassVar[bool] = True

    @classmethod
    def by_default(cls, sample: Sample, k: int) -> FileRisk:
        """Return the measure as it is taken if nobody chose one."""
        return cls()

    def lacks(self, sample: Sample) -> list[str]:
        """Return why records cannot be looked up in the population; without one there are only fewer figures."""
        return lacking(sample) if sample.population is not None else []

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the figures of the file."""
        import numpy as np

        counts = codes(sample).counts
        frequency = _of_combinations(sample, frequencies(sample), FREQUENCY)
        records = int(counts.sum())
        alone = int(counts[frequency <= 1].sum())
        figures = {
            "records": float(records),
            "classes": float(len(counts)),
            "sample_uniques": float(alone),
            "sample_uniques_share": alone / records if records else 0.0,
            **self._attacker("prosecutor", counts, frequency),
        }
        if sample.population is not None:
            population = _of_combinations(sample, population_frequencies(sample), POPULATION_FREQUENCY)
            who = "the population has"
        elif sample.weight is not None:
            counts, frequency, population = _weighed(sample)
            who = "weights say that the population has"
        else:
            return Risks(self.name, self.threshold, None, figures, notes=(_NO_POPULATION,))
        notes = []
        if short := int(counts[population < frequency].sum()):
            what = f"fewer than the file of the combinations of {short:,} records; the file's number was taken"
            notes.append(f"{who} {what}")
        population = np.maximum(population, frequency)
        figures |= self._attacker("journalist", counts, population)
        linked = figures["journalist_average"]
        figures["marketer_average"], figures["marketer_expected"] = linked, linked * records
        # sums over classes, written as sums over records so that they mean something where groups overlap
        looked_up = (counts / frequency).sum() / (counts * population / frequency).sum() if records else 0.0
        figures["journalist_average"] = max(linked, float(looked_up))
        figures["journalist_expected"] = figures["journalist_average"] * records
        return Risks(self.name, self.threshold, None, figures, notes=tuple(notes))

    def _attacker(self, who: str, counts: Array, alike: Array) -> dict[str, float]:
        risk, records = 1 / alike, int(counts.sum())
        expected = float((counts * risk).sum())
        at_risk = int(counts[risk > self.threshold].sum())
        return {
            f"{who}_records_at_risk": float(at_risk),
            f"{who}_share_at_risk": at_risk / records if records else 0.0,
            f"{who}_highest": float(risk.max()) if records else 0.0,
            f"{who}_average": expected / records if records else 0.0,
            f"{who}_expected": expected,
        }

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return that the measure is not about single records."""
        return "a figure of the file as a whole"

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: sums over the file are no rule about a record."""
        return None


def _of_combinations(sample: Sample, counted: Relation, name: str) -> Array:
    """Return a column of each combination, in the order of their numbers."""
    plan = exp.select(*counted.physical([name])).from_(counted.source())
    return _arrays(sample, plan.order_by(*counted.physical([NUMBER])), 1)[0]


def _weighed(sample: Sample) -> list[Array]:
    """Return how many records have a frequency and a population, and these: records with the same two together."""
    both = [exp.column("c1"), exp.column("c2")]
    plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n"), *both)
    plan = plan.from_(frequencies_of_records(sample).subquery("f")).group_by(*(column.copy() for column in both))
    return _arrays(sample, plan, 3)


def _arrays(sample: Sample, plan: exp.Query, columns: int) -> list[Array]:
    import numpy as np

    parts = list(sample.engine.stream(plan, 1_000_000))
    return [
        np.concatenate([np.zeros(0), *(as_numpy(part.column(place)) for part in parts)]) for place in range(columns)
    ]
