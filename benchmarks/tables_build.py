"""Tables of a million records against a bare group-by of DuckDB over the same columns."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import cost, python

Line = tuple[str, str, str, str, str]

MADE = """
import sys, numpy as np, pyarrow as pa, pyarrow.parquet as pq
draw, rows = np.random.default_rng(7), int(sys.argv[2])
nace = np.array([f"{a}{b}{c}" for a in "ABCDEFGHIJ" for b in range(6) for c in range(5)])
region = np.array([f"R{a}{b:02d}" for a in range(8) for b in range(12)])
size = np.array(["1-9", "10-49", "50-249", "250+"])
pq.write_table(pa.table({
    "nace": pa.array(nace[draw.zipf(1.3, rows) % len(nace)]),
    "region": pa.array(region[draw.integers(0, len(region), rows)]),
    "size": pa.array(size[draw.integers(0, 4, rows)]),
    "x": np.round(draw.lognormal(5, 2, rows), 2), "w": draw.choice([1.0, 1.5, 2.0], rows),
    "who": draw.integers(0, rows // 3, rows),
}), sys.argv[1])
"""
OURS = """
import resource, time
import tacita as tc
from tacita.model.table import Dimension
from tacita.tables.build.microdata.from_microdata import build
from tacita.tables.build.microdata.layout import MicrodataLayout
from tacita.tables.build.trees import from_prefixes
data = tc.read({file!r})
nace = [f"{{a}}{{b}}{{c}}" for a in "ABCDEFGHIJ" for b in range(6) for c in range(5)]
region = [f"R{{a}}{{b:02d}}" for a in range(8) for b in range(12)]
d = (from_prefixes("nace", nace, [1, 2], "T"), from_prefixes("region", region, [2], "T"),
     Dimension.flat("size", ["1-9", "10-49", "50-249", "250+"]))[:{dimensions}]
def run():
    started = time.process_time()
    table = build(data.microdata, [MicrodataLayout("t", d, *{columns!r})])
    return time.process_time() - started, len(table)
seconds, cells = min(run() for _ in range(2))
print(seconds, cells, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
BARE = """
import duckdb, time
engine = duckdb.connect(config={{"threads": 2}})
keys = ", ".join(["nace", "region", "size"][:{dimensions}] + {more!r})
def run():
    started = time.process_time()
    engine.execute(f"select {{keys}}, sum(x * w), count(*) from '{file}' group by {{keys}}").to_arrow_table()
    return time.process_time() - started
print(min(run() for _ in range(3)))
"""


def tables(folder: Path) -> Iterator[Line]:
    """Frequency and magnitude tables with hierarchies; contributors cost a regrouping for each pair of levels."""
    file = folder / "firms.parquet"
    cost([*python(MADE), str(file), "1000000"])
    kinds: tuple[tuple[str, tuple[str | None, ...], list[str]], ...] = (
        ("frequencies", (), []),
        ("magnitudes", ("x", "w"), []),
        ("magnitudes, contributors", ("x", "w", "who"), ["who"]),
    )
    for dimensions in (2, 3):
        for name, columns, more in kinds:
            ours, cells, megabytes = _printed(OURS.format(file=str(file), dimensions=dimensions, columns=columns))
            (bare,) = _printed(BARE.format(file=str(file), dimensions=dimensions, more=more))
            yield (
                f"{name} 1M x {dimensions} / group-by",
                f"{ours:6.2f} s CPU {cells:8.0f} cells {megabytes:6.0f} MB",
                f"{bare:6.2f} s CPU",
                f"{ours / bare:.1f}",
                "a few seconds",
            )


def _printed(code: str) -> list[float]:
    printed = subprocess.run(python(code), check=True, capture_output=True, text=True).stdout
    return [float(figure) for figure in printed.split()]
