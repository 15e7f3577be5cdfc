"""The fewest nulls that do: how far a greedy suppression is from the minimum, on small data.

Local suppression is solved exactly, as a mixed-integer program on HiGHS (scipy's `milp`); `optimum_model.py` has its
variables and constraints. Every record has to be counted k times, where a match that leans on the nulls of others
counts alpha (1: maybe-match, 0: strict). Only records below k in the input are changed.

There are two problems. The *free* one asks for nothing more, and under maybe-match it is gamed: two records that are
nulls nearly everywhere repair all the others, which stay as recognisable as they were. In the *honest* one a changed
record stands on its own: counted strictly it reaches k, and it would not with any one of its nulls less. So nobody is
blanked for the sake of others, but an unchanged record may still lean on those that were.

Limits: more than 10,000 ways to suppress (`optimum_model.MOST_STATES`) are refused. In the free problem these are the
risky groups times the sets of attributes; in the honest one most sets fall away. Strict problems are
often solved in seconds: 4,580 records with seven attributes, 458 of them risky, in 5 s; but 93 records, all of them
risky, not in 30 s at k = 5. With alpha above 0 the proof takes longer: some seconds for 15 risky records with five
attributes or 60 with three; beyond that expect a bound. That an honest solution exists wherever a free one does is not
proven; none was missing in 1,381 random files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacita.errors import InternalError, UsageError

if TYPE_CHECKING:
    import numpy as np

    from tacita.cycle.suppression.optimum_model import Groups, OptimumModel

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class SmallestSuppression:
    """The cheapest suppression that was found, and what is known of the minimum."""

    nulls: int
    """Cells suppressed."""
    cost: float
    """The importance of these cells, summed up."""
    bound: float
    """No suppression costs less."""
    proven: bool
    """Whether this is the minimum; otherwise the time was up, and the minimum is between `bound` and `cost`."""
    cells: Array
    """Which cells to suppress: a truth for each record and attribute."""


def optimum(
    codes: Array,
    k: int,
    *,
    alpha: float = 1.0,
    importance: Array | None = None,
    untouchable: Array | None = None,
    honest: bool = True,
    seconds: float = 60.0,
) -> SmallestSuppression:
    """Return the cheapest suppression after which every record is counted at least k times.

    `codes` has a row for each record and -1 for a null; nulls that are there cost nothing. `importance` is the cost of
    a null by attribute, 1 unless given. `untouchable` marks attributes, or single cells, that must stay.

    >>> import numpy as np
    >>> codes = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    >>> leaning, alone = optimum(codes, k=2), optimum(codes, k=2, alpha=0)
    >>> leaning.nulls, alone.nulls, alone.proven
    (1, 2, True)
    >>> print(alone.cells.astype(int))
    [[0 0]
     [0 0]
     [1 0]
     [1 0]]
    """
    import numpy as np

    from tacita.cycle.suppression.optimum_model import Groups, model

    codes = np.asarray(codes)
    costs = np.ones(codes.shape[1]) if importance is None else np.asarray(importance, dtype=float)
    touchable = ~np.broadcast_to(np.asarray(False if untouchable is None else untouchable, dtype=bool), codes.shape)
    _check(k, alpha, costs, codes.shape[1])
    groups = Groups.of(codes, touchable, k, alpha)
    built = model(groups, k, alpha, costs, honest=honest)
    taken, bound, proven = _solved(built, k, seconds)
    cells = _cells(groups, built, taken, codes.shape)
    cost = float((cells * costs).sum())
    if importance is None:
        bound = float(np.ceil(bound - 1e-6))
    _verify(codes, cells, k, alpha, honest=honest)
    bound = cost if proven else min(max(bound, 0.0), cost)
    return SmallestSuppression(int(cells.sum()), cost, bound, bound == cost, cells)


def _check(k: int, alpha: float, importance: Array, width: int) -> None:
    if k < 1:
        raise UsageError(f"k is {k}: it counts records", do="take a k of at least 2")
    if not 0 <= alpha <= 1:
        raise UsageError(f"alpha is {alpha:g}", do="take a number from 0 (strict) to 1 (maybe-match)")
    if importance.shape != (width,) or not (importance > 0).all():
        raise UsageError(
            f"importance has {importance.size} numbers for {width} attributes, or one that is not above 0",
            do="give each attribute a cost above 0; mark what must stay as untouchable",
        )


def _solved(built: OptimumModel, k: int, seconds: float) -> tuple[Array, float, bool]:
    """Return how many records take each state, a lower bound of the cost, and whether it is reached."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    none = UsageError(
        f"no suppression brings every record to k = {k}",
        do="take a smaller k, or let more attributes be suppressed",
    )
    if built.impossible:
        raise none
    if not built.states:
        return np.zeros(0, dtype=np.int64), 0.0, True
    ends = np.cumsum([0, *(len(row) for row in built.rows)])
    places = np.fromiter((j for row in built.rows for j in row), dtype=np.int64, count=int(ends[-1]))
    values = np.fromiter((w for row in built.rows for w in row.values()), dtype=float, count=int(ends[-1]))
    matrix = csr_array((values, places, ends), shape=(len(built.rows), len(built.most)))
    solution = milp(
        built.costs,
        integrality=np.ones(len(built.most)),
        bounds=Bounds(0, built.most),
        constraints=LinearConstraint(matrix, built.lower, built.upper),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    if solution.x is None:
        if solution.status == 2:
            raise none
        raise UsageError(
            f"no suppression was found within {seconds:g} s",
            do="give more seconds, or take a sample of the records or fewer attributes",
        )
    return (
        np.rint(solution.x[: len(built.states)]).astype(np.int64),
        float(solution.mip_dual_bound),
        solution.status == 0,
    )


def _cells(groups: Groups, built: OptimumModel, taken: Array, shape: tuple[int, ...]) -> Array:
    """Return the cells to suppress: records of a group take its states in the order of the file."""
    import numpy as np

    cells = np.zeros(shape, dtype=bool)
    waiting = {g: np.flatnonzero(groups.of_record == g).tolist() for g in {s.group for s in built.states}}
    for state, records in zip(built.states, taken.tolist(), strict=True):
        for _ in range(records):
            cells[waiting[state.group].pop(0), sorted(state.suppressed)] = True
    return cells


def _verify(codes: Array, cells: Array, k: int, alpha: float, *, honest: bool) -> None:
    """Count anew: a solver works with rounded numbers."""
    import numpy as np

    from tacita.cycle.suppression.optimum_model import frequencies

    faces, counts = np.unique(np.where(cells, -1, codes), axis=0, return_counts=True)
    changed = np.unique(np.where(cells, -1, codes)[cells.any(axis=1)], axis=0)
    enough = (frequencies(faces, faces, counts, alpha) >= k - 1e-6).all()
    if honest and len(changed):
        enough &= (frequencies(changed, faces, counts, 0.0) >= k - 1e-6).all()
    if not enough:
        raise InternalError("the solver's suppression does not bring every record to k")
