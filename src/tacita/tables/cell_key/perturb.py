"""The cell key method: noise on each count, looked up by the key of the cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, listed
from tacita.model.table import Table
from tacita.tables.cell_key.perturbation_table import PerturbationTable
from tacita.tables.usable import require_usable


@dataclass(frozen=True, slots=True)
class Perturbed:
    """Counts with noise: `largest` and `total` are the largest and the summed absolute change. No key is in here."""

    values: NDArray[np.float64]
    largest: float
    total: float
    notes: tuple[str, ...]


def perturb(table: Table, keys: NDArray[np.uint64], design: PerturbationTable) -> Perturbed:
    """Return a table of counts with the noise that each cell's key stands for.

    The same records have the same noise in every table (their cell key is the same), so that averaging or differencing
    many tables gains nothing. Sums do not add up exactly: each cell is as near to the truth as its own noise.

    >>> from tacita.model.table import Dimension, Equations
    >>> from tacita.tables.cell_key.perturbation_table import design
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
    >>> table = Table("people", (sex,), codes, np.array([9.0, 4, 5]), Equations.of([(0, (1, 2))]), is_count=True)
    >>> perturb(table, np.array([0, 2**62, 2**63 + 2**62], np.uint64), design(3, 1.0)).values.tolist()
    [6.0, 3.0, 6.0]
    """
    if not table.is_count:
        raise UsageError(
            "cell keys are for tables of counts",
            where=f"table '{table.name}'",
            do="use suppression, adjustment or controlled rounding for magnitudes",
        )
    require_usable(table, whole=True, nonnegative=True)
    if len(keys) != len(table):
        raise InputError(
            f"{len(keys):,} cell keys for {len(table):,} cells", where=f"table '{table.name}'", do="give one per cell"
        )
    shares = (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53
    changes = design.changes(table.values.astype(np.int64), shares)
    notes = ["sums of perturbed counts need not add up: every cell has its own noise"]
    if design.relaxed:
        notes.append(f"counts of {listed(design.relaxed)} have another variance than the others")
    return Perturbed(
        table.values + changes, float(np.abs(changes).max(initial=0)), float(np.abs(changes).sum()), tuple(notes)
    )
