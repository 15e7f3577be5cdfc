"""Cells mended by their sums: totals that a file leaves out, and rounded values made to add up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import counted, listed
from tacita.tables.build.given import GivenTable
from tacita.tables.build.linked import System
from tacita.tables.build.microdata.layers import occurring_keys, summed
from tacita.tables.build.microdata.ranked import RankedRows, ranked
from tacita.tables.build.sums import equations_of

_DIGITS = 1e-9


def consistent(given: GivenTable) -> GivenTable:
    """Return the table with totals recomputed from their parts where rounding left them apart.

    Protection and attack reason on exact sums. Only where all values are known: a published table with gaps is left as
    it is, since its figures are what an attacker sees.
    """
    table = given.table
    if not given.has_true_values or not len(table.equations):
        return given
    residuals = np.abs(table.equations.residuals(table.values))
    if residuals.max(initial=0.0) <= _DIGITS * np.abs(table.values).max(initial=0.0):
        return given
    from tacita.tables.summation import summation_of

    values = summation_of(table).totals(table.values)
    if np.abs(table.equations.residuals(values)).max() > _DIGITS * np.abs(values).max():
        return given  # several sums of one total: no single set of parts is right
    changed = np.flatnonzero(np.abs(values - table.values) > _DIGITS * np.abs(values).max())
    contributions = table.contributions
    if contributions is not None:
        contributions = replace(contributions, totals=values)
    named = listed([f"({table.cell_name(cell)})" for cell in changed.tolist()], 5)
    note = f"{counted(len(changed), 'total')} recomputed from the parts, which miss the sum by rounding: {named}"
    return replace(given, table=replace(table, values=values, contributions=contributions), notes=(*given.notes, note))


def lowest(system: System, keys: NDArray[np.int64], parts: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Return which cells are no total of other cells that are there."""
    equations = equations_of(system, keys, parts)
    is_lowest = np.ones(len(keys), bool)
    is_lowest[equations.cells[equations.coefficients < 0]] = False
    return is_lowest


def missing_totals(
    system: System, keys: NDArray[np.int64], base: NDArray[np.bool_], hidden: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the keys of totals that are not there, and which of them hold a cell that is not published.

    The latter are not published either: they are unknowns of the attacker, bound by their sums as any other.
    """
    places = system.codes(keys).astype(np.int64)
    wanted = [occurring_keys(system, table, places[base]) for table in range(len(system.names))]
    totals: NDArray[np.int64] = np.setdiff1d(np.unique(np.concatenate(wanted)), keys)
    if not len(totals) or not hidden[base].any():
        return totals, np.zeros(len(totals), bool)
    everything = np.union1d(keys, totals)
    over = summed(system, places[base], hidden[base].astype(np.float64)[:, None], everything)[:, 0]
    return totals, over[np.searchsorted(everything, totals)] > 0


def computed(
    system: System,
    keys: NDArray[np.int64],
    base: NDArray[np.bool_],
    figures: NDArray[np.float64],
    totals: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the figures (columns) of totals, summed over the lowest cells."""
    everything = np.union1d(keys, totals)
    places = system.codes(keys).astype(np.int64)
    sums = summed(system, places[base], figures[base], everything)
    return sums[np.searchsorted(everything, totals)]


def largest_of(
    system: System,
    keys: NDArray[np.int64],
    base: NDArray[np.bool_],
    largest: NDArray[np.float64],
    totals: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the largest contributions to totals, each contribution to a lowest cell being another contributor's."""
    everything = np.union1d(keys, totals)
    places = system.codes(keys).astype(np.int64)[base]
    given = largest[base]
    rows, _ = np.nonzero(given > 0)
    response = given[given > 0]
    ranking = ranked(system, RankedRows(places[rows], np.arange(len(response)), response), everything, largest.shape[1])
    return ranking.largest[np.searchsorted(everything, totals)]
