"""Tokens as text: base64url in one spelling, and anything else is damaged."""

from __future__ import annotations

import base64
import hashlib

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tacita.concealment.keys import CellsToSeal, DerivedKeys, MasterKey, Tokens, open_tokens, seal

KEYS = DerivedKeys(MasterKey(hashlib.sha512(b"master").digest()), "survey")


@given(st.binary(max_size=70))
def test_text_is_base64url_without_padding(content: bytes) -> None:
    tokens = Tokens("age", ["r1", "r2"], pa.array([content, None], pa.binary()))
    texts = tokens.as_text().to_pylist()
    assert texts == [base64.urlsafe_b64encode(content).decode().rstrip("="), None]
    assert Tokens.from_text("age", ["r1", "r2"], tokens.as_text()).tokens.equals(tokens.tokens)


@given(st.text(st.sampled_from("AQBgw0-_=+/\n é"), max_size=9))
@example("AAB")
@example("AB")
@example("AAAAA")
@example("AQID\n")
def test_a_token_has_one_spelling(text: str) -> None:
    (token,) = Tokens.from_text("age", ["r1"], [text]).tokens.to_pylist()
    if token is None:
        assert not _is_base64url(text)
    else:
        assert Tokens("age", ["r1"], [token]).as_text().to_pylist() == [text]


def _is_base64url(text: str) -> bool:
    """Return whether a text is what the encoder of the standard library writes for some bytes."""
    try:
        content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return False
    return base64.urlsafe_b64encode(content).decode().rstrip("=") == text


@pytest.mark.parametrize("damage", ["=", "\n", " ", "!", "+", "é"])
def test_text_that_is_no_token_is_damaged(damage: str) -> None:
    (text,) = seal(CellsToSeal("age", ["ann"], ["r1"], [31]), KEYS).as_text().to_pylist()
    texts = [text, text + damage, damage + text, text[:20] + damage + text[21:], None, ""]
    rows = ["r1", *(f"damaged {at}" for at in range(5))]
    opened = open_tokens(Tokens.from_text("age", rows, texts), ["ann"] * 6, KEYS)
    assert opened.states.tolist() == [0, 1, 1, 1, 1, 1]
