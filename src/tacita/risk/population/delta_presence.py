"""delta-presence: whether the release tells that somebody is, or is not, among its respondents.

Nergiz, Atzori and Clifton, "Hiding the Presence of Individuals from Shared Databases" (SIGMOD 2007). Somebody of the
population is in the sample with probability n / N, where N of the population and n records have their combination; it
has to lie between `least` and `most`. Where being in the file is itself sensitive (a register of patients), a high
probability tells that somebody is in, a low one that somebody is not. People whose combination no record has are surely
not in the sample: they violate any `least` above 0, but have no record that could be at risk, so the figures tell them.

Each class stands for itself: where records with hidden values might be the same people, no probability is shared out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from sqlglot import exp

from tacita.engines.plans.terms import as_double, number
from tacita.errors import UsageError, listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.bounds import exceeds, risk_where
from tacita.risk.class_risks import ClassFigure, check, class_risks
from tacita.risk.combinations import COUNT, NUMBER, combinations
from tacita.risk.measure import Risks, Specification
from tacita.risk.population.register import (
    POPULATION_FREQUENCY,
    absent_from_sample,
    lacking,
    misfits,
    population_frequencies,
)
from tacita.risk.sample import Sample

PRESENCE = "presence"


@dataclass(frozen=True, slots=True)
class DeltaPresence:
    """Risk 1 if the probability that somebody with the record's values is in the sample is outside [least, most]."""

    most: float = 0.5
    least: float = 0.0
    threshold: float = 0.5
    name: ClassVar[str] = "delta-presence"
    uses_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.most <= 1:
            raise UsageError(
                f"presence is to lie between {self.least} and {self.most}",
                do="give two probabilities from 0 to 1, least and most",
            )

    def lacks(self, sample: Sample) -> list[str]:
        """Return whether the population is missing, or does not go with the records."""
        return lacking(sample)

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk and the probability of presence of each record; in the figures, who is surely absent."""
        check(self, sample)
        presence = exp.column(PRESENCE)
        outside = exp.or_(exceeds(presence, number(self.most)), exceeds(number(self.least), presence))
        plan = exp.select(
            NUMBER,
            exp.alias_(risk_where(outside), "risk"),
            exp.alias_(presence.copy(), "f0"),
            exp.alias_(exp.column(POPULATION_FREQUENCY), "f1"),
        ).from_(_presences(sample).subquery("a"))
        figures = [
            ClassFigure(PRESENCE, ColumnType.NUMBER),
            ClassFigure(POPULATION_FREQUENCY, ColumnType.INTEGER, least_is_worst=True),
        ]
        risks = class_risks(sample, self, figures, {"": plan}, misfits(sample))
        absent, people = absent_from_sample(sample)
        least = 0.0 if absent else _least(sample, _presences(sample))
        further = {"least_presence": least, "absent_combinations": absent, "absent_population": people}
        return replace(risks, figures={**risks.figures, **further})

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how probable it is to be in the sample, and how probable it may be."""
        return (
            f"who has this {listed(list(sample.known), 9)} is in the data with probability {record[PRESENCE]:.3g}; "
            f"must be from {self.least:g} to {self.most:g}"
        )

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: there is no rule program of it."""
        return None


def _least(sample: Sample, presences: exp.Select) -> float:
    """Return the smallest probability of presence."""
    plan = exp.select(exp.alias_(exp.Min(this=exp.column(PRESENCE)), "least")).from_(presences.subquery("a"))
    return float(sample.engine.run(plan)[0]["least"] or 0)


def _presences(sample: Sample) -> exp.Select:
    """Return the plan of the probability of presence of each class; 1 where there are more records than people."""
    count, frequency = exp.column(COUNT, table="g"), exp.column(POPULATION_FREQUENCY, table="p")
    ratio = exp.Div(this=as_double(count), expression=as_double(frequency))
    fewer = exp.LT(this=count.copy(), expression=frequency.copy())
    presence = exp.Case(ifs=[exp.If(this=fewer, true=ratio)], default=number(1.0))
    equal = exp.column(NUMBER, table="g").eq(exp.column(NUMBER, table="p"))
    return (
        exp.select(exp.column(NUMBER, table="g"), exp.alias_(presence, PRESENCE), frequency.copy())
        .from_(combinations(sample).source().as_("g"))
        .join(population_frequencies(sample).source().as_("p"), on=equal, copy=False)
    )
