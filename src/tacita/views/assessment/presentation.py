"""What a reader sees of an assessment, worked out once: text, JSON and HTML only differ in how they set it.

Every figure and every choice of what to show is made here. A form that wants a further figure gets it from here, so
that the three cannot contradict each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tacita.assess.assessment import Assessment, ScenarioAssessment
from tacita.assess.comparison import SIZES
from tacita.assess.finding import Finding
from tacita.assess.riskiest import RiskyRecord
from tacita.errors import counted
from tacita.model.figures import figure
from tacita.parameters import parameters_of
from tacita.risk.bounds import is_above
from tacita.views.json_values import DIGITS, plain

_TELLING = ("k", "l", "t", "alpha", "beta", "largest", "dimension", "estimate")
"""Parameters that say what a measure's figures mean."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict in a word, and in a sentence."""

    word: Literal["SAFE", "NOT SAFE", "MEASURED"]
    sentence: str


@dataclass(frozen=True, slots=True)
class MeasureFigures:
    """What one measure of records found, as it is shown everywhere."""

    name: str
    parameters: Mapping[str, Any]
    threshold: float
    unsafe: int
    unsafe_share: float
    expected: float | None
    """Expected re-identifications; None if the risks are not probabilities, as with k-anonymity."""
    average: float | None
    highest: float

    @property
    def telling(self) -> str:
        """The parameters without which the figures mean little, such as ``k = 3``."""
        shown = [f"{name} = {value}" for name, value in self.parameters.items() if name in _TELLING]
        return ", ".join(shown[:2])


def headline(assessment: Assessment) -> Headline:
    """Return the verdict."""
    of_records = any(finding.is_of_records for s in assessment.scenarios for finding in s.findings)
    word: Literal["SAFE", "NOT SAFE"] = "SAFE" if assessment.is_safe else "NOT SAFE"
    return Headline(word if of_records else "MEASURED", assessment.verdict)


def measures(scenario: ScenarioAssessment) -> tuple[MeasureFigures, ...]:
    """Return the figures of the measures of records, in their order."""
    return tuple(measure_figures(finding) for finding in scenario.findings if finding.is_of_records)


def measure_figures(finding: Finding) -> MeasureFigures:
    """Return the figures of one measure."""
    return MeasureFigures(
        finding.name,
        parameters(finding.measure),
        finding.risks.threshold,
        finding.unsafe,
        finding.unsafe_share,
        finding.expected,
        finding.average,
        finding.highest,
    )


def parameters(measure: object) -> dict[str, Any]:
    """Return the parameters of a measure that can be typed."""
    from tacita.risk.cluster_risk import ClusterRisk
    from tacita.risk.ruled import Ruled

    if isinstance(measure, ClusterRisk):
        return parameters(measure.measure)
    if isinstance(measure, Ruled):
        return {str(name): plain(value, DIGITS) for name, value in measure.parameters.items()}
    return {
        parameter.name: plain(getattr(measure, parameter.name), DIGITS) for parameter in parameters_of(type(measure))
    }


def sizes() -> tuple[tuple[str, int, int | None], ...]:
    """Return the classes by which look-alikes are counted: a name, the lowest and the highest number."""
    ends: list[int | None] = [*(high - 1 for high in SIZES[1:]), None]
    return tuple(
        (f"{low}" if low == high else f"{low} and more" if high is None else f"{low} to {high}", low, high)
        for low, high in zip(SIZES, ends, strict=True)
    )


def look_alikes(scenario: ScenarioAssessment) -> str:
    """Return in a sentence how many records look alike at least, and how many are unique."""
    smallest = figure(scenario.alike.smallest)
    return f"At least {smallest} look alike (k = {smallest}); {counted(scenario.alike.uniques, 'sample unique')}."


def contributions(scenario: ScenarioAssessment) -> dict[str, float]:
    """Return the share of SUDA scores in which an attribute has a part, by attribute; nothing without SUDA."""
    return {
        row["attribute"]: row["percent"] / 100
        for finding in scenario.findings
        for row in finding.risks.tables.get("attributes", ())
        if row.get("percent")
    }


def unsafe_keys(scenario: ScenarioAssessment) -> list[tuple[str, int, int]]:
    """Return combinations of attributes, the unsafe cells in them and the records of these; the riskiest first."""
    return [
        (
            row["attributes"] if isinstance(row["attributes"], str) else " x ".join(row["attributes"]),
            row["unsafe_cells"],
            row.get("unsafe_records", 0),
        )
        for finding in scenario.findings
        for row in finding.risks.tables.get("keys", ())
        if row["unsafe_cells"]
    ]


def risky(scenario: ScenarioAssessment) -> list[RiskyRecord]:
    """Return the riskiest records that have a risk."""
    return [record for record in scenario.riskiest if record.risk > 0]


def reasons(scenario: ScenarioAssessment, record: RiskyRecord) -> tuple[tuple[str, float, str], ...]:
    """Return what the measures that call a record unsafe say of it; the first of all if none does."""
    thresholds = {finding.name: finding.risks.threshold for finding in scenario.findings}
    return (
        tuple(reason for reason in record.reasons if is_above(reason[1], thresholds[reason[0]])) or record.reasons[:1]
    )
