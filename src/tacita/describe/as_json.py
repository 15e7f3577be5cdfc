"""A description as plain values."""

from __future__ import annotations

import math
from typing import Any

from tacita.describe.describe import Description, Uniques
from tacita.describe.labels import label_of
from tacita.model.attribute import Category
from tacita.model.profile import AttributeProfile
from tacita.model.proposal import Proposal


def as_dict(description: Description) -> dict[str, Any]:
    """Return a description as values that JSON can hold."""
    microdata = description.microdata
    readings = {reading.name: reading for reading in microdata.readings}
    attributes = []
    for name, profile in description.profiles.items():
        attribute = microdata.attribute(name)
        entry: dict[str, Any] = {
            "name": name,
            "description": attribute.description,
            "kind": profile.kind.value,
            "category": description.category(name).value,
            "category_from": "dictionary" if attribute.category else "proposal",
            **profile_dict(profile),
        }
        if description.category(name) is Category.IDENTIFIER:
            entry |= {"least": None, "greatest": None, "most_frequent": []}
        if name in readings:
            reading = readings[name]
            entry["read_as"] = {
                "type": reading.type.value,
                "reason": reading.reason,
                "doubtful": reading.doubtful,
            }
        if attribute.labels:
            entry["labels"] = dict(attribute.labels)
            entry["most_frequent"] = [
                {**each, "label": label_of(each["value"], attribute.labels)} for each in entry["most_frequent"]
            ]
        if name in description.proposals:
            entry["proposal"] = proposal_dict(description.proposals[name])
        attributes.append(entry)
    return {
        "name": microdata.name,
        "source": {
            "name": microdata.source.name,
            "format": microdata.source.format,
            **dict(microdata.source.details),
        },
        "rows": description.rows,
        "attributes": attributes,
        "uniques": uniques_dict(description.uniques),
    }


def uniques_dict(uniques: Uniques | None) -> dict[str, Any] | None:
    """Return how many tuples stand out."""
    if uniques is None:
        return None
    return {
        "quasi_identifiers": list(uniques.quasi_identifiers),
        "tuples": uniques.tuples,
        "combinations": uniques.combinations,
        "sample_uniques": uniques.sample_uniques,
        "under": {str(k): n for k, n in uniques.under.items()},
    }


def profile_dict(profile: AttributeProfile) -> dict[str, Any]:
    """Return the figures of a profile."""
    moments = profile.moments
    return {
        "type": profile.type.value,
        "rows": profile.rows,
        "missing": profile.missing,
        "distinct": profile.distinct,
        "singles": profile.singles,
        "entropy": profile.entropy,
        "least": _number(profile.least) if moments else profile.least,
        "greatest": _number(profile.greatest) if moments else profile.greatest,
        "most_frequent": [{"value": value, "count": count} for value, count in profile.most_frequent],
        "mean": _number(str(moments.mean)) if moments else None,
        "standard_deviation": _number(str(moments.deviation)) if moments else None,
        "quantiles": dict(zip(("1%", "25%", "50%", "75%", "99%"), moments.quantiles, strict=True)) if moments else None,
        "histogram": list(profile.histogram),
    }


def proposal_dict(proposal: Proposal) -> dict[str, Any]:
    """Return a proposal with its reasons."""
    return {
        "category": proposal.category.value,
        "confidence": round(proposal.confidence, 3),
        "why": proposal.why,
        "conflict": proposal.conflict or None,
        "reasons": [
            {"category": r.category.value, "strength": round(r.strength, 3), "text": r.text} for r in proposal.reasons
        ],
    }


def _number(text: str | None) -> float | str | None:
    """Return a number for JSON; what JSON cannot hold (infinity) stays text."""
    if text is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else text
