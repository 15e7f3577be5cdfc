"""Totals that a file of cells leaves out, computed from the cells that it has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.tables.build.linked import System
from tacita.tables.build.microdata.ranked import RankedRows, ranked
from tacita.tables.build.microdata.summed import occurring_keys, summed
from tacita.tables.build.sums import equations_of


def lowest(system: System, keys: NDArray[np.int64], parts: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Return which cells are no total of other cells that are there."""
    equations = equations_of(system, keys, parts)
    found = np.ones(len(keys), bool)
    found[equations.cells[equations.coefficients < 0]] = False
    return found


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
    made = ranked(system, RankedRows(places[rows], np.arange(len(response)), response), everything, largest.shape[1])
    return made.largest[np.searchsorted(everything, totals)]
