"""A pass of the cycle for measures that count look-alikes: the kernel on the unsafe records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacita.cycle.household import household_sizes
from tacita.cycle.plan import Plan
from tacita.cycle.state import MeasuredSample
from tacita.cycle.suppression.account import Account
from tacita.cycle.suppression.compared import ComparedLookAlikes
from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.optimum import optimum
from tacita.cycle.suppression.requirement import OfLookAlikes, Requirement
from tacita.cycle.suppression.routing import AttributeRoute, attribute_order, ranks
from tacita.cycle.suppression.smallest import Costs
from tacita.cycle.suppression.strict import strictly_suppressed
from tacita.cycle.suppression.strict_look_alikes import StrictLookAlikes
from tacita.cycle.suppression.suppress import Wishes, suppress
from tacita.cycle.unsafe import Unsafe, unsafe_records
from tacita.errors import UsageError
from tacita.model.decision import Decision
from tacita.progress import Progress, silent
from tacita.risk.combinations import codes
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MANY_ATTRIBUTES, _SOME_ATTRIBUTES = 14, 7
_FEW_COMBINATIONS = 2_000


def look_alike_pass(
    now: MeasuredSample,
    plan: Plan,
    measure: OfLookAlikes,
    levels: Mapping[str, int],
    step: int,
    progress: Progress = silent,
    *,
    again: bool = False,
) -> list[Decision]:
    """Return the suppressions that make every unsafe record safe, as decisions numbered from a step on.

    `again`: a pass was made before, and what it left is repaired step by step.
    """
    unsafe = unsafe_records(now.sample, now.risks)
    requirement = requirement_of(measure, now.sample.nulls)
    costs = costs_of(plan, now.sample, unsafe)
    wishes = Wishes(
        costs,
        ranks(plan.tuples, unsafe.rows.tolist(), unsafe.records.weights.tolist(), unsafe.risks.tolist()),
        attribute_order(
            plan.attributes,
            now.sample.known,
            costs.importance,
            codes(now.sample).sizes,
            occurrences(now.sample, unsafe) if plan.attributes is AttributeRoute.RAREST_VALUE_FIRST else (),
        ),
        fewest=plan.attributes is AttributeRoute.FEWEST_NULLS and not again,
        take_back=plan.take_back and not again,
    )
    if now.sample.nulls.semantics is Semantics.STANDARD:
        chosen = _blanked(unsafe, costs)
    elif plan.optimal and not again:
        chosen = _smallest_of_all(unsafe, requirement, costs, now.sample)
    elif _is_strict(now.sample.nulls) and plan.attributes is AttributeRoute.FEWEST_NULLS and plan.take_back:
        chosen = strictly_suppressed(unsafe.safe, unsafe.records, requirement, wishes, progress)
    else:
        chosen = suppress(_look_alikes(unsafe, now.sample.nulls), requirement, wishes, progress)
    fresh = _look_alikes(unsafe, now.sample.nulls)
    account = Account(fresh, requirement, costs, now.sample.known, unsafe.rows.tolist(), _rule(plan), levels)
    return list(account.decisions(chosen, step))


def _is_strict(nulls: Nulls) -> bool:
    return nulls.semantics is Semantics.ALPHA and nulls.alpha == 0


def _is_wide(unsafe: Unsafe, nulls: Nulls) -> bool:
    """Return whether there are so many attributes, for so few records, that tables of sets of them do not pay."""
    attributes = unsafe.records.codes.shape[1]
    if nulls.semantics is Semantics.EXPECTED:
        return False
    few = len(unsafe.rows) + len(unsafe.safe.counts) <= _FEW_COMBINATIONS and not _is_strict(nulls)
    return attributes > _MANY_ATTRIBUTES or (few and attributes > _SOME_ATTRIBUTES)


def _look_alikes(unsafe: Unsafe, nulls: Nulls) -> LookAlikes:
    if _is_wide(unsafe, nulls):
        return ComparedLookAlikes(unsafe.safe, unsafe.records)
    if _is_strict(nulls):
        return StrictLookAlikes(unsafe.safe, unsafe.records)
    return LookAlikes(unsafe.safe, unsafe.records, expected=nulls.semantics is Semantics.EXPECTED)


def _blanked(unsafe: Unsafe, costs: Costs) -> list[tuple[int, int]]:
    """Return every unsafe record with all its cells suppressed: a null that matches nothing helps nobody.

    A record with some nulls is like no other in the standard semantics; only one of which nothing is known is.
    """
    import numpy as np

    bits = np.left_shift(1, np.arange(unsafe.records.codes.shape[1]))
    patterns: list[int] = ((unsafe.records.codes >= 0) @ bits).tolist()
    return [
        (record, pattern & ~costs.allowed(record))
        for record, pattern in enumerate(patterns)
        if pattern & costs.allowed(record)
    ]


def _smallest_of_all(unsafe: Unsafe, requirement: Requirement, costs: Costs, sample: Sample) -> list[tuple[int, int]]:
    """Return the smallest suppression there is, by integer programming: records and patterns, in file order."""
    import numpy as np

    if requirement.k is None or sample.nulls.semantics in {Semantics.EXPECTED, Semantics.STANDARD}:
        raise UsageError(
            "the smallest suppression is known for k-anonymity, nulls counted by maybe-match, strict or alpha",
            do="leave out --optimal, or the other measure or meaning of nulls",
        )
    safe = np.repeat(unsafe.safe.codes, unsafe.safe.counts, axis=0)
    every = np.concatenate([unsafe.records.codes, safe])
    places = np.arange(len(sample.known))
    kept = [[not costs.allowed(record) >> p & 1 for p in places.tolist()] for record in range(len(unsafe.rows))]
    untouchable = np.zeros(every.shape, dtype=bool)
    untouchable[: len(unsafe.rows)] = np.array(kept, dtype=bool).reshape(len(unsafe.rows), len(places))
    smallest = optimum(
        every, requirement.k, alpha=requirement.alpha, importance=np.array(costs.importance), untouchable=untouchable
    )
    if not smallest.proven:
        raise UsageError(
            "the smallest suppression was not found in time",
            do="leave out --optimal: what is found without it is mostly as small",
        )
    known: Array = (every >= 0) & ~smallest.cells
    patterns = (known[: len(unsafe.rows)] @ np.left_shift(1, places)).tolist()
    cells: Array = smallest.cells
    changed = np.flatnonzero(cells[: len(unsafe.rows)].any(axis=1))
    return [(record, patterns[record]) for record in changed.tolist()]


def requirement_of(measure: OfLookAlikes, nulls: Nulls) -> Requirement:
    """Return the requirement of a measure under a meaning of nulls."""
    match nulls.semantics:
        case Semantics.ALPHA:
            return Requirement(measure, nulls.alpha)
        case Semantics.STANDARD:
            return Requirement(measure, 0.0)
    return Requirement(measure, 1.0)


def costs_of(plan: Plan, sample: Sample, unsafe: Unsafe) -> Costs:
    """Return what each cell of the unsafe records costs, and which must not be touched."""
    importance = [float(plan.importance.get(name, 1.0)) for name in sample.known]
    place = {name: i for i, name in enumerate(sample.known)}
    everywhere = sum(1 << place[name] for name in plan.keep)
    kept: list[int] | None = None
    if everywhere or plan.keep_cells:
        cells: dict[int, int] = {}
        for row, name in plan.keep_cells:
            cells[row] = cells.get(row, 0) | 1 << place[name]
        kept = [everywhere | cells.get(row, 0) for row in unsafe.rows.tolist()]
    return Costs(importance, kept, household_sizes(sample, plan, unsafe.rows))


def occurrences(sample: Sample, unsafe: Unsafe) -> Sequence[Sequence[float]]:
    """Return how often the value of each unsafe record occurs in the file, by attribute; a null counts as rarest."""
    import numpy as np

    coded = codes(sample)
    of_values = []
    for place in range(len(sample.known)):
        column = coded.codes[:, place]
        known = column >= 0
        counts = np.bincount(column[known], weights=coded.counts[known], minlength=max(coded.sizes[place], 1))
        mine = unsafe.records.codes[:, place]
        of_values.append(np.where(mine >= 0, counts[np.maximum(mine, 0)], 0).tolist())
    return of_values


def _rule(plan: Plan) -> str:
    if plan.optimal:
        return "local suppression, the smallest there is"
    route = plan.attributes if isinstance(plan.attributes, AttributeRoute) else "in the order given"
    return f"local suppression, {route}"
