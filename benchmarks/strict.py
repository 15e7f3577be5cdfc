"""The strict meaning of nulls: nulls beside the number of violators, each of which needs one at least, and CPU seconds.

Beside ours are the nulls of the search by cover and repair that strict had before, measured on the same files; for
Adult its CPU seconds, quoted. The ratio is nulls to violators.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.cycle import FROM_FILE, KNOWN, RUN, Line, _shown, _told
from benchmarks.risk import SHARED

KV7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
KV9 = [*KV7, "age", "hhcivil"]
ADULT = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
FILES = {
    "testdata x 7": ("sdcmicro/testdata.csv", KV7, {2: 157, 3: 284, 5: 471}),
    "testdata x 9": ("sdcmicro/testdata.csv", KV9, {2: 1932, 3: 2971, 5: 4444}),
    "testdata2 x 7": ("sdcmicro/testdata2.csv", KV7, {2: 151, 3: 312, 5: 541}),
    "synth 25k x 4": ("bench/synth_25k.parquet", KNOWN, {2: 4745, 3: 9237, 5: 15020}),
    "Adult x 9": ("adult/adult.csv", ADULT, {5: None}),
}
BARS = {("Adult x 9", 5): "under 30 s", ("synth 25k x 4", 3): "under 1 s"}


def strict(_: Path) -> Iterator[Line]:
    """Nulls by k, lower bound, CPU."""
    for what, (name, known, earlier) in FILES.items():
        file = SHARED / name
        if not file.is_file():
            yield f"strict {what}", "left out: the reference data are not there", "", "", ""
            continue
        read = FROM_FILE.format(file=str(file), known=known, weight=None)
        for k, before in earlier.items():
            nulls = ", nulls=Nulls(semantics=Semantics.ALPHA, alpha=0)"
            ours = _told(read + RUN.format(runs=1, measure=f"KAnonymity({k})", more=nulls))
            yield (
                f"strict {what}, k={k} / before",
                _shown(ours),
                f"{ours['risky']:,} violators, {'357 s' if before is None else f'{before:,} nulls'} before",
                f"{ours['nulls'] / ours['risky']:.3f}",
                BARS.get((what, k), ""),
            )


def expected(_: Path) -> Iterator[Line]:
    """The expected semantics against strict: never both more nulls and more that are strictly unsafe."""
    for what in ("testdata x 7", "testdata x 9", "synth 25k x 4"):
        name, known, earlier = FILES[what]
        file = SHARED / name
        if not file.is_file():
            yield f"expected {what}", "left out: the reference data are not there", "", "", ""
            continue
        read = FROM_FILE.format(file=str(file), known=known, weight=None)
        for k in earlier:
            plan = RUN.format(runs=1, measure=f"KAnonymity({k})", more=", nulls=Nulls(semantics={})")
            ours = _told(read + plan.format("Semantics.EXPECTED"))
            theirs = _told(read + plan.format("Semantics.ALPHA, alpha=0"))
            yield (
                f"expected {what}, k={k} / strict",
                f"{_shown(ours)}, {ours['strictly']:,} left",
                f"{theirs['nulls']:,} nulls",
                f"{ours['nulls'] / theirs['nulls']:.3f}",
                "below 1, or none left",
            )
