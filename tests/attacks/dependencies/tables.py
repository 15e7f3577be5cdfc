"""Small tables as concealed files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tacita.attacks.dependencies.concealed_file import ConcealedFile, KnownDependency
from tacita.attacks.dependencies.derivations import Derivations
from tacita.model.records import Categories, Numbers, Records

Table = Mapping[str, Sequence[Any]]


def records_of(table: Table) -> Records:
    """Return a table as records: numbers as numbers, everything else as categories."""
    return Records(
        {
            name: Numbers.of(list(values), is_whole=True)
            if all(value is None or type(value) in {int, float} for value in values)
            else Categories.of(values)
            for name, values in table.items()
        }
    )


def concealed(
    table: Table,
    hidden: Iterable[tuple[int, str]],
    rules: Sequence[KnownDependency] = (),
    confidential: Iterable[tuple[int, str]] | None = None,
    **knowledge: Any,
) -> ConcealedFile:
    """Return a table with hidden cells; all of them are confidential unless it is said which are."""
    truth = records_of(table)
    masks = []
    cells = list(hidden)
    for some in (cells, cells if confidential is None else confidential):
        mask = {name: np.zeros(len(truth), dtype=bool) for name in truth.names}
        for row, name in some:
            mask[name][row] = True
        masks.append(mask)
    return ConcealedFile(truth, masks[0], masks[1], tuple(rules), **knowledge)


def derived_cells(derivations: Derivations) -> dict[tuple[int, str], bool]:
    """Return the cells that are derived, by their places, and whether exactly."""
    return {(cell.row - 1, cell.attribute): cell.is_exact for cell in derivations.cells()}
