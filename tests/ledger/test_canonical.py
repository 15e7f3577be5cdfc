"""One text for one value, and no value in a message."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import UsageError
from tacita.ledger.canonical import LARGEST, canonical

TEXT = st.text(st.characters(exclude_categories=("Cs",)))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-LARGEST, LARGEST) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@pytest.mark.slow
@given(st.dictionaries(TEXT, VALUES))
def test_canonical_payloads_are_what_the_standard_library_writes(payload: dict[str, Any]) -> None:
    expected = json.dumps(payload, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    assert canonical(payload) == expected
    assert json.loads(expected) == payload


def test_order_and_containers_do_not_matter() -> None:
    assert canonical({"b": (1, 2), "a": "x"}) == canonical(MappingProxyType({"a": "x", "b": [1, 2]}))


@pytest.mark.parametrize(
    "payload",
    [
        {"x": 0.5},
        {"x": [1, {"y": float("nan")}]},
        {"x": LARGEST + 1},
        {"x": -LARGEST - 1},
        {"x": b"bytes"},
        {"x": {1: "a"}},
        {1: "a"},
        {"x": {"y"}},
        {"x": "\ud800"},
        {"x": ["\ud800"]},
        {"x": object()},
    ],
)
def test_values_that_are_not_read_alike_everywhere_are_refused(payload: dict[Any, Any]) -> None:
    with pytest.raises(UsageError):
        canonical(payload)


def test_messages_hold_no_value_and_no_key_below_the_first() -> None:
    with pytest.raises(UsageError) as caught:
        canonical({"disclosures": {"diagnosis=cancer": {"Ann": 0.123456}}})
    assert caught.value.where == "payload, 'disclosures'"
    assert "cancer" not in str(caught.value)
    assert "0.12" not in str(caught.value)
    with pytest.raises(UsageError) as caught:
        canonical({"name": "Ann\ud800"})
    assert "Ann" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_payload_nested_too_deeply_is_refused() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(UsageError, match="nested"):
        canonical({"x": deep})
