"""The gate: records decided a minute, 1,000 targets and 50 values, on one core; with the ledger and without.

The bare line of the gate counts the same records by target and value in a dictionary, and decides nothing. That of the
ledger writes the same records to a CSV file, and waits for the disk after every batch.
"""

from __future__ import annotations

import csv
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import timed
from tacita.gate.gate import Gate
from tacita.gate.memory import RecordedGate
from tacita.gate.policy.policy import GatePolicy
from tacita.gate.policy.policy_file import parse_policy
from tacita.ledger.ledger import Ledger
from tacita.ledger.seen import SeenState
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.settings import Settings

Line = tuple[str, str, str, str, str]
Record = tuple[str, str, str]
TARGETS, VALUES, RECORDS, BATCH = 1_000, 50, 1_000_000, 10_000
RULES = {
    "crowd": "start = {records = 10}",
    "definition-5": "start = {records = 50}",
    "martingale": "",
    "variation": "variation = {ordinary = 0.02}",
}


def _policy(rule: str) -> GatePolicy:
    baseline = ", ".join(f"v{number} = {VALUES + number}" for number in range(VALUES))
    targets = ", ".join(f'"t{number}"' for number in range(TARGETS))
    return parse_policy(f"""\
name = "bench"
key = "id"
attributes = ["id", "value", "target"]
[observer]
gathers = "all"
holds = "silent"
sizes = "unknown"
[[dependency]]
target = "target"
targets = [{targets}]
x = "value"
baseline = {{{baseline}}}
rule = "{rule}"
{RULES[rule]}
""")


def _records(number: int) -> list[Record]:
    """Return records whose targets differ a little from the baseline, as ordinary ones do."""
    rng = np.random.default_rng(5)
    shares = np.arange(VALUES, 2 * VALUES) / np.arange(VALUES, 2 * VALUES).sum()
    own = rng.dirichlet(shares * 800, size=TARGETS).cumsum(axis=1)
    targets = rng.integers(TARGETS, size=number)
    values = np.minimum((rng.random(number)[:, None] > own[targets]).sum(axis=1), VALUES - 1)
    return [
        (str(key), f"v{value}", f"t{target}") for key, (value, target) in enumerate(zip(values, targets, strict=True))
    ]


def gate_memory(_: Path) -> Iterator[Line]:
    """Decisions in memory."""
    records = _records(RECORDS)
    _, bare = timed(lambda: Counter((target, value) for _, value, target in records))
    for rule in RULES:
        gate = Gate(_policy(rule))
        released, cpu = timed(lambda gate=gate: _decided(records, lambda rows: len(gate.offer(rows).released)))
        bar = "at least 20M" if rule == "crowd" else ""
        what = f"gate a minute, {rule} ({released / RECORDS:.0%} released)"
        yield what, f"{_a_minute(cpu)} CPU", f"{_a_minute(bare)} CPU", f"{cpu / bare:.2f}", bar


def gate_ledger(folder: Path) -> Iterator[Line]:
    """Decisions that are recorded and on the disk, by the clock."""
    records = _records(RECORDS)
    store = SqliteStore.create(folder / "gate.sqlite", "bench")
    with (
        Ledger(store, SeenState(store.identity.id, Settings(state=folder))) as ledger,
        RecordedGate(_policy("crowd"), ledger, "") as gate,
    ):
        started, cpu = time.perf_counter(), time.process_time()
        _decided(records, lambda rows: len(gate.offer(rows)[1]))
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    bare = _written(records, folder / "bare.csv")
    ours = f"{_a_minute(wall)} by the clock, {_a_minute(cpu)} CPU"
    yield (
        "gate a minute, crowd, with the ledger",
        ours,
        f"{_a_minute(bare)} by the clock",
        f"{wall / bare:.2f}",
        "at least 5M",
    )
    with Ledger(SqliteStore(folder / "gate.sqlite")) as ledger:
        opened, seconds = timed(lambda: _opened(ledger))
    yield f"open the gate again, {opened:,} records", f"{seconds:.2f} s CPU", "", "", ""


def _opened(ledger: Ledger) -> int:
    with RecordedGate(_policy("crowd"), ledger, "") as gate:
        return len(gate.gate.released)


def _decided(records: list[Record], offer: Callable[[list[Record]], int]) -> int:
    return sum(offer(records[start : start + BATCH]) for start in range(0, len(records), BATCH))


def _written(records: list[Record], path: Path) -> float:
    started = time.perf_counter()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for start in range(0, len(records), BATCH):
            writer.writerows(records[start : start + BATCH])
            file.flush()
            os.fsync(file.fileno())
    return time.perf_counter() - started


def _a_minute(seconds: float) -> str:
    return f"{RECORDS / seconds * 60 / 1e6:.1f}M"
