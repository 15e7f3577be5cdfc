"""Canonical JSON: one text for one value, so that a hash over it can be recomputed by anybody, in any language.

Keys are texts, sorted by code point; UTF-8 without escapes that JSON does not demand; no white space. Numbers are whole
and at most 2**53 - 1 in size (RFC 7493), since others are not read alike everywhere: write them as text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tacita.errors import UsageError, raise_alone

LARGEST = 2**53 - 1
_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False).encode
_TEXT = json.encoder.encode_basestring
_SIMPLE = frozenset({str, bool, type(None)})


def canonical(payload: Mapping[str, Any]) -> bytes:
    """Return the one encoding of a payload.

    Raises `UsageError` if a value is not a text, a whole number, true, false, null, a list or a map of such values.
    The message says where it stands, never what it is.

    >>> canonical({"b": [1, True, None], "a": "é"}).decode()
    '{"a":"é","b":[1,true,null]}'
    >>> canonical({"cells": [{"value": 0.5}]})
    Traceback (most recent call last):
        ...
    tacita.errors.UsageError: payload, 'cells': has a value of type float
      what to do: write numbers that are not whole, or are above 2**53 - 1, as text
    """
    for key, value in payload.items():  # a flat payload is checked without a copy: gates append many of them
        kind = type(value)
        if type(key) is not str or not (kind in _SIMPLE or (kind is int and -LARGEST <= value <= LARGEST)):
            break
    else:
        return _bytes(payload if type(payload) is dict else dict(payload))
    try:
        return _bytes({key: _plain(value, key) for key, value in payload.items()})
    except RecursionError:
        raise_alone(UsageError("is nested too deeply", where="payload", do="keep it flat"))


def canonical_text(text: str) -> str:
    """Return a text as it stands in canonical JSON, with its quotation marks.

    >>> canonical_text('a "b"')
    '"a \\\\"b\\\\""'
    """
    return _TEXT(text)


def _bytes(value: Any) -> bytes:
    try:
        return _ENCODE(value).encode()
    except UnicodeEncodeError:
        raise_alone(UsageError("has a text that is not Unicode", where="payload", do="decode it first"))


def _plain(value: Any, place: Any) -> Any:
    """Return a value with dictionaries and lists in place of mappings and tuples; `place` is its key in the payload."""
    if type(place) is not str:
        raise UsageError("has a key that is not a text", where="payload", do="make it one")
    if type(value) in _SIMPLE or (type(value) is int and abs(value) <= LARGEST):
        return value
    if isinstance(value, Mapping):
        if all(type(key) is str for key in value):
            return {key: _plain(item, place) for key, item in value.items()}
        raise UsageError("has a key that is not a text", where=_named(place), do="make it one")
    if isinstance(value, list | tuple):
        if _SIMPLE.issuperset(map(type, value)):  # long lists of texts are common
            return list(value)
        return [_plain(item, place) for item in value]
    kind = "large int" if type(value) is int else type(value).__name__
    raise UsageError(
        f"has a value of type {kind}",
        where=_named(place),
        do="write numbers that are not whole, or are above 2**53 - 1, as text",
    )


def _named(place: str) -> str:
    # Keys further below may be values of the data.
    return f"payload, '{place}'"
