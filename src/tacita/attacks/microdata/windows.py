"""Large files: an attribute with very many values is tried on some records first, which lie next to each other.

A rule that names a cell by equal values, or by the neighbours in an order, needs all records that are near to the cell
and no others. So windows are cut out of the order of the attribute, evenly spread, with all records in them. If, at
some level, a rule names a hundredth of the hidden cells there, and at least half of those that it names are right, it
is tried on all records. Nothing is reported because of the windows; what determines less than about a hundredth of the
hidden cells, or only cells that lie between the windows, may be missed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Clue, Lesson

_RECORDS, _VALUES = 40_000, 5_000
"""Files with fewer records, and attributes with fewer values, are tried as a whole."""
FEW_IN_WINDOWS = 0.01
"""Share of the hidden cells in the windows that a rule must name rightly."""
_IN_WINDOWS, _WINDOWS = 16_000, 32


def rows_in_windows(clue: Clue) -> Codes | None:
    """Return the records in the windows of a clue, in the order of the records; None if it is tried as a whole.

    >>> rows_in_windows(Clue("income", np.arange(10))) is None
    True
    >>> len(rows_in_windows(Clue("income", np.arange(80_000)[::-1])))
    16000
    """
    records, codes = len(clue.groups), clue.groups if clue.ranks is None else clue.ranks
    values = int(codes.max(initial=-1)) + 1
    if records < _RECORDS or values < _VALUES:
        return None
    width = max(1, values * _IN_WINDOWS // (records * _WINDOWS))
    starts = np.arange(_WINDOWS) * values // _WINDOWS
    chosen = np.zeros(values + 1, dtype=bool)  # the last place is that of empty cells
    chosen[(starts[:, None] + np.arange(width)).ravel()] = True
    return np.flatnonzero(chosen[codes])


def clue_in(clue: Clue, rows: Codes) -> Clue:
    """Return a clue in some records."""
    return replace(
        clue, groups=_dense(clue.groups[rows]), ranks=None if clue.ranks is None else _dense(clue.ranks[rows])
    )


def lesson_in(lesson: Lesson, rows: Codes) -> Lesson | None:
    """Return a lesson of some records; None if they teach nothing, or none of their cells is hidden."""
    target, training = lesson.target, lesson.training[rows]
    hidden = target.hidden[rows]
    if not training.any() or not hidden.any():
        return None
    classes = None if target.classes is None else target.classes[rows]
    part = replace(target, truth=target.truth[rows], hidden=hidden, shown=target.shown[rows], classes=classes)
    clusters = None if lesson.clusters is None else _dense(lesson.clusters[rows])
    return Lesson(part, training, clusters, is_public=lesson.is_public)


def _dense(codes: Codes) -> Codes:
    """Return codes as numbers from 0 without gaps, in the same order; -1 stays."""
    there = codes >= 0
    is_used = np.zeros(int(codes.max(initial=-1)) + 1, dtype=bool)
    is_used[codes[there]] = True
    return np.where(there, np.append(np.cumsum(is_used) - 1, -1)[codes], -1)
