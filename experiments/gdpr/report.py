"""What came of the experiments: a page, a text with the sentences of the paper, and files of all figures."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

from experiments.gdpr.drawing import NAMES, plots
from experiments.gdpr.points import METHODS, GdprResults, Hidden, InformationGain, Searched, Setting
from experiments.gdpr.sentences import sentences
from tacita.version import __version__
from tacita.views.charts import standalone
from tacita.views.markup import tag
from tacita.views.page import captioned, page, section, side_by_side
from tacita.views.tables import Cell, table

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

TITLE = "Confidentiality by dependencies: the experiments repeated"
_HEADS = ("figure", "sentence of the paper", "ours", "verdict", "why")


def files_of(results: GdprResults) -> dict[str, str]:
    """Return all files of a run by name."""
    return {
        **{name: standalone(plot) for name, _, plot in plots(results)},
        "dependencies.csv": _csv(Searched, results.searched),
        "hidden.csv": _csv(Hidden, results.hidden),
        **({"information-gain.csv": _csv(InformationGain, results.gains)} if results.gains else {}),
        "report.md": as_markdown(results),
        "report.html": as_html(results),
    }


def about(results: GdprResults) -> list[str]:
    """Return what a reader has to know before the figures."""
    told = [
        f"Section VII of the paper of Caruccio et al. (IEEE Access 2020), seed {results.seed}, Tacita {__version__}. "
        "Its Figures 4 to 12 print no numbers. Names and streets are invented, in the paper as here; the register "
        "Health is generated.",
        "A choice hides attributes until no chain of dependencies leads to a confidential one. Dependencies whose "
        "left-hand side is a key are left aside unless it says otherwise: nobody learns a value from another record by "
        "them.",
        "The paper does not say when growth is linear or a change small. Our criteria were set after a first run: a "
        "verdict helps to read the figures beside it, and is not a test.",
    ]
    if results.quick:
        told.append("A quick run on a part of the records: nothing of it can be held against the paper.")
    told += sorted({f"{one.data}, {one.setting}: {one.bounds}" for one in results.searched if one.bounds})
    return told


def means(results: GdprResults) -> tuple[list[str], list[list[Cell]]]:
    """Return the attributes hidden besides one as a table: data sets and configurations by method."""
    rows: list[list[Cell]] = []
    for data in results.data:
        for setting in Setting:
            line = [results.mean(data, setting, method) for method in METHODS]
            if any(mean is not None for mean in line):
                rows.append([data, str(setting), *("" if mean is None else f"{mean:.2f}" for mean in line)])
    return ["data", "dependencies", *(NAMES[method] for method in METHODS)], rows


def as_markdown(results: GdprResults) -> str:
    """Return sentences and means as text."""
    lines = [f"# {TITLE}", "", *(f"{sentence}\n" for sentence in about(results))]
    lines += _text_table(_HEADS, [list(astuple(one)) for one in sentences(results)])
    heads, rows = means(results)
    lines += ["## Attributes hidden besides one confidential attribute, on average", "", *_text_table(heads, rows)]
    lines += ["All figures are in [hidden.csv](hidden.csv) and [dependencies.csv](dependencies.csv).", ""]
    lines += [f"![{caption}]({name})" for name, caption, _ in plots(results)]
    return "\n".join(lines) + "\n"


def as_html(results: GdprResults) -> str:
    """Return a page with the sentences, the plots and all figures."""
    heads, rows = means(results)
    searches = [
        [s.data, s.records, s.attributes, str(s.setting), s.dependencies, s.threats, s.undecided, s.on_invented]
        for s in results.searched
    ]
    found = ["data", "records", "attributes", "dependencies", "minimal", "not keys", "undecided", "on invented names"]
    return page(
        TITLE,
        tag("h1", TITLE),
        *(tag("p", sentence) for sentence in about(results)),
        section("The paper and ours", table(_HEADS, [list(astuple(one)) for one in sentences(results)])),
        section("Dependencies", table(found, searches)),
        section("Attributes hidden besides one confidential attribute, on average", table(heads, rows)),
        section("The plots", side_by_side(*(captioned(plot, caption) for _, caption, plot in plots(results)))),
    )


def _text_table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return [*lines, *("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows), ""]


def _csv(kind: type[DataclassInstance], given: Sequence[DataclassInstance]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([field.name for field in fields(kind)])
    writer.writerows([f"{v:.6g}" if isinstance(v, float) else v for v in astuple(one)] for one in given)
    return written.getvalue()
