"""The anonymization cycle: `anonymize(microdata, plan)` on microdata that are in the engine already, CPU seconds.

Every line is a process of its own, warmed up on seven records, so that its peak of memory is that of the line. Figures
of sdcMicro 5.8.1 and of the paper are quoted: they come from other machines, and only say which order of magnitude it
is.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import python
from benchmarks.risk import SHARED

Line = tuple[str, str, str, str, str]

START = """
import json, resource, sys, time
import tacita as tc
from tacita.cycle.anonymize import anonymize
from tacita.cycle.plan import Plan
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.identity.suda import Suda
from tacita.risk.null_semantics import Nulls, Semantics
anonymize(tc.sample("figure-5").microdata, Plan(KAnonymity(2)))
anonymize(tc.sample("figure-5").microdata, Plan(Suda()))

def told(runs, data, plan):
    found = []
    for _ in range(runs):
        cpu, clock = time.process_time(), time.perf_counter()
        outcome = anonymize(data, plan)
        found.append((time.process_time() - cpu, time.perf_counter() - clock))
    assert outcome.is_safe, outcome.verdict
    cpu, clock = min(found)
    print(json.dumps({"cpu": cpu, "clock": clock, "nulls": outcome.nulls, "risky": outcome.before.unsafe,
        "strictly": outcome.after.unsafe_strict,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}), flush=True)
"""
FROM_FILE = "data = tc.read({file!r}).with_roles(quasi={known!r}, weight={weight!r}).microdata\n"
GENERATED = "dataset = tc.generate({name!r}, seed=0); data = dataset.microdata\n"
RUN = "told({runs}, data, Plan({measure}{more}))\n"

KNOWN = ["region", "sex", "age", "edu"]
SDCMICRO = {
    ("25k", 2): 33.9,
    ("25k", 3): 77.4,
    ("25k", 5): 150.0,
    ("100k", 2): 43.8,
    ("100k", 3): 141.0,
    ("100k", 5): 457.0,
}
"""CPU seconds of kAnon, quoted from the reference."""


def suppression(_: Path) -> Iterator[Line]:
    """25k and 100k x 4 against sdcMicro's kAnon, quoted."""
    bars = {("25k", 3): "under 0.5 s"}
    for (size, k), theirs in SDCMICRO.items():
        file = SHARED / "bench" / f"synth_{size}.parquet"
        if not file.is_file():
            yield f"cycle {size} x 4, k={k}", "left out: the reference data are not there", "", "", ""
            continue
        read = FROM_FILE.format(file=str(file), known=KNOWN, weight="weight")
        ours = _told(read + RUN.format(runs=3, measure=f"KAnonymity({k})", more=""))
        ratio = f"{ours['cpu'] / theirs:.4f}"
        yield (
            f"cycle {size} x 4, k={k} / sdcMicro",
            _shown(ours),
            f"{theirs:6.1f} s CPU quoted",
            ratio,
            bars.get((size, k), ""),
        )


def semantics(_: Path) -> Iterator[Line]:
    """25k x 4 with the honest targets: nobody leans on the nulls of others, or only as far as is likely."""
    file = SHARED / "bench" / "synth_25k.parquet"
    if not file.is_file():
        yield "cycle 25k x 4, strict and expected", "left out: the reference data are not there", "", "", ""
        return
    read = FROM_FILE.format(file=str(file), known=KNOWN, weight="weight")
    maybe = _told(read + RUN.format(runs=3, measure="KAnonymity(3)", more=""))
    for name, nulls in (("strict", "Semantics.ALPHA, alpha=0"), ("expected", "Semantics.EXPECTED")):
        ours = _told(read + RUN.format(runs=1, measure="KAnonymity(3)", more=f", nulls=Nulls(semantics={nulls})"))
        yield (
            f"cycle 25k x 4, k=3, {name} / maybe",
            _shown(ours),
            f"{maybe['cpu']:6.2f} s CPU",
            f"{ours['cpu'] / maybe['cpu']:.1f}",
            "",
        )


def generated(_: Path) -> Iterator[Line]:
    """R100A4U with k-anonymity and with SUDA, against the paper's seconds, quoted."""
    for what, measure, theirs, bar in (
        ("k=2", "KAnonymity(2)", 192, "under 1 s"),
        ("SUDA", "Suda()", 1344, "under 5 s"),
    ):
        ours = _told(GENERATED.format(name="R100A4U") + RUN.format(runs=3, measure=measure, more=""))
        yield (
            f"cycle R100A4U, {what} / paper",
            _shown(ours),
            f"{theirs:6.0f} s quoted",
            f"{ours['cpu'] / theirs:.4f}",
            bar,
        )


RISKY = """
import sys, numpy as np, pyarrow as pa, pyarrow.parquet as pq
path, rows, risky = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
draw = np.random.default_rng(7)
sizes = (100, 20, 10, 5)
cells = np.repeat(draw.permutation(40_000)[:20_000], -(-(rows - risky) // 20_000))[: rows - risky]
rare = 100_000 + draw.permutation(5 * 10**5)[:risky]  # values of the first key that only they have, each alone
draw.shuffle(cells)
every = draw.permutation(np.concatenate([cells, rare]))
made = {}
for j, size in enumerate(reversed(sizes[1:])):
    made[f"q{3 - j}"] = (every % size).astype("int32")
    every = every // size
made["q0"] = every.astype("int32")
pq.write_table(pa.table({f"q{j}": made[f"q{j}"] for j in range(4)} | {"w": draw.uniform(1, 100, rows)}), path)
"""
"""Four keys; all combinations are frequent but those of the risky records, each of which is unique."""

BARE = """
import duckdb, json, time
engine = duckdb.connect(config={{"threads": 2}})
def run():
    started = time.process_time()
    engine.sql("select q0, q1, q2, q3, count(*) n, sum(w) s from '{file}' group by all").to_arrow_table()
    return time.process_time() - started
print(json.dumps({{"cpu": min(run() for _ in range(5))}}))
"""
"""Bare: DuckDB reads the four keys and the weight from Parquet, groups, and hands the groups over as Arrow. No more."""


def risky_million(folder: Path) -> Iterator[Line]:
    """1M x 4 with 1 % risky records against a bare group-by of the same file."""
    file = folder / "risky.parquet"
    subprocess.run([*python(RISKY), str(file), "1000000", "10000"], check=True)
    bare = _told("", BARE.format(file=str(file)))
    read = FROM_FILE.format(file=str(file), known=["q0", "q1", "q2", "q3"], weight="w")
    ours = _told(read + RUN.format(runs=3, measure="KAnonymity(2)", more=""))
    what = f"cycle 1M x 4, {ours['risky'] / 10_000:.0f} % risky / bare group-by"
    yield what, _shown(ours), f"{bare['cpu']:6.2f} s CPU", f"{ours['cpu'] / bare['cpu']:.1f}", "at most 10"


def growth(folder: Path) -> Iterator[Line]:
    """100k, 1M, 10M rows with 1,000 risky ones each: time for a row, and memory."""
    before = None
    for rows in (100_000, 1_000_000, 10_000_000):
        file = folder / f"{rows}.parquet"
        subprocess.run([*python(RISKY), str(file), str(rows), "1000"], check=True)
        read = FROM_FILE.format(file=str(file), known=["q0", "q1", "q2", "q3"], weight="w")
        ours = _told(read + RUN.format(runs=1, measure="KAnonymity(2)", more=""))
        ratio = f"{ours['cpu'] / before:.1f}" if before else ""
        before = ours["cpu"]
        bar = "at most 10; under 4000 MB" if rows > 1_000_000 else "at most 10" if ratio else ""
        yield f"cycle {rows:,} x 4 / a tenth of it", _shown(ours), "", ratio, bar


LINKED = """
from tacita.generators.ownership import planted_control
from tacita.reasoning.links import related
started = time.process_time()
owned = planted_control({name!r}, seed=0, relationships={relationships}).table()
links = related("company_groups", dataset.microdata, {{"Own": owned}})
print(json.dumps({{"rules": time.process_time() - started}}), flush=True)
"""


def clusters(_: Path) -> Iterator[Line]:
    """Clusters by control: 400 relationships against none, and 100,000."""
    none = None
    for name, relationships, bar in (("R25A4W", 0, ""), ("R25A4W", 400, "at most 2"), ("R500A4W", 100_000, "it works")):
        made = GENERATED.format(name=name) + LINKED.format(name=name, relationships=relationships)
        ours = _told(
            made
            + RUN.format(
                runs=3 if none is None or relationships < 1000 else 1,
                measure="KAnonymity(2)",
                more=", links={'group': links}",
            )
        )
        ratio = f"{ours['cpu'] / none:.2f}" if none and name == "R25A4W" else ""
        none = none or ours["cpu"]
        yield (
            f"cycle {name}, {relationships:,} relationships",
            _shown(ours),
            f"{ours['rules']:6.2f} s CPU rules",
            ratio,
            bar,
        )


def _told(code: str, alone: str = "") -> dict[str, Any]:
    """Run a piece of code in a process of its own; return what it tells."""
    command = python(alone or START + code)
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    told: dict[str, Any] = {}
    for line in lines:
        told |= json.loads(line)
    return told


def _shown(told: dict[str, Any]) -> str:
    return f"{told['cpu']:6.2f} s CPU {told['clock']:6.2f} s {told['megabytes']:6.0f} MB, {told['nulls']:,} nulls"
