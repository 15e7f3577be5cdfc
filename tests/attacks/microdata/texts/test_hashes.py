"""Hashes of a value and a released number: of usual functions, cut off, in hexadecimal digits and in base64."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

import numpy as np
import pytest

from tacita.attacks.microdata.lessons import Target
from tacita.attacks.microdata.texts.hashes import SpelledAttribute, hash_derivations
from tacita.attacks.microdata.texts.released_texts import ReleasedTexts

N = 120
NAMES = ("Lazio", "Molise", "Umbria")
WAYS: dict[str, Callable[[bytes], str]] = {
    "sha1": lambda data: hashlib.sha1(data, usedforsecurity=False).hexdigest(),
    "sha3_256": lambda data: hashlib.sha3_256(data).hexdigest(),
    "blake2b, cut off": lambda data: hashlib.blake2b(data).hexdigest()[:20],
    "blake2s": lambda data: hashlib.blake2s(data).hexdigest().upper(),
    "sha256 in base64": lambda data: base64.b64encode(hashlib.sha256(data).digest()).decode(),
    "md5 in base64 of addresses": lambda data: (
        base64.urlsafe_b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode().rstrip("=")
    ),
}


def _derived(hashes: list[str], region: list[str]) -> list[str]:
    hidden = np.arange(N) < 12
    texts = ReleasedTexts("token", lambda rows: [hashes[row] for row in rows], N)
    number = SpelledAttribute("number", lambda rows: [str(7 * row) for row in rows])
    own = SpelledAttribute("region", lambda rows: [None] * len(rows), lambda rows: [region[row] for row in rows])
    target = Target("region", np.array([NAMES.index(name) for name in region]), hidden, ~hidden)
    return [str(one) for one in hash_derivations([texts], [target], {"number": number, "region": own})]


@pytest.mark.parametrize("way", WAYS)
def test_the_values_are_tried(way: str) -> None:
    region = [NAMES[number] for number in np.random.default_rng(5).integers(0, 3, N)]
    hashes = [WAYS[way](f"{7 * row}-{name}".encode()) for row, name in enumerate(region)]
    assert _derived(hashes, region) == ["token and number determine 12 of 12 suppressed cells of region"]


def test_random_tokens_are_no_hashes_of_the_value() -> None:
    random = np.random.default_rng(5)
    region = [NAMES[number] for number in random.integers(0, 3, N)]
    for write in (bytes.hex, lambda data: base64.b64encode(data).decode()):
        assert not _derived([write(random.bytes(32)) for _ in range(N)], region)
