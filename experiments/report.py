"""What came of the experiments for people and for machines: a page, a text with a table, a file of points."""

from __future__ import annotations

import csv
import io
from dataclasses import fields

from experiments.anchors import anchors
from experiments.drawing import drawn
from experiments.point import FIGURES, Point, Results
from tacita.version import __version__
from tacita.views.markup import tag
from tacita.views.page import captioned as with_caption
from tacita.views.page import page, section, side_by_side
from tacita.views.tables import table

TITLE = "The experiments of VADA-SA, repeated"
_HEADS = ("figure", "what", "printed", "ours", "where and why they differ")


def about(results: Results) -> list[str]:
    """Return what a reader has to know before the figures."""
    told = [
        f"Figure 7 of the VADA-SA paper on generated surveys (seed {results.seed}, Tacita {__version__}). The bank's"
        " data are not public; the generated ones have their size, their attributes and about as many risky tuples."
    ]
    if results.quick:
        told.append("A quick run on small surveys: none of it can be held against the printed figures.")
    if {"e", "f"} & set(results.figures):
        told.append("Times are CPU seconds of this machine, the cheapest of several runs; the data are in memory.")
    return told


def as_csv(results: Results) -> str:
    """Return every measured point as a line."""
    written = io.StringIO()
    names = [field.name for field in fields(Point)]
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(getattr(point, name)) for name in names] for point in results.points)
    return written.getvalue()


def as_markdown(results: Results) -> str:
    """Return the table of printed figures beside ours, and the plots."""
    lines = [f"# {TITLE}", "", *about(results), ""]
    lines += ["| " + " | ".join(_HEADS) + " |", "|---" * len(_HEADS) + "|"]
    lines += [f"| 7{a.figure} | {a.what} | {a.printed} | {a.ours} | {a.sentence} |" for a in anchors(results)]
    lines += ["", "All points are in [results.csv](results.csv).", ""]
    for letter in results.figures:
        lines += [f"![Figure 7{letter}: {FIGURES[letter].title}]({plot_name(letter)})", ""]
    return "\n".join(lines)


def as_html(results: Results) -> str:
    """Return a page with the plots, the table and every point."""
    rows = [[f"7{a.figure}", a.what, a.printed, a.ours, a.sentence] for a in anchors(results)]
    plots = [with_caption(drawn(results, letter), f"7{letter}: {FIGURES[letter].title}") for letter in results.figures]
    points = [
        [f"7{p.figure}", p.data, p.series, p.x, p.value, p.risky, p.below_k_strictly, p.seconds] for p in results.points
    ]
    heads = ["figure", "data", "series", "x", "value", "risky", "below k strictly", "CPU seconds"]
    return page(
        TITLE,
        tag("h1", TITLE),
        *(tag("p", sentence) for sentence in about(results)),
        section("Printed and ours", table(_HEADS, rows)),
        section("The plots", side_by_side(*plots)),
        section("All points", table(heads, points)),
    )


def plot_name(letter: str) -> str:
    """Return the name of the file of a plot."""
    return f"figure-7{letter}.svg"


def _cell(value: object) -> object:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else value
