"""Which cells of a file are suppressed: by their status, or by what stands in place of their value."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from tacita.errors import counted, listed
from tacita.model.table import WITHHELD, Status
from tacita.tables.build.cells.cells_file import RawCells
from tacita.tables.build.cells.markers import known_words, statuses


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
        told = ", ".join(f"{each} ({times:,})" for each, times in spelled.most_common(5))
        notes.append(f"{counted(len(marks), 'cell')} taken as suppressed for what stands in place of a value: {told}")
        if raw.words is None:
            notes.append("which of them are sensitive is not said, so all of them count as sensitive")
        status[unsaid] = Status.PRIMARY
    return status, faults, notes
