"""Suppression under the strict meaning of nulls: nobody counts on what a null of another record may stand for.

Which class each record joins decides everything (`equivalence_classes`), so there is nothing to repair step by step but
the records for which no class was found, and nothing to take back but what these made unnecessary.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacita.cycle.suppression.equivalence_classes import NOWHERE, classes_of
from tacita.cycle.suppression.joining import ORDERS, joined
from tacita.cycle.suppression.joining_solved import improved
from tacita.cycle.suppression.look_alikes import CodedRecords, LookAlikes
from tacita.cycle.suppression.repair import repaired
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.strict_look_alikes import StrictLookAlikes
from tacita.cycle.suppression.suppress import Wishes
from tacita.cycle.suppression.take_back import taken_back
from tacita.progress import Progress, Step, silent


def strictly_suppressed(
    safe: CodedRecords,
    risky: CodedRecords,
    requirement: Requirement,
    wishes: Wishes,
    progress: Progress = silent,
) -> list[tuple[int, int]]:
    """Return the patterns of records, in the order of tuples, by which every risky one is safe strictly, if it can be.

    >>> import numpy as np
    >>> from tacita.cycle.suppression.repair import MostGained
    >>> from tacita.cycle.suppression.smallest import Costs
    >>> from tacita.risk.identity.k_anonymity import KAnonymity
    >>> def records(rows): return CodedRecords(np.array(rows), np.ones(len(rows), dtype=int), np.ones(len(rows)))
    >>> wishes = Wishes(Costs([1.0, 1.0]), range(3), MostGained())
    >>> safe, risky = records([[0, 0], [0, 0]]), records([[0, 1], [1, 2], [1, 3]])
    >>> strictly_suppressed(safe, risky, Requirement(KAnonymity(2), 0.0), wishes)
    [(0, 1), (1, 1), (2, 1)]
    """
    import numpy as np

    classes = classes_of(safe, risky, requirement, wishes.costs, wishes.rank)
    progress(Step("suppressing", 0, len(risky.codes)))
    joining = joined(classes, requirement, risky.weights.tolist())
    improved(joining, requirement, risky.codes).opened(ORDERS[0])
    in_order = sorted(range(len(risky.codes)), key=wishes.rank.__getitem__)
    patterns = {record: joining.pattern(record) for record in in_order}
    if NOWHERE in patterns.values():
        patterns = _repaired(StrictLookAlikes(safe, risky), patterns, requirement, wishes, progress)
    first = (risky.codes >= 0) @ np.left_shift(1, np.arange(risky.codes.shape[1]))
    return [(record, pattern) for record, pattern in patterns.items() if pattern != first[record]]


def _repaired(
    alike: LookAlikes, patterns: Mapping[int, int], requirement: Requirement, wishes: Wishes, progress: Progress
) -> dict[int, int]:
    """Repair the records for which no class was found, and take back what is unnecessary then."""
    for record, pattern in patterns.items():
        if pattern != NOWHERE:
            alike.move(record, pattern)
    changed = repaired(alike, requirement, wishes.costs, wishes.order, list(patterns), progress)
    taken_back(alike, requirement, wishes.costs, changed)
    return {record: alike.known[record] for record in patterns}
