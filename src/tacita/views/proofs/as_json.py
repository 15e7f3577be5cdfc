"""A proof as JSON: a flat list of facts that name each other by number, so that no reader has to go deep.

`SCHEMA` describes it in the words of JSON Schema.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any

from tacita.rules.proofs.finding.attempts import Attempt
from tacita.rules.proofs.templates import sentence_of
from tacita.rules.proofs.tree import (
    Binding,
    Changed,
    Computed,
    Computes,
    Derived,
    Gathers,
    GivenFact,
    GroundFact,
    Holds,
    LostFact,
    Merged,
    Misses,
    Open,
    Premise,
    Proof,
    Remembers,
    RuleName,
    Step,
    Uses,
    Violated,
)
from tacita.rules.proofs.why_not import WhyNot
from tacita.rules.proofs.words import condition, violation
from tacita.rules.reasoner.values import Null, Record

VERSION = 1


def as_json(proof: Proof) -> dict[str, Any]:
    """Return a proof as dictionaries, lists, texts and numbers."""
    numbers = {fact: number for number, fact in enumerate(proof.steps)}
    facts = [{"id": numbers[fact], **_fact(proof, step, numbers)} for fact, step in proof.steps.items()]
    return {"version": VERSION, "goal": numbers[proof.goal], "complete": proof.is_complete, "facts": facts}


def _fact(proof: Proof, step: Step, numbers: Mapping[GroundFact, int]) -> dict[str, Any]:
    fact = step.fact
    shown: dict[str, Any] = {
        "predicate": fact.predicate,
        "values": [encoded(value) for value in fact.values],
        "text": str(fact),
        "sentence": violation(step) if isinstance(step, Violated) else sentence_of(fact, proof.models),
    }
    return shown | _step(step, numbers)


def _step(step: Step, numbers: Mapping[GroundFact, int]) -> dict[str, Any]:
    match step:
        case GivenFact(_, where):
            return {"kind": "given", "where": where}
        case Derived():
            return {
                "kind": "derived",
                "round": step.round,
                "rule": _rule(step.rule),
                "binding": _binding(step.binding),
                "premises": [_premise(p, numbers) for p in step.premises],
                "made": _new_nulls(step),
                "merged": [_merged(merged) for merged in step.merged],
                "explanation": step.explanation,
                "superseded": step.is_superseded,
            }
        case Computed(_, round_, function, premises):
            encoded_premises = [_premise(p, numbers) for p in premises]
            return {"kind": "computed", "round": round_, "function": function, "premises": encoded_premises}
        case Changed():
            return {
                "kind": "changed",
                "round": step.round,
                "epoch": step.epoch,
                "rule": _rule(step.rule),
                "binding": _binding(step.binding),
                "premises": [_premise(p, numbers) for p in step.premises],
                "made": _new_nulls(step),
                "explanation": step.explanation,
            }
        case Open(_, round_):
            return {"kind": "open", "round": round_}
        case LostFact(_, round_, reason):
            return {"kind": "lost", "round": round_, "reason": reason}
        case Violated():
            return {
                "kind": "violated",
                "rule": _rule(step.rule),
                "binding": _binding(step.binding),
                "premises": [_premise(p, numbers) for p in step.premises],
                "message": step.text,
            }


def _rule(rule: RuleName) -> dict[str, str]:
    return {"name": rule.name, "module": rule.module, "origin": rule.origin, "text": rule.text}


def _new_nulls(step: Derived | Changed) -> list[dict[str, Any]]:
    return [
        {"null": new.null.number, "variable": new.variable, "frontier": _binding(new.frontier)}
        for new in step.new_nulls
    ]


def _merged(merged: Merged) -> dict[str, Any]:
    because = [{"rule": _rule(one.rule), "facts": [str(fact) for fact in one.facts]} for one in merged.because]
    fields = {"null": merged.null.number, "became": encoded(merged.became), "rule": merged.rule, "round": merged.round}
    return fields | {"because": because}


def _binding(binding: Binding) -> dict[str, Any]:
    return {name: encoded(value) for name, value in binding}


def _premise(premise: Premise, numbers: Mapping[GroundFact, int] | None) -> dict[str, Any]:
    match premise:
        case Uses(fact):
            return {"kind": "fact", "id": numbers[fact]} if numbers is not None else {"kind": "fact", "text": str(fact)}
        case Remembers(text, epoch):
            return {"kind": "remembered", "text": text, "epoch": epoch}
        case Holds(written, operator, values):
            compared = [encoded(value) for value in values]
            words = condition(premise)
            return {"kind": "condition", "written": written, "operator": operator, "values": compared, "words": words}
        case Computes(variable, written, value):
            return {"kind": "assignment", "variable": variable, "written": written, "value": encoded(value)}
        case Misses(written, looked_for):
            return {"kind": "negation", "written": written, "looked_for": looked_for}
        case Gathers():
            return {
                "kind": "aggregate",
                "function": premise.function,
                "written": premise.written,
                "variable": premise.variable,
                "value": encoded(premise.value),
                "number": premise.number,
                "contributors": [
                    {
                        "names": _binding(one.names),
                        "value": encoded(one.value),
                        "premises": [_premise(p, numbers) for p in one.premises],
                    }
                    for one in premise.contributors
                ],
            }


def why_not_as_json(answer: WhyNot) -> dict[str, Any]:
    """Return why a fact does not hold, and how far each rule goes."""
    return {
        "version": VERSION,
        "fact": answer.fact,
        "verdict": answer.verdict,
        "near": [str(fact) for fact in answer.near],
        "attempts": [_attempt(attempt) for attempt in answer.attempts],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    """Return how far a rule goes, as JSON; facts are written out."""
    return {
        "rule": _rule(attempt.rule),
        "kind": attempt.kind,
        "words": attempt.words,
        "written": attempt.written,
        "satisfied": max(attempt.satisfied, 0),
        "steps": attempt.steps,
        "matches": attempt.number,
        "premises": [_premise(p, None) for p in (*attempt.premises, *attempt.gathers)],
        "facts": [str(fact) for fact in attempt.facts],
    }


def encoded(value: Any) -> Any:
    """Return a value as JSON: numbers, texts and booleans as they are, everything else with its kind.

    >>> encoded(Null(3)), encoded(frozenset({"b", "a"})), encoded(datetime.date(2026, 1, 31))
    ({'null': 3}, {'set': ['a', 'b']}, {'date': '2026-01-31'})
    """
    match value:
        case Null(number):
            return {"null": number}
        case Record(items):
            return {"record": {name: encoded(part) for name, part in items}}
        case frozenset():
            return {
                "set": sorted(
                    (encoded(member) for member in value), key=lambda member: (str(type(member)), str(member))
                )
            }
        case tuple():
            return {"list": [encoded(part) for part in value]}
        case datetime.datetime():
            return {"timestamp": value.isoformat(sep=" ")}
        case datetime.date():
            return {"date": value.isoformat()}
        case float() if not math.isfinite(value):
            return {"number": str(value)}  # JSON has no infinity
    return value


# -- the schema --------------------------------------------------------------------------------------------------------


def _object(kind: str = "", **properties: Any) -> dict[str, Any]:
    fields = {"kind": {"const": kind}, **properties} if kind else properties
    return {"type": "object", "required": list(fields), "additionalProperties": False, "properties": fields}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT, _NUMBER, _VALUE = {"type": "string"}, {"type": "integer"}, {"$ref": "#/$defs/value"}
_VALUES = {"type": "object", "additionalProperties": _VALUE}
_PREMISES = _list({"$ref": "#/$defs/premise"})
_MADE = _list(_object(null=_NUMBER, variable=_TEXT, frontier=_VALUES))
_RULE = _object(name=_TEXT, module=_TEXT, origin=_TEXT, text=_TEXT)
_FACT: dict[str, Any] = {
    "id": _NUMBER,
    "predicate": _TEXT,
    "values": _list(_VALUE),
    "text": _TEXT,
    "sentence": {"type": ["string", "null"]},
}
_BY_RULE: dict[str, Any] = {"round": _NUMBER, "rule": _RULE, "binding": _VALUES, "premises": _PREMISES, "made": _MADE}
_BECAUSE = _list(_object(rule=_RULE, facts=_list(_TEXT)))
_MERGED = _list(_object(null=_NUMBER, became=_VALUE, rule=_TEXT, round=_NUMBER, because=_BECAUSE))

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Why a fact holds",
    **_object(
        version={"const": VERSION},
        goal={"type": "integer", "description": "the id of the fact that is proved"},
        complete={"type": "boolean", "description": "whether everything was followed back to given facts"},
        facts=_list({"$ref": "#/$defs/fact"}),
    ),
    "$defs": {
        "value": {
            "description": "a number, a text or a boolean; null: no value; or an object with the kind of the value: "
            "null (its label), set, list (pairs too), record, date, timestamp",
            "oneOf": [
                {"type": ["number", "string", "boolean", "null"]},
                _object(null=_NUMBER),
                _object(set=_list(_VALUE)),
                _object(list=_list(_VALUE)),
                _object(record=_VALUES),
                _object(date=_TEXT),
                _object(timestamp=_TEXT),
                _object(number=_TEXT),
            ],
        },
        "premise": {
            "oneOf": [
                _object("fact", id=_NUMBER),
                _object("remembered", text=_TEXT, epoch=_NUMBER),
                _object("condition", written=_TEXT, operator=_TEXT, values=_list(_VALUE), words=_TEXT),
                _object("assignment", variable=_TEXT, written=_TEXT, value=_VALUE),
                _object("negation", written=_TEXT, looked_for=_TEXT),
                _object(
                    "aggregate",
                    function=_TEXT,
                    written=_TEXT,
                    variable=_TEXT,
                    value=_VALUE,
                    number={"type": "integer", "description": "how many contributors there are, listed or not"},
                    contributors=_list(_object(names=_VALUES, value=_VALUE, premises=_PREMISES)),
                ),
            ]
        },
        "fact": {
            "oneOf": [
                _object("given", **_FACT, where=_TEXT),
                _object(
                    "derived",
                    **_FACT,
                    **_BY_RULE,
                    merged=_MERGED,
                    explanation=_TEXT,
                    superseded={"type": "boolean", "description": "held for some rounds only"},
                ),
                _object("computed", **_FACT, round=_NUMBER, function=_TEXT, premises=_PREMISES),
                _object("changed", **_FACT, **_BY_RULE, epoch=_NUMBER, explanation=_TEXT),
                _object("open", **_FACT, round=_NUMBER),
                _object("lost", **_FACT, round=_NUMBER, reason=_TEXT),
                _object("violated", **_FACT, rule=_RULE, binding=_VALUES, premises=_PREMISES, message=_TEXT),
            ]
        },
    },
}
"""The JSON of a proof."""
