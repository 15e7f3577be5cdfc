"""The audit of a table, beside the same linear programmes solved one by one with scipy on a sample of its cells."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import python

Line = tuple[str, str, str, str, str]

TABLE = """
import time
import numpy as np
from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.model.table import Dimension, Knowledge, Levels, table_of_leaves
draw = np.random.default_rng(1)
n = 99
dimensions = tuple(Dimension.flat(name, [f"{name}{i}" for i in range(n)]) for name in "ab")
table = table_of_leaves("benchmark", dimensions, np.round(draw.exponential(100, (n, n))) + 1)
inner = np.flatnonzero((table.codes > 0).all(axis=1))
hidden = np.isin(np.arange(len(table)), draw.choice(inner, 1000, replace=False))
knowledge = Knowledge.of(len(table))
reach = np.where(hidden, 0.1 * table.values, 0.0)
levels = Levels(hidden, reach, reach, 0 * reach, np.where(hidden, 0, -1).astype(np.int16), ("given",), 0 * reach)
"""

OURS = """
started = time.process_time()
audit(table, hidden, levels, knowledge, AuditOptions(exact={exact}))
print(time.process_time() - started)
"""

BARE = """
from scipy.optimize import linprog
from scipy.sparse import csr_array
equations = table.equations
matrix = csr_array((equations.coefficients, equations.cells, equations.starts), shape=(len(equations), len(table)))
cells = np.flatnonzero(hidden)
right = matrix[:, cells] @ table.values[cells]
started = time.process_time()
for cell in range({sample}):
    for sign in (1, -1):
        wish = np.zeros(len(cells))
        wish[cell] = sign
        linprog(wish, A_eq=matrix[:, cells], b_eq=right)
print((time.process_time() - started) / {sample} * len(cells))
"""


def intervals(_: Path) -> Iterator[Line]:
    """1,000 suppressed cells of a 10,000-cell table: every exact interval, and the levels alone."""
    bare = _printed(TABLE + BARE.format(sample=20))
    for what, exact in (("exact intervals", True), ("levels", False)):
        ours = _printed(TABLE + OURS.format(exact=exact))
        yield (
            f"audit 1,000 of 10,000 cells, {what}",
            f"{ours:6.2f} s CPU",
            f"{bare:6.2f} s CPU (linprog, from 20)",
            f"{ours / bare:.3f}",
            "under 10 s",
        )


def _printed(code: str) -> float:
    return float(subprocess.run(python(code), check=True, capture_output=True, text=True).stdout)
