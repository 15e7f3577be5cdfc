"""Tables together with an earlier publication: what it gave away already, and what it withheld.

Of the same period, its published cells are known to everybody, and its sums hold beside those of the new table. Of an
earlier period, its pattern can be reused, and its values tell roughly what the new ones are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, faults_text, listed
from tacita.model.table import Equations, Knowledge, Levels, Status, Table
from tacita.tables.build.additivity import decimals_of
from tacita.tables.build.given import GivenTable
from tacita.tables.build.linked import System, linked
from tacita.tables.build.sums import equations_of, same_cells

EARLIER = "earlier publication"
"""The name under which the cells of the earlier publication are a part of the joint table."""

_DIGITS = 1e-9


@dataclass(frozen=True, slots=True)
class JointTables:
    """A table joined with an earlier publication of the same period, as one system.

    The cells of the table come first, in their order; those that only the earlier publication has follow. `known` are
    the cells that the earlier publication gives away. Cells that it withheld and the new table does not show are forced
    to stay suppressed.
    """

    given: GivenTable
    known: NDArray[np.bool_]

    def levels(self, levels: Levels) -> Levels:
        """Return levels of the table as levels of the joint one: nothing else is sensitive."""
        more = len(self.given.table) - len(levels.sensitive)
        none = Levels.none(more)
        return replace(
            levels,
            sensitive=np.concatenate([levels.sensitive, none.sensitive]),
            lower=np.concatenate([levels.lower, none.lower]),
            upper=np.concatenate([levels.upper, none.upper]),
            sliding=np.concatenate([levels.sliding, none.sliding]),
            rule=np.concatenate([levels.rule, none.rule]),
            excess=np.concatenate([levels.excess, none.excess]),
        )

    def knowledge(self, knowledge: Knowledge, lower: float = 0.0) -> Knowledge:
        """Return knowledge of the table as knowledge of the joint one, with what is known from the earlier publication.

        `lower` is the least that a cell of the earlier publication can be.
        """
        more = len(self.given.table) - len(knowledge.known)
        return replace(
            knowledge,
            lower=np.concatenate([knowledge.lower, np.full(more, lower)]),
            upper=np.concatenate([knowledge.upper, np.full(more, np.inf)]),
            known=np.concatenate([knowledge.known, np.zeros(more, bool)]) | self.known,
            owners=np.concatenate([knowledge.owners, np.full(more, -1, np.int64)]),
        )


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier period tells about the cells of a table: their status then, and bounds on their values now."""

    status: NDArray[np.int8]
    """Of cells that were not in the earlier table: published."""
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    notes: tuple[str, ...] = ()


def together_with(given: GivenTable, earlier: GivenTable) -> JointTables:
    """Return a table joined with an earlier publication of the same period.

    Raises if a published value differs from the one of the new table: then it was revised, and it is not known what
    the attacker makes of it.
    """
    system, keys, old_keys = _joined(given.table, earlier.table)
    only = ~np.isin(old_keys, keys)
    everything = np.concatenate([keys, old_keys[only]])
    order = np.argsort(everything, kind="stable")
    at = order[np.searchsorted(everything[order], old_keys)]  # where each earlier cell is now
    published = ~earlier.suppressed
    values = np.concatenate([given.table.values, earlier.table.values[only]])
    _check_unrevised(given.table, at, earlier.table.values, published, len(keys))
    parts = {name: np.concatenate([mask, np.zeros(int(only.sum()), bool)]) for name, mask in given.table.parts.items()}
    if not parts:
        parts = {given.table.name: np.arange(len(everything)) < len(keys)}
    parts[EARLIER] = np.isin(np.arange(len(everything)), at)
    of_new = np.logical_or.reduce([mask for name, mask in parts.items() if name != EARLIER])
    sorted_sums = equations_of(system, everything[order], [of_new[order], parts[EARLIER][order]])
    equations = replace(sorted_sums, cells=order[sorted_sums.cells].astype(np.int64))
    values = _solved(values, equations)
    known = np.zeros(len(everything), bool)
    known[at[published]] = True
    status = np.zeros(len(everything), np.int8)
    status[: len(keys)] = 0 if given.status is None else given.status
    extra = np.arange(len(everything)) >= len(keys)
    status[extra] = np.where(known[extra], Status.KEPT, Status.FORCED)
    table = replace(
        given.table,
        dimensions=system.dimensions,
        codes=system.codes(everything),
        values=values,
        equations=equations,
        counts=None,
        contributions=None,
        holdings=None,
        parts=parts,
    )
    unknown = int(np.isnan(values).sum())
    notes = [f"{counted(int(known.sum()), 'cell')} known from the earlier publication"]
    if unknown:
        notes.append(
            f"the true values of {counted(unknown, 'cell')} that only the earlier publication has are not known: "
            "give that publication with its true values and a status column to protect both together"
        )
    return JointTables(
        GivenTable(
            table,
            status,
            None,
            _longer(given.costs, len(everything), 0.0),
            _longer(given.lower, len(everything), -np.inf),
            _longer(given.upper, len(everything), np.inf),
            None,
            unknown == 0,
            (*given.notes, *notes),
        ),
        known,
    )


def earlier_pattern(table: Table, earlier: GivenTable, within: float | None = None) -> Earlier:
    """Return what an earlier period tells about the cells of a table.

    A cell published then is taken to be known to within a share of that value now. Where the true value has left this
    interval, the bound is moved to the value itself: no attacker rules out what is true.
    """
    at, there = same_cells(table, earlier.table)
    old = earlier.status if earlier.status is not None else np.zeros(len(earlier.table), np.int8)
    status = np.where(there, old[at], Status.PUBLISHED).astype(np.int8)
    lower, upper = np.full(len(table), -np.inf), np.full(len(table), np.inf)
    notes = [f"{counted(int(there.sum()), 'cell')} of the earlier period are in the table"]
    if within is not None:
        bounded = there & ~earlier.suppressed[at] & np.isfinite(earlier.table.values[at])
        then = earlier.table.values[at]
        lower[bounded] = (then - within * np.abs(then))[bounded]
        upper[bounded] = (then + within * np.abs(then))[bounded]
        outside = bounded & ((table.values < lower) | (table.values > upper))
        lower, upper = np.fmin(lower, table.values), np.fmax(upper, table.values)
        if outside.any():
            notes.append(f"{counted(int(outside.sum()), 'cell')} changed by more than {100 * within:g} % since then")
    return Earlier(status, lower, upper, tuple(notes))


def _joined(table: Table, earlier: Table) -> tuple[System, NDArray[np.int64], NDArray[np.int64]]:
    """Return the system of both, and the keys of the cells of each; a dimension that one lacks is at its total."""
    system = linked([("new", table.dimensions), (EARLIER, earlier.dimensions)])
    return system, _keys(system, table), _keys(system, earlier)


def _keys(system: System, table: Table) -> NDArray[np.int64]:
    keys = np.zeros(len(table), np.int64)
    for at, dimension in enumerate(table.dimensions):
        into = next(number for number, one in enumerate(system.dimensions) if one.name == dimension.name)
        places = np.array([system.dimensions[into].position(code) for code in dimension.codes], np.int64)
        keys += places[table.codes[:, at]] * system.radix[into]
    return keys


def _check_unrevised(
    table: Table, at: NDArray[np.int64], values: NDArray[np.float64], published: NDArray[np.bool_], cells: int
) -> None:
    shared = published & (at < cells) & np.isfinite(values)
    now = np.where(shared, table.values[np.minimum(at, cells - 1)], 0.0)
    rounding = 0.5 * 10.0 ** -decimals_of(values)
    with np.errstate(invalid="ignore"):
        differ = shared & (np.abs(now - values) > rounding + _DIGITS * np.abs(values))
    if differ.any():
        names = [table.cell_name(int(cell)) for cell in at[differ]]
        raise InputError(
            faults_text([f"{counted(len(names), 'cell')} published earlier with another value: {listed(names, 5)}"]),
            where="[history]",
            do='say period = "earlier" if it is another period; otherwise give the figures as they were published',
        )


def _solved(values: NDArray[np.float64], equations: Equations) -> NDArray[np.float64]:
    """Return values with those filled in that follow from a sum of which all others are known."""
    solved = values.copy()
    rows = equations.row_of
    while True:
        unknown = np.isnan(solved)
        lacking = np.bincount(rows, weights=unknown[equations.cells], minlength=len(equations))
        alone = np.flatnonzero((lacking == 1)[rows] & unknown[equations.cells])
        if not len(alone):
            return solved
        residuals = equations.residuals(np.where(unknown, 0.0, solved))
        solved[equations.cells[alone]] = -residuals[rows[alone]] / equations.coefficients[alone]


def _longer(column: NDArray[np.float64] | None, length: int, fill: float) -> NDArray[np.float64] | None:
    return None if column is None else np.concatenate([column, np.full(length - len(column), fill)])
