"""An assessment for machines: plain values under names that stay."""

from __future__ import annotations

from typing import Any

from tacita.assess.assessment import Assessment, ScenarioAssessment
from tacita.assess.comparison import Alike
from tacita.assess.finding import Finding
from tacita.views.assessment.presentation import headline, measure_figures, parameters, sizes


def assessment_dict(assessment: Assessment) -> dict[str, Any]:
    """Return an assessment as plain values."""
    dictionary = assessment.microdata.dictionary
    return {
        "microdata": assessment.microdata.name,
        "records": assessment.records,
        "safe": assessment.is_safe,
        "verdict": headline(assessment).sentence,
        "weight": dictionary.weight,
        "proposed": sorted(assessment.proposals),
        "scenarios": [_scenario(scenario) for scenario in assessment.scenarios],
        "notes": list(assessment.notes),
    }


def _scenario(scenario: ScenarioAssessment) -> dict[str, Any]:
    return {
        "name": scenario.name,
        "known": list(scenario.known),
        "safe": scenario.is_safe,
        "k": scenario.k,
        "measures": [_finding(finding) for finding in scenario.findings],
        "frequencies": _alike(scenario.alike),
        "null_semantics": [_alike(part) for part in scenario.nulls],
        "attributes": [
            {"attribute": part.attribute, "unsafe_without": part.unsafe_without, "saved": part.saved}
            for part in scenario.attributes
        ],
        "riskiest": [
            {
                "row": record.row,
                "risk": record.risk,
                "reasons": [
                    {"measure": measure, "risk": risk, "reason": reason} for measure, risk, reason in record.reasons
                ],
                "waterfall": [{"source": rise.source, "risk": rise.risk} for rise in record.waterfall],
            }
            for record in scenario.riskiest
        ],
        "skipped": [{"measure": name, "reason": reason} for name, reason in scenario.skipped],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "measure": finding.name,
        "parameters": parameters(finding.measure),
        "threshold": finding.risks.threshold,
    }
    if finding.is_of_records:
        figures = measure_figures(finding)
        fields |= {
            "unsafe": figures.unsafe,
            "unsafe_share": figures.unsafe_share,
            "probabilities": finding.risks.are_probabilities,
            "expected_reidentifications": figures.expected,
            "average_risk": figures.average,
            "highest_risk": figures.highest,
            "distribution": [
                {"above": part.low, "up_to": part.high, "records": part.records} for part in finding.distribution
            ],
        }
    return fields | {
        "figures": finding.risks.figures,
        "tables": finding.risks.tables,
        "notes": list(finding.risks.notes),
    }


def _alike(alike: Alike) -> dict[str, Any]:
    return {
        "nulls": alike.nulls.in_words,
        "smallest": alike.smallest,
        "uniques": alike.uniques,
        "under_k": alike.under,
        "by_size": [
            {"from": low, "to": high, "records": records}
            for (_, low, high), records in zip(sizes(), alike.by_size, strict=True)
        ],
    }
