"""The cell suppression problem in numbers: what may move, what must be able to, what it costs to withhold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacita.errors import InputError, UsageError
from tacita.model.table import Knowledge, Levels, Status, Table

_TOLD = 5  # cells named in one message
_WHOLE = 1e-9
_SOMETHING = 1e-5


class Distances(NamedTuple):
    """How far down and up a cell must be able to move, and how wide."""

    lower: float = 0.0
    upper: float = 0.0
    sliding: float = 0.0


class SecretUnion(NamedTuple):
    """Cells whose sum must stay unknown: the attacker's interval of it must be at least so wide."""

    cells: NDArray[np.int64]
    level: float


@dataclass(frozen=True, slots=True)
class SuppressionProblem:
    """Cells as deviations from the truth.

    An attacker sees cell i as ``value + delta`` with ``-down[i] <= delta[i] <= up[i]`` when it is withheld and delta 0
    when it is not, and ``sums @ delta = 0``. Sensitive cells need some delta that reaches ``-lower``, one that reaches
    ``+upper``, and both together `sliding`. Cells in `fixed` cannot move at all; those in `withheld` are withheld in
    every pattern (sensitive, or by order). A contributor who stands alone behind cells knows them: `known_by` lists
    these cells by contributor. What a sensitive cell must keep unknown holds against each of them in full, but where
    `against` has other distances for the cell and the contributor, who contributes to it: nobody is protected from
    themselves.
    """

    sums: sparse.csr_matrix
    down: NDArray[np.float64]
    up: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    sliding: NDArray[np.float64]
    cost: NDArray[np.float64]
    withheld: NDArray[np.bool_]
    fixed: NDArray[np.bool_]
    known_by: Mapping[int, NDArray[np.int64]]
    against: Mapping[int, Mapping[int, Distances]]
    whole: bool = False
    """Whether everybody knows that values are whole numbers: then only movements by whole numbers protect."""

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def targets(self) -> NDArray[np.int64]:
        """The cells with a level to reach."""
        return np.flatnonzero((self.lower > 0) | (self.upper > 0) | (self.sliding > 0))

    def distances(self, cell: int, attacker: int = -1) -> Distances:
        """Return what a cell must keep unknown, to everybody or to a contributor."""
        special = self.against.get(cell, {}).get(attacker)
        if special is not None:
            return special
        return Distances(float(self.lower[cell]), float(self.upper[cell]), float(self.sliding[cell]))

    def level_against(self, target: ProtectionTarget, attacker: int) -> float:
        """Return by how much a target must be able to move for what a contributor knows; 0: nothing is asked."""
        distances = self.distances(target.cell, attacker)
        if target.sign == WIDTH:
            is_more = attacker == EVERYBODY or distances.sliding > distances.lower + distances.upper
            return distances.sliding if is_more else 0.0
        return distances.upper if target.sign > 0 else distances.lower

    def seen_by(self, target: ProtectionTarget, attacker: int) -> ProtectionTarget:
        """Return a target as it is asked for against a contributor (`EVERYBODY`: against the public)."""
        return ProtectionTarget(target.cell, target.sign, self.level_against(target, attacker), attacker)

    def unasked(self, target: ProtectionTarget) -> frozenset[int]:
        """Return the contributors against whom nothing is asked of a target."""
        special = self.against.get(target.cell, ())
        return frozenset(who for who in special if self.level_against(target, who) <= 0)

    def known_to_unasked(self, target: ProtectionTarget) -> NDArray[np.int64]:
        """Return the cells that contributors know against whom nothing is asked of a target."""
        cells = [self.known_by[who] for who in sorted(self.unasked(target)) if who in self.known_by]
        return np.unique(np.concatenate(cells)) if cells else np.zeros(0, np.int64)

    def in_units(self, unit: float) -> SuppressionProblem:
        """Return the problem with all figures multiplied by a unit, costs excepted."""
        return replace(
            self,
            down=self.down * unit,
            up=self.up * unit,
            lower=self.lower * unit,
            upper=self.upper * unit,
            sliding=self.sliding * unit,
            against={
                cell: {who: Distances(*(unit * level for level in special)) for who, special in by_who.items()}
                for cell, by_who in self.against.items()
            },
        )


def problem_of(
    table: Table,
    levels: Levels,
    knowledge: Knowledge,
    costs: NDArray[np.float64],
    status: NDArray[np.int8] | None = None,
    *,
    zeros: bool = False,
) -> SuppressionProblem:
    """Return the problem of a table, checked.

    Cells that are zero, and not sensitive, are published as they are: whoever knows the subject knows them, and they
    cannot go below. `zeros` lets them be withheld like any other cell.
    """
    values = table.values
    wishes = np.zeros(len(table), np.int8) if status is None else status
    sensitive = levels.sensitive
    _refuse(table, sensitive & (wishes == Status.KEPT), "are sensitive and marked to be published")
    _refuse(table, sensitive & knowledge.known, "are sensitive, and known already from elsewhere")
    slack = 1e-9 * np.maximum(1.0, np.abs(values))
    outside = (knowledge.lower > values + slack) | (knowledge.upper < values - slack)
    _refuse(table, outside, "lie outside the bounds that an attacker is said to know", do="correct the external bounds")
    if np.any(costs < 0) or not np.all(np.isfinite(costs)):
        raise UsageError("a cost of withholding is negative or no number", do="give costs of zero or more")
    withheld = sensitive | (wishes == Status.FORCED)
    fixed = (wishes == Status.KEPT) | knowledge.known
    down, up = np.maximum(values - knowledge.lower, 0.0), np.maximum(knowledge.upper - values, 0.0)
    if not zeros:
        fixed |= (values == 0) & ~withheld
    fixed |= (down <= 0) & (up <= 0)
    equations = table.equations
    sums = sparse.csr_matrix(
        (equations.coefficients, equations.cells, equations.starts), shape=(len(equations), len(table))
    )
    lower, upper, sliding = _ranges(values, levels, knowledge.integer)
    return SuppressionProblem(
        sums,
        down,
        up,
        lower,
        upper,
        sliding,
        np.asarray(costs, np.float64),
        withheld,
        fixed & ~withheld,
        cells_by_owner(knowledge.owners),
        _against(values, levels, knowledge, Ranges(lower, upper, sliding)),
        knowledge.integer,
    )


class Ranges(NamedTuple):
    """Levels of many cells."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    sliding: NDArray[np.float64]


def _against(
    values: NDArray[np.float64], levels: Levels, knowledge: Knowledge, full: Ranges
) -> dict[int, dict[int, Distances]]:
    """Return what is asked against contributors to sensitive cells: what the levels say; of their own cells nothing."""
    against: dict[int, dict[int, Distances]] = {}
    special = levels.against
    if special is not None:
        rows = special.only(levels.sensitive[special.cell])
        ranges = _whole_ranges(values[rows.cell], Ranges(rows.lower, rows.upper, rows.sliding), knowledge.integer)
        below = (np.minimum(part, most[rows.cell]).tolist() for part, most in zip(ranges, full, strict=True))
        for cell, who, *distances in zip(rows.cell.tolist(), rows.contributor.tolist(), *below, strict=True):
            against.setdefault(cell, {})[who] = Distances(*distances)
    own = np.flatnonzero(levels.sensitive & (knowledge.owners >= 0))
    for cell, who in zip(own.tolist(), knowledge.owners[own].tolist(), strict=True):
        against.setdefault(cell, {}).setdefault(who, Distances())
    return against


def _whole_ranges(values: NDArray[np.float64], levels: Ranges, whole: bool) -> Ranges:
    """Return levels up to the next whole number where values are whole."""
    if not whole:
        return levels
    return Ranges(
        np.where(levels.lower > 0, values - np.floor(values - levels.lower + _WHOLE), 0.0),
        np.where(levels.upper > 0, np.ceil(values + levels.upper - _WHOLE) - values, 0.0),
        np.ceil(levels.sliding - _WHOLE),
    )


def _ranges(values: NDArray[np.float64], levels: Levels, whole: bool) -> Ranges:
    """Return the levels of sensitive cells: to the next whole number where values are whole, and never nothing."""
    sensitive = levels.sensitive
    given = (np.where(sensitive, array, 0.0) for array in (levels.lower, levels.upper, levels.sliding))
    lower, upper, sliding = _whole_ranges(values, Ranges(*given), whole)
    # A sensitive cell without levels must at least not be known exactly.
    something = 1.0 if whole else _SOMETHING * np.maximum(1.0, np.abs(values))
    none = sensitive & (lower <= 0) & (upper <= 0) & (sliding <= 0)
    return Ranges(lower, upper, np.where(none, something, sliding))


def with_unions(problem: SuppressionProblem, unions: Sequence[SecretUnion]) -> SuppressionProblem:
    """Return the problem with sums of cells that must stay unknown, too, as cells that nobody publishes."""
    if not unions:
        return problem
    cells, extra = len(problem), len(unions)
    rows = np.concatenate([np.full(len(union.cells) + 1, at) for at, union in enumerate(unions)])
    columns = np.concatenate([np.append(union.cells, cells + at) for at, union in enumerate(unions)])
    signs = np.concatenate([np.append(np.ones(len(union.cells)), -1.0) for union in unions])
    more = sparse.csr_matrix((signs, (rows, columns)), shape=(extra, cells + extra))
    wide = sparse.csr_matrix(
        (problem.sums.data, problem.sums.indices, problem.sums.indptr), shape=(problem.sums.shape[0], cells + extra)
    )
    added = {
        cells + at: {who: Distances() for who in _behind_all(problem, union.cells)} for at, union in enumerate(unions)
    }

    def grown(before: NDArray[np.float64], value: float | NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([before, np.broadcast_to(np.asarray(value, np.float64), extra)])

    level = np.array([union.level for union in unions])
    return replace(
        problem,
        sums=sparse.vstack([wide, more]).tocsr(),
        down=grown(problem.down, np.inf),
        up=grown(problem.up, np.inf),
        lower=grown(problem.lower, 0.0),
        upper=grown(problem.upper, 0.0),
        sliding=grown(problem.sliding, level),
        cost=grown(problem.cost, 0.0),
        withheld=np.concatenate([problem.withheld, np.ones(extra, bool)]),
        fixed=np.concatenate([problem.fixed, np.zeros(extra, bool)]),
        against={**problem.against, **added},
    )


def _behind_all(problem: SuppressionProblem, cells: NDArray[np.int64]) -> list[int]:
    """Return the contributors of whom all of some cells are."""
    own = [
        {who for who, special in problem.against.get(cell, {}).items() if not any(special)}
        | {who for who, known in problem.known_by.items() if cell in known}
        for cell in cells.tolist()
    ]
    return sorted(set.intersection(*own))


def cells_by_owner(owners: NDArray[np.int64], cells: NDArray[np.int64] | None = None) -> dict[int, NDArray[np.int64]]:
    """Return which of some cells (their own numbers, without `cells`) each contributor stands alone behind."""
    owned = np.flatnonzero(owners >= 0)
    order = owned[np.argsort(owners[owned], kind="stable")]
    names, starts = np.unique(owners[order], return_index=True)
    numbers = order if cells is None else cells[order]
    return {int(name): np.unique(part) for name, part in zip(names, np.split(numbers, starts)[1:], strict=True)}


def _refuse(table: Table, cells: NDArray[np.bool_], what: str, do: str = "change the mark, or the rule") -> None:
    refused = np.flatnonzero(cells)
    if len(refused):
        named = "; ".join(table.cell_name(int(cell)) for cell in refused[:_TOLD])
        more = f" and {len(refused) - _TOLD} more" if len(refused) > _TOLD else ""
        raise InputError(f"{len(refused)} cells {what}: {named}{more}", where=f"table '{table.name}'", do=do)


def part_of(problem: SuppressionProblem, places: NDArray[np.int64], rows: NDArray[np.int64]) -> SuppressionProblem:
    """Return the problem over some places and equations; contributors do not attack there."""
    return replace(
        problem,
        sums=problem.sums[rows][:, places].tocsr(),
        down=problem.down[places],
        up=problem.up[places],
        lower=problem.lower[places],
        upper=problem.upper[places],
        sliding=problem.sliding[places],
        cost=problem.cost[places],
        withheld=problem.withheld[places],
        fixed=problem.fixed[places],
        known_by={},
        against={},
    )


EVERYBODY = -1
WIDTH = 0
"""The sign of a target that asks for a width (a sliding level) instead of a distance up (1) or down (-1)."""
CLOSE_ENOUGH = 1e-7  # of a level: what the solver's own precision may take away


class ProtectionTarget(NamedTuple):
    """A cell that must be able to move by a level in one direction, whatever a contributor knows."""

    cell: int
    sign: int
    level: float
    attacker: int = EVERYBODY


def targets_of(problem: SuppressionProblem) -> list[ProtectionTarget]:
    """Return what must stay unknown to everybody, the largest levels first; ties by the number of the cell."""
    targets = []
    for cell in problem.targets.tolist():
        upper, lower, width = (float(levels[cell]) for levels in (problem.upper, problem.lower, problem.sliding))
        if upper > 0:
            targets.append(ProtectionTarget(cell, 1, upper))
        if lower > 0:
            targets.append(ProtectionTarget(cell, -1, lower))
        special = problem.against.get(cell, {}).values()
        if width > upper + lower or any(one.sliding > one.lower + one.upper for one in special):
            targets.append(ProtectionTarget(cell, WIDTH, width))
    return sorted(targets, key=lambda target: (-target.level, target.cell, -target.sign))
