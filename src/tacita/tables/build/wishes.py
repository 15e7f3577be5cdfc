"""Cells that the steward insists on: found by their codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, did_you_mean, faults_text
from tacita.model.table import Status, Table
from tacita.tables.build.given import GivenTable


def cells_with(table: Table, codes: Mapping[str, str]) -> tuple[NDArray[np.bool_], list[str]]:
    """Return the cells that have these codes (in other dimensions any), and faults of the description."""
    mask = np.ones(len(table), bool)
    faults = []
    names = {each.name: at for at, each in enumerate(table.dimensions)}
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
        found, said = cells_with(table, codes)
        faults += said
        if not said:
            mask |= found
    return mask
