"""Covariances, correlations and principal factors: matrices V, R, RF, C and F against V', R', RF', C' and F'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.errors import UsageError, counted
from tacita.model.records import Records
from tacita.utility.columns import numeric
from tacita.utility.continuous.discrepancy import ABSOLUTE, SQUARE, VARIATION, discrepancies
from tacita.utility.continuous.structure import Matrix, Structure, structure
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class Matrices:
    """Discrepancies of the five matrices in which document 001 (section 4.1) sees the structure of numbers.

    R correlations, V covariances, RF correlations of attributes with principal factors, C communalities (the share of
    an attribute that the first `components` explain), F coefficients of the components; each by mean absolute error,
    mean square error and mean variation. Of the symmetric V and R every cell is counted once, of R without its
    diagonal (Domingo-Ferrer and Torra 2001, table 1). Components are those of the correlation matrix, scaled to length
    1 in F, each turned so that its sign agrees in both files.

    Missing values: each file is taken at its complete records. An attribute that does not vary has correlation 0 with
    all others. With a singular covariance the components without variance have no direction: they are 0 in RF and F.

    Limits: where two eigenvalues are close, a small change may swap their components, and RF and F differ much
    although the data hardly do. V has the scale of the attributes.

    >>> from tacita.model.records import Numbers
    >>> before = Records({"x": Numbers.of([1, 2, 3]), "y": Numbers.of([1, 2, 3])})
    >>> after = before.with_columns({"y": Numbers.of([3, 2, 1])})
    >>> round(Matrices().lost(before, after, ["x", "y"]).figure, 12)
    2.0
    """

    name: ClassVar[str] = "matrices"
    by_default: ClassVar[bool] = True
    treats: ClassVar[str] = "numbers"
    needs_pairs: ClassVar[bool] = False

    components: int = 1

    def __post_init__(self) -> None:
        if self.components < 1:
            raise UsageError("'components' of 'matrices' must be at least 1", do="give the number of first components")

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the discrepancies of R, V, RF, C and F, and the correlations' by attribute."""
        fitting = numeric(before, after, attributes)
        notes = list(fitting.notes)
        one, two = (structure(records.matrix(fitting.names)) for records in (before, after))
        ways = (ABSOLUTE, SQUARE, VARIATION)
        if one is None or two is None:
            notes.append("fewer than two complete records, or no attribute: no matrix is defined")
            return Lost(
                self.name, {f"{m} {w}": np.nan for m in ("R", "V", "RF", "C", "F") for w in ways}, {}, tuple(notes)
            )
        for records, which in ((before, "before"), (after, "after")):
            if gone := int(np.isnan(records.matrix(fitting.names)).any(axis=1).sum()):
                notes.append(f"left out {counted(gone, 'record')} {which} with a missing value")
        figures: dict[str, float] = {}
        for name, (first, second) in self._matrices(one, two.turned_to(one)).items():
            errors, _ = discrepancies(first, second)
            figures |= {f"{name} {way}": errors[way] for way in ways}
        if len(fitting.names) < 2:
            notes.append("a single attribute has no correlations")
        apart = np.abs(one.correlation - two.correlation)
        others = max(len(fitting.names) - 1, 1)
        single = {n: {f"R {ABSOLUTE}": float(apart[i].sum()) / others} for i, n in enumerate(fitting.names)}
        return Lost(self.name, figures, single, tuple(notes))

    def _matrices(self, one: Structure, two: Structure) -> dict[str, tuple[Matrix, Matrix]]:
        size = len(one.eigenvalues)
        triangle, below = np.tril_indices(size), np.tril_indices(size, -1)
        return {
            "R": (one.correlation[below], two.correlation[below]),
            "V": (one.covariance[triangle], two.covariance[triangle]),
            "RF": (one.factor_correlations, two.factor_correlations),
            "C": (one.communalities(self.components), two.communalities(self.components)),
            "F": (one.directions, two.directions),
        }
