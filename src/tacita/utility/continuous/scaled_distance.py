"""IL1s: how far values moved, in standard deviations of their attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.errors import counted
from tacita.model.records import Records
from tacita.utility.columns import check_pairs, numeric
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class ScaledDistance:
    """Mean of ``|x - x'| / (sqrt(2) S)`` over cells, S being the standard deviation of the attribute before.

    Yancey, Winkler and Creecy, "Disclosure risk assessment in perturbative microdata protection" (2002). ``IL1s`` is
    the mean; ``IL1s total`` the sum, which sdcMicro 5.8.1 calls ``IL1s`` (and the mean ``IL1old``).

    A cell that is missing in either file is left out of both. An attribute that did not vary before has no scale: it is
    left out with a note if it changed, and counts 0 if not.

    >>> from tacita.model.records import Numbers
    >>> before, after = Records({"x": Numbers.of([1.0, 3.0])}), Records({"x": Numbers.of([1.0, 5.0])})
    >>> round(ScaledDistance().lost(before, after, ["x"]).figure, 12)
    0.5
    """

    name: ClassVar[str] = "il1s"
    by_default: ClassVar[bool] = True
    treats: ClassVar[str] = "numbers"
    needs_pairs: ClassVar[bool] = True

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return IL1s, in all and by attribute."""
        check_pairs(before, after, self.name)
        fitting = numeric(before, after, attributes)
        notes = list(fitting.notes)
        single: dict[str, dict[str, float]] = {}
        total, cells, gone, flat = 0.0, 0, 0, []
        for name in fitting.names:
            one, two = before.numbers(name).values, after.numbers(name).values
            had, known = one[~np.isnan(one)], ~(np.isnan(one) | np.isnan(two))
            gone += len(had) - int(known.sum())
            apart = np.abs(one[known] - two[known])
            if len(had) > 1 and had.min() < had.max():
                apart /= np.sqrt(2) * had.std(ddof=1)
            elif apart.any():
                flat.append(name)
                continue
            total += float(apart.sum())
            cells += len(apart)
            single[name] = {"IL1s": float(apart.mean()) if len(apart) else np.nan}
        if flat:
            notes.append(f"left out, changed from a single value: {', '.join(flat)}")
        if gone:
            notes.append(f"left out {counted(gone, 'cell')} that became missing")
        return Lost(self.name, {"IL1s": total / cells if cells else np.nan, "IL1s total": total}, single, tuple(notes))
