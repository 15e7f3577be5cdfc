"""Rules against bare queries and a peer: company control, transitive closure, Algorithm 4."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Cost, best, cost, python

Line = tuple[str, str, str, str, str]

_CONTROL = """
Own(X, Y, W), W > 0.5 -> Control(X, Y).
Control(X, Z), Own(Z, Y, W), msum(W, <Z>) > 0.5 -> Control(X, Y).
"""
_LOAD = """
import pyarrow.csv as csv
from tacita.engines.duckdb import DuckDBEngine
from tacita.rules.reasoner import InputTable, reason
engine = DuckDBEngine()
table = csv.read_csv({file!r}, read_options=csv.ReadOptions(column_names={names!r}))
data = InputTable(engine.adopt(table.to_batches(), table.schema), tuple({names!r}))
"""


def ownership(path: Path, edges: int) -> None:
    """Write a random ownership graph: about 0.4 companies an edge, shares that add up to at most one."""
    chance = random.Random(1)
    companies = max(2, int(edges * 0.4))
    with path.open("w", encoding="utf-8") as file:
        written = 0
        while written < edges:
            company = chance.randrange(companies)
            left = 1.0
            for _ in range(chance.randint(1, 4)):
                share = round(left * chance.random(), 2)
                owner = chance.randrange(companies)
                if share <= 0 or owner == company:
                    continue
                left -= share
                file.write(f"{owner},{company},{share}\n")
                written += 1


def forest(path: Path, edges: int) -> None:
    """Write a random forest; 100,000 edges have a closure of about 2.2 million pairs."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for i in range(1, edges + 1):
            file.write(f"{chance.randint(max(0, int(i * 0.35)), i - 1)},{i}\n")


def control(folder: Path) -> Iterator[Line]:
    """Company control over 100,000 and a million edges, process start and reading included."""
    for edges, bar in ((100_000, "under 3 s"), (1_000_000, "under 30 s, 1000 MB")):
        file = folder / f"own{edges}.csv"
        ownership(file, edges)
        load = _LOAD.format(file=str(file), names=["owner", "company", "share"])
        ours = cost(python(f"{load}\nprint(reason({_CONTROL!r}, {{'Own': data}}, engine=engine).count('Control'))"))
        yield f"company control, {edges:,} edges", str(ours), "", "", bar


def closure(folder: Path) -> Iterator[Line]:
    """Transitive closure of 100,000 edges against nemo (if it is installed: pip install nemo-python)."""
    file = folder / "edges.csv"
    forest(file, 100_000)
    rules = "E(X, Y) -> P(X, Y). P(X, Y), E(Y, Z) -> P(X, Z)."
    load = _LOAD.format(file=str(file), names=["a", "b"])
    ours = best(python(f"{load}\nprint(reason({rules!r}, {{'E': data}}, engine=engine).count('P'))"))
    peer: Cost | None = None
    if importlib.util.find_spec("nmo_python"):
        program = (
            f'@import e :- csv{{resource="{file}", format=(int,int)}} . p(?x,?y) :- e(?x,?y). '
            "p(?x,?z) :- p(?x,?y), e(?y,?z). @output p ."
        )
        peer = best(
            python(
                "from nmo_python import load_string, NemoEngine; "
                f"e = NemoEngine(load_string({program!r})); e.reason(); print(sum(1 for _ in e.result('p')))"
            )
        )
    ratio = f"{ours.cpu / peer.cpu:.2f}" if peer else ""
    yield "closure of 100k edges / nemo", str(ours), str(peer or "nemo-python is not installed"), ratio, "at most 1"


def k_anonymity(folder: Path) -> Iterator[Line]:
    """Algorithm 4 as rules over a million tuples and six quasi-identifiers against the group-by that it means.

    Both have read the same CSV file before: Tacita codes text when it reads it, DuckDB does not.
    """
    code = """
import time, duckdb, numpy as np, pyarrow as pa, pyarrow.csv as csv, tacita
from tacita.knowledge.programs import find
from tacita.rules.reasoner import reason
chance = np.random.default_rng(1)
sizes = [20, 12, 6, 5, 8, 30]
table = pa.table({f"q{i}": [f"value {v}" for v in chance.zipf(1.6, 1_000_000) % s] for i, s in enumerate(sizes)})
csv.write_csv(table, FILE)
data = tacita.read(FILE, name="db").with_categories({f"q{i}": "quasi-identifier" for i in range(6)}).microdata
program, _ = find("k_anonymity")
bare = duckdb.connect(config={"threads": 2})
bare.execute("create table x as select * from read_csv(?)", [FILE]).fetchall()
def timed(work):
    costs = []
    for _ in range(3):
        start = time.process_time()
        work()
        costs.append(time.process_time() - start)
    return min(costs)
group = "create or replace table g as select q0, q1, q2, q3, q4, q5, count(*) n from x group by all"
rules = timed(lambda: reason(program, data=data, engine=data.relation.engine))
print(rules, timed(lambda: bare.execute(group).fetchall()))
""".replace("FILE", repr(str(folder / "tuples.csv")))
    import subprocess

    printed = subprocess.run(python(code), check=True, capture_output=True, text=True).stdout
    ours, group = map(float, printed.split())
    yield (
        "Algorithm 4, 1M x 6 / GROUP BY",
        f"{ours:6.2f} s CPU",
        f"{group:6.2f} s CPU",
        f"{ours / group:.2f}",
        "at most 3",
    )
