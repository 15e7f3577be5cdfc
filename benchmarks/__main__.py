"""Run the benchmarks and print a line each: what, ours, bare, ratio, and the bar it has to clear."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import (
    concealment,
    cycle,
    dependencies,
    derivable,
    gate,
    joint,
    ledger,
    linkage,
    microaggregation,
    noise_and_swapping,
    pram,
    queries_attacks,
    queries_audit,
    queries_cube,
    queries_private,
    recoding,
    risk,
    service,
    strict,
    synthetic,
    tables,
    tables_audit,
    tables_build,
    tables_other,
    tables_suppression,
    utility,
    width,
)
from benchmarks.measure import best, cost, python, tacita
from benchmarks.proof import proof
from benchmarks.rules import closure, control, k_anonymity

Line = tuple[str, str, str, str, str]


def describe_csv(folder: Path) -> Iterator[Line]:
    """Read and describe 1M x 10 CSV against DuckDB's own SUMMARIZE of the same file."""
    file = folder / "firms.csv"
    cost(tacita("generate", "R1000A6W", "--out", str(file)))
    ours = best(tacita("describe", str(file)))
    bare = best(python(f"import duckdb; duckdb.sql(\"SUMMARIZE FROM read_csv('{file}')\").fetchall()"))
    yield "describe 1M x 10 CSV / SUMMARIZE", str(ours), str(bare), f"{ours.cpu / bare.cpu:.2f}", "at most 3"


def describe_parquet(folder: Path) -> Iterator[Line]:
    """Describe 10M x 10 Parquet: the peak of memory."""
    file = folder / "firms.parquet"
    made = cost(tacita("generate", "R10000A6W", "--out", str(file)))
    ours = cost(tacita("describe", str(file)))
    bare = cost(python(f"import duckdb; duckdb.sql(\"SUMMARIZE FROM '{file}'\").fetchall()"))
    yield "describe 10M x 10 Parquet / SUMMARIZE", str(ours), str(bare), f"{ours.cpu / bare.cpu:.2f}", "under 2000 MB"
    yield "generate 10M x 10 Parquet", str(made), "", "", ""


def generate(folder: Path) -> Iterator[Line]:
    """Generate R100A4U, file and all."""
    ours = best(tacita("generate", "R100A4U", "--out", str(folder / "f.csv"), "--force"))
    yield "generate R100A4U as CSV", str(ours), "", "", "under 2 s"


def coding(folder: Path) -> Iterator[Line]:
    """Group-by on dictionary-coded quasi-identifiers against the same on text."""
    file = folder / "keys.parquet"
    cost(tacita("generate", "R2000A6W", "--out", str(file)))
    setup = (
        "import time; from pathlib import Path; from tacita.engines.duckdb import DuckDBEngine; "
        "from tacita.engines.plans.frequencies import sample_uniques; "
        f"e = DuckDBEngine(); r = e.scan_parquet([Path({str(file)!r})]); n = [c.name for c in r.columns[1:7]]; "
    )
    stored = "from sqlglot import exp; s = e.store(exp.select('*').from_(r.source()), r.columns); "
    timed = "t = time.process_time(); [e.run(sample_uniques({}, n)) for _ in range(5)]; print(time.process_time() - t)"
    text = _printed(setup + stored + timed.format("s"))
    coded = _printed(setup + "c = e.encode(r, n); " + timed.format("c"))
    yield (
        "group-by on coded keys / on text, 2M x 6",
        f"{coded:6.2f} s CPU",
        f"{text:6.2f} s CPU",
        f"{coded / text:.2f}",
        "",
    )


def start(_: Path) -> Iterator[Line]:
    """The first page of help."""
    ours, bare = best(tacita("--help"), 5), best(python("pass"), 5)
    yield "tacita --help / python -c pass", str(ours), str(bare), f"{ours.cpu / bare.cpu:.2f}", "under 0.3 s CPU"


def spss(folder: Path) -> Iterator[Line]:
    """Read and describe 200,000 rows of SPSS against pyreadstat alone."""
    file = folder / "people.sav"
    cost(tacita("generate", "households", "--rows", "200000", "--out", str(file)))
    ours = best(tacita("describe", str(file)))
    bare = best(python(f"import pyreadstat; pyreadstat.read_sav({str(file)!r}, output_format='dict')"))
    yield "describe 200k x 16 SPSS / pyreadstat", str(ours), str(bare), f"{ours.cpu / bare.cpu:.2f}", ""


BENCHMARKS: dict[str, Callable[[Path], Iterator[Line]]] = {
    "start": start,
    "generate": generate,
    "describe-csv": describe_csv,
    "describe-parquet": describe_parquet,
    "width": width.width,
    "coding": coding,
    "spss": spss,
    "control": control,
    "closure": closure,
    "k-anonymity": k_anonymity,
    "proof": proof,
    "frequencies": risk.frequencies,
    "nulls": risk.nulls,
    "suda": risk.suda,
    "assess": risk.assess,
    "pycanon": risk.pycanon,
    "cycle": cycle.suppression,
    "cycle-nulls": cycle.semantics,
    "cycle-strict": strict.strict,
    "cycle-expected": strict.expected,
    "cycle-generated": cycle.generated,
    "cycle-risky": cycle.risky_million,
    "cycle-growth": cycle.growth,
    "cycle-clusters": cycle.clusters,
    "lattice": recoding.lattice,
    "local-recoding": recoding.local_recoding,
    "large-lattice": recoding.large_lattice,
    "losses": utility.losses,
    "microaggregation": microaggregation.mdav,
    "microaggregation-million": microaggregation.million,
    "microaggregation-others": microaggregation.others,
    "tables-build": tables_build.tables,
    "tables-audit": tables_audit.intervals,
    "tables-suppression": tables_suppression.random_tables,
    "tables-reference": tables_suppression.reference,
    "tables-rounding": tables_other.rounding,
    "tables-small-counts": tables_other.small_counts,
    "tables-adjustment": tables_other.adjustment,
    "tables-published-adjustment": tables_other.published_adjustment,
    "tables-intervals": tables_other.intervals,
    "tables-cell-keys": tables_other.keys,
    "dependencies": dependencies.exact,
    "dependencies-relaxed": dependencies.distances,
    "derivable": derivable.derivable,
    "joint-exact": joint.joint_exact,
    "joint-tables": joint.joint_tables,
    "joint-versions": joint.joint_versions,
    "ledger-appends": ledger.ledger_appends,
    "ledger-verification": ledger.ledger_verification,
    "ledger-release": ledger.ledger_opening,
    "conceal-cells": concealment.cells,
    "conceal-people": concealment.people,
    "gate": gate.gate_memory,
    "gate-ledger": gate.gate_ledger,
    "queries-totals": queries_private.queries_totals,
    "queries-median": queries_private.queries_median,
    "queries-count": queries_cube.queries_count,
    "queries-reconstruction": queries_attacks.queries_reconstruction,
    "queries-camouflage": queries_attacks.queries_camouflage,
    "queries-exact": queries_audit.queries_exact,
    "queries-interval": queries_audit.queries_interval,
    "queries-extremes": queries_audit.queries_extremes,
    "service": service.service,
    "linkage": linkage.linkage,
    "linkage-memory": linkage.memory,
    "pram": pram.pram,
    "pram-family": pram.family,
    "synthetic": synthetic.synthetic,
    "noise": noise_and_swapping.noise,
    "swapping": noise_and_swapping.swapping,
    "private-noise": noise_and_swapping.privacy,
}


def _printed(code: str) -> float:
    import subprocess

    return float(subprocess.run(python(code), check=True, capture_output=True, text=True).stdout)


def main() -> None:
    wanted = sys.argv[1:] or [*BENCHMARKS, "tables"]
    if "tables" in wanted:
        tables.print_tables()
        wanted = [name for name in wanted if name != "tables"]
        if not wanted:
            return
    if unknown := [name for name in wanted if name not in BENCHMARKS]:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are: {', '.join([*BENCHMARKS, 'tables'])}")
    print(f"{'what':<42}{'ours':<50}{'bare':<38}{'ratio':<8}bar")
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            for what, ours, bare, ratio, bar in BENCHMARKS[name](Path(folder)):
                print(f"{what:<42}{ours:<50}{bare:<38}{ratio:<8}{bar}", flush=True)


if __name__ == "__main__":
    main()
