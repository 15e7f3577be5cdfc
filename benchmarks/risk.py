"""Measures of risk: against a bare group-by-and-join-back, the same without nulls, and a peer from PyPI."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import best, cost, python, tacita

Line = tuple[str, str, str, str, str]
ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("TACITA_SHARED", ROOT.parent / "shared")) / "reference" / "data"

MADE = """
import sys, numpy as np, pyarrow as pa, pyarrow.parquet as pq
path, rows, columns, missing, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), 7
draw, sizes = np.random.default_rng(seed), [20, 2, 90, 12, 9, 30, 7, 15, 4, 5, 11, 3, 25, 8, 6]
made = {f"q{j}": (draw.zipf(1.6, rows) % sizes[j]).astype("int32") for j in range(columns)}
made = {n: pa.array(v, mask=draw.random(rows) < missing) if missing else v for n, v in made.items()}
pq.write_table(pa.table(made | {"w": draw.uniform(1, 100, rows)}), path)
"""
"""Skewed keys with many combinations: harder than a survey."""

OURS = """
import time
import tacita as tc
from tacita.model.dictionary import MissingAs
from tacita.risk.catalogue import measure
from tacita.risk.null_semantics import Nulls
from tacita.risk.sample import Sample
data = tc.read({file!r}).with_roles(quasi={known!r}, weight="w").microdata
import scipy.special, pyarrow.compute, numpy
def run(measured):
    started = time.process_time()
    measured.risks(Sample.of(data, nulls=Nulls(MissingAs.UNKNOWN)))
    return time.process_time() - started
print(min(run(measure({name!r}, {parameters!r})) for _ in range(3)))
"""
BARE = """
import duckdb, time
engine = duckdb.connect(config={{"threads": 2}})
keys = {known!r}
group = "create or replace table g as select " + ", ".join(keys) + ", count(*) n, sum(w) s from '{file}' group by all"
on = " and ".join(f"a.{{k}} is not distinct from b.{{k}}" for k in keys)
back = f"create or replace table r as select b.n, b.s from '{file}' a join g b on {{on}}"
def run():
    started = time.process_time()
    engine.execute(group).fetchall(); engine.execute(back).fetchall()
    return time.process_time() - started
print(min(run() for _ in range(3)))
"""


def frequencies(folder: Path) -> Iterator[Line]:
    """Frequencies and individual risk, from Parquet, in one process each."""
    for rows, columns, missing in ((1_000_000, 4, 0), (1_000_000, 6, 0)):
        file = _made(folder, rows, columns, missing)
        known = [f"q{j}" for j in range(columns)]
        ours = _printed(OURS.format(file=str(file), known=known, name="individual-risk", parameters={}))
        bare = _printed(BARE.format(file=str(file), known=known))
        what = f"individual risk 1M x {columns} / bare group-by and join"
        yield what, f"{ours:6.2f} s CPU", f"{bare:6.2f} s CPU", f"{ours / bare:.2f}", "at most 2"
    large = _made(folder, 10_000_000, 6, 0)
    whole = cost(
        tacita("assess", str(large), "--quasi", "q0,q1,q2,q3,q4,q5", "--weight", "w", "--measure", "individual-risk")
    )
    yield "assess individual risk 10M x 6, all in", str(whole), "", "", "under 2000 MB"


def nulls(folder: Path) -> Iterator[Line]:
    """Maybe-match with 5 % of the cells null against the same measure without nulls."""
    known = [f"q{j}" for j in range(6)]
    timed = {}
    for missing in (0, 0.05):
        file = _made(folder, 1_000_000, 6, missing)
        timed[missing] = _printed(OURS.format(file=str(file), known=known, name="individual-risk", parameters={}))
    ratio = f"{timed[0.05] / timed[0]:.2f}"
    yield (
        "maybe-match 1M x 6, 5 % null / no nulls",
        f"{timed[0.05]:6.2f} s CPU",
        f"{timed[0]:6.2f} s CPU",
        ratio,
        "at most 10",
    )


def suda(folder: Path) -> Iterator[Line]:
    """SUDA up to size 3 by the number of attributes; the measure with scores, tables and all."""
    for rows, columns, largest, bar in (
        (50_000, 6, 0, "0.2 s"),
        (100_000, 6, 3, ""),
        (100_000, 9, 3, "under 3 s"),
        (100_000, 12, 3, ""),
        (100_000, 15, 3, "no blow-up"),
    ):
        file = _made(folder, rows, columns, 0)
        parameters = {"largest": largest}
        known = [f"q{j}" for j in range(columns)]
        ours = _printed(OURS.format(file=str(file), known=known, name="suda", parameters=parameters))
        yield f"suda {rows // 1000}k x {columns}, size {largest or 'any'}", f"{ours:6.2f} s CPU", "", "", bar


PEER = """
import time, pandas, pycanon.anonymity as peer
data = pandas.read_csv({file!r}, sep=";")
known = {known!r}
for name, call in {{
    "k-anonymity": lambda: peer.k_anonymity(data, known),
    "l-diversity": lambda: peer.l_diversity(data, known, ["occupation"]),
    "t-closeness": lambda: peer.t_closeness(data, known, ["occupation"]),
    "beta-likeness": lambda: peer.basic_beta_likeness(data, known, ["occupation"]),
}}.items():
    started = time.process_time()
    call()
    print(name, time.process_time() - started)
"""
SAME = """
import time
import tacita as tc
from tacita.risk.catalogue import measure
from tacita.risk.sample import Sample
known = {known!r}
data = tc.read({file!r}).with_roles(quasi=known, sensitive=["occupation"]).microdata
for name in ("k-anonymity", "l-diversity", "t-closeness", "beta-likeness"):
    started = time.process_time()
    measure(name).risks(Sample.of(data))
    print(name, time.process_time() - started)
"""


def pycanon(_: Path) -> Iterator[Line]:
    """Adult against pycanon, which pins old packages: an interpreter that has it is named by PYCANON_PYTHON."""
    peer, file = os.environ.get("PYCANON_PYTHON"), SHARED / "adult" / "adult.csv"
    if not peer or not file.is_file():
        yield "Adult against pycanon", "left out: set PYCANON_PYTHON to a python that has it", "", "", ""
        return
    known = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
    ours = _timed([sys.executable, "-c", SAME.format(file=str(file), known=known)])
    theirs = _timed([peer, "-c", PEER.format(file=str(file), known=known)])
    for name, seconds in ours.items():
        ratio = f"{seconds / theirs[name]:.3f}"
        yield f"{name} on Adult / pycanon", f"{seconds:6.2f} s CPU", f"{theirs[name]:6.2f} s CPU", ratio, "below 1"


def _made(folder: Path, rows: int, columns: int, missing: float) -> Path:
    file = folder / f"made_{rows}_{columns}_{missing}.parquet"
    if not file.exists():
        made = [sys.executable, "-c", MADE, str(file), str(rows), str(columns), str(missing)]
        subprocess.run(made, check=True)
    return file


def _printed(code: str) -> float:
    return float(subprocess.run(python(code), check=True, stdout=subprocess.PIPE, text=True).stdout)


def _timed(command: list[str]) -> dict[str, float]:
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {name: float(seconds) for name, seconds in (line.split() for line in told.splitlines())}


def assess(folder: Path) -> Iterator[Line]:
    """The whole answer for a steward: every default measure, comparisons, reasons."""
    file = folder / "firms.parquet"
    cost(tacita("generate", "R1000A6W", "--out", str(file)))
    ours = best(tacita("assess", str(file)))
    described = best(tacita("describe", str(file)))
    yield "assess 1M x 10 / describe", str(ours), str(described), f"{ours.cpu / described.cpu:.2f}", ""
