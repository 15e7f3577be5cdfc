"""The cell suppression problem in numbers: what may move, what must be able to, what it costs to withhold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacita.errors import InputError, UsageError
from tacita.model.table import Knowledge, Levels, Status, Table

_TOLD = 5  # cells named in one message


@dataclass(frozen=True, slots=True)
class Problem:
    """Cells as deviations from the truth.

    An attacker sees cell i as ``value + delta`` with ``-down[i] <= delta[i] <= up[i]`` when it is withheld and delta 0
    when it is not, and ``sums @ delta = 0``. Sensitive cells need some delta that reaches ``-lower``, one that reaches
    ``+upper``, and both together `sliding`. Cells in `fixed` cannot move at all; those in `withheld` are withheld in
    every pattern (sensitive, or by order). A contributor who stands alone behind cells knows them: `known_by` lists
    these cells by contributor, and `owners` says whose secret a sensitive cell is (-1: nobody's alone), for nobody is
    protected from themselves.
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
    owners: NDArray[np.int64]
    known_by: Mapping[int, NDArray[np.int64]]

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def targets(self) -> NDArray[np.int64]:
        """The cells with a level to reach."""
        return np.flatnonzero((self.lower > 0) | (self.upper > 0) | (self.sliding > 0))


def problem_of(
    table: Table,
    levels: Levels,
    knowledge: Knowledge,
    costs: NDArray[np.float64],
    status: NDArray[np.int8] | None = None,
    *,
    zeros: bool = False,
) -> Problem:
    """Return the problem of a table, checked.

    Cells that are zero, and not sensitive, are published as they are: whoever knows the subject knows them, and they
    cannot go below. `zeros` lets them be withheld like any other cell.
    """
    values = table.values
    asked = np.zeros(len(table), np.int8) if status is None else status
    sensitive = levels.sensitive
    _refuse(table, sensitive & (asked == Status.KEPT), "are sensitive and marked to be published")
    _refuse(table, sensitive & knowledge.known, "are sensitive, and known already from elsewhere")
    slack = 1e-9 * np.maximum(1.0, np.abs(values))
    outside = (knowledge.lower > values + slack) | (knowledge.upper < values - slack)
    _refuse(table, outside, "lie outside the bounds that an attacker is said to know", do="correct the external bounds")
    if np.any(costs < 0) or not np.all(np.isfinite(costs)):
        raise UsageError("a cost of withholding is negative or no number", do="give costs of zero or more")
    withheld = sensitive | (asked == Status.FORCED)
    fixed = (asked == Status.KEPT) | knowledge.known
    down, up = np.maximum(values - knowledge.lower, 0.0), np.maximum(knowledge.upper - values, 0.0)
    if not zeros:
        fixed |= (values == 0) & ~withheld
    fixed |= (down <= 0) & (up <= 0)
    equations = table.equations
    sums = sparse.csr_matrix(
        (equations.coefficients, equations.cells, equations.starts), shape=(len(equations), len(table))
    )
    return Problem(
        sums,
        down,
        up,
        np.where(sensitive, levels.lower, 0.0),
        np.where(sensitive, levels.upper, 0.0),
        np.where(sensitive, levels.sliding, 0.0),
        np.asarray(costs, np.float64),
        withheld,
        fixed & ~withheld,
        knowledge.owners,
        cells_by_owner(knowledge.owners),
    )


def cells_by_owner(owners: NDArray[np.int64], cells: NDArray[np.int64] | None = None) -> dict[int, NDArray[np.int64]]:
    """Return which of some cells (their own numbers, without `cells`) each contributor stands alone behind."""
    owned = np.flatnonzero(owners >= 0)
    order = owned[np.argsort(owners[owned], kind="stable")]
    names, starts = np.unique(owners[order], return_index=True)
    numbers = order if cells is None else cells[order]
    return {int(name): np.unique(part) for name, part in zip(names, np.split(numbers, starts)[1:], strict=True)}


def _refuse(table: Table, cells: NDArray[np.bool_], what: str, do: str = "change the mark, or the rule") -> None:
    found = np.flatnonzero(cells)
    if len(found):
        named = "; ".join(table.cell_name(int(cell)) for cell in found[:_TOLD])
        more = f" and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
        raise InputError(f"{len(found)} cells {what}: {named}{more}", where=f"table '{table.name}'", do=do)
