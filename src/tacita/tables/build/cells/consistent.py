"""Rounded values made to add up: what rounding took from a total comes back from its parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.errors import counted, listed
from tacita.tables.build.given import GivenTable

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
