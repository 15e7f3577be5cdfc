"""A table as it was given or built, with what came with its cells, and with what the steward insists on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, did_you_mean, faults_text
from tacita.model.table import WITHHELD, Levels, Status, Table


@dataclass(frozen=True, slots=True)
class GivenTable:
    """A table with what was said about its cells; None: nothing was.

    `status` holds numbers of `Status`. Where `has_true_values` is false, the values of some suppressed cells are not
    known (nan): such a table can be audited, not protected. `lower` and `upper` are bounds that the attacker knows.
    `notes` say what was decided without being asked; they hold no confidential value.
    """

    table: Table
    status: NDArray[np.int8] | None = None
    levels: Levels | None = None
    costs: NDArray[np.float64] | None = None
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None
    safe: NDArray[np.bool_] | None = None
    """Cells that the steward declared safe, whatever the rules say; they may still be suppressed for others."""
    has_true_values: bool = True
    notes: tuple[str, ...] = ()

    @property
    def suppressed(self) -> NDArray[np.bool_]:
        """Which cells are not published."""
        if self.status is None:
            return np.isnan(self.table.values)
        return np.isin(self.status, WITHHELD)


def cells_with(table: Table, codes: Mapping[str, str]) -> tuple[NDArray[np.bool_], list[str]]:
    """Return the cells that have these codes (in other dimensions any), and faults of the description."""
    mask = np.ones(len(table), bool)
    faults = []
    names = {one.name: at for at, one in enumerate(table.dimensions)}
    for name, code in codes.items():
        if name not in names:
            faults.append(f"no dimension '{name}'{did_you_mean(name, names)}")
            continue
        dimension = table.dimensions[names[name]]
        if code not in dimension:
            faults.append(f"dimension '{name}' has no code '{code}'{did_you_mean(code, dimension.codes)}")
            continue
        mask &= table.codes[:, names[name]] == dimension.position(code)
    if not faults and not mask.any():
        faults.append(f"no cell has {', '.join(f'{name}={code}' for name, code in codes.items())}")
    return mask, faults


def with_wishes(
    given: GivenTable, keep: Sequence[Mapping[str, str]], suppress: Sequence[Mapping[str, str]]
) -> GivenTable:
    """Return the table with the cells marked that must be published, and those that must not.

    A cell that is suppressed already stays so; a wish to keep it is a fault.
    """
    if not keep and not suppress:
        return given
    status = np.zeros(len(given.table), np.int8) if given.status is None else given.status.copy()
    faults: list[str] = []
    kept, forced = (_all_with(given.table, wishes, faults) for wishes in (keep, suppress))
    both = (kept & forced) | (kept & given.suppressed)
    if both.any():
        cells = np.flatnonzero(both)
        name = given.table.cell_name(int(cells[0]))
        faults.append(f"{len(cells):,} cells are to be kept and to be suppressed, such as {name}")
    if faults:
        raise InputError(faults_text(faults), where="[protect]", do="correct 'keep' and 'suppress'")
    status[kept] = Status.KEPT
    status[forced & (status == Status.PUBLISHED)] = Status.FORCED
    return replace(given, status=status)


def _all_with(table: Table, wishes: Sequence[Mapping[str, str]], faults: list[str]) -> NDArray[np.bool_]:
    mask = np.zeros(len(table), bool)
    for codes in wishes:
        cells, said = cells_with(table, codes)
        faults += said
        if not said:
            mask |= cells
    return mask
