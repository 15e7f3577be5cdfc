"""The data themselves, cell by cell: matrix X against X'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.errors import counted
from tacita.model.records import Records
from tacita.utility.columns import check_pairs, numeric
from tacita.utility.continuous.discrepancy import ABSOLUTE, SQUARE, VARIATION, discrepancies
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class Data:
    """Mean variation, mean absolute error and mean square error of the cells (document 001, section 4.1, matrix X).

    Figures: the three over all cells, and the share of cells that became missing. With `standardised`, cells are first
    divided by the standard deviation of the attribute before, so that no attribute outweighs the others in the two
    errors; the variation has no scale. sdcMicro's ``IL1`` is 100 times the sum of variations.

    Limits: a cell that is missing in either file is left out of the errors, so suppression is seen in its share only.
    The variation of a cell that was 0 and changed is not defined; such cells are counted in a note. A mean variation
    is ruled by values near 0.

    >>> from tacita.model.records import Numbers
    >>> before, after = Records({"x": Numbers.of([1.0, 2.0])}), Records({"x": Numbers.of([1.0, 3.0])})
    >>> Data().lost(before, after, ["x"]).figure
    0.25
    """

    name: ClassVar[str] = "data"
    needs_pairs: ClassVar[bool] = True

    standardised: bool = False

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the discrepancy of X, in all and by attribute."""
        check_pairs(before, after, self.name)
        fitting = numeric(before, after, attributes)
        notes = list(fitting.notes)
        one, two = before.matrix(fitting.names), after.matrix(fitting.names)
        if self.standardised and one.size:
            scale = np.array([_deviation(column) for column in one.T])
            one, two = one / scale, two / scale
        errors, undefined = discrepancies(one.ravel(), two.ravel())
        gone = np.isnan(two) & ~np.isnan(one)
        if undefined:
            notes.append(f"the mean variation leaves out {counted(undefined, 'cell')} that had been 0")
        if gone.any():
            notes.append(f"the errors leave out {counted(int(gone.sum()), 'cell')} that became missing")
        order = (VARIATION, ABSOLUTE, SQUARE)
        single = {name: discrepancies(one[:, i], two[:, i])[0] for i, name in enumerate(fitting.names)}
        return Lost(
            self.name,
            {
                **{f"X {measure}": errors[measure] for measure in order},
                "became missing": float(gone.mean()) if gone.size else 0.0,
            },
            {name: {measure: figures[measure] for measure in order} for name, figures in single.items()},
            tuple(notes),
        )


def _deviation(column: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the standard deviation of the known values; 1 if they do not differ."""
    known = column[~np.isnan(column)]
    return float(known.std(ddof=1)) if len(known) > 1 and known.min() < known.max() else 1.0
