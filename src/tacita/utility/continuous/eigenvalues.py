"""Eigenvalues of the correlation matrix: how much weight moved between principal components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.errors import counted
from tacita.model.records import Records
from tacita.utility.columns import numeric
from tacita.utility.continuous.structure import Matrix, structure
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class Eigenvalues:
    """The sum of ``|e - e'| / e`` over the eigenvalues of the correlation matrices, largest first.

    sdcMicro's ``dUtility(method = "eigen")``, equal to 5.8.1 on Tarragona. Templ, "Statistical disclosure control for
    microdata using the R package sdcMicro" (2008). Its first figure is the sum, its second the mean.

    Each file is taken at its complete records. A component without variance before (singular covariance) is left out
    with a note; sdcMicro divides by its rounding error there.

    >>> from tacita.model.records import Numbers
    >>> before = Records({"x": Numbers.of([1, 2, 3, 4]), "y": Numbers.of([1, -1, -1, 1])})
    >>> after = before.with_columns({"y": Numbers.of([1, 2, 3, 4])})
    >>> round(Eigenvalues().lost(before, after, ["x", "y"]).figure, 12)
    2.0
    """

    name: ClassVar[str] = "eigenvalues"
    needs_pairs: ClassVar[bool] = False

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the change of the eigenvalues."""
        fitting = numeric(before, after, attributes)
        one, two = (structure(records.matrix(fitting.names)) for records in (before, after))
        if one is None or two is None:
            notes = (*fitting.notes, "fewer than two complete records, or no attribute: there are no eigenvalues")
            return Lost(self.name, {"eigenvalues": np.nan, "mean": np.nan}, {}, notes)
        return changed(self.name, one.eigenvalues, two.eigenvalues, fitting.notes)


def changed(name: str, one: Matrix, two: Matrix, notes: tuple[str, ...]) -> Lost:
    """Return by how much eigenvalues changed, relative to those before."""
    real = one > 0
    if gone := int(np.sum(~real)):
        notes = (*notes, f"left out {counted(gone, 'principal component')} without variance before")
    moved = np.abs(one[real] - two[real]) / one[real]
    return Lost(name, {"eigenvalues": float(moved.sum()), "mean": float(moved.mean())}, {}, notes)
