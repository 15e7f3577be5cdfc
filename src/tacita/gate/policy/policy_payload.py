"""A policy as JSON values without fractions: what the ledger keeps, so that decisions can be repeated from it alone.

Numbers that are not whole are text in the shortest form that reads back as the same number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.gate.policy.policy import (
    GatePolicy,
    GateRuleName,
    HoldVisibility,
    ObserverModel,
    ObserverReach,
    RuleParameters,
    ValueDependency,
)
from tacita.gate.policy.values import Bins, CellReader, ListedValues, ValueScheme
from tacita.gate.rules.start import StartOptions


def policy_payload(policy: GatePolicy) -> dict[str, Any]:
    """Return a policy as JSON values; the text of its file is not among them."""
    return {
        "name": policy.name,
        "source": policy.source,
        "key": list(policy.key),
        "attributes": list(policy.attributes),
        "recipients": list(policy.recipients),
        "retry": repr(policy.retry),
        "observer": {
            "gathers": str(policy.observer.gathers),
            "holds": str(policy.observer.holds),
            "knows_sizes": policy.observer.knows_sizes,
        },
        "dependencies": [_dependency(one) for one in policy.dependencies],
    }


def policy_of(payload: Mapping[str, Any], text: str = "") -> GatePolicy:
    """Return the policy of JSON values."""
    observer = payload["observer"]
    return GatePolicy(
        payload["name"],
        tuple(payload["key"]),
        tuple(payload["attributes"]),
        ObserverModel(
            ObserverReach(observer["gathers"]), HoldVisibility(observer["holds"]), bool(observer["knows_sizes"])
        ),
        tuple(_dependency_of(one) for one in payload["dependencies"]),
        payload["source"],
        tuple(payload["recipients"]),
        float(payload["retry"]),
        text,
    )


def _dependency(one: ValueDependency) -> dict[str, Any]:
    values, start, rules = one.values, one.start, one.parameters
    return {
        "name": one.name,
        "target": one.target,
        "targets": None if one.targets is None else list(one.targets),
        "values": {
            "attributes": list(values.attributes),
            "readers": [_reader(reader) for reader in values.readers],
            "labels": list(values.labels),
            "shares": _texts(values.shares),
            "places": [[place, *codes] for codes, place in sorted(values.places.items())],
            "shows_values": values.shows_values,
        },
        "rules": [str(rule) for rule in one.rules],
        "start": {
            "records": list(start.records) if isinstance(start.records, tuple) else start.records,
            "accuracy": _text(start.accuracy),
            "exposures": _texts(start.exposures),
            "fits": _lists(start.fits),
            "is_first": start.is_first,
        },
        "parameters": {
            "others": rules.others,
            "comparable": _text(rules.comparable),
            "evidence": _text(rules.evidence),
            "alarm": _text(rules.alarm),
            "shares_alarm": rules.shares_alarm,
            "limit": _text(rules.limit),
            "concentration": _text(rules.concentration),
            "ordinary": _text(rules.ordinary),
        },
        "sizes": None if one.sizes is None else list(one.sizes),
        "slack": _text(one.slack),
        "fits": _lists(one.fits),
    }


def _dependency_of(given: Mapping[str, Any]) -> ValueDependency:
    values, start, rules = given["values"], given["start"], given["parameters"]
    records = start["records"]
    return ValueDependency(
        given["name"],
        given["target"],
        None if given["targets"] is None else tuple(given["targets"]),
        ValueScheme(
            tuple(values["attributes"]),
            tuple(_reader_of(reader) for reader in values["readers"]),
            tuple(values["labels"]),
            _numbers(values["shares"]),
            {tuple(codes): place for place, *codes in values["places"]},
            values["shows_values"],
        ),
        tuple(GateRuleName(rule) for rule in given["rules"]),
        StartOptions(
            tuple(records) if isinstance(records, list) else records,
            _number(start["accuracy"]),
            _numbers(start["exposures"]),
            _tuples(start["fits"]),
            start["is_first"],
        ),
        RuleParameters(
            rules["others"],
            float(rules["comparable"]),
            _number(rules["evidence"]),
            float(rules["alarm"]),
            rules["shares_alarm"],
            float(rules["limit"]),
            _number(rules["concentration"]),
            _number(rules["ordinary"]),
        ),
        None if given["sizes"] is None else tuple(given["sizes"]),
        float(given["slack"]),
        _tuples(given["fits"]),
    )


def _reader(reader: CellReader) -> dict[str, Any]:
    if isinstance(reader, Bins):
        return {"edges": _texts(reader.edges), "names": list(reader.names), "has_missing": reader.has_missing}
    return {"labels": list(reader.labels)}


def _reader_of(given: Mapping[str, Any]) -> CellReader:
    if "edges" in given:
        return Bins(_numbers(given["edges"]), tuple(given["names"]), given["has_missing"])
    return ListedValues(tuple(given["labels"]))


def _text(number: float | None) -> str | None:
    return None if number is None else repr(float(number))


def _texts(numbers: Sequence[float]) -> list[str]:
    return [repr(float(number)) for number in numbers]


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)


def _numbers(texts: Sequence[str]) -> tuple[float, ...]:
    return tuple(map(float, texts))


def _lists(rows: Sequence[Sequence[int]] | None) -> list[list[int]] | None:
    return None if rows is None else [list(row) for row in rows]


def _tuples(rows: Sequence[Sequence[int]] | None) -> tuple[tuple[int, ...], ...] | None:
    return None if rows is None else tuple(tuple(row) for row in rows)
