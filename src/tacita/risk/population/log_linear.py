"""Risk of each record by a log-linear model: how likely a match with the population is the right one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tacita.errors import UsageError, did_you_mean, listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, Step, silent
from tacita.risk.combinations import adopted, codes, of_each_record
from tacita.risk.frequencies import FREQUENCY, has_nulls
from tacita.risk.measure import RISK, ROW, Risks, Specification, stored_risks
from tacita.risk.population.estimators.log_linear import CELLS, LogLinearModel, fitted
from tacita.risk.population.estimators.size import UNKNOWN_SIZE, KnownSize, population_size
from tacita.risk.sample import Sample

EXPECTED, UNIQUE = "expected", "unique"
NULLS_ARE_VALUES = "missing values were taken as a category of their own: the model needs classes that do not overlap"


@dataclass(frozen=True, slots=True)
class LogLinear:
    """Risk E(1/F | f) under the log-linear model of Skinner and Shlomo (2008).

    ``expected`` is lambda, the number of the population that the model expects with the record's combination;
    ``unique`` is P(F=1 | f=1), the chance that a sample unique is a population unique. Neighbouring cells lend
    strength to each other: of two sample uniques, the one with common values on each pair of attributes is safer.
    """

    threshold: float = 0.1
    population_size: int | None = None
    sampling_fraction: float | None = None
    model: LogLinearModel = LogLinearModel.TWO_WAY
    cells: int = CELLS
    name: ClassVar[str] = "log-linear"

    def __post_init__(self) -> None:
        KnownSize(self.population_size, self.sampling_fraction)
        object.__setattr__(self, "model", checked_model(self.model))

    @property
    def known_size(self) -> KnownSize:
        """What the user says of the population's size."""
        return KnownSize(self.population_size, self.sampling_fraction)

    def lacks(self, sample: Sample) -> list[str]:
        """Return that the size of the population is needed, if nothing tells it."""
        return [] if self.known_size.knows_size(sample) else [UNKNOWN_SIZE]

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk of each record, and the expected uniques and matches of the file."""
        if missing := self.lacks(sample):
            raise UsageError("; ".join(missing))
        progress(Step("fitting the log-linear model"))
        coded = codes(sample)
        size, note = population_size(sample, self.known_size)
        fit = fitted(coded, size, self.model, self.cells)
        unique, risk = fit.unique(coded.counts), fit.risk(coded.counts)
        columns = {RISK: risk, FREQUENCY: coded.counts, EXPECTED: fit.expected, UNIQUE: unique}
        plan = of_each_record(sample, adopted(sample, columns), list(columns))
        kinds = {ROW: ColumnType.INTEGER, **dict.fromkeys(columns, ColumnType.NUMBER), FREQUENCY: ColumnType.INTEGER}
        once = coded.counts == 1
        figures = {
            "sample_uniques": float(once.sum()),
            "population_uniques_in_sample": float(unique.sum()),
            "expected_matches_of_uniques": float(risk[once].sum()),
            "expected_matches": float((risk * coded.counts).sum()),
        }
        notes = [note, *fit.notes, NULLS_ARE_VALUES if nulls_would_match(sample) else ""]
        records = stored_risks(sample.engine, plan, kinds)
        remarks = tuple(filter(None, notes))
        return Risks(self.name, self.threshold, records, figures, are_probabilities=True, notes=remarks)

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how many look alike in the sample, and how many the model expects in the population."""
        return (
            f"one of {record[FREQUENCY]:,g} with this {listed(list(sample.known), 9)}; "
            f"their margins let expect {record[EXPECTED]:,.3g} in the population"
        )

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: a fit is no rule."""
        return None


def nulls_would_match(sample: Sample) -> bool:
    """Return whether the sample has nulls that should match other values, which classes cannot do."""
    return not sample.nulls.are_values and has_nulls(sample)


def checked_model(name: str) -> LogLinearModel:
    """Return the log-linear model of that name, or raise with the nearest one."""
    names = [str(model) for model in LogLinearModel]
    if name not in names:
        fault = f"no log-linear model '{name}'{did_you_mean(name, names)}"
        raise UsageError(fault, do=f"use one of: {', '.join(names)}")
    return LogLinearModel(name)
