"""The fewest nulls by integer programming, where groups of records are small enough: better than largest first.

The same choice as in `cover`, put to the solver: x(r, p) = 1 if record r is changed to pattern p. A record that is not
changed needs as many matching nulls of others as it has look-alikes too few; one that is changed stands on its own.
Records that share no group have nothing to do with each other, so each component is solved by itself; those that are
too large for the solver are left to `cover`. The solver stops after so many nodes, never after so much time: the same
data give the same answer on a slow machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.smallest import CellSet

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MOST_CHOICES = 2_500
"""Of a component that is given to the solver."""
_MOST_MEETINGS = 7_000
_GOOD_ENOUGH = 0.03
"""What is this near to the bound of the linear relaxation need not be searched for anything better."""
_MOST_NODES = 1
"""The root of the search with its cuts is nearly always enough."""
_GAP = 0.01


def solved(
    alike: LookAlikes,
    requirement: Requirement,
    candidates: Mapping[int, Sequence[CellSet]],
    spent: Mapping[int, float],
) -> dict[int, int | None]:
    """Return the pattern of each record of the components for which the solver found less than was `spent`.

    None is for a record that need not be changed. Works for requirements that count look-alikes and records without
    nulls of their own; for others nothing is solved.
    """
    if requirement.k is None or not alike.are_complete:
        return {}
    unsafe = [record for record in candidates if not requirement.is_met(alike.now(record))]
    chosen: dict[int, int | None] = {}
    for records in _components(alike, candidates, unsafe):
        choices = sum(len(candidates[record]) for record in records)
        if len(records) > 1 and choices <= _MOST_CHOICES and all(candidates[record] for record in records):
            cost = sum(spent.get(record, 0.0) for record in records)
            chosen.update(_solved(alike, requirement, candidates, records, cost))
    return chosen


def _components(
    alike: LookAlikes, candidates: Mapping[int, Sequence[CellSet]], unsafe: Sequence[int]
) -> Iterable[list[int]]:
    """Yield the unsafe records that hang together, each component and all of them in order."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    place = {record: i for i, record in enumerate(unsafe)}
    left, right = [], []
    for pattern in sorted({c.pattern for record in unsafe for c in candidates[record]}):
        number = alike.groups(pattern).number
        first: dict[int, int] = {}
        for record in unsafe:
            left.append(place[first.setdefault(number[record], record)])
            right.append(place[record])
    size = len(unsafe)
    if not left:
        return
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    by_label: dict[int, list[int]] = {}
    for record, label in zip(unsafe, labels.tolist(), strict=True):
        by_label.setdefault(label, []).append(record)
    yield from by_label.values()


def _solved(
    alike: LookAlikes,
    requirement: Requirement,
    candidates: Mapping[int, Sequence[CellSet]],
    records: Sequence[int],
    spent: float,
) -> dict[int, int | None]:
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    choices = [(record, candidate) for record in records for candidate in candidates[record]]
    place = {record: i for i, record in enumerate(records)}
    needs, matches = _needs_and_matches(alike, requirement, choices, place)
    if matches.nnz > _MOST_MEETINGS:
        return {}
    size = (len(records), len(choices))
    once = coo_array((np.ones(len(choices)), ([place[r] for r, _ in choices], range(len(choices)))), shape=size).tocsr()
    costs = np.array([candidate.cost for _, candidate in choices])
    rules = [LinearConstraint(matches, needs - 1e-9, np.inf), LinearConstraint(once, -np.inf, 1)]
    relaxed = milp(costs, constraints=rules, bounds=Bounds(0, 1))
    if relaxed.x is None or spent <= relaxed.fun * (1 + _GOOD_ENOUGH):
        return {}
    options = {"node_limit": _MOST_NODES, "mip_rel_gap": _GAP}
    answer = milp(costs, constraints=rules, bounds=Bounds(0, 1), integrality=np.ones(len(choices)), options=options)
    if answer.x is None or answer.fun >= spent - 1e-9:
        return {}
    chosen = {r: c.pattern for (r, c), x in zip(choices, answer.x.tolist(), strict=True) if round(x)}
    return {record: chosen.get(record) for record in records}


def _needs_and_matches(
    alike: LookAlikes,
    requirement: Requirement,
    choices: Sequence[tuple[int, CellSet]],
    place: Mapping[int, int],
) -> tuple[Array, Any]:
    """Return how many look-alikes each record is short of, and what each choice adds to whom."""
    import numpy as np
    from scipy.sparse import coo_array

    counts = {record: alike.now(record) for record in place}
    alpha = requirement.alpha
    needs = {record: (requirement.k or 0) - c.certain - alpha * c.leaning for record, c in counts.items()}
    equal = alike.groups(alike.full).number
    rows, columns, values = [], [], []
    for x, (record, candidate) in enumerate(choices):
        for other in alike.members(record, candidate.pattern):
            if other == record:
                gain = needs[record]
            elif other in place:
                gain = alpha - (equal[other] == equal[record])
            else:
                continue
            rows.append(place[other])
            columns.append(x)
            values.append(gain)
    matches = coo_array((np.array(values, dtype=float), (rows, columns)), shape=(len(place), len(choices))).tocsr()
    return np.array(list(needs.values()), dtype=float), matches
