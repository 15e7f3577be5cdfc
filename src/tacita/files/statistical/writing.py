"""Writing Stata, SPSS and SAS transport files: measured first, checked as a whole, then written row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlglot import exp

from tacita.engines.protocol import Relation
from tacita.files.contract import WriteOptions
from tacita.files.statistical import library, limits
from tacita.files.statistical.frame import Frame, FrameColumn, Tags
from tacita.files.statistical.limits import Limits
from tacita.files.statistical.naming import with_fitting_names
from tacita.files.statistical.outgoing import Losses, Outgoing
from tacita.files.statistical.packages import Package, kind_of
from tacita.files.statistical.planning import Planner
from tacita.files.statistical.survey import survey
from tacita.files.streaming import cells
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.progress import Step

# From this many bytes on, Stata keeps a text outside the rows (strL).
_LONG_TEXT = 2_045
# More columns than this need the newest Stata format, which older versions cannot read.
_COLUMNS_OF_STATA_14 = 32_767
_SMALLEST_OF_SAS = 5.4e-79

Planned = tuple[Planner, Outgoing]


def write(microdata: Microdata, path: Path, options: WriteOptions, *, ending: str) -> tuple[str, ...]:
    """Write a file of a statistical package; return what it could not hold."""
    kind = kind_of(ending)
    package, losses = kind.package, Losses(kind.package)
    microdata = with_fitting_names(microdata, package, losses)
    relation = microdata.relation
    options.progress(Step("measuring the columns"))
    figures = survey(relation)
    planners = [
        Planner(column, microdata.attribute(column.name), measured, _origin(microdata), losses)
        for column, measured in zip(relation.columns, figures, strict=True)
    ]
    columns = [planner.outgoing() for planner in planners]
    bounds = _limits(package, microdata, columns)
    limits.check(bounds, package, columns, figures)
    _note_losses(bounds, list(zip(planners, columns, strict=True)), losses)
    labels = _column_labels(microdata, bounds, losses)
    details = {
        "file_label": _cut(microdata.dictionary.description, bounds.file_label, bounds, losses, "the file's own label"),
        "column_labels": labels or None,
        "variable_format": {c.column.name: c.format for c in columns if c.format} or None,
        **_by_package(package, ending, microdata, columns, bounds, losses),
    }
    height = figures[0].rows if figures else 0
    frame = Frame(
        [_frame_column(c, relation, package) for c in columns], _rows(relation, columns, height, options), height
    )
    library.write_rows(frame, path, kind, **details)
    return losses.sentences()


def _rows(
    relation: Relation, columns: Sequence[Outgoing], height: int, options: WriteOptions
) -> Iterator[tuple[Any, ...]]:
    done = 0
    for batch in cells(relation):
        lists = [column.cells(values, codes) for column, (values, codes) in zip(columns, batch, strict=True)]
        yield from zip(*lists, strict=True)
        done += len(lists[0])
        options.progress(Step("writing", done, height))


def _frame_column(column: Outgoing, relation: Relation, package: Package) -> FrameColumn:
    texts: list[str] = []
    if package is Package.STATA and column.is_text and column.longest >= _LONG_TEXT:
        term = exp.column(column.column.physical)
        plan = exp.select(exp.alias_(term, "t")).distinct().from_(relation.source())
        texts = [row["t"] for row in relation.engine.run(plan) if row["t"] is not None]
    return FrameColumn(column.column.name, column.dtype, column.longest, texts)


def _by_package(
    package: Package, ending: str, microdata: Microdata, columns: Sequence[Outgoing], bounds: Limits, losses: Losses
) -> dict[str, Any]:
    """Return what only one of the packages wants to know."""
    missing: dict[str, Any] = {c.column.name: list(c.missing) for c in columns if c.missing}
    labels: dict[str, Any] = {}
    if package is Package.SAS:
        name = re.sub(r"\W", "_", microdata.name, flags=re.ASCII).upper()[:8]
        return {
            "version": 5 if bounds is limits.SAS_5 else 8,
            "table_name": name if limits.SAS_5.name.fullmatch(name) else None,
            "missing_user_values": {name: Tags(letters) for name, letters in missing.items()} or None,
        }
    for column in columns:
        name = column.column.name
        if column.labels:
            labels[name] = {
                key: _cut(label, bounds.value_label, bounds, losses, f"a value label of '{name}'")
                for key, label in column.labels.items()
            }
    if package is Package.STATA:
        return {
            "version": 14 if len(columns) <= _COLUMNS_OF_STATA_14 else 15,
            "variable_value_labels": labels or None,
            "missing_user_values": missing or None,
        }
    return {
        "compress": ending == ".zsav",
        "row_compress": ending == ".sav",
        "variable_value_labels": labels or None,
        "missing_ranges": missing or None,
        "variable_measure": {c.column.name: c.measure for c in columns if c.measure} or None,
    }


def _limits(package: Package, microdata: Microdata, columns: Sequence[Outgoing]) -> Limits:
    """Return the limits of the format; SAS has two, and the older one, which everything reads, is taken if it fits."""
    if package is not Package.SAS:
        return limits.STATA if package is Package.STATA else limits.SPSS
    old = limits.SAS_5
    fits = (
        all(len(name) <= 8 for name in microdata.dictionary.names)
        and all(len(a.description.encode()) <= old.column_label for a in microdata.dictionary)
        and all(c.longest <= old.text for c in columns)
        and len(columns) <= old.columns
    )
    return old if fits else limits.SAS_8


def _note_losses(bounds: Limits, columns: Sequence[Planned], losses: Losses) -> None:
    if bounds is limits.SAS_8:
        losses.note(
            "SAS transport is written in {columns}, for names, labels or texts that version 5 cannot hold; "
            "SAS reads it with the macro %XPT2LOC",
            "version 8",
        )
    for planner, column in columns:
        for sentence in _losses_of(planner, column):
            losses.note(sentence, column.column.name)


def _losses_of(planner: Planner, column: Outgoing) -> Iterator[str]:
    """Yield what every package loses of such a column."""
    package, figures = planner.package, planner.figures
    if column.is_text:
        if figures.plainly_missing and not package.blank_is_missing:
            yield "{package} has no missing text, so empty text is written for missing values of {columns}"
        if figures.empty and package.blank_is_missing:
            yield "{package} takes empty text for missing, also in {columns}"
        if figures.trailing_blanks and package is not Package.STATA:
            yield "{package} does not keep blanks at the end of a text, as in {columns}"
        if figures.beyond_ascii and package is Package.SAS:
            yield "SAS transport files do not name their encoding: UTF-8 is written for {columns}"
    if package is Package.SAS and column.labels:
        yield "SAS transport files hold no value labels, as for {columns}"
    if column.column.type is ColumnType.BOOLEAN:
        yield "{package} has no truth values, so 1 and 0 are written for {columns}"
    if figures.zoned:
        yield "{package} knows no time zones, so UTC is written for {columns}"
    if figures.fine and package is Package.SPSS and planner.origin is not Package.SPSS:
        yield "{package} holds moments to about two microseconds, so these are rounded: {columns}"
    if figures.rounded:
        yield "{package} holds 15 digits of a number, so these may be rounded: {columns}"
    if package is Package.SAS and figures.smallest < _SMALLEST_OF_SAS:
        yield "SAS transport files hold no numbers as near to zero as in {columns}"


def _column_labels(microdata: Microdata, bounds: Limits, losses: Losses) -> dict[str, str]:
    return {
        a.name: _cut(a.description, bounds.column_label, bounds, losses, f"the label of '{a.name}'")
        for a in microdata.dictionary
        if a.description
    }


def _cut(text: str, length: int, bounds: Limits, losses: Losses, what: str) -> str:
    cut = bounds.cut(text, length)
    if cut != text:
        losses.note("labels that are too long for {package} are cut: {columns}", what)
    return cut


def _origin(microdata: Microdata) -> Package | None:
    """Return the package whose formats the dictionary speaks."""
    return next((known for known in Package if microdata.source.format.startswith(known.value)), None)
