"""A table as somebody published it: figures, what is withheld, intervals; and what it must have to be judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, listed
from tacita.model.table import WITHHELD, Knowledge
from tacita.tables.build.additivity import decimals_of
from tacita.tables.protect.case import TableCase

Numbers = NDArray[np.float64]
_METHOD = "if figures were rounded, adjusted or perturbed on purpose, say how: --method, or method in [protect]"


@dataclass(frozen=True, slots=True, repr=False)
class PublishedTable:
    """The cells of a case as they are published: `values` are nan where `status` says that they are withheld.

    `lower` and `upper` are published bounds of cells, nan where there are none.
    """

    values: Numbers
    status: NDArray[np.int8]
    lower: Numbers
    upper: Numbers

    @classmethod
    def of(cls, case: TableCase, values: Numbers) -> PublishedTable:
        """Return a table of which every figure is published."""
        nowhere = np.full(len(values), np.nan)
        return cls(values, np.zeros(len(case.table), np.int8), nowhere, nowhere)

    @property
    def withheld(self) -> NDArray[np.bool_]:
        """Which cells have no figure."""
        return np.isin(self.status, WITHHELD)

    def known(self, knowledge: Knowledge) -> Knowledge:
        """Return what is known with the published bounds."""
        hidden = self.withheld
        return replace(
            knowledge,
            lower=np.where(hidden, np.fmax(knowledge.lower, self.lower), knowledge.lower),
            upper=np.where(hidden, np.fmin(knowledge.upper, self.upper), knowledge.upper),
        )


def require_true_figures(case: TableCase, published: PublishedTable, do: str = "") -> None:
    """Refuse a publication whose figures, or intervals, are not those of the table: nothing can be said about it."""
    table, values = case.table, published.values
    with np.errstate(invalid="ignore"):
        slack = 1e-9 * np.maximum(1.0, np.abs(table.values))
        shown = ~np.isnan(values)
        if shown.any():
            slack = slack + np.where(shown, 0.5 * 10.0 ** -decimals_of(values[shown]), 0.0)
        differs = np.abs(values - table.values) > slack
        outside = (published.lower > table.values + slack) | (published.upper < table.values - slack)
    faults = []
    for which, what in ((differs, "figure"), (outside & published.withheld, "interval")):
        if which.any():
            named = listed([f"({table.cell_name(int(cell))})" for cell in np.flatnonzero(which)], 5)
            differ = "is not that" if which.sum() == 1 else "are not those"
            faults.append(f"{counted(int(which.sum()), what)} {differ} of the table: {named}")
    if faults:
        raise InputError(
            "; ".join(faults),
            where=f"table '{table.name}'",
            do=do or f"judge it with the specification that it was made from; {_METHOD}",
        )


def every_figure(case: TableCase, published: PublishedTable, method: str) -> Numbers:
    """Return the published figures, or refuse a publication that lacks some.

    Cells of an earlier publication, which everybody knows, are not part of this one.
    """
    table = case.table
    values = np.where(np.isnan(published.values) & case.knowledge.known, table.values, published.values)
    missing = np.flatnonzero(np.isnan(values)).tolist()
    if missing:
        named = listed([f"({table.cell_name(cell)})" for cell in missing], 5)
        raise InputError(
            f"{counted(len(missing), 'cell')} without a figure, and the method '{method}' publishes all: {named}",
            where=f"table '{table.name}'",
            do="give the whole publication, or the method that it was made by: --method, or method in [protect]",
        )
    return values
