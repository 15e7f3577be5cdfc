"""Section 5 of the paper on incremental release, repeated: exposures over five shuffles, and the table of gates.

Source: M. Bezzi, S. De Capitani di Vimercati, G. Livraga, P. Samarati, Protecting Privacy of Sensitive Value
Distributions in Data Release, 2010. Its Figure 5 plots exposures while all 10,000 soldiers leave in a random order,
without a gate. What gates do with them is not in the paper.
"""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.alarms import AlarmLine, false_alarms
from experiments.folder import check_place, write_files
from experiments.gates import GateLine, table_of_gates
from experiments.soldiers import AGES, BASELINE, COUNTS, LOCATIONS, soldiers
from tacita.gate.picture.measures import ExposureTable
from tacita.progress import Progress, silent
from tacita.views.charts import BLUE, GREEN, GREY, ORANGE, PINK, SKY, standalone
from tacita.views.lines import Line, lines
from tacita.views.markup import Html, tag
from tacita.views.page import captioned as with_caption
from tacita.views.page import page, section, side_by_side
from tacita.views.tables import table

TITLE = "Incremental release of 10,000 soldiers"
SHUFFLES = 5
ORDERS, QUICK = 1_000, 20
_COLOURS = (BLUE, ORANGE, GREEN, PINK, SKY)
_POINTS = (25, 50, 100, 150, 200, 300, 400, 600, 800, *range(1_000, 10_001, 500))
_PRINTED = ("printed", "all", "L1", "L2", "L2 named")


@dataclass(frozen=True, slots=True)
class ReleaseResults:
    """All figures of a run."""

    seed: int
    orders: int
    exposures: tuple[tuple[tuple[float, ...], ...], ...]
    """Exposures and, last, the threshold, in bits, by shuffle and number of released records."""
    gates: tuple[GateLine, ...]
    alarms: tuple[AlarmLine, ...]


def release(
    out: Path, *, orders: int = ORDERS, seed: int = 0, force: bool = False, progress: Progress = silent
) -> tuple[ReleaseResults, list[str]]:
    """Run everything and write the folder; return the results and the names of the files."""
    check_place(out, force=force)
    results = ReleaseResults(
        seed,
        orders,
        tuple(exposures_of(seed + number) for number in range(SHUFFLES)),
        tuple(table_of_gates(orders, seed, progress)),
        tuple(false_alarms(max(orders // 10, 1), seed, progress)),
    )
    plots = figures(results)
    files = {f"figure-5{letter}.svg": standalone(plot) for letter, plot in zip("abcdef", plots, strict=True)}
    files |= {"gates.csv": as_csv(results), "report.md": as_markdown(results), "report.html": as_html(results)}
    return results, write_files(files, {"seed": seed, "orders": orders}, out, force=force)


def exposures_of(seed: int) -> tuple[tuple[float, ...], ...]:
    """Return the exposures and the threshold at some moments while all soldiers leave in a random order."""
    codes = [(LOCATIONS.index(location), AGES.index(age)) for _, age, location in soldiers(seed)]
    moments = []
    for number in _POINTS:
        counts = np.zeros(COUNTS.shape, dtype=np.int64)
        np.add.at(counts, tuple(np.array(codes[:number]).T), 1)
        seen = ExposureTable(counts, BASELINE)
        moments.append((*map(float, seen.exposures()), seen.exposure_threshold()))
    return tuple(moments)


def figures(results: ReleaseResults) -> list[Html]:
    """Return the plots: one for each shuffle, and one of their means."""
    shuffles = [np.array(moments) for moments in results.exposures]
    final = [*ExposureTable(COUNTS, BASELINE).exposures(), ExposureTable(COUNTS, BASELINE).exposure_threshold()]
    plots = []
    for number, moments in enumerate([*shuffles, np.mean(shuffles, axis=0)]):
        name = f"shuffle {number + 1}" if number < SHUFFLES else "mean of the shuffles"
        drawn = [
            Line(label, tuple(zip(map(float, _POINTS), 1000 * moments[:, place], strict=True)), colour, "solid")
            for place, (label, colour) in enumerate(zip(LOCATIONS, _COLOURS, strict=True))
        ]
        ends = (float(_POINTS[0]), float(_POINTS[-1]))
        if number < SHUFFLES:
            level = 1000 * final[-1]
            drawn.append(Line("threshold at the end", ((ends[0], level), (ends[1], level)), GREY, "dashed", "square"))
        else:
            means = 1000 * moments[:, -1]
            drawn.append(
                Line("threshold", tuple(zip(map(float, _POINTS), means, strict=True)), GREY, "dashed", "square")
            )
        title = f"Figure 5{'abcdef'[number]}: {name}"
        plots.append(lines(title, drawn, x="released records", y="exposure, thousandths of a bit", logarithmic=True))
    return plots


def rows_of(results: ReleaseResults) -> tuple[list[str], list[list[str]]]:
    """Return the table of gates as texts."""
    observers = [name for name, _ in results.gates[0].named]
    heads = ["gate", "released", *LOCATIONS, *(f"L2 by {name}" for name in observers), "evidence above 20", _PRINTED[0]]
    rows = []
    for line in results.gates:
        shares = (line.released, *line.by_location, *(share for _, share in line.named), line.evidence)
        printed = ", ".join(
            f"{name} {share}" for name, share in zip(_PRINTED[1:], line.printed or (), strict=line.printed is not None)
        )
        rows.append([line.gate, *(f"{share:.1f}" for share in shares), printed])
    return heads, rows


def alarm_rows(results: ReleaseResults) -> tuple[list[str], list[list[str]]]:
    """Return the table of false alarms as texts."""
    heads = ["targets", "records of each", "rule", "records held", "targets ever held", _PRINTED[0]]
    return heads, [
        [
            str(line.targets),
            f"{line.records:,}",
            line.rule,
            f"{line.held_records:.1f}",
            f"{line.stopped:.1f}",
            "" if line.printed is None else "{:g}, {:g}".format(*line.printed),
        ]
        for line in results.alarms
    ]


def about(results: ReleaseResults) -> list[str]:
    """Return what a reader has to know."""
    return [
        f"Soldiers of Figure 2 in {results.orders:,} random orders, seed {results.seed}. All figures are per cent.",
        "'L2 by ...' says in how many orders an observer who sees everything that left names the headquarters; a guess "
        "among five is right in 20. 'Evidence above 20' looks at every moment.",
        "Printed figures are from 200 to 300 orders.",
        "False alarms: all targets have the baseline distribution; "
        f"{results.alarms[0].runs:,} runs, or {results.alarms[-1].runs:,} of 200 targets. 'Rounded' is definition 5 in "
        "floating point: the larger one of two exposures equals its threshold, and rounding decides.",
    ]


def as_csv(results: ReleaseResults) -> str:
    """Return the table of gates as lines."""
    written = io.StringIO()
    heads, rows = rows_of(results)
    csv.writer(written, lineterminator="\n").writerows([heads, *rows])
    return written.getvalue()


def as_markdown(results: ReleaseResults) -> str:
    """Return both tables and the plots."""
    parts = [f"# {TITLE}", "", *(line for said in about(results) for line in (said, ""))]
    for title, (heads, rows) in (("Gates", rows_of(results)), ("False alarms", alarm_rows(results))):
        parts += [f"## {title}", "", "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
        parts += ["| " + " | ".join(row) + " |" for row in rows] + [""]
    parts += [f"![Figure 5{letter}](figure-5{letter}.svg)\n" for letter in "abcdef"]
    return "\n".join(parts)


def as_html(results: ReleaseResults) -> str:
    """Return a page with the plots and both tables."""
    plots = [with_caption(plot, f"5{letter}") for letter, plot in zip("abcdef", figures(results), strict=True)]
    return page(
        TITLE,
        tag("h1", TITLE),
        *(tag("p", said) for said in about(results)),
        section("Gates", table(*rows_of(results))),
        section("False alarms", table(*alarm_rows(results))),
        section("Exposures while everything leaves", side_by_side(*plots)),
    )


def as_dict(results: ReleaseResults) -> dict[str, Any]:
    """Return the tables for machines."""
    return {
        "seed": results.seed,
        "orders": results.orders,
        "gates": [asdict(line) for line in results.gates],
        "alarms": [asdict(line) for line in results.alarms],
    }
