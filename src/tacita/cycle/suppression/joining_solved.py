"""A cheaper way to join classes by integer programming: x(r, c) = 1 if record r joins class c, y(c) = 1 if c is open.

What is saved against being alone is maximised; an open class has enough members, a record joins one class at most. The
linear relaxation is close to the optimum, so the solver is quick where it is given a few thousand choices at once:
records that hang together are taken in pieces of that size, records with similar values in the same piece, and all
others stay where they are meanwhile. The solver stops after so many nodes, never after so much time: the same data give
the same answer on a slow machine.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tacita.cycle.suppression.equivalence_classes import TINY
from tacita.cycle.suppression.joining import ALONE, Joining
from tacita.cycle.suppression.requirement import Requirement

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_EFFORT = ((30_000, 10_000, 2), (200_000, 4_000, 1))
"""Up to so many choices: how many are given to the solver at once, and how often, differently cut. Beyond that nothing
is solved; without the solver there is about 1 % more to suppress."""
_MOST_NODES = 1
"""The root of the search with its cuts is nearly always enough."""
_GAP, _GAP_IF_DENSE = 0.005, 0.02
"""What is this near to the bound, of all that is saved, is good enough."""
_DENSE = 20
"""So many choices for each record make the proof long."""
_DEARER = 1.0
"""A record may cost this much more than now if others save it."""


def improved(joining: Joining, requirement: Requirement, codes: Array) -> Joining:
    """Let records join other classes wherever the solver saves something by it; for requirements that count.

    `codes` are the values of the records: those alike in them are best solved together.
    """
    choices = len(joining.classes.record)
    effort = next(((size, turns) for most, size, turns in _EFFORT if choices <= most), None)
    if requirement.k is None or not choices or effort is None:
        return joining
    size, turns = effort
    for turn in range(turns):
        pieces, are_whole = _pieces(joining, codes, turn, size)
        for piece in pieces:
            _solve(joining, requirement.k, piece)
        if are_whole:  # another cut would be the same
            break
    return joining


def _pieces(joining: Joining, codes: Array, turn: int, most: int) -> tuple[list[Array], bool]:
    """Return choices of records that hang together, all those of a record in one piece, and whether nothing was cut.

    In another turn records are sorted by another attribute first, so that other ones come together.
    """
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    classes = joining.classes
    among = np.flatnonzero(classes.cost <= np.array(joining.cost)[classes.record] + _DEARER)
    number, record = classes.numbers[among], classes.record[among]
    records = len(classes.alone_cost)
    size = records + len(classes)
    graph = coo_array((np.ones(len(among)), (record, records + number)), shape=(size, size)).tocsr()
    label = connected_components(graph, directed=False)[1][:records]
    by_size = sorted(range(codes.shape[1]), key=lambda place: int(codes[:, place].max(initial=0)))
    by_size = by_size[turn:] + by_size[:turn]
    place = np.empty(records, dtype=np.int64)
    place[np.lexsort([codes[:, j] for j in reversed(by_size)] + [label])] = np.arange(records)
    order = np.argsort(place[record], kind="stable")
    starts = np.flatnonzero(np.diff(record[order], prepend=-1))
    return _cut(among[order], [*starts.tolist(), len(order)], label[record[order]].tolist(), most)


def _cut(choices: Array, starts: list[int], label: list[int], most: int) -> tuple[list[Array], bool]:
    """Cut choices, sorted by record, where another component begins or a piece would become too large."""
    pieces: list[Array] = []
    begin, are_whole = 0, True
    for here, after in pairwise(starts):
        is_other = label[here] != label[begin]
        if here > begin and (is_other or after - begin > most):
            pieces.append(choices[begin:here])
            begin, are_whole = here, are_whole and is_other
    if len(choices):
        pieces.append(choices[begin:])
    return pieces, are_whole


def _solve(joining: Joining, k: int, choices: Array) -> None:
    """Let the records of some choices join the classes that the solver finds best for them."""
    import numpy as np
    from scipy.optimize import Bounds, milp

    classes = joining.classes
    record, row = np.unique(classes.record[choices], return_inverse=True)
    saved = classes.alone_cost[classes.record[choices]] - classes.cost[choices]
    spent = sum(joining.cost[r] for r in record.tolist())
    alone = float(classes.alone_cost[record].sum())
    at_most = np.zeros(len(record))
    np.maximum.at(at_most, row, saved)
    if spent <= alone - float(at_most.sum()) + TINY:
        return
    there, column = np.unique(classes.numbers[choices], return_inverse=True)
    needs, outside = _needs(joining, k, there, record.tolist())
    is_open = np.concatenate([np.zeros(len(choices)), (outside > 0) | (needs == 0)]).astype(float)
    answer = milp(
        np.concatenate([-saved, np.zeros(len(there))]),
        integrality=np.ones(len(is_open)),
        bounds=Bounds(is_open, 1),
        constraints=_rules(row, column, needs),
        options={
            "node_limit": _MOST_NODES,
            "mip_rel_gap": _GAP_IF_DENSE if len(choices) > _DENSE * len(record) else _GAP,
        },
    )
    if answer.x is None or alone + answer.fun >= spent - TINY:
        return
    joining.join(ALONE, record.tolist())
    for choice in np.flatnonzero(answer.x[: len(choices)] > 0.5).tolist():
        joining.join(int(there[column[choice]]), [int(record[row[choice]])])


def _needs(joining: Joining, k: int, there: Array, records: list[int]) -> tuple[Array, Array]:
    """Return how many of some records have to join each class to open it, and how many others are in it."""
    import numpy as np

    home = np.array([joining.home[r] for r in records], dtype=np.int64)
    inside = np.bincount(np.searchsorted(there, home[home != ALONE]), minlength=len(there))
    outside: Array = np.array([joining.joined(c) for c in there.tolist()]) - inside
    return np.maximum(k - joining.classes.count[there] - outside, 0.0), outside


def _rules(row: Array, column: Array, needs: Array) -> list[Any]:
    """Return the constraints: a record joins at most one class, which is open; open classes have enough members."""
    import numpy as np
    from scipy.optimize import LinearConstraint
    from scipy.sparse import coo_array

    size, classes = len(row), len(needs)
    width, ones, places = size + classes, np.ones(size), np.arange(size)
    once = coo_array((ones, (row, places)), shape=(int(row.max()) + 1, width))
    both = (np.tile(places, 2), np.concatenate([places, size + column]))
    opened = coo_array((np.concatenate([ones, -ones]), both), shape=(size, width))
    members = (np.concatenate([column, np.arange(classes)]), np.arange(width))
    enough = coo_array((np.concatenate([ones, -needs]), members), shape=(classes, width))
    return [
        LinearConstraint(once.tocsr(), -np.inf, 1),
        LinearConstraint(opened.tocsr(), -np.inf, 0),
        LinearConstraint(enough.tocsr(), 0, np.inf),
    ]
