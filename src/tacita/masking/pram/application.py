"""What all ways of PRAM share: the change of attributes by their matrices, and what is told and released of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError
from tacita.masking.method import Treated
from tacita.masking.pram.transitions import Transitions
from tacita.model.records import Categories, Numbers, Records, Values
from tacita.progress import Progress, Step

MOST = 1000
"""Values of an attribute: beyond that it is hardly one of categories, and the matrix has a million cells."""

Draw = Callable[[Transitions, NDArray[np.int32], np.random.Generator], NDArray[np.int32]]


def applied(
    records: Records,
    attributes: tuple[str, ...],
    transitions_of: Callable[[str, Categories], Transitions],
    random: np.random.Generator,
    progress: Progress,
    *,
    publish_matrix: bool,
    draw: Draw = Transitions.drawn,
) -> Treated:
    """Return records with attributes changed by the matrix that each has, which begins with the column's own values."""
    columns: dict[str, Values] = {}
    figures: dict[str, float] = {}
    beside: dict[str, Records] = {}
    notes: list[str] = []
    for place, name in enumerate(attributes):
        progress(Step("pram", place, len(attributes)))
        column = records.categories(name)
        if len(column.values) > MOST:
            raise InputError(
                f"'{name}' has more than {MOST:,} values: PRAM is for categories",
                do="make it coarser first, or use a method for numbers",
            )
        transitions = transitions_of(name, column)
        codes = draw(transitions, column.codes, random)
        columns[name] = _column(name, records[name], transitions.values, codes)
        known = int((column.codes >= 0).sum())
        figures[f"share changed of {name}"] = float((codes != column.codes).sum() / known) if known else 0.0
        stays = np.diag(transitions.matrix)[: len(column.values)]
        figures[f"expected share changed of {name}"] = float((1 - stays) @ column.counts / known) if known else 0.0
        if publish_matrix:
            beside[f"pram {name}"] = transitions.as_records()
        if known and not figures[f"expected share changed of {name}"]:
            notes.append(f"'{name}' is as it was, at least in some stratum: the matrix changes nothing there")
    if not publish_matrix:
        notes.append("the matrix of PRAM is not released; users need it (publish_matrix) to correct tables")
    return Treated(
        records.with_columns(columns),
        np.arange(len(records)),
        figures=MappingProxyType(figures),
        beside=MappingProxyType(beside),
        notes=tuple(notes),
    )


def _column(name: str, before: Values, values: tuple[Hashable, ...], codes: NDArray[np.int32]) -> Values:
    """Return changed codes as a column of the kind that it was."""
    if isinstance(before, Categories):
        ordered = before.is_ordered and values == before.values
        return Categories(codes, values, ordered, before.hierarchy)
    if not all(isinstance(value, int | float) for value in values):
        raise UsageError(f"'{name}' holds numbers, but the matrix of PRAM has other values", do="give numbers")
    return Numbers(np.array([*map(float, values), np.nan])[codes], before.is_whole)  # type: ignore[arg-type]
