"""Take back what rounds suppressed too much: cells are put back in halves, and the measure is asked each time.

For measures that no kernel counts for. How often it is asked is fixed by the number of records, so that it ends, and
always in the same way; with many records few questions are asked, and some unnecessary nulls may stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacita.model.decision import Decision
from tacita.progress import Progress, Step, silent

_WORK = 100_000
"""Records looked at, over all questions."""
_MOST = 80


def restored(
    decisions: Sequence[Decision],
    is_safe: Callable[[Sequence[Decision]], bool],
    records: int,
    progress: Progress = silent,
) -> tuple[list[Decision], bool]:
    """Return the decisions that are needed, and whether all were asked about: `is_safe` says if some are enough."""
    questions = min(_MOST, _WORK // max(records, 1))
    kept = list(decisions)
    asked = 0
    waiting = _halves(list(reversed(decisions))) if len(decisions) > 1 else [list(decisions)]
    while waiting and asked < questions:
        part = waiting.pop(0)
        progress(Step("taking back", asked, questions))
        gone = {id(decision) for decision in part}
        fewer = [decision for decision in kept if id(decision) not in gone]
        asked += 1
        if is_safe(fewer):
            kept = fewer
        elif len(part) > 1:
            waiting += _halves(part)
    return kept, not waiting


def _halves(part: list[Decision]) -> list[list[Decision]]:
    middle = len(part) // 2
    return [part[:middle], part[middle:]]
