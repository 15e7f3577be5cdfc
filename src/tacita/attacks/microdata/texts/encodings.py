"""Texts in another alphabet that anybody can read: base64, hexadecimal digits, percent signs of web addresses."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from tacita.attacks.microdata.texts.released_texts import ReleasedTexts

_FIRST, _LEAST, _SHARE = 60, 20, 0.9


def decoded_texts(columns: Sequence[ReleasedTexts]) -> Iterator[ReleasedTexts]:
    """Yield attributes that can be read in another way, as they then read.

    >>> texts = [base64.b64encode(f"Rome {n}".encode()).decode() for n in range(30)]
    >>> coded = ReleasedTexts("code", lambda rows: [texts[row] for row in rows], 30)
    >>> [(one.name, one.texts([4])) for one in decoded_texts([coded])]
    [('code as base64', ['Rome 4'])]
    """
    for column in columns:
        first = [text for text in column.texts(column.sample[:_FIRST]) if text]
        if len(first) < _LEAST:
            continue
        for how, read in _WAYS:
            if sum(read(text) is not None for text in first) >= _SHARE * len(first):
                yield column.read_as(f"as {how}", read)
                break


def _base64(text: str) -> str | None:
    if len(text) % 4 == 1 or text.isdigit():
        return None
    padded = text + "=" * (-len(text) % 4)
    try:
        return _printable(base64.b64decode(padded.replace("-", "+").replace("_", "/"), validate=True))
    except (binascii.Error, ValueError):
        return None


def _hexadecimal(text: str) -> str | None:
    try:
        return _printable(bytes.fromhex(text)) if not text.isdigit() or len(text) > 12 else None
    except ValueError:
        return None


def _percent(text: str) -> str | None:
    return unquote(text) if "%" in text and unquote(text) != text else None


def _printable(read: bytes) -> str | None:
    """Return bytes as a text, if they are one; three letters may be one by accident."""
    try:
        text = read.decode()
    except UnicodeDecodeError:
        return None
    return text if len(text) > 3 and text.isprintable() else None


_WAYS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("hexadecimal digits", _hexadecimal),
    ("base64", _base64),
    ("percent signs", _percent),
)
