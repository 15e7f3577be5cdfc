"""A pass of the cycle for any measure: every unsafe record loses a cell, then the measure is asked again.

Which cell is the question. A measure that can name the sets of attributes in which a record stands out (minimal sample
uniques, unsafe keys) gets all of them broken at once, the attribute that most of them share first (mu-Argus). Any other
measure is asked what the risk would be without each attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacita.cycle.look_alike_pass import costs_of, occurrences
from tacita.cycle.plan import Plan
from tacita.cycle.state import MeasuredSample
from tacita.cycle.suppression.routing import DIGITS, AttributeRoute
from tacita.cycle.suppression.smallest import Costs
from tacita.cycle.unsafe import Unsafe, risks_of, unsafe_records
from tacita.errors import UsageError
from tacita.model.decision import Alternative, Decision
from tacita.progress import Progress, Step, silent
from tacita.risk.cluster_risk import MEMBERS, OWN
from tacita.risk.combinations import codes
from tacita.risk.measure import Measure
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

RULE = "local suppression, round by round"
_WORK = 100_000
"""Records looked at, over all questions."""
_MOST_QUESTIONS = 80
_ROUTES = (AttributeRoute.FEWEST_NULLS, AttributeRoute.MOST_RISKY_FIRST)


def round_pass(
    now: MeasuredSample,
    plan: Plan,
    measure: Measure,
    levels: Mapping[str, int],
    step: int,
    progress: Progress = silent,
) -> list[Decision]:
    """Return the suppressions of one round, as decisions numbered from a step on; the risk after is not known yet."""
    import numpy as np

    sample = now.sample
    unsafe = unsafe_records(sample, now.risks)
    costs = costs_of(plan, sample, unsafe)
    hidden = unsafe.records.codes < 0
    kept = np.array(
        [[not costs.allowed(r) >> p & 1 for p in range(len(sample.known))] for r in range(len(unsafe.rows))]
    )
    blocked = hidden | kept.reshape(hidden.shape)
    chosen = _of_sets(sample, plan, unsafe, blocked, costs)
    merits = None
    if chosen is None:
        merits = _merits(sample, plan, measure, unsafe, costs, progress)
        chosen = _best(merits, blocked)
    chosen &= _at_risk(now, plan, unsafe)[:, None]
    return _decided(unsafe, chosen, blocked, merits, sample.known, levels, step)


def _of_sets(sample: Sample, plan: Plan, unsafe: Unsafe, blocked: Array, costs: Costs) -> Array | None:
    """Return cells that break all sets of attributes in which unsafe records stand out, if the measure names such."""
    import numpy as np

    named = getattr(plan.measure, "unsafe_sets", None)
    unsafe_sets = named(sample) if named is not None and plan.attributes in _ROUTES and not plan.rounds else None
    if unsafe_sets is None:
        return None
    combinations, masks = unsafe_sets
    order = np.argsort(unsafe.combinations, kind="stable")
    starts = np.searchsorted(unsafe.combinations[order], combinations)
    ends = np.searchsorted(unsafe.combinations[order], combinations, side="right")
    repeats = ends - starts
    records = order[np.repeat(starts, repeats) + _within(repeats)]
    sets = np.repeat(masks, repeats)
    chosen = np.zeros(blocked.shape, dtype=bool)
    price = np.array(costs.importance)
    bits = np.left_shift(1, np.arange(blocked.shape[1]))
    while len(records):
        shared = np.zeros(blocked.shape)
        for place, bit in enumerate(bits):
            here = (sets & bit) != 0
            shared[:, place] = np.bincount(records[here], minlength=len(blocked))
        shared = np.where(blocked, 0.0, shared / price)
        best = shared.argmax(axis=1)
        usable = shared[np.arange(len(blocked)), best] > 0
        chosen[np.flatnonzero(usable), best[usable]] = True
        left = usable[records] & ((sets & bits[best[records]]) == 0)
        records, sets = records[left], sets[left]
    return chosen


def _within(repeats: Array) -> Array:
    """Return 0, 1, ... for each run of repeated places."""
    import numpy as np

    ends = np.cumsum(repeats)
    counted: Array = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - repeats, repeats)
    return counted


def _merits(sample: Sample, plan: Plan, measure: Measure, unsafe: Unsafe, costs: Costs, progress: Progress) -> Array:
    """Return a figure for each cell of an unsafe record; the smallest is suppressed."""
    import numpy as np

    known, length = sample.known, len(unsafe.rows)
    route = plan.attributes
    if not isinstance(route, AttributeRoute):
        if strange := [name for name in route if name not in known]:
            raise UsageError(f"the order names '{strange[0]}', which is no known attribute", do="name known attributes")
        places = [route.index(name) if name in route else len(route) for name in known]
        return np.tile(np.array(places, dtype=float), (length, 1))
    match route:
        case AttributeRoute.MOST_SELECTIVE_FIRST:
            return np.tile(-np.array(codes(sample).sizes, dtype=float), (length, 1))
        case AttributeRoute.LEAST_IMPORTANT_FIRST:
            return np.tile(np.array(costs.importance), (length, 1))
        case AttributeRoute.RAREST_VALUE_FIRST:
            return np.array(occurrences(sample, unsafe), dtype=float).T
    merits = np.zeros((length, len(known)))
    for place, name in enumerate(known):
        progress(Step(f"asking {measure.name} without each attribute", place, len(known)))
        if len(known) > 1:
            without = sample.with_known([other for other in known if other != name])
            merits[:, place] = risks_of(measure.risks(without), sample, unsafe.rows)
    price = np.array(costs.importance)
    merit: Array = np.round(merits, DIGITS) + 1e-9 * price / price.max()
    return merit


def _best(merits: Array, blocked: Array) -> Array:
    import numpy as np

    chosen = np.zeros(blocked.shape, dtype=bool)
    open_ = ~blocked.all(axis=1)
    best = np.where(blocked, np.inf, merits).argmin(axis=1)
    chosen[np.flatnonzero(open_), best[open_]] = True
    return chosen


def _at_risk(now: MeasuredSample, plan: Plan, unsafe: Unsafe) -> Array:
    """Return which unsafe records are changed: of a cluster, those that add more than their part to its risk."""
    import numpy as np

    everybody = np.ones(len(unsafe.rows), dtype=bool)
    records = now.risks.records
    if records is None or plan.whole_clusters or OWN not in {column.name for column in records.columns}:
        return everybody
    own, members = _own(now, unsafe)
    fair = 1 - (1 - now.risks.threshold) ** (1 / np.maximum(members, 1))
    above: Array = own > fair * (1 + 1e-9) + 1e-12
    return above if above.any() else everybody


def _own(now: MeasuredSample, unsafe: Unsafe) -> tuple[Array, Array]:
    """Return the risk of unsafe records by themselves, and the size of their clusters."""
    from dataclasses import replace

    records = now.risks.records
    assert records is not None
    own_risks = []
    for name in (OWN, MEMBERS):
        column = replace(records.column(name), name="risk")
        others = [c for c in records.columns if c.name not in {name, "risk"}]
        own_risks.append(
            risks_of(replace(now.risks, records=records.renamed([*others, column])), now.sample, unsafe.rows)
        )
    return own_risks[0], own_risks[1]


def _decided(
    unsafe: Unsafe,
    chosen: Array,
    blocked: Array,
    merits: Array | None,
    known: Sequence[str],
    levels: Mapping[str, int],
    step: int,
) -> list[Decision]:
    decisions = []
    for record, cells in enumerate(chosen.tolist()):
        for place, is_chosen in enumerate(cells):
            if not is_chosen:
                continue
            name, risk = known[place], float(unsafe.risks[record])
            alternatives = tuple(
                Alternative(f"suppress {other}", _why_not(merits, blocked, record, p))
                for p, other in enumerate(known)
                if not cells[p] and unsafe.records.codes[record, p] >= 0
            )
            row = int(unsafe.rows[record])
            decisions.append(Decision(step, row, name, levels.get(name, 0), None, RULE, risk, risk, alternatives))
            step += 1
    return decisions


def _why_not(merits: Array | None, blocked: Array, record: int, place: int) -> str:
    if blocked[record, place]:
        return "it must not be touched"
    if merits is None:
        return "it is shared by fewer of the sets in which the record stands out"
    return f"it comes later in the order ({merits[record, place]:.4g})"


def drop_unneeded(
    decisions: Sequence[Decision],
    is_safe: Callable[[Sequence[Decision]], bool],
    records: int,
    progress: Progress = silent,
) -> tuple[list[Decision], bool]:
    """Return the decisions that are needed, and whether all were asked about: `is_safe` says if some are enough.

    For measures that no kernel counts for: cells are put back in halves, and the measure is asked each time. How often
    is fixed by the number of records, so that it ends, and always in the same way; with many records few questions are
    asked, and some unnecessary nulls may stay.
    """
    questions = min(_MOST_QUESTIONS, _WORK // max(records, 1))
    kept = list(decisions)
    count = 0
    waiting = _halves(list(reversed(decisions))) if len(decisions) > 1 else [list(decisions)]
    while waiting and count < questions:
        part = waiting.pop(0)
        progress(Step("taking back", count, questions))
        gone = {id(decision) for decision in part}
        fewer = [decision for decision in kept if id(decision) not in gone]
        count += 1
        if is_safe(fewer):
            kept = fewer
        elif len(part) > 1:
            waiting += _halves(part)
    return kept, not waiting


def _halves(part: list[Decision]) -> list[list[Decision]]:
    middle = len(part) // 2
    return [part[:middle], part[middle:]]
