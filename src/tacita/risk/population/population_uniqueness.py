"""Population uniqueness: how many records that are alone in the sample are alone in the population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from tacita.errors import UsageError
from tacita.progress import Progress, Step, silent
from tacita.risk.combinations import COUNT, NUMBER, codes, combinations
from tacita.risk.measure import Risks, Specification
from tacita.risk.population.estimators import log_linear, pitman, slide_negative_binomial, zayatz
from tacita.risk.population.estimators.size import UNKNOWN_SIZE, KnownSize, population_size
from tacita.risk.population.estimators.spectrum import Estimate, spectrum
from tacita.risk.population.log_linear import NULLS_ARE_VALUES, checked_model, nulls_would_match
from tacita.risk.population.register import POPULATION_FREQUENCY, lacking, population_frequencies
from tacita.risk.sample import Sample

COUNTED = "counted"
_SMALL_FRACTION = 0.1
"""Up to this sampling fraction Dankar et al. trust Pitman's model."""


@dataclass(frozen=True, slots=True)
class PopulationUniqueness:
    """Estimates of the number of population uniques; a measure of the file as a whole.

    Estimators: ``zayatz``, ``slide_negative_binomial``, ``pitman`` and ``log_linear``, each with its formula in
    `population`; ``counted`` if the population itself is there. Every estimator gives four figures:

    - ``<estimator>_population_uniques``: members of the population that are alone with their combination;
    - ``<estimator>_records``: records of the sample that are such, between 0 and the sample uniques;
    - ``<estimator>_share_of_records`` and ``<estimator>_share_of_uniques``: the same, over all records and over the
      sample uniques. The second is the chance that an intruder's unique match is certain.

    ``chosen_*`` repeats the estimator that the rule of Dankar et al. takes. An estimator without a solution has no
    figures and a note. Classes must not overlap, so that a missing value is a category here, whatever it is elsewhere.

    Source of the rule: F. Dankar, K. El Emam, A. Neisa and T. Roffey, Estimating the re-identification risk of clinical
    data sets, BMC Medical Informatics and Decision Making 12 (2012).
    """

    threshold: float = 0.0
    population_size: int | None = None
    sampling_fraction: float | None = None
    model: log_linear.LogLinearModel = log_linear.LogLinearModel.TWO_WAY
    cells: int = log_linear.CELLS
    name: ClassVar[str] = "population-uniqueness"
    figures_by: ClassVar[str] = "estimator"
    uses_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        KnownSize(self.population_size, self.sampling_fraction)
        object.__setattr__(self, "model", checked_model(self.model))

    @property
    def known_size(self) -> KnownSize:
        """What the user says of the population's size."""
        return KnownSize(self.population_size, self.sampling_fraction)

    def lacks(self, sample: Sample) -> list[str]:
        """Return that the size of the population is not known, or what is wrong with the population."""
        unfit = lacking(sample) if sample.population is not None else []
        return unfit if self.known_size.knows_size(sample) else [UNKNOWN_SIZE]

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the estimates."""
        if missing := self.lacks(sample):
            raise UsageError("; ".join(missing))
        counted = spectrum(sample)
        size, note = population_size(sample, self.known_size)
        notes = [note, NULLS_ARE_VALUES if nulls_would_match(sample) else ""]
        estimates = []
        for estimator in (zayatz.zayatz, slide_negative_binomial.slide_negative_binomial, pitman.pitman):
            progress(Step(f"estimating population uniques ({estimator.__name__.replace('_', ' ')})"))
            estimates.append(estimator(counted, size))
        progress(Step("fitting the log-linear model"))
        by_cells, its_notes, matches = self._log_linear(sample, size)
        estimates.append(by_cells)
        if sample.population is not None:
            estimates.append(_counted(sample))
        fraction = counted.records / size if size else 0.0
        chosen, why = dankar(estimates, fraction)
        notes += [why, *its_notes, *(f"{e.estimator}: {e.fails or e.note}" for e in estimates if e.fails or e.note)]
        uniques = counted.of_size(1)
        figures = {
            "records": float(counted.records),
            "classes": float(counted.classes),
            "sample_uniques": float(uniques),
            "population_size": size,
            "sampling_fraction": fraction,
            "log_linear_expected_matches": matches,
        }
        for prefix, estimate in [(e.estimator, e) for e in estimates] + [("chosen", chosen)]:
            figures |= _figures(prefix, estimate, counted.records, uniques)
        rows = [
            {
                "estimator": e.estimator,
                "population_uniques": e.population_uniques,
                "records": e.records,
                "chosen": e is chosen,
                "note": e.fails or e.note,
            }
            for e in estimates
        ]
        tables = {"estimators": rows}
        return Risks(self.name, self.threshold, None, figures, tables, tuple(filter(None, notes)))

    def _log_linear(self, sample: Sample, size: float) -> tuple[Estimate, tuple[str, ...], float]:
        """Return tau_1 as an estimate, and tau_2: the sum of E(1/F) over sample uniques."""
        coded = codes(sample)
        fit = log_linear.fitted(coded, size, self.model, self.cells)
        alone = fit.unique(coded.counts)
        in_population = float((alone / fit.fractions).sum())
        matches = float(fit.risk(coded.counts)[coded.counts == 1].sum())
        return Estimate(log_linear.NAME, in_population, float(alone.sum())), fit.notes, matches

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return that the measure is not about single records."""
        return "an estimate for the file as a whole"

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: an estimate is no rule."""
        return None


def dankar(estimates: Sequence[Estimate], fraction: float) -> tuple[Estimate, str]:
    """Return the estimate that Dankar et al. would take, and why.

    Up to a sampling fraction of 0.1, Pitman's; Zayatz' where that has no solution. Above, the smaller of Zayatz' and
    the slide negative binomial's: both tend to be too high.
    """
    by_name = {estimate.estimator: estimate for estimate in estimates}
    first, second, third = (by_name[module.NAME] for module in (zayatz, slide_negative_binomial, pitman))
    if fraction <= _SMALL_FRACTION:
        why = f"the sampling fraction is {fraction:.3g}, at most {_SMALL_FRACTION}"
        if third.exists:
            return third, f"chosen: pitman, since {why}"
        return first, f"chosen: zayatz, since {why} and pitman has no solution"
    why = f"the sampling fraction is {fraction:.3g}, above {_SMALL_FRACTION}"
    if first.records is not None and second.records is not None and second.records <= first.records:
        return second, f"chosen: slide_negative_binomial, since {why}, and it is not above zayatz"
    other = "is higher" if second.exists else "has no solution"
    return first, f"chosen: zayatz, since {why}, and slide_negative_binomial {other}"


def _counted(sample: Sample) -> Estimate:
    """Return how many combinations the population has once, and how many of them are in the sample, once."""
    population = sample.population
    assert population is not None
    once, name = exp.Literal.number(1), exp.alias_(exp.Count(this=exp.Star()), "n")
    single = exp.select(exp.alias_(once, "one")).from_(population.source()).group_by(*population.physical(sample.known))
    single = single.having(exp.Count(this=exp.Star()).eq(once.copy()))
    frequencies, table = population_frequencies(sample), combinations(sample)
    both = exp.select(name.copy()).from_(frequencies.source().as_("p"))
    both = both.join(table.source().as_("g"), on=exp.column(NUMBER, table="g").eq(exp.column(NUMBER, table="p")))
    both = both.where(exp.column(COUNT, table="g").eq(1), exp.column(POPULATION_FREQUENCY, table="p").eq(1))
    uniques, records = (
        int(sample.engine.run(plan)[0]["n"]) for plan in (exp.select(name).from_(single.subquery("u")), both)
    )
    return Estimate(COUNTED, float(uniques), float(records))


def _figures(prefix: str, estimate: Estimate, records: int, uniques: int) -> dict[str, float]:
    if estimate.records is None or estimate.population_uniques is None:
        return {}
    return {
        f"{prefix}_population_uniques": estimate.population_uniques,
        f"{prefix}_records": estimate.records,
        f"{prefix}_share_of_records": estimate.records / records if records else 0.0,
        f"{prefix}_share_of_uniques": estimate.records / uniques if uniques else 0.0,
    }
