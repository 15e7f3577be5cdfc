"""What the attacker needs to be asked again about a release: true values, sums, levels, knowledge, possible tables.

It stands in the internal folder, so that a reason that was not confirmed when the tables were protected can be
confirmed whenever somebody asks. Contributors are numbers here, and what they gave is not told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.exposure import Exposure, ExposureOptions, exposures
from tacita.errors import InputError
from tacita.model.table import Dimension, Equations, InsiderLevels, Knowledge, Levels, Movement, Table
from tacita.release.kind import Workplace
from tacita.tables.protect.protected import Protected, ProtectedTable

ATTACKED = "attacked.npz"
_LEVELS = ("sensitive", "lower", "upper", "sliding")
_KNOWLEDGE = ("lower", "upper", "known", "owners")
_AGAINST = ("cell", "contributor", "lower", "upper", "sliding")


def write_attacked(folder: Workplace, protected: Protected) -> None:
    """Write what the attacker needs, where cells are withheld for others."""
    arrays: dict[str, Any] = {}
    for number, table in enumerate(protected.tables):
        if table.why:
            arrays |= {f"{number}.{name}": array for name, array in _arrays(table).items()}
    if arrays:
        with folder.file(ATTACKED) as partial, partial.open("wb") as file:
            np.savez_compressed(file, **arrays)


def _arrays(protected: ProtectedTable) -> dict[str, NDArray[Any]]:
    table, levels, knowledge = protected.table, protected.case.levels, protected.case.knowledge
    lengths = [len(movement.cells) for movement in protected.movements]
    arrays: dict[str, NDArray[Any]] = {
        "values": table.values,
        "status": protected.status,
        "starts": table.equations.starts,
        "cells": table.equations.cells,
        "coefficients": table.equations.coefficients,
        "codes": table.codes,
        "dimensions": np.array([dimension.name for dimension in table.dimensions]),
        "whole": np.array([table.is_count, knowledge.integer]),
        "moved_starts": np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
        "moved_cells": np.concatenate([np.zeros(0, np.int64), *(one.cells for one in protected.movements)]),
        "moved_by": np.concatenate([np.zeros(0), *(one.delta for one in protected.movements)]),
    }
    arrays |= {f"codes_{at}": np.array(dimension.codes) for at, dimension in enumerate(table.dimensions)}
    arrays |= {f"level_{name}": getattr(levels, name) for name in _LEVELS}
    arrays |= {f"known_{name}": getattr(knowledge, name) for name in _KNOWLEDGE}
    if levels.against is not None:
        arrays |= {f"against_{name}": getattr(levels.against, name) for name in _AGAINST}
    return arrays


@dataclass(frozen=True, slots=True, repr=False)
class AttackedTable:
    """A released table as the attacker needs it. Internal."""

    table: Table
    withheld: NDArray[np.bool_]
    levels: Levels
    knowledge: Knowledge
    movements: Sequence[Movement]

    def exposure(self, cell: int) -> Exposure:
        """Return what would be known if a cell, and it alone, were published, however much work that is."""
        return exposures(
            self.table,
            self.withheld,
            self.levels,
            self.knowledge,
            np.array([cell]),
            ExposureOptions(unions=False, work=math.inf, seconds=math.inf),
            movements=self.movements,
        )[cell]


def read_attacked(internal: Path, number: int) -> AttackedTable | None:
    """Return one table of a release for the attacker; None where nothing was kept."""
    path = internal / ATTACKED
    try:
        with np.load(path, allow_pickle=False) as file:
            mine = f"{number}."
            arrays = {name.removeprefix(mine): file[name] for name in file.files if name.startswith(mine)}
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", where=str(path), do="restore the internal folder") from None
    return _attacked(arrays) if arrays else None


def _attacked(arrays: dict[str, NDArray[Any]]) -> AttackedTable:
    cells = len(arrays["values"])
    is_count, integer = arrays["whole"].tolist()
    # The sums are those of the equations; dimensions are here to call cells by their codes.
    dimensions = tuple(
        Dimension.flat(name, codes[1:], codes[0])
        for at, name in enumerate(arrays["dimensions"].tolist())
        for codes in (arrays[f"codes_{at}"].tolist(),)
    )
    table = Table(
        "released",
        dimensions,
        arrays["codes"],
        arrays["values"],
        Equations(arrays["starts"], arrays["cells"], arrays["coefficients"]),
        bool(is_count),
    )
    against = {name: arrays[f"against_{name}"] for name in _AGAINST if f"against_{name}" in arrays}
    distances = {name: arrays[f"level_{name}"] for name in _LEVELS}
    insiders = InsiderLevels(**against) if against else None
    levels = replace(Levels.none(cells), **distances, against=insiders)  # type: ignore[arg-type]
    known = {name: arrays[f"known_{name}"] for name in _KNOWLEDGE}
    knowledge = Knowledge(**known, integer=bool(integer))
    starts = arrays["moved_starts"].tolist()
    movements = [
        Movement(arrays["moved_cells"][start:stop], arrays["moved_by"][start:stop]) for start, stop in pairwise(starts)
    ]
    return AttackedTable(table, arrays["status"] > 0, levels, knowledge, movements)
