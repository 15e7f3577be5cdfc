"""Why one fact among two million holds: what the proof costs, once the rules have run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import python
from benchmarks.rules import Line, forest

_CODE = """
import time
import pyarrow.csv as csv
from sqlglot import exp
from tacita.engines.duckdb import DuckDBEngine
from tacita.rules.reasoner import InputTable, reason
engine = DuckDBEngine()
table = csv.read_csv({file!r}, read_options=csv.ReadOptions(column_names=["a", "b"]))
data = InputTable(engine.adopt(table.to_batches(), table.schema), ("a", "b"))
result = reason("[1] E(X, Y) -> P(X, Y). [2] P(X, Y), E(Y, Z) -> P(X, Z).", {{"E": data}}, engine=engine)
facts = result.layout("P").table
last = exp.select("c0", "c1", "r").from_(facts).order_by("r DESC", "c0", "c1").limit(1)
x, y, depth = engine.run(last)[0].values()
def timed(work):
    costs = []
    for _ in range(5):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        costs.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(costs)
goal = "P(%d, %d)" % (x, y)
scan = exp.select("*").from_(facts).where(f"c0 = {{x}} and c1 = {{y}}")
print(result.count("P"), depth)
print(*timed(lambda: result.why(goal)))
print(*timed(lambda: result.why(goal, limit=None)))
print(*timed(lambda: result.why_not("P(%d, %d)" % (y, x))))
print(*timed(lambda: engine.run(scan)))
"""


def proof(folder: Path) -> Iterator[Line]:
    """The proof of the fact that lies furthest, some levels and all of it, against finding the fact itself."""
    file = folder / "edges.csv"
    forest(file, 100_000)
    done = subprocess.run(python(_CODE.format(file=str(file))), check=True, capture_output=True, text=True)
    (facts, depth), some, whole, missing, scan = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    bare = _shown(scan)
    for what, ours in (("12 levels", some), (f"all {depth:.0f} levels", whole), ("why not", missing)):
        bar = "under 0.5 s" if ours is some else ""
        yield f"proof among {facts / 1e6:.1f}M facts, {what}", _shown(ours), bare, f"{ours[1] / scan[1]:.0f}", bar


def _shown(cost: tuple[float, ...]) -> str:
    wall, cpu = cost
    return f"{cpu:6.2f} s CPU {wall:6.2f} s"
