"""Names of attributes made comparable: case, accents, punctuation, camel case and counters do not matter."""

from __future__ import annotations

import functools
import re
import unicodedata

_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d"})


@functools.lru_cache(maxsize=65_536)
def normalised(name: str) -> str:
    """Return a name as lower-case words.

    >>> normalised("ResidentialRev_2"), normalised("Età"), normalised("HH-ID"), normalised("Größe")
    ('residential rev', 'eta', 'hh id', 'grosse')
    """
    if name.isascii() and name.islower() and name.isalpha():
        return name
    spaced = re.sub(r"(?<=[a-zà-ÿ0-9])(?=[A-ZÀ-Þ])", " ", name).casefold().translate(_LIGATURES)
    plain = "".join(c for c in unicodedata.normalize("NFKD", spaced) if not unicodedata.combining(c))
    words = re.sub(r"[^0-9a-z\u0370-\uffff]+", " ", plain).split()
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    if words and not words[-1].isdigit():
        words[-1] = words[-1].rstrip("0123456789") or words[-1]
    return " ".join(words)
