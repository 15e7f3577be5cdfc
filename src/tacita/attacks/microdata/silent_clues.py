"""Clues that cannot name a hidden cell, found for many clues at once.

A wide release has thousands of attributes, and nearly none of them tells anything of a hidden one. Each rule needs a
value of the clue whose records nearly all agree. Whether there is one is counted here in one table for many clues;
only the others are tried one by one, so that what is found does not depend on this.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.in_clusters import Codes, Mask
from tacita.attacks.microdata.lessons import CODE, CONFIDENCE, Clue, Lesson

Counts = NDArray[np.int64]

_VALUES = 64
"""Different values of a clue, or of a target, above which it is tried by itself."""
_CELLS = 300_000
"""Counts, and records of clues, that are looked at together."""


def silent_clues(clues: Sequence[Clue], lessons: Sequence[Lesson]) -> Mask:
    """Return for each clue whether no rule names a hidden cell by it; False if that is not known.

    >>> from tacita.attacks.microdata.lessons import Target, lessons_of
    >>> region, hidden = np.array([0, 1, 1] * 30), np.arange(90) < 3
    >>> clues = [Clue("code", 1 - region), Clue("other", np.arange(90) // 3 % 2)]
    >>> silent_clues(clues, lessons_of(Target("region", region, hidden, ~hidden), None)).tolist()
    [False, True]
    """
    silent = np.zeros(len(clues), dtype=bool)
    simple = all(
        lesson.target.is_suppressed and lesson.clusters is None and lesson.values <= _VALUES for lesson in lessons
    )
    places = [place for place, clue in enumerate(clues) if _is_short(clue)] if simple else []
    if not places:
        return silent
    width = max(1, _CELLS // max(len(clues[0].groups), (_VALUES + 1) * lessons[0].values))
    for start in range(0, len(places), width):
        part = places[start : start + width]
        groups = np.stack([clues[place].groups for place in part])
        silent[part] = _say_nothing(groups, lessons)
    ordered = [
        place
        for place in places
        if silent[place]
        and (ranks := clues[place].ranks) is not None
        and not np.array_equal(ranks, clues[place].groups)
    ]
    for start in range(0, len(ordered), width):
        part = ordered[start : start + width]
        ranks = np.stack([clue_ranks for place in part if (clue_ranks := clues[place].ranks) is not None])
        silent[part] = _say_nothing(ranks, lessons)
    return silent


def _is_short(clue: Clue) -> bool:
    highest = max(int(codes.max(initial=-1)) for codes in (clue.groups, clue.ranks) if codes is not None)
    return highest < _VALUES


def _say_nothing(clues: Codes, lessons: Sequence[Lesson]) -> Mask:
    """Return for each row of values, one clue each, whether no group of equal ones (nearly) agrees on the target."""
    if not all(len(lesson.rows) for lesson in lessons):
        return np.zeros(len(clues), dtype=bool)
    nothing = np.ones(len(clues), dtype=bool)
    counts, known = np.zeros((1, 1, 1), dtype=np.int64), np.zeros(clues.shape[1], dtype=bool)
    for lesson in lessons:  # the public knows what the release shows, and the hidden cells: only these are counted anew
        counts = counts + _counts(clues, lesson, np.flatnonzero(lesson.training & ~known))
        known = lesson.training
        nothing &= _tell_nothing(counts)
    return nothing


def _counts(clues: Codes, lesson: Lesson, rows: Codes) -> Counts:
    """Return how many of some records have each value of each clue and each value of the target."""
    number, values = int(clues.max()) + 2, lesson.values
    cells = (
        (np.arange(len(clues))[:, None] * number + clues[:, rows] + 1) * values + lesson.target.truth[rows]
    ).ravel()
    return np.bincount(cells, minlength=len(clues) * number * values).reshape(len(clues), number, values)


def _tell_nothing(counts: Counts) -> Mask:
    total, most = counts.sum(axis=2), counts.max(axis=2)
    # A record is named without itself, and a neighbour has one value only: both need this of some group.
    agrees = (total > 0) & (most >= CONFIDENCE * (total - 1))
    # The values of a code may be several of one group if they are equally frequent.
    matched = np.where(counts == most[:, :, None], counts, 0)[:, 1:].sum(axis=(1, 2))
    is_code = matched >= CODE * total[:, 1:].sum(axis=1)
    nothing: Mask = ~(agrees.any(axis=1) | is_code)
    return nothing
