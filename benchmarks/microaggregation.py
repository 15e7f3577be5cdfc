"""Microaggregation: MDAV against the CPU seconds of sdcMicro on the same records, and what a million of them cost.

sdcMicro 5.8.1 needed 13.4 s for 50,000 x 5, 23.4 s for 50,000 x 10 and 65 s for 100,000 x 5 records at k = 3 with one
thread (README of the reference data). Its groups of these records are not known; on Tarragona and CASC, where they are,
ours are the same record by record (tests). The loops are compiled before the clock starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measure import timed
from benchmarks.risk import SHARED
from tacita.masking.catalogue import METHODS
from tacita.masking.method import Treated
from tacita.model.records import Numbers, Records

Line = tuple[str, str, str, str, str]
SDCMICRO = {(50_000, 5): 13.4, (50_000, 10): 23.4, (100_000, 5): 65.0}


def _records(rows: int, columns: int) -> Records:
    """Return the first records of the file; more than it has are its records again, moved by a tenth of a deviation."""
    names = [f"x{place + 1}" for place in range(columns)]
    table = pq.read_table(SHARED / "bench" / "synth_100k.parquet", columns=names)
    held = np.stack([table[name].to_numpy() for name in names], axis=1).astype(float)
    if rows > len(held):
        draw = np.random.default_rng(7)
        held = held[draw.integers(0, len(held), rows)] + draw.normal(0, 0.1, (rows, columns)) * held.std(axis=0)
    return Records({name: Numbers(held[:rows, place].copy()) for place, name in enumerate(names)})


def _run(name: str, records: Records, **parameters: object) -> tuple[Treated, float]:
    method = METHODS.make(name, {"attributes": list(records.names), "k": 3, **parameters})
    method.treated(records.taken(np.arange(200)), np.random.default_rng(0))
    return timed(lambda: method.treated(records, np.random.default_rng(0)))


def _told(found: Treated, seconds: float) -> str:
    return f"{seconds:6.2f} s CPU, L = {100 * found.figures['SSE/SST']:.4f} %"


def mdav(_: Path) -> Iterator[Line]:
    """MDAV on all records together: exact, with a tree."""
    for (rows, columns), theirs in SDCMICRO.items():
        found, seconds = min((_run("mdav", _records(rows, columns)) for _ in range(2)), key=lambda run: run[1])
        what = f"MDAV k=3, {rows:,} x {columns} / sdcMicro"
        yield what, _told(found, seconds), f"{theirs:6.2f} s CPU", f"{theirs / seconds:.1f}", "at least 5 times faster"


def million(_: Path) -> Iterator[Line]:
    """A million records, in blocks and all together; what blocks lose."""
    for rows in (50_000, 1_000_000):
        records = _records(rows, 5)
        blocked, in_blocks = _run("blocked-mdav", records)
        whole, together = _run("mdav", records)
        lost = f"{blocked.figures['SSE'] / whole.figures['SSE']:.3f}"
        what = f"MDAV k=3, {rows:,} x 5, blocks / whole: SSE"
        yield what, _told(blocked, in_blocks), _told(whole, together), lost, ""


def others(_: Path) -> Iterator[Line]:
    """The other methods on 20,000 records, beside MDAV."""
    records = _records(20_000, 5)
    whole, together = _run("mdav", records)
    for name in ("v-mdav", "single-axis", "individual-ranking", "optimal-univariate", "mixed-microaggregation", "ward"):
        found, seconds = _run(name, records)
        lost = f"{found.figures['SSE'] / whole.figures['SSE']:.3f}"
        yield f"{name} k=3, 20,000 x 5 / MDAV: SSE", _told(found, seconds), _told(whole, together), lost, ""
