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
        "measures": [_finding(found) for found in scenario.findings],
        "frequencies": _alike(scenario.alike),
        "null_semantics": [_alike(each) for each in scenario.nulls],
        "attributes": [
            {"attribute": each.attribute, "unsafe_without": each.unsafe_without, "saved": each.saved}
            for each in scenario.attributes
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


def _finding(found: Finding) -> dict[str, Any]:
    told: dict[str, Any] = {
        "measure": found.name,
        "parameters": parameters(found.measure),
        "threshold": found.risks.threshold,
    }
    if found.is_of_records:
        figures = measure_figures(found)
        told |= {
            "unsafe": figures.unsafe,
            "unsafe_share": figures.unsafe_share,
            "probabilities": found.risks.are_probabilities,
            "expected_reidentifications": figures.expected,
            "average_risk": figures.average,
            "highest_risk": figures.highest,
            "distribution": [
                {"above": each.low, "up_to": each.high, "records": each.records} for each in found.distribution
            ],
        }
    return told | {
        "figures": found.risks.figures,
        "tables": found.risks.tables,
        "notes": list(found.risks.notes),
    }


def _alike(each: Alike) -> dict[str, Any]:
    return {
        "nulls": each.nulls.in_words,
        "smallest": each.smallest,
        "uniques": each.uniques,
        "under_k": each.under,
        "by_size": [
            {"from": low, "to": high, "records": records}
            for (_, low, high), records in zip(sizes(), each.by_size, strict=True)
        ],
    }
