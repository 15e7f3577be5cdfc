"""Waivers: contributors who consented to be recognised.

A waiver takes protection from who gave it, and from nobody else. Rules that ask whether somebody's contribution can be
estimated (p %, p-q) take the largest contributor without a waiver as the one to be protected, against the same
attackers as ever, among them those with waivers. Dominance, which does not say who is protected, is asked of the cell
and of the cell without those who consented, and both must break the rule. Minimum frequency is met if all contributors
consented. So a waiver can make a sensitive cell safe, never a safe one sensitive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tacita.errors import InputError
from tacita.model.table import Table


def with_waivers(table: Table, holders: Iterable[int]) -> Table:
    """Return the table with the consent of some contributors, by number, added to what it already says."""
    held = table.contributions
    if held is None:
        raise InputError(
            "waivers need the contributors to each cell, and the table has none",
            where=f"table '{table.name}'",
            do="build the table from microdata with a column that names the contributor",
        )
    numbers = np.array(sorted({*holders}), np.int64)
    waived = np.isin(held.holders, numbers[numbers >= 0])
    if held.waived is not None:
        waived |= held.waived
    return replace(table, contributions=replace(held, waived=waived))
