"""The words in which tools and offices say that a cell is not published."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Status

MARKERS = ("x", "X", "c", "C", "s", "S", ":", ":c", "*", "**", ".", "..", "...", "n.a.", "NA", "N/A", "nan", "NaN", "#")
"""What stands instead of a value that is not published; an empty cell does too."""

ZEROS = ("-", "–", "—")
"""What stands for nothing at all, which is zero."""

_WORDS: Mapping[str, Status] = {
    "": Status.PUBLISHED,
    "s": Status.PUBLISHED,
    "safe": Status.PUBLISHED,
    "published": Status.PUBLISHED,
    "v": Status.PUBLISHED,
    "f": Status.PUBLISHED,
    "false": Status.PUBLISHED,
    "u": Status.PRIMARY,
    "unsafe": Status.PRIMARY,
    "primary": Status.PRIMARY,
    "c": Status.PRIMARY,
    "confidential": Status.PRIMARY,
    "x": Status.SECONDARY,
    "d": Status.SECONDARY,
    "secondary": Status.SECONDARY,
    "suppressed": Status.PRIMARY,
    "true": Status.PRIMARY,
    "forced": Status.FORCED,
    "n": Status.FORCED,
    "z": Status.KEPT,
    "kept": Status.KEPT,
    "protected": Status.KEPT,
}
_SBS: Mapping[str, Status] = {
    "": Status.PUBLISHED,
    "v": Status.PUBLISHED,
    **dict.fromkeys(("a", "b", "c", "f", "h", "m", "o", "u"), Status.PRIMARY),
    "d": Status.SECONDARY,
    "x": Status.SECONDARY,
}
"""Confidentiality flags of structural business statistics: A few units, B and C one or two dominate, D secondary."""


def statuses(words: Sequence[str | None], kind: str = "") -> tuple[NDArray[np.int8], list[str]]:
    """Return the status of each word, and the words that mean none.

    >>> statuses(["s", "U", "x", None, "?"])
    (array([0, 1, 2, 0, 0], dtype=int8), ['?'])
    """
    known = _SBS if kind == "sbs" else _WORDS
    plain = [(word or "").strip().casefold() for word in words]
    unknown = sorted({word for word in plain if word not in known})
    return np.array([known.get(word, Status.PUBLISHED) for word in plain], np.int8), unknown


def known_words(kind: str = "") -> Collection[str]:
    """Return the words that `statuses` knows."""
    return [word for word in (_SBS if kind == "sbs" else _WORDS) if word]
