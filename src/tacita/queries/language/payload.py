"""A question as JSON values for the ledger, and back: exactly, without fractions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tacita.errors import InternalError, LedgerError
from tacita.queries.question import AskedStatistic, Both, DataQuestion, Either, Except, Predicate, Selection, Statistic

_DEEPEST = 100
_SHARE = re.compile(r"[0-9]{1,110}(/[0-9]{1,110})?")


def question_payload(question: DataQuestion) -> dict[str, Any]:
    """Return a question as texts, whole numbers, lists and maps. Codes are those of the cube that was asked.

    >>> question_payload(DataQuestion((AskedStatistic(Statistic.COUNT),), Selection("sex", frozenset({1})), ("area",)))
    {'figures': [['count', '', '', '0']], 'where': {'attribute': 'sex', 'codes': [1]}, 'groups': ['area'], 'labels': []}
    """
    payload: dict[str, Any] = {
        "figures": [[str(one.statistic), one.measure, one.other, str(one.share)] for one in question.aggregates],
        "where": _predicate_payload(question.predicate),
        "groups": list(question.groups),
        "labels": list(question.labels),
    }
    return payload | ({"levels": [list(level) for level in question.levels]} if question.levels else {})


def _predicate_payload(predicate: Predicate) -> dict[str, Any]:
    match predicate:
        case Selection(attribute, codes):
            return {"attribute": attribute, "codes": sorted(codes)}
        case Both(parts):
            return {"both": [_predicate_payload(part) for part in parts]}
        case Either(parts):
            return {"either": [_predicate_payload(part) for part in parts]}
        case Except(part):
            return {"except": _predicate_payload(part)}
    raise InternalError("a question has a predicate of an unknown kind")


def question_from_payload(payload: Mapping[str, Any]) -> DataQuestion:
    """Return the question of a payload. Raises `LedgerError` if it is not one, without quoting it."""
    try:
        _check_keys(payload, {"figures", "where", "groups", "labels"} | ({"levels"} & set(payload)))
        return DataQuestion(
            tuple(_aggregate(one) for one in _list(payload["figures"])),
            _predicate(payload["where"], 0),
            tuple(_text(one) for one in _list(payload["groups"])),
            tuple(_text(one) for one in _list(payload["labels"])),
            tuple(tuple(_text(name) for name in _list(level)) for level in _list(payload.get("levels", []))),
        )
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        raise LedgerError(
            "a question of the ledger cannot be read",
            do="verify the ledger: it was written by another version, or changed",
        ) from None


def _aggregate(payload: Any) -> AskedStatistic:
    statistic, measure, other, share = (_text(one) for one in _list(payload))
    if not _SHARE.fullmatch(share) or str(Fraction(share)) != share:
        raise ValueError("a share has another form")
    return AskedStatistic(Statistic(statistic), measure, other, Fraction(share))


def _predicate(payload: Any, depth: int) -> Predicate:
    if depth > _DEEPEST or not isinstance(payload, Mapping):
        raise ValueError("not a predicate")
    match dict(payload):
        case {"attribute": attribute, "codes": codes, **rest} if not rest:
            numbers = [_number(code) for code in _list(codes)]
            if numbers != sorted(set(numbers)):
                raise ValueError("codes are not in order")
            return Selection(_text(attribute), frozenset(numbers))
        case {"both": parts, **rest} if not rest:
            return Both(tuple(_predicate(part, depth + 1) for part in _list(parts)))
        case {"either": parts, **rest} if not rest:
            return Either(tuple(_predicate(part, depth + 1) for part in _list(parts)))
        case {"except": part, **rest} if not rest:
            return Except(_predicate(part, depth + 1))
    raise ValueError("not a predicate")


def _check_keys(payload: Any, keys: set[str]) -> None:
    if not isinstance(payload, Mapping) or set(payload) != keys:
        raise ValueError("other keys")


def _list(value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise TypeError("not a list")
    return list(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("not a code")
    return value
