"""An attack told step by step: which sums are combined, and how the cell follows from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacita.attacks.tables.system.polytope import Polytope
from tacita.attacks.tables.system.possible_tables import Numbers, Places, PossibleTables
from tacita.errors import listed
from tacita.model.table import Table

SHOWN = 6
"""Cells of one sum that a sentence names; the rest are counted."""


Figure = Callable[[float], str]
"""How a number of the table is written in a sentence: as it is, or not at all."""


@dataclass(frozen=True, slots=True)
class AttackAccount:
    """An attack, a sentence each step: `steps` with figures of the table in it, `outline` the same without them.

    The outline is told anew, not cut out of the steps: codes may look like anything, also like figures.
    """

    steps: tuple[str, ...] = ()
    outline: tuple[str, ...] = ()

    @classmethod
    def plain(cls, *steps: str) -> AttackAccount:
        """Return an account of sentences that have no figure."""
        return cls(steps, steps)

    def __add__(self, other: AttackAccount) -> AttackAccount:
        return AttackAccount(self.steps + other.steps, self.outline + other.outline)


def account(table: Table, possible: PossibleTables, place: int, *, up: bool) -> AttackAccount:
    """Return how an attacker bounds one unknown cell.

    The sums near the cell are tried first, and more of them until more sums bound the cell no closer: a single sum,
    where a single sum is enough. The dual solution of the attacker's linear programme says with which factor each sum
    enters (strong duality); every cell that is left is then at one of its bounds.
    """
    from scipy.sparse import csc_array

    by_cell = csc_array(possible.matrix)
    layers, rows = [], np.zeros(0, np.int64)
    while True:
        cells = np.unique(np.append(possible.matrix[rows].indices, place)) if rows.size else np.array([place])
        grown = np.unique(by_cell[:, cells].indices).astype(np.int64)
        if len(grown) == len(rows):
            break
        rows = grown
        layers.append(rows)
    target = _Bound.of(possible, rows, place, up=up)
    if target is None:
        return AttackAccount.plain("the solver could not repeat the attack on the whole of its block")
    singles = [np.array([row]) for row in layers[0]] if layers else []
    for near in (*singles, *layers[:-1]):
        bound = _Bound.of(possible, near, place, up=up)
        if bound is not None and abs(bound.end - target.end) <= 1e-6 * target.size:
            return bound.account(table, possible)
    return target.account(table, possible)


@dataclass(frozen=True, slots=True)
class _Bound:
    """The end of one cell by some sums alone: with what factor each sum enters, and which cells are left over."""

    place: int
    up: bool
    end: float
    size: float
    rows: Places
    cells: Places
    prices: Numbers
    left: Numbers

    @classmethod
    def of(cls, possible: PossibleTables, rows: Places, place: int, *, up: bool) -> _Bound | None:
        from scipy.sparse import csr_array

        part = csr_array(possible.matrix[rows])
        cells = np.unique(np.append(part.indices, place)).astype(np.int64)
        part = csr_array(part[:, cells])
        # Where the sums are all zero, what somebody knows of a cell tells how large figures are.
        ends = np.concatenate((possible.lower[cells], possible.upper[cells]))
        size = float(np.abs(possible.sums[rows]).max(initial=0.0))
        size = size or float(np.abs(ends[np.isfinite(ends)]).max(initial=0.0)) or 1.0
        far = 100 * size * max(1, len(rows))
        lower, upper = np.maximum(possible.lower[cells], -far), np.minimum(possible.upper[cells], far)
        wish = np.zeros(len(cells))
        at = int(np.searchsorted(cells, place))
        wish[at] = 1.0 if up else -1.0
        scale = size / 1e3
        solver = Polytope(part, possible.sums[rows] / scale, lower / scale, upper / scale)
        point, _, _ = solver.largest(wish)
        if point is None:
            return None
        prices = solver.prices()
        prices[np.abs(prices) < 1e-7] = 0.0
        left = wish - part.T @ prices
        left[np.abs(left) < 1e-7] = 0.0
        return cls(place, up, float(point[at]) * scale, size, rows, cells, prices, left)

    def account(self, table: Table, possible: PossibleTables) -> AttackAccount:
        """Return the attack as sentences."""
        return AttackAccount(self._sentences(table, possible, _figure), self._sentences(table, possible, _no_figure))

    def _sentences(self, table: Table, possible: PossibleTables, figure: Figure) -> tuple[str, ...]:
        name = f"({table.cell_name(int(possible.cells[self.place]))})"
        used = np.flatnonzero(self.prices)
        sentences = [_sum(table, possible, int(self.rows[row]), at + 1, figure) for at, row in enumerate(used)]
        if len(used) > 1:
            signed = self.prices * (1.0 if self.up else -1.0)
            terms = " ".join(
                f"{'+' if signed[row] > 0 else '-'} {_times(signed[row])}[{at + 1}]" for at, row in enumerate(used)
            )
            sentences.append(f"combined as {terms.removeprefix('+ ')}, only {name} and cells at their limits are left")
        sentences.extend(_limits(table, possible, self.cells, self.left, figure))
        sentences.append(f"so {name} is {'at most' if self.up else 'at least'} {figure(self.end)}")
        return tuple(sentences)


def _sum(table: Table, possible: PossibleTables, row: int, number: int, figure: Figure) -> str:
    """Return one sum as a sentence: what its suppressed cells add up to."""
    start, stop = possible.matrix.indptr[row], possible.matrix.indptr[row + 1]
    members, factors = possible.cells[possible.matrix.indices[start:stop]], possible.matrix.data[start:stop]
    total, parts = members[factors < 0], members[factors > 0]
    names = [f"({table.cell_name(int(cell))})" for cell in parts]
    whole = table.equations.row(int(possible.equations[row]))
    totals = whole[0][whole[1] < 0]
    of = f" (from ({table.cell_name(int(totals[0]))}) less what is published)" if totals.size else ""
    right = figure(float(possible.sums[row]))
    if total.size:
        right = " + ".join([f"({table.cell_name(int(cell))})" for cell in total] + ([right] if right != "0" else []))
    rest = f" + {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"[{number}] {' + '.join(names[:SHOWN])}{rest} = {right}{of}"


def _limits(table: Table, possible: PossibleTables, cells: Places, left: Numbers, figure: Figure) -> list[str]:
    """Return the sentences that say at which bound the cells stand that do not cancel."""
    limits = []
    for most in (False, True):
        mine = np.flatnonzero(left > 0 if most else left < 0)
        bounds = (possible.upper if most else possible.lower)[cells[mine]]
        for bound in np.unique(bounds):
            names = [f"({table.cell_name(int(possible.cells[cells[at]]))})" for at in mine[bounds == bound]]
            limits.append(f"at {'most' if most else 'least'} {figure(float(bound))}: {listed(names, SHOWN)}")
    return limits


def _times(price: float) -> str:
    size = abs(price)
    return "" if abs(size - 1) < 1e-7 else f"{size:g} x "


def _no_figure(value: float) -> str:
    """Return a zero, which is where everything begins, and of any other number only that there is one."""
    return "0" if _figure(value) in {"0", "-0"} else "…"


def _figure(value: float) -> str:
    """Return a number as people write it."""
    nearest = round(value)
    if abs(value - nearest) <= 1e-9 * max(1.0, abs(value)):
        return f"{nearest:,}"
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.2f}"
