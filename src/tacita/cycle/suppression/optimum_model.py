"""The smallest suppression as a mixed-integer program: its variables and constraints.

Records with the same values are a group. A state is a group and the set of attributes suppressed in it; the variable of
a state says how many records of the group take it. Groups that may not change are constants.

What is seen of a record in a state is its face: its values, with nulls. A face f counts

    N(f) = sum over states s of w(f, face of s) * records in s,

where w is 1 for a certain match (the same face; an incomplete record with a complete one; a record that is all null
with anybody), alpha for others that agree on what is known of both, 0 where they do not agree. A claim is a condition
on N(f) that holds if one of some states is taken, told by a binary variable:

- at least k, for every face that is taken: with alpha as given, and strictly (alpha = 0) if the record was changed and
  has to stand on its own;
- below k for the face with one null less, strictly and the record itself counted: each null is needed.

States that no honest solution can have are left out. If the groups that may not change are already enough for a face to
reach k strictly, a further null is not needed: no state goes beyond it. If all records that could ever be seen so are
fewer than k, it cannot be reached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tacita.errors import UsageError, counted

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

MOST_STATES = 10_000
MOST_WEIGHTS = 2_000_000
"""Numbers in the constraints: with more, the program takes memory by the gigabyte."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Records with the same values and the same cells that may be suppressed."""

    faces: Array
    """The codes, -1 for a null."""
    free: Array
    """The cells that may be suppressed; none in a record that is not risky."""
    counts: Array
    of_record: Array
    """The group of each record."""

    @classmethod
    def of(cls, codes: Array, touchable: Array, k: float, alpha: float) -> Groups:
        """Group the records; only those below k in the input may change."""
        import numpy as np

        both, of_record, counts = np.unique(
            np.hstack([codes, touchable.astype(codes.dtype)]), axis=0, return_inverse=True, return_counts=True
        )
        faces, free = both[:, : codes.shape[1]], both[:, codes.shape[1] :].astype(bool)
        risky = frequencies(faces, faces, counts, alpha) < k - 1e-9
        return cls(faces, free & risky[:, None] & (faces >= 0), counts, of_record.ravel())


@dataclass(frozen=True, slots=True)
class SearchState:
    """A group and what is suppressed in its records."""

    group: int
    suppressed: frozenset[int]
    face: tuple[int, ...]


@dataclass(slots=True)
class OptimumModel:
    """Variables and constraints: ``lower <= rows * x <= upper``, x from 0 to `most`, whole."""

    states: list[SearchState]
    costs: list[float]
    most: list[float]
    rows: list[dict[int, float]] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    impossible: bool = False
    """Whether a record that may not change stays below k whatever is done."""

    def add(self, row: dict[int, float], lower: float, upper: float) -> None:
        """Add a constraint."""
        self.rows.append(row)
        self.lower.append(lower)
        self.upper.append(upper)

    def taken(self, among: Sequence[int]) -> int:
        """Return a variable that is 1 if any of some states is taken."""
        if len(among) == 1 and self.most[among[0]] == 1:
            return among[0]
        self.costs.append(0.0)
        self.most.append(1.0)
        column = len(self.most) - 1
        for s in among:
            self.add({s: -1.0, column: self.most[s]}, 0, float("inf"))
        return column


def model(groups: Groups, k: int, alpha: float, importance: Array, *, honest: bool) -> OptimumModel:
    """Build the program whose optimum is the cheapest suppression."""
    import numpy as np

    may_change = np.asarray(groups.free.any(axis=1))
    moving, fixed = np.flatnonzero(may_change), ~may_change
    states = _states(groups, moving, fixed, k, honest=honest)
    costs = [float(sum(importance[j] for j in s.suppressed)) for s in states]
    built = OptimumModel(states, costs, [float(groups.counts[s.group]) for s in states])
    per_group: dict[int, list[int]] = defaultdict(list)
    for place, state in enumerate(states):
        per_group[state.group].append(place)
    for group, places in per_group.items():
        built.add(dict.fromkeys(places, 1.0), float(groups.counts[group]), float(groups.counts[group]))
    faces = np.array([s.face for s in states], dtype=np.int64).reshape(len(states), len(importance))
    view = _View(groups, fixed, faces)
    _enough_for_the_fixed(built, view, k, alpha)
    changed = [p for p, s in enumerate(states) if s.suppressed]
    unchanged = [p for p, s in enumerate(states) if not s.suppressed]
    if honest:
        _enough(built, view, changed, k, 0.0)
        _enough(built, view, unchanged, k, alpha)
        _needed(built, view, changed, k)
    else:
        _enough(built, view, range(len(states)), k, alpha)
    return built


def weights(mine: Array, others: Array, alpha: float) -> Array:
    """Return how much each of others counts for each of mine.

    >>> import numpy as np
    >>> faces = np.array([[0, 0], [0, -1], [-1, 0], [-1, -1]])
    >>> weights(faces, faces, 0.5)
    array([[1. , 0.5, 0.5, 0.5],
           [1. , 1. , 0.5, 0.5],
           [1. , 0.5, 1. , 0.5],
           [1. , 1. , 1. , 1. ]])
    """
    import numpy as np

    meet: Array = np.ones((len(mine), len(others)), dtype=bool)
    same: Array = np.ones_like(meet)
    for j in range(mine.shape[1]):
        a, b = mine[:, j, None], others[None, :, j]
        meet &= (a == b) | (a < 0) | (b < 0)
        same &= (a < 0) == (b < 0)
    incomplete, nothing = np.asarray((mine < 0).any(axis=1)), np.asarray((mine < 0).all(axis=1))
    complete = np.asarray((others >= 0).all(axis=1))
    certain = same | nothing[:, None] | (incomplete[:, None] & complete[None, :])
    return np.where(meet, np.where(certain, 1.0, alpha), 0.0)


def frequencies(mine: Array, others: Array, counts: Array, alpha: float) -> Array:
    """Return the frequency of each of mine among the others, a block at a time."""
    import numpy as np

    step = max(1, 4_000_000 // max(len(others), 1))
    blocks = [weights(mine[i : i + step], others, alpha) @ counts for i in range(0, len(mine), step)]
    return np.concatenate(blocks) if blocks else np.zeros(0)


def _states(groups: Groups, moving: Array, fixed: Array, k: int, *, honest: bool) -> list[SearchState]:
    """Return the states of groups that may change, from nothing suppressed upwards."""
    import numpy as np

    states: list[SearchState] = []
    level = [SearchState(int(g), frozenset(), tuple(map(int, groups.faces[g]))) for g in moving]
    while level:
        faces = np.array([s.face for s in level])
        if honest:
            alone = 1 + frequencies(faces, groups.faces[fixed], groups.counts[fixed], 0.0)
            reach = _reach(groups, faces)
            states += [s for s, most in zip(level, reach, strict=True) if not s.suppressed or most >= k]
            beyond = {(s.group, s.suppressed) for s, others in zip(level, alone, strict=True) if others < k}
        else:
            states += level
            beyond = {(s.group, s.suppressed) for s in level}
        if max(len(states), len(level) // 10) > MOST_STATES:
            raise _too_large(groups)
        level = [
            SearchState(s.group, s.suppressed | {j}, (*s.face[:j], -1, *s.face[j + 1 :]))
            for s in level
            for j in np.flatnonzero(groups.free[s.group]).tolist()
            if all(j > other for other in s.suppressed)
            and all((s.group, (s.suppressed | {j}) - {a}) in beyond for a in (*s.suppressed, j))
        ]
    return states


def _reach(groups: Groups, faces: Array) -> Array:
    """Return how many records have all that a face shows: no more can ever count for it strictly."""
    import numpy as np

    total = np.zeros(len(faces), dtype=np.int64)
    for g, count in enumerate(groups.counts):
        total += count * ((faces < 0) | (faces == groups.faces[g])).all(axis=1)
    return total


def _too_large(groups: Groups) -> UsageError:
    records = counted(int(groups.counts[groups.free.any(axis=1)].sum()), "record")
    return UsageError(
        f"the smallest suppression is for small data: {records} below k with {groups.faces.shape[1]} attributes can be"
        f" suppressed in more ways than are searched ({MOST_STATES:,} ways, {MOST_WEIGHTS:,} pairs that match)",
        do="take a sample of the records or fewer attributes; local suppression itself has no such limit",
    )


class _View:
    """What faces count: of the groups that may not change a number, of the states a row of weights."""

    def __init__(self, groups: Groups, fixed: Array, states: Array) -> None:
        self.groups, self.fixed, self.states = groups, fixed, states
        self.given = 0

    def of(self, faces: Array, alpha: float) -> tuple[Array, list[dict[int, float]]]:
        """Return for each face how many records count that do not change, and how much each state does."""
        import numpy as np

        groups = self.groups
        constant = frequencies(faces, groups.faces[self.fixed], groups.counts[self.fixed], alpha)
        rows: list[dict[int, float]] = []
        for i in range(0, len(faces), 200):
            for part in weights(faces[i : i + 200], self.states, alpha):
                places = np.flatnonzero(part)
                rows.append(dict(zip(places.tolist(), part[places].tolist(), strict=True)))
                self.given += len(places)
            if self.given > MOST_WEIGHTS:
                raise _too_large(groups)
        return constant, rows


def _by_face(built: OptimumModel, among: Iterable[int]) -> dict[tuple[int, ...], list[int]]:
    together: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place in among:
        together[built.states[place].face].append(place)
    return together


def _enough_for_the_fixed(built: OptimumModel, view: _View, k: int, alpha: float) -> None:
    """Records that may not change reach k."""
    faces = view.groups.faces[view.fixed]
    constant = frequencies(faces, faces, view.groups.counts[view.fixed], alpha)
    low = constant < k - 1e-9
    for missing, row in zip(k - constant[low], view.of(faces[low], alpha)[1], strict=True):
        if row:
            built.add(row, float(missing), float("inf"))
        else:
            built.impossible = True


def _enough(built: OptimumModel, view: _View, among: Iterable[int], k: int, alpha: float) -> None:
    """Records in these states reach k."""
    together = _by_face(built, among)
    if not together:
        return
    import numpy as np

    constant, rows = view.of(np.array(list(together)), alpha)
    for places, there, row in zip(together.values(), constant.tolist(), rows, strict=True):
        if there < k - 1e-9:
            column = built.taken(places)
            built.add(row | {column: row.get(column, 0.0) - (k - there)}, 0, float("inf"))


def _needed(built: OptimumModel, view: _View, among: Iterable[int], k: int) -> None:
    """Records in these states would be below k, strictly, if they had one null less."""
    import numpy as np

    together: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place in among:
        state = built.states[place]
        for j in sorted(state.suppressed):
            shown = int(view.groups.faces[state.group, j])
            together[(*state.face[:j], shown, *state.face[j + 1 :])].append(place)
    if not together:
        return
    constant, rows = view.of(np.array(list(together)), 0.0)
    for places, there, row in zip(together.values(), constant.tolist(), rows, strict=True):
        most = sum(view.groups.counts[g] for g in {built.states[s].group for s in row})
        room = k - 2 - there  # of the others: the record itself counts one
        if most > room:
            column = built.taken(places)
            built.add(row | {column: row.get(column, 0.0) + float(most) - room}, -float("inf"), float(most))
