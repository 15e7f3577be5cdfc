"""A protected table to release: three by three with totals, one sensitive cell, four withheld."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.attacks.tables.exposure import exposures
from tacita.attacks.tables.table_audit import audit
from tacita.model.table import Dimension, Knowledge, Levels, Status, table_of_leaves
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import Protected, ProtectedTable

SECRET = (22.0, 31.0, 52.0, 43.0)
"""The withheld values; they occur nowhere else in the table."""
INNER = np.array([[20.0, 50, 10], [8, 22, 31], [17, 52, 43]])


def case(level: float = 5.0) -> TableCase:
    sector = Dimension("sector", ("Total", "I", "II", "III"), Dimension.flat("sector", ["I", "II", "III"]).sums)
    region = Dimension.flat("region", ["A", "B", "C"])
    table = replace(table_of_leaves("turnover", (sector, region), INNER), response="turnover")
    levels = Levels.of(16, np.array([10]), level, level, rule="p % (10)")
    zero = np.zeros(16, np.int8)
    return TableCase(table, levels, Knowledge.of(16), np.abs(table.values), zero)


def protected(level: float = 5.0) -> Protected:
    given = case(level)
    status = np.zeros(16, np.int8)
    status[[10, 11, 14, 15]] = (Status.PRIMARY, Status.SECONDARY, Status.SECONDARY, Status.SECONDARY)
    hidden = status > 0
    secondary = np.flatnonzero(status == Status.SECONDARY)
    one = ProtectedTable(
        given,
        "suppression",
        status,
        np.where(hidden, np.nan, given.table.values),
        audit(given.table, hidden, given.levels, given.knowledge),
        why=exposures(given.table, hidden, given.levels, given.knowledge, secondary),
        figures={"cost": 126.0, "gap": 0.0},
        reading=("Some figures are withheld.",),
    )
    return Protected("Turnover", (one,), "title = 'Turnover'\n", {"protect": {"seed": 987654}})
