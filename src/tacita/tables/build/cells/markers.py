"""The words in which tools and offices say that a cell is not published, and the status of cells by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacita.errors import counted, listed
from tacita.model.table import WITHHELD, Status

if TYPE_CHECKING:
    from tacita.tables.build.cells.cells_file import RawCells

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


def given_statuses(raw: RawCells) -> tuple[NDArray[np.int8] | None, list[str], list[str]]:
    """Return the status of each row (None: everything is published), faults, and notes.

    A mark in the value column suppresses a cell whatever its status. Which of such cells a rule made sensitive nobody
    says, so all of them count as primary; and so do those of status x where no cell has another status of suppression.
    """
    marked = np.array([mark is not None for mark in raw.marks], bool)
    faults: list[str] = []
    notes: list[str] = []
    if raw.words is None and not marked.any():
        return None, faults, notes
    status = np.zeros(len(raw), np.int8)
    if raw.words is not None:
        status, unknown = statuses(raw.words, raw.kind)
        if unknown:
            known = listed(list(known_words(raw.kind)), 30)
            faults.append(f"statuses that mean nothing: {listed([repr(w) for w in unknown], 5)}; known are {known}")
        only_x = (status == Status.SECONDARY).any() and not np.isin(status, (Status.PRIMARY, Status.FORCED)).any()
        if only_x and raw.kind not in {"sdctable", "gauss", "sbs"}:
            status[status == Status.SECONDARY] = Status.PRIMARY
            notes.append("no cell is said to be sensitive itself, so every suppressed cell counts as sensitive")
    unsaid = marked & ~np.isin(status, WITHHELD)
    kept = np.flatnonzero(unsaid & (status == Status.KEPT))
    if len(kept):
        faults.append(f"{counted(len(kept), 'cell')} that must be published without a value")
    if unsaid.any():
        marks = [raw.marks[row] for row in np.flatnonzero(unsaid).tolist()]
        spelled = Counter(repr(mark) if mark else "nothing" for mark in marks)
        spellings = ", ".join(f"{word} ({times:,})" for word, times in spelled.most_common(5))
        notes.append(
            f"{counted(len(marks), 'cell')} taken as suppressed for what stands in place of a value: {spellings}"
        )
        if raw.words is None:
            notes.append("which of them are sensitive is not said, so all of them count as sensitive")
        status[unsaid] = Status.PRIMARY
    return status, faults, notes
