"""Suppression on every kind of table, the figures of peers beside ours.

``python -m benchmarks tables`` prints cells, primaries, secondaries, cost, bound, gap and CPU seconds, and what other
programs reach on the same table, or on one of the same kind (~). A gap that is left at a limit depends on the machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import tables_large
from benchmarks.measure import timed
from benchmarks.risk import SHARED
from benchmarks.tables_suppression import KINDS, drawn, reference_table
from tacita.model.table import Knowledge, Levels, Table
from tacita.tables.protect.cases import cases_of
from tacita.tables.specification.reading import read_specification
from tacita.tables.suppression.suppress import SuppressionOptions, suppress

HEADS = ("table", "cells", "primary", "secondary", "cost", "bound", "gap", "CPU s", "peers")
_ENOUGH = 600.0  # seconds: these searches end by their work
_WIDTHS = (40, 9, 9, 11, 15, 15, 9, 9, 0)

_MAGNITUDE = """\
[data]
microdata = "{data}/magnitude1.csv"
contributor = "company"
[dimension.sector4]
hierarchy = "sector.hrc"
[dimension.geo]
hierarchy = "geo.hrc"
[[table]]
name = "magnitude1"
dimensions = ["sector4", "geo"]
response = "value"
[sensitivity]
p_percent = {{ p = 10 }}
"""
_ARGUS = """\
[data]
microdata = "{data}/tauargus/tau_testW.csv"
[dimension.Size]
[dimension.Region]
hierarchy = "{data}/tauargus/region2.json"
[[table]]
name = "tau_testW"
dimensions = ["Size", "Region"]
response = "Var2"
[sensitivity]
p_percent = {{ p = 15 }}
[attacker]
singletons = false
"""
_HIERARCHIES = {
    "sector.hrc": "private\n@Agriculture\n@Entertainment\n@Industry\npublic\n@Governmental\n",
    "geo.hrc": "EU\n@Portugal\n@Spain\nnonEU\n@Iceland\n",
}


@dataclass(frozen=True, slots=True)
class Instance:
    """A table to protect, for how long, and what peers are reported to reach."""

    name: str
    table: Table
    levels: Levels
    knowledge: Knowledge | None
    costs: NDArray[np.float64] | None
    seconds: float
    peers: str


def instances() -> Iterator[Instance]:
    """Yield the reference tables that are at hand, then drawn ones, small before large."""
    yield from _frequencies()
    yield from _published()
    for kind in KINDS:
        table, levels = drawn(kind, seed=0)
        yield Instance(kind.name, table, levels, None, None, kind.limit, f"~ prototype: {kind.bar}")
    yield from _large()


def _frequencies() -> Iterator[Instance]:
    peers = (
        ("z1", ("region", "hovedint"), 3, "sdcTable OPT, HITAS 3 (29) in 0.03, 0.06; HYPERCUBE 5 (60)"),
        ("z2", ("region", "hovedint"), 3, "sdcTable OPT 13 (123) in 0.05; GAUSS 13 (198), HYPERCUBE 17 (209)"),
        ("z3", ("region", "hovedint", "mnd"), 2, "sdcTable OPT 144 (850) in 48 s; GaussSuppression 215"),
    )
    for name, columns, largest, said in peers if (SHARED / "tables").is_dir() else ():
        table = reference_table(name, columns)
        sensitive = np.flatnonzero((table.values > 0) & (table.values <= largest))
        levels, knowledge = Levels.of(len(table), sensitive, 1, 1), Knowledge.of(len(table), integer=True)
        yield Instance(name, table, levels, knowledge, None, 60, said)


def _published() -> Iterator[Instance]:
    """Yield tables of amounts that come with packages, by their specification."""
    said = {
        "magnitude1": (_MAGNITUDE, "GaussSuppression 9 in 0.04 s, on 36 of the cells"),
        "tau_testW": (_ARGUS, "tau-Argus modular 12 (2.52M)"),
    }
    data = SHARED / "tables"
    for name, (text, peers) in said.items() if data.is_dir() else ():
        with tempfile.TemporaryDirectory() as folder:
            for file, lines in _HIERARCHIES.items():
                (Path(folder) / file).write_text(lines)
            (Path(folder) / "table.toml").write_text(text.format(data=data.resolve()))
            (case,) = cases_of(read_specification(Path(folder) / "table.toml"))
        yield Instance(name, case.table, case.levels, case.knowledge, case.costs, 60, peers)


def _large() -> Iterator[Instance]:
    """Yield business tables with and without single contributors who attack, and one of counts."""
    for kind in tables_large.KINDS:
        business = kind.drawn()
        table, levels, knowledge = business.table, business.levels, business.knowledge
        if not kind.singletons:
            levels, knowledge = replace(levels, against=None), Knowledge.of(len(table))
        peers = "; ".join(filter(None, (f"~ {kind.peers}" if kind.peers else "", f"aim: {kind.aim}")))
        costs = np.ones(len(table)) if kind.is_unit else None
        yield Instance(kind.name, table, levels, knowledge, costs, _ENOUGH, peers)
    table, levels = tables_large.sparse_counts()
    knowledge = Knowledge.of(len(table), integer=True)
    yield Instance("counts, 3 dimensions", table, levels, knowledge, None, _ENOUGH, "aim: gap 40 %")


def print_tables() -> None:
    """Protect every table, and print a line each."""
    print(_line(HEADS))
    for one in instances():
        options = SuppressionOptions(costs=one.costs, seconds=one.seconds)
        result, seconds = timed(
            lambda one=one, options=options: suppress(one.table, one.levels, one.knowledge, options)
        )
        gap = 1 - result.bound / result.cost if result.cost else 0.0
        primary = int(one.levels.sensitive.sum())
        figures = (f"{result.cost:,.0f}", f"{result.bound:,.0f}", f"{gap:.1%}", f"{seconds:.1f}", one.peers)
        print(
            _line((one.name, f"{len(one.table):,}", f"{primary:,}", f"{len(result.secondary):,}", *figures)), flush=True
        )


def _line(texts: tuple[str, ...]) -> str:
    return "".join(
        text.ljust(width) if at in {0, 8} else text.rjust(width - 2) + "  "
        for at, (text, width) in enumerate(zip(texts, _WIDTHS, strict=True))
    )
