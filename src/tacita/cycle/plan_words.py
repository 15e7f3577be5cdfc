"""A plan in words of JSON: the settings that are kept with an outcome, and the claim that is made of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from tacita.cycle.outcome import Claim
from tacita.cycle.plan import Plan
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls
from tacita.risk.together import Together, parts_of

_NOT_HERE = {
    *("measure", "links", "nulls", "missing_as", "known", "population"),
    *("related", "inputs", "program", "parameters", "sensitive", "identifiers", "weight", "release"),
}
"""Fields that stand elsewhere in the settings, or in the manifest of the release."""


def claim_of(plan: Plan, known: tuple[str, ...], nulls: Nulls) -> Claim:
    """Return what is claimed of data that a plan made safe."""
    measure = plan.measure
    parts = measure.measures if isinstance(measure, Together) else ()
    return Claim(
        source_or_name(measure),
        parameters_of(measure),
        known,
        nulls.words,
        plan.cluster if plan.cluster_risk else None,
        next(iter(plan.links), None),
        tuple((source_or_name(part), parameters_of(part)) for part in parts),
    )


def source_or_name(measure: Measure) -> str:
    """Return the file of the rules that a measure is, or its name."""
    return str(getattr(getattr(measure, "program", None), "source", measure.name))


def settings_of(plan: Plan, known: Sequence[str], nulls: Nulls) -> dict[str, Any]:
    """Return a plan in words of JSON."""
    others = {field.name: _plain(getattr(plan, field.name)) for field in fields(plan) if field.name not in _NOT_HERE}
    return {
        "measure": plan.measure.name,
        "parameters": parameters_of(plan.measure),
        "measures": [
            {"measure": source_or_name(part), "parameters": parameters_of(part)} for part in parts_of(plan.measure)
        ],
        "known": list(known),
        "nulls": nulls.in_words,
        **others,
        "links": list(plan.links),
    }


def parameters_of(measure: Measure) -> dict[str, Any]:
    """Return the parameters of a measure that can be written down."""
    if isinstance(measure, Together):
        return {"threshold": measure.threshold}
    if not is_dataclass(measure):
        return {"threshold": measure.threshold}
    if hasattr(measure, "program"):
        return {**{k: _plain(v) for k, v in measure.parameters.items()}, "threshold": measure.threshold}
    values = {field.name: _plain(getattr(measure, field.name)) for field in fields(measure) if field.init}
    return {
        name: value for name, value in values.items() if value is None or isinstance(value, str | int | float | list)
    }


def _plain(value: Any) -> Any:
    """Return a value in words of JSON."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, str):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float) else str(value)
