"""Take back every null that turned out unnecessary: others may have repaired the record meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.smallest import Costs


def taken_back(alike: LookAlikes, requirement: Requirement, costs: Costs, changed: Sequence[int]) -> int:
    """Restore cells of changed records, last changed first, dearest cell first; return how many cells were restored."""
    restored = 0
    for record in reversed(dict.fromkeys(changed)):
        hidden = alike.first[record] & ~alike.known[record]
        if hidden.bit_count() > 1 and _restore(alike, requirement, record, alike.first[record]):
            restored += hidden.bit_count()
            continue
        places = [place for place in range(alike.attributes) if hidden >> place & 1]
        for place in sorted(places, key=lambda p: -costs.of(record, 1 << p)):
            restored += _restore(alike, requirement, record, alike.known[record] | 1 << place)
    return restored


def _restore(alike: LookAlikes, requirement: Requirement, record: int, pattern: int) -> bool:
    """Let more be known of a record if it and all that lean on it stay safe; return whether it could be done."""
    if not requirement.is_met(alike.if_known(record, pattern)):
        return False
    before = alike.known[record]
    others, share = list(alike.kinds_meeting(record, before)), alike.share(record)
    alike.move(record, pattern)
    for other in others:
        if requirement.is_met(alike.now(other)):
            continue
        alike.move(record, before, share)
        was_met = requirement.is_met(alike.now(other))
        alike.move(record, pattern)
        if was_met:
            alike.move(record, before)
            return False
    return True
