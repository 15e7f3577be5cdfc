"""Keys that must not be guessed: how many bytes they need, and which patterns a guesser tries first."""

from __future__ import annotations

import itertools

SHORTEST_KEY = 16
HOW_TO_MAKE_ONE = "make a key of random bytes, for example: head -c 32 /dev/urandom | base64 > key"

_FEWEST_DIFFERENT = 8
"""16 random bytes, or 32 random hexadecimal digits, have fewer different ones once in ten million keys."""
_SHORTEST_REPEAT = 6
"""So many bytes that come again are no accident."""
_FEWEST_STEPS = 4
"""Between neighbours of random bytes nearly every step differs; a row of the alphabet or the digits has one or two."""


def weakness(key: bytes) -> str | None:
    """Return why a key can be guessed, in words that show nothing of it; None if nothing speaks against it.

    What is found are patterns. A pass phrase from a book passes, and is not random: whoever sets a key makes it with
    the command in `HOW_TO_MAKE_ONE`.

    >>> weakness(b"a" * 16), weakness(b"0123456789abcdef")
    ('has fewer than 8 different bytes', 'is a row of successive characters')
    >>> weakness(b"Passwort1Passwort1"), weakness(bytes.fromhex("8f1d0c5be94a7723a6b0d25e41f893cc"))
    ('repeats a part of fewer than 16 bytes', None)
    """
    if len(key) < SHORTEST_KEY:
        return f"has fewer than {SHORTEST_KEY} bytes"
    if len(set(key)) < _FEWEST_DIFFERENT:
        return f"has fewer than {_FEWEST_DIFFERENT} different bytes"
    if any(key[part:] == key[:-part] for part in range(1, min(SHORTEST_KEY, len(key) - _SHORTEST_REPEAT + 1))):
        return f"repeats a part of fewer than {SHORTEST_KEY} bytes"
    steps = {(after - before) % 256 for before, after in itertools.pairwise(key)}
    if len(steps) < _FEWEST_STEPS:
        return "is a row of successive characters"
    return None
