"""An assessment for machines: plain values under names that stay."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tacita.assessment.assessment import Assessment, ScenarioAssessment
from tacita.assessment.comparison import SIZES, Alike
from tacita.assessment.finding import Finding
from tacita.risk.catalogue import settable

_DIGITS = 12
"""Significant digits: sums of fractions may differ beyond, from run to run, by the order in which threads add."""


def as_dict(assessment: Assessment) -> dict[str, Any]:
    """Return an assessment as plain values."""
    dictionary = assessment.microdata.dictionary
    return {
        "microdata": assessment.microdata.name,
        "records": assessment.records,
        "safe": assessment.is_safe,
        "verdict": assessment.verdict,
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
                "risk": plain(record.risk),
                "reasons": [
                    {"measure": measure, "risk": plain(risk), "reason": reason}
                    for measure, risk, reason in record.reasons
                ],
                "waterfall": [{"source": rise.source, "risk": plain(rise.risk)} for rise in record.waterfall],
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
        told |= {
            "unsafe": found.unsafe,
            "unsafe_share": plain(found.unsafe_share),
            "probabilities": found.risks.are_probabilities,
            "expected_reidentifications": plain(found.expected) if found.risks.are_probabilities else None,
            "average_risk": plain(found.average) if found.risks.are_probabilities else None,
            "highest_risk": plain(found.highest),
            "distribution": [
                {"above": each.low, "up_to": each.high, "records": each.records} for each in found.distribution
            ],
        }
    return told | {
        "figures": plain(found.risks.figures),
        "tables": plain(found.risks.tables),
        "notes": list(found.risks.notes),
    }


def parameters(measure: object) -> dict[str, Any]:
    """Return the parameters of a measure that can be typed."""
    from tacita.risk.cluster_risk import ClusterRisk
    from tacita.risk.ruled import Ruled

    if isinstance(measure, ClusterRisk):
        return parameters(measure.measure)
    if isinstance(measure, Ruled):
        return {str(name): plain(value) for name, value in measure.parameters.items()}
    return {each.name: plain(getattr(measure, each.name)) for each in settable(type(measure))}


def _alike(each: Alike) -> dict[str, Any]:
    ends = [*(high - 1 for high in SIZES[1:]), None]
    return {
        "nulls": each.nulls.in_words,
        "smallest": plain(each.smallest),
        "uniques": each.uniques,
        "under_k": each.under,
        "by_size": [
            {"from": low, "to": high, "records": records}
            for low, high, records in zip(SIZES, ends, each.by_size, strict=True)
        ],
    }


def plain(value: Any) -> Any:
    """Return a value as JSON knows it; numbers to twelve digits, and none that JSON lacks.

    >>> plain({"x": (0.1 + 0.2, float("nan"), 3.0)})
    {'x': [0.3, None, 3]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, str | bool | int | None):
        return value if not isinstance(value, str) else str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        rounded = float(f"{value:.{_DIGITS}g}")
        return int(rounded) if rounded == int(rounded) and abs(rounded) < 10**15 else rounded
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    return plain(value.item()) if hasattr(value, "item") else str(value)
